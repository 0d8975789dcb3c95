# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034 # variables are run's
# memcached: four threads that answer, and as root a change of user in the process that is being recorded.
packages="memcached"
user=memcache
ways="self user"
self="root, turns to memcache"
workers=threads least=4

prepare() {
	server=(/usr/bin/memcached -l 127.0.0.1 -p "$PORT" -U 0 -t 4 -u memcache -P "$R/data/pid")
}

load() {
	bounded python3 /mnt/servers/load.py memcached "$PORT" 8 $((200 * SIZE)) | take_tally
	{
		exec 3<>"/dev/tcp/127.0.0.1/$PORT"
		printf 'stats\r\nquit\r\n' >&3
		grep -aE '^STAT (get_hits|get_misses|cmd_set|curr_items|total_connections) ' <&3
	} >>"$R/answers"
}

stop() {
	kill -TERM "$mainpid"
}

after() {
	:
}
