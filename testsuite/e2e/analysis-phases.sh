#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A function whose branch goes one way in one phase of a run and the other way in the next: the profile of the whole run
# says that it goes both ways, those of the phases say which.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >app.c <<'END'
#include <stdio.h>
static volatile unsigned mode;
static unsigned state = 1;

__attribute__((noipa)) unsigned long work(long turns)
{
	unsigned long sum = 0;
	for (long i = 0; i < turns; i++) {
		unsigned r = state = state * 1103515245u + 12345u;
		if (mode == 0) {
			__asm__ volatile("addq $1, %0" : "+r"(sum)); /* first */
			if (r & 0x10000)
				__asm__ volatile("addq $2, %0" : "+r"(sum));
			if (r & 0x20000)
				__asm__ volatile("addq $3, %0" : "+r"(sum));
			if (r & 0x40000)
				__asm__ volatile("addq $4, %0" : "+r"(sum));
		} else {
			__asm__ volatile("addq $5, %0" : "+r"(sum)); /* second */
			if (r & 0x80000)
				__asm__ volatile("addq $6, %0" : "+r"(sum));
			if (r & 0x100000)
				__asm__ volatile("addq $7, %0" : "+r"(sum));
			if (r & 0x200000)
				__asm__ volatile("addq $8, %0" : "+r"(sum));
		}
	}
	return sum;
}

int main(void)
{
	unsigned long sum = work(20000000);
	mode = 1;
	printf("%lu\n", sum + work(20000000));
	return 0;
}
END
$CC -O2 -g app.c -o app
"$PATHFDO" record -q --source=soft -F 1000 -n 16384 --max-overhead=50 -o app.data -- ./app >out 2>log || fail "the recording ends with $?: $(cat log)"
"$PATHFDO" hotspots --by-phase=phase --json app.data >app.json || fail "it ends with $?"
check_eq "phases" "$(ls phase.*.data | tr '\n' ' ')" "phase.1.data phase.2.data "

# counts NAME: how often the lines `first` and `second` ran, by its profile.
counts() {
	"$PATHFDO" convert -b ./app "$1.data" -o "$1.pfdo" >"$1.log" 2>&1 || fail "convert $1: $(tail -n 1 "$1.log")"
	"$PATHFDO" annotate "$1.pfdo" app.c 2>/dev/null >"$1.txt" || fail "annotate $1 ends with $?"
	for line in first second; do
		sed -n "s@^ *\([0-9]*\) .*/\* $line \*/.*@\1@p" "$1.txt" | grep . || echo 0
	done | tr '\n' ' '
}
read -r first second <<<"$(counts app)"
check_within "share of the first way in the whole run" "$((100 * first / (first + second)))" 35 65
read -r first second <<<"$(counts phase.1)"
check_within "share of the first way in phase 1" "$((100 * first / (first + second)))" 97 100
read -r first second <<<"$(counts phase.2)"
check_within "share of the first way in phase 2" "$((100 * first / (first + second)))" 0 3
"$PATHFDO" diff phase.1.pfdo phase.2.pfdo >diff.txt || fail "diff ends with $?"
echo "overlap of the phases: $(grep -m 1 'source positions' diff.txt)"

refused 2 "goes with a recording" hotspots --all --by-phase=x true
