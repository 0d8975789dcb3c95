# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034 # variables are run's
# redis: one thread that answers, children by fork that write the snapshot and the append-only file, threads of its own
# for slow work, and a process title written over the arguments and the environment.
packages="redis-server redis-tools"
user=redis
ways="self drop user"
comm=redis-server
workers=processes least=2 main_least=1
KEYS=300000

prepare() {
	cat >"$R/redis.conf" <<-CONF
		bind 127.0.0.1
		port $PORT
		daemonize no
		supervised no
		pidfile $R/data/pid
		logfile $R/log/redis.log
		dir $R/data
		save ""
		appendonly yes
		appendfsync no
		aof-use-rdb-preamble no
		auto-aof-rewrite-percentage 0
		enable-debug-command local
		io-threads 2
	CONF
	server=(/usr/bin/redis-server "$R/redis.conf")
}

cli() {
	bounded redis-cli -h 127.0.0.1 -p "$PORT" "$@"
}

# Every kind of value, lists and sets in both encodings, a script in Lua.
commands() {
	awk -v size="$SIZE" 'BEGIN {
		for (i = 0; i < 10000 * size; i++) {
			print "SET string:" i % 3000, "value-" i * 7919 % 100003
			print "HSET hash:" i % 50, "field" i % 997, i
			print "ZADD sorted:" i % 20, i * 31 % 4096, "member" i % 2000
			print "RPUSH list:" i % 30, i
			print "SADD set:" i % 10, i * 17 % 5000
			print "INCR counter"
		}
		for (i = 0; i < 40 * size; i++) {
			print "SORT list:" i % 30, "DESC LIMIT 0 20"
			print "ZUNIONSTORE union:" i % 5, "2 sorted:" i % 20, "sorted:" (i + 7) % 20
			print "EVAL \"local s = 0; for i = 1, 20000 do s = (s * 31 + i) % 65521 end; return s\" 0"
		}
	}'
}

# A child that saves is done when the server says so.
saved() {
	local i
	cli "$1" >/dev/null
	for ((i = 0; i < 300; i++)); do
		sleep 0.1
		! cli info persistence | grep -qE '^(rdb_bgsave|aof_rewrite)_(in_progress|scheduled):1' || continue
		cli info persistence | tr -d '\r' | grep -E "^$2"
		return
	done
	problem "$1 has no end"
}

read_back() {
	cli get counter
	cli dbsize
	cli debug digest
	{
		cli mget string:{0..2999}
		cli lrange list:7 0 -1
		cli zrange union:3 0 -1 withscores
		cli hget hash:3 field53
		cli sort set:4 limit 0 50
	} | sha256sum
}

load() {
	local failures
	cli debug populate $KEYS filler 80 >/dev/null
	failures=$(commands | bounded redis-cli -h 127.0.0.1 -p "$PORT" --pipe | sed -n 's/^errors: \([0-9]*\),.*/\1/p')
	bounded redis-benchmark -h 127.0.0.1 -p "$PORT" -q -c 20 -n $((2000 * SIZE)) -t incr,lpush,lrange_300 >/dev/null &
	saved bgsave rdb_last_bgsave_status >>"$R/answers"
	saved bgrewriteaof aof_last_bgrewrite_status >>"$R/answers"
	wait $! || failures=$((failures + 1))
	read_back >>"$R/answers"
	[ "$(cli get counter)" = $((10000 * SIZE)) ] || failures=$((failures + 1))
	[ "$(cli get counter:__rand_int__)" = $((2000 * SIZE)) ] || failures=$((failures + 1))
	grep -qa '127.0.0.1:' "/proc/$mainpid/cmdline" || problem "the title of the process was not set"
	add_counts $(($(commands | wc -l) + 6000 * SIZE)) "${failures:-1}"
}

# The snapshot is checked by redis's own tool.
stop() {
	cli shutdown save
}

after() {
	redis-check-rdb "$R/data/dump.rdb" | grep -cE 'RDB looks OK|^\[info\] [0-9]+ keys read'
}
