# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# The server in a process of its own, asked by redis-cli over a socket.  Trained and measured by commands in different
# proportions; what it holds at the end is the result.
package=redis version=5:7.0.15-1~deb12u7 original=yes language=c stands_for="a server (as 471.omnetpp)"
build_seconds=70
EXE=redis-server

# The client of all runs is built once; what make generates stays, with the names of what the server is made of.
configure() {
	make -s -j "$JOBS" MALLOC=libc OPTIMIZATION=-O1 && mv src/redis-cli . &&
		{ sed -n 's/^REDIS_SERVER_OBJ=//p' src/Makefile | tr ' ' '\n' | sed -n 's,^\(.*\)\.o$,src/\1.c,p'
			ls deps/lua/src/*.c deps/hdr_histogram/*.c deps/hiredis/{alloc,async,hiredis,net,read,sds,sockcompat}.c |
				grep -vE '/(lua|luac|print)[.]c'; } >files && find . -name '*.[ao]' -delete &&
		rm -rf src/redis-{server,sentinel,benchmark,check-aof,check-rdb} tests deps/jemalloc
}

build() {
	compile -std=gnu11 -DENABLE_CJSON_GLOBAL -DREDIS_STATIC= '-DHDR_MALLOC_INCLUDE="hdr_redis_malloc.h"' -Ideps/hiredis \
		-Ideps/linenoise -Ideps/lua/src -Ideps/hdr_histogram -- $(cat files) && link -Wl,--export-dynamic -lm -ldl -lpthread -lrt
}

data() {
	for kind in train ref small; do
		awk -v kind=$kind -f "$WORK/redis.awk" >$kind.commands
	done
}

workload() {
	local client="$SOURCE/redis-cli -s $PWD/socket" server status=0
	x --port 0 --unixsocket "$PWD/socket" --save '' --hz 1 --activerehashing no --enable-debug-command yes >log &
	server=$!
	for _ in $(seq 600); do
		$client ping 2>/dev/null | grep -q PONG && break
		sleep 0.1
	done
	$client --pipe <"$D/$1.commands" | grep -E '^(errors|ERR)' && $client dbsize &&
		$client debug digest-value {rank,visitors,bits,stream}:{0..8} {page,log,queue,user,count,tags,sum}:{0..99} || status=1
	$client shutdown nosave 2>/dev/null || status=1
	wait $server && return $status
}
