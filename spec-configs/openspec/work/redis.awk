# SPDX-License-Identifier: GPL-3.0-or-later
# kind=train|ref|small: commands of a cache, queues, rankings, sets and scripts, in other proportions for each kind.
function random(below) {
	seed = (seed * 16807) % 2147483647
	return seed % below
}

function key(name) {
	return name ":" random(keys)
}

function cache() {
	print "SET", key("page"), "value-" random(1000000) "-" substr(filler, 1, random(90) + 1)
	print "GET", key("page")
	print "GET", key("page")
	print "APPEND", key("log"), "entry" random(100)
	print "STRLEN", key("log")
	print "MGET", key("page"), key("page"), key("log")
}

function queue() {
	print "LPUSH", key("queue"), random(1000), random(1000)
	print "RPOP", key("queue")
	print "LRANGE", key("queue"), 0, random(20)
}

function objects() {
	print "HSET", key("user"), "name", "n" random(500), "visits", random(50), "f" random(40), random(9999)
	print "HINCRBY", key("user"), "visits", 1
	print "HGETALL", key("user")
	print "INCR", key("count")
}

function ranking(   from) {
	from = random(4000)
	print "ZADD", "rank:" random(5), random(5000), "m" random(2000)
	print "ZINCRBY", "rank:" random(5), random(9), "m" random(2000)
	print "ZRANGEBYSCORE", "rank:" random(5), from, from + 50, "WITHSCORES"
	print "ZRANK", "rank:" random(5), "m" random(2000)
}

function sets() {
	print "SADD", key("tags"), "t" random(300), random(3000), "t" random(300)
	print "SISMEMBER", key("tags"), "t" random(300)
	print "SINTER", key("tags"), key("tags")
}

function rare() {
	print "PFADD", "visitors:" random(9), "v" random(100000)
	print "SETBIT", "bits:" random(9), random(20000), 1
	print "BITCOUNT", "bits:" random(9)
	print "EVAL", "\"local n=0; for i=1,#ARGV do n=n+ARGV[i]*i end; redis.call('incrby',KEYS[1],n); return n\"", 1, key("sum"),
	      random(9), random(9), random(9)
	print "XADD", "stream:" random(5), n "-1", "temperature", random(40)
	print "SORT", key("queue"), "ALPHA", "LIMIT", 0, 5
}

BEGIN {
	seed = kind == "train" ? 17 : kind == "ref" ? 4711 : 99
	count = kind == "train" ? 45000 : kind == "ref" ? 75000 : 5000
	keys = kind == "small" ? 400 : 6000
	filler = "abcdefghijklmnopqrstuvwxyz0123456789"
	filler = filler filler filler
	for (n = 1; n <= count; n++) {
		cache()
		if (kind != "train" || n % 2) queue()
		objects()
		if (kind == "train" || n % 3) ranking()
		sets()
		if (n % (kind == "train" ? 8 : 5) == 0) rare()
	}
}
