#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Commands under a small stack (ulimit -s) say and write what they do under a large one; so they do of code that is inlined
# hundreds of levels deep.
set -eu
. "$(dirname "$0")/lib.sh"
P=$TOP/testsuite/programs
"$CC" -std=c11 -D_GNU_SOURCE -I "$TOP" -o "$T/samples" "$P/convert-samples.c" "$B/libpathfdo.a" -lz -lzstd
cd "$T"
"$CC" -O2 -g -w "$P/agent-sort.c" -o sort
"$PATHFDO" record -q --source=soft -o soft.data -- ./sort 60 >/dev/null 2>said || unrecorded said
"$CC" -O2 -g -no-pie -o prog "$P/convert-clock.c"
./samples clock.data "$T/prog" $((0x$(nm prog | awk '$3 == "main" { print $1 }') - 0x400000)) 200

# The arguments and the environment are on the stack too.
small() {
	local size=$1
	shift
	env -i PATH="$PATH" HOME="$T" LC_ALL=C bash -c 'ulimit -s "$1"; shift; exec "$@"' - "$size" "$PATHFDO" "$@"
}
same() {
	local got=0
	"$PATHFDO" "$@" >want 2>want.said || fail "'$*' ends with $?: $(cat want.said)"
	[ ! -e out ] || mv out want.out
	for size in 48 64 128 256; do
		got=0
		small $size "$@" >got 2>said || got=$?
		check_eq "status of '$*' on $size kB ($(cat said))" $got 0
		cmp want got || fail "'$*' on $size kB prints something else"
		[ ! -e want.out ] || cmp want.out out || fail "'$*' on $size kB writes something else"
		rm -f out
	done
	rm -f want.out
}
"$PATHFDO" convert -q -b sort soft.data -o p.pfdo
"$PATHFDO" convert -q -b prog clock.data -o c.pfdo
same convert -b sort soft.data -o out
same convert -b prog clock.data -o out
same convert --fdata -b sort soft.data -o out
same convert --phase=1 -b sort soft.data -o out
same coverage -b sort soft.data
same paths -b sort soft.data
same hotspots soft.data
same hotspots --html=out soft.data
same engine -p branch_edges soft.data
same show p.pfdo
same show --html=out p.pfdo
same annotate p.pfdo main
same values p.pfdo
same diff p.pfdo p.pfdo
same merge -j 2 p.pfdo p.pfdo -o out
same export --format=llvm p.pfdo -o out
# What is recorded has the stack that it would have.
[ "$(small 256 record -q --source=clock -o r.data -- bash -c 'ulimit -s' 2>said || true)" = 256 ] || fail "another stack: $(cat said)"

# Four hundred functions, one inlined into the other, and the innermost line has its count.
{
	echo 'volatile unsigned v; static inline __attribute__((always_inline)) void f0(unsigned i)'
	echo '{ if (v % 3) v += i; else v ^= 5; }'
	for i in {1..400}; do
		echo "static inline __attribute__((always_inline)) void f$i(unsigned i) { f$((i - 1))(i + 1); }"
	done
	echo 'int main(void) { for (unsigned i = 0; i < 100000000; i++) f400(i); return 0; }'
} >deep.c
"$CC" -O1 -g -o deep deep.c
"$PATHFDO" record -q --source=soft -o deep.data -- ./deep 2>said || unrecorded said
same convert -b deep deep.data -o out
"$PATHFDO" convert -b deep deep.data -o deep.pfdo 2>said
grep -q 'inlined up to 401 deep' said || fail "deep inlining: $(cat said)"
"$PATHFDO" show --text deep.pfdo | grep -A 1 'inline .*f0 ' | grep -qE '^ *[0-9]+:[0-9]+ count [1-9]' || fail "the innermost has no counts"
