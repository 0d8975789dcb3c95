# SPDX-License-Identifier: GPL-3.0-or-later
# kind=tables|train|ref|small: pgbench's tables and its transactions (TPC-B), as statements of a line each.  ref and small
# ask for reports between the transactions, too.
function random(below) {
	seed = (seed * 16807) % 2147483647
	return seed % below
}

function transaction(   account, teller, branch, delta) {
	account = random(100000) + 1
	teller = random(10) + 1
	branch = 1
	delta = random(10001) - 5000
	print "BEGIN"
	print "UPDATE pgbench_accounts SET abalance = abalance + " delta " WHERE aid = " account
	print "SELECT abalance FROM pgbench_accounts WHERE aid = " account
	print "UPDATE pgbench_tellers SET tbalance = tbalance + " delta " WHERE tid = " teller
	print "UPDATE pgbench_branches SET bbalance = bbalance + " delta " WHERE bid = " branch
	print "INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (" teller ", " branch ", " account ", " delta \
	      ", CURRENT_TIMESTAMP)"
	print "END"
}

function report(   from) {
	from = random(90000)
	print "SELECT h.tid, count(*), sum(h.delta), max(a.abalance) FROM pgbench_history h JOIN pgbench_accounts a USING (aid)" \
	      " GROUP BY h.tid HAVING count(*) > 1 ORDER BY 3 DESC LIMIT 3"
	print "SELECT aid % 10 AS digit, avg(abalance)::numeric(12,2), string_agg(left(filler, 2) || aid::text, ',' ORDER BY abalance)" \
	      " FILTER (WHERE aid % 97 = 0) FROM pgbench_accounts WHERE aid BETWEEN " from " AND " from + rows \
	      " AND (abalance <> 1 OR filler LIKE '%x%') GROUP BY 1 ORDER BY 1 LIMIT 2"
}

function tables() {
	print "CREATE TABLE pgbench_history (tid int, bid int, aid int, delta int, mtime timestamp, filler char(22))"
	print "CREATE TABLE pgbench_tellers (tid int PRIMARY KEY, bid int, tbalance int, filler char(84)) WITH (fillfactor=100)"
	print "CREATE TABLE pgbench_accounts (aid int PRIMARY KEY, bid int, abalance int, filler char(84)) WITH (fillfactor=100)"
	print "CREATE TABLE pgbench_branches (bid int PRIMARY KEY, bbalance int, filler char(88)) WITH (fillfactor=100)"
	print "INSERT INTO pgbench_branches VALUES (1, 0)"
	print "INSERT INTO pgbench_tellers SELECT n, 1, 0 FROM generate_series(1, 10) n"
	print "INSERT INTO pgbench_accounts SELECT n, 1, 0, '' FROM generate_series(1, 100000) n"
	print "VACUUM ANALYZE"
}

BEGIN {
	seed = kind == "train" ? 17 : kind == "ref" ? 4711 : 99
	count = kind == "train" ? 12000 : kind == "ref" ? 18000 : 400
	rows = kind == "ref" ? 20000 : 1500
	if (kind == "tables") {
		tables()
		exit
	}
	for (n = 1; n <= count; n++) {
		transaction()
		if (kind != "train" && n % 200 == 0)
			report()
	}
}
