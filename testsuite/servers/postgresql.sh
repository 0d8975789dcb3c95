# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034 # variables are run's
# PostgreSQL: a postmaster that forks a backend for each connection, and workers of its own; all write titles over their
# arguments.  It refuses to run as root.  The balances of pgbench are the same whatever the order of the transactions.
packages="postgresql postgresql-contrib"
user=postgres
ways="drop user"
comm=postgres
workers=processes least=4

psql_value() {
	bounded psql -h 127.0.0.1 -p "$PORT" -U postgres -XAt -c "$1" postgres
}

pgbench_run() {
	bounded pgbench -h 127.0.0.1 -p "$PORT" -U postgres --random-seed=7 "$@" postgres
}

# The cluster is made once; each run has a copy.
make_cluster() {
	install -d -o "$user" "$1"
	as_user "$bin/initdb" -A trust -E UTF8 --locale=C --no-sync "$1" >/dev/null
	as_user "$bin/pg_ctl" -w -D "$1" -l "$1/initial.log" -o "$options" start >/dev/null
	as_user pgbench -h 127.0.0.1 -p "$PORT" -q -i -s 2 postgres 2>/dev/null
	as_user "$bin/pg_ctl" -w -D "$1" -m fast stop >/dev/null
	rm "$1/initial.log"
}

prepare() {
	bin=$(find /usr/lib/postgresql/ -maxdepth 2 -name bin | sort -V | tail -n 1)
	options="-c listen_addresses=127.0.0.1 -c port=$PORT -c unix_socket_directories="
	[ -d /mnt/cluster ] || make_cluster /mnt/cluster
	cp -a /mnt/cluster "$R/data/cluster"
	cat >"$R/heavy.sql" <<-'SQL'
		select md5(string_agg(md5(i::text), '' order by md5(i::text))) from generate_series(1, 4000) i;
	SQL
	# shellcheck disable=SC2206 # words
	server=("$bin/postgres" -D "$R/data/cluster" $options -c "external_pid_file=$R/data/pid")
}

load() {
	local total failures=0 i
	for ((i = 0; i < 100; i++)); do # its port is open before it answers
		! bounded pg_isready -q -h 127.0.0.1 -p "$PORT" || break
		sleep 0.1
	done
	pgbench_run -n -c 4 -j 2 -t $((150 * SIZE)) -M prepared >"$R/bench.1" 2>&1 &
	sleep 0.3
	psql_value checkpoint >/dev/null || failures=1
	wait $! || failures=$((failures + 1))
	pgbench_run -n -c 4 -j 2 -t $((80 * SIZE)) -f "$R/heavy.sql" >"$R/bench.2" 2>&1 || failures=$((failures + 1))
	pgbench_run -n -C -S -c 4 -t $((15 * SIZE)) >"$R/bench.3" 2>&1 || failures=$((failures + 1))
	total=$(awk -F '[ :/]+' '/^number of transactions actually processed:/ { n += $6 } END { print n + 0 }' "$R"/bench.?)
	failures=$((failures + $(awk -F '[ :]+' '/^number of failed/ { n += $5 } END { print n + 0 }' "$R"/bench.?)))
	[ "$total" = $((4 * 245 * SIZE)) ] || failures=$((failures + 1))
	psql_value "select sum(abalance) = (select sum(delta) from pgbench_history) and
		sum(abalance) = (select sum(bbalance) from pgbench_branches) and
		sum(abalance) = (select sum(tbalance) from pgbench_tellers) from pgbench_accounts" >"$R/balanced"
	[ "$(cat "$R/balanced")" = t ] || failures=$((failures + 1))
	psql_value "select md5(string_agg(aid || ':' || abalance, ',' order by aid)) from pgbench_accounts" >>"$R/answers"
	psql_value "select count(*), sum(delta), md5(string_agg(concat(tid, bid, aid, delta), ',' order by aid, tid, delta))
		from pgbench_history" >>"$R/answers"
	psql_value "$(cat "$R/heavy.sql")" >>"$R/answers"
	titles 'postgres: (checkpointer|walwriter|background writer)' >>"$R/answers"
	add_counts "$total" $failures
}

stop() {
	as_user "$bin/pg_ctl" -D "$R/data/cluster" -m fast -W stop >/dev/null
}

after() {
	as_user "$bin/pg_controldata" -D "$R/data/cluster" | grep 'cluster state'
}
