# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# SQLite's own speed test, in memory.  The amalgamation is made from the source by its scripts (tclsh).
package=sqlite3 version=3.40.1-2+deb12u2 language=c stands_for="a database (as 471.omnetpp)"
needs=tcl
build_seconds=35
EXE=speedtest1

configure() {
	./configure -q && make -s sqlite3.c && mv test/speedtest1.c . && rm -rf test src ext www tool tsrc
}

build() {
	compile -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_ENABLE_RTREE -I. -- sqlite3.c speedtest1.c &&
		link -lm
}

data() {
	:
}

sets() {
	while [ $# -gt 0 ]; do
		x --memdb --testset $1 --size $2 || return 1
		shift 2
	done
}

# The measured run sorts, joins and updates more rows than the trained one, and runs test sets that it did not.
workload() {
	case $1 in
	# Short processes give few vectors: each pays anew for the code that it meets first.
	train) sets main 75 main 60 main 70 cte 30 ;;
	ref) sets main 90 orm 25 cte 40 rtree 12 main 110 orm 30 cte 45 ;;
	small) sets main 3 orm 2 ;;
	esac | sed 's/ *[0-9.]*s$//'
}
