# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034 # variables are run's
# Python's http.server, with a thread for each connection that lives no longer than that.
packages="python3"
user=nobody
ways="self drop user"
comm=python3
workers=threads least=4

prepare() {
	documents "$R/www"
	cp "$R/www.expected" "$R/expected"
	server=(/usr/bin/python3 /mnt/servers/threads.py "$PORT" "$R/data/pid" "$R/www")
}

load() {
	bounded python3 /mnt/servers/load.py http "$PORT" 6 $((8 * SIZE)) "$R/expected" | take_tally
}

stop() {
	kill -INT "$mainpid"
}

after() {
	:
}
