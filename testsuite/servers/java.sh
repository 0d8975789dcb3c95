# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034 # variables are run's
# Java: code made at run time, which the recorder does not follow, by compiler threads, which it does; a runtime that uses
# SIGSEGV for its own ends, and alternate stacks in each thread.
packages="default-jdk-headless"
user=nobody
ways="self drop user"
workers=threads least=2

prepare() {
	[ -e /mnt/java/Answers.class ] || javac -d /mnt/java /mnt/servers/Answers.java
	python3 - "$R/expected" <<-'PYTHON'
		import hashlib, sys

		def chain(seed, length):
		    text = str(seed)
		    for _ in range(length):
		        text = hashlib.sha256(text.encode()).hexdigest()
		    return text

		def ordered(seed, length):
		    state, numbers = seed, set()
		    for _ in range(length):
		        state = (state * 1103515245 + 12345) & 0x7fffffff
		        numbers.add(state)
		    return "".join("%d\n" % number for number in sorted(numbers))

		with open(sys.argv[1], "w") as expected:
		    for seed in range(1, 11):
		        for name, body in ("chain", chain(seed, 3000)), ("sorted", ordered(seed, 3000)):
		            print("/%s/%d/3000" % (name, seed), hashlib.sha256(body.encode()).hexdigest(), file=expected)
	PYTHON
	server=(java -Dsun.net.httpserver.nodelay=true -cp /mnt/java Answers "$PORT" "$R/data/pid")
}

load() {
	bounded python3 /mnt/servers/load.py http "$PORT" 6 $((10 * SIZE)) "$R/expected" | take_tally
}

stop() {
	kill -TERM "$mainpid"
}

after() {
	:
}
