#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A function whose branch goes one way in one phase of a run and the other way in the next: the profile of the whole run
# says that it goes both ways, those of the phases say which.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >app.c <<'END'
#include <stdio.h>
#include <stdlib.h>
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

int main(int argc, char **argv)
{
	long turns = argc > 1 ? atol(argv[1]) : 0;
	unsigned long sum = work(turns);
	mode = 1;
	printf("%lu\n", sum + work(turns));
	return 0;
}
END
$CC -O2 -g app.c -o app
# How much of a run is seen depends on the machine: the budget is of CPU time, and a burst is charged with what passed while
# the machine did something else. So the run is as long as it takes to see a million branches; the detector leaves the
# first phase after some twenty thousand of the second.
for turns in 20 60 180 540; do
	rm -f phase.*.data
	echo left >phase.3.data
	"$PATHFDO" record -q --source=soft -F 1000 -n 16384 --max-overhead=50 -o app.data -- ./app "${turns}000000" >out 2>log ||
		fail "the recording ends with $?: $(cat log)"
	"$PATHFDO" hotspots --by-phase=phase --json app.data >app.json 2>left || fail "it ends with $?"
	[ "$(jq .branches app.json)" -lt 1000000 ] || break
done
check_eq "what is said of a file that an earlier call left" "$(cat left)" \
	"pathfdo hotspots: warning: phase.3.data is of another recording: this one has no such phase"
check_eq "that file" "$(cat phase.3.data)" left
rm phase.3.data
check_eq "phases" "$(ls phase.*.data | tr '\n' ' ')" "phase.1.data phase.2.data "

# counts NAME [OPTION]: how often the lines `first` and `second` ran, by its profile.
counts() {
	"$PATHFDO" convert "${@:2}" -b ./app "$1.data" -o "$1.pfdo" >"$1.log" 2>&1 || fail "convert $1: $(tail -n 1 "$1.log")"
	"$PATHFDO" annotate "$1.pfdo" app.c 2>/dev/null >"$1.txt" || fail "annotate $1 ends with $?"
	for line in first second; do
		sed -n "s@^ *\([0-9]*\) .*/\* $line \*/.*@\1@p" "$1.txt" | grep . || echo 0
	done | tr '\n' ' '
}
read -r first second <<<"$(counts phase.1)"
check_within "share of the first way in phase 1" "$((100 * first / (first + second)))" 97 100
read -r first second <<<"$(counts phase.2)"
check_within "share of the first way in phase 2" "$((100 * first / (first + second)))" 0 3
# Both ways are as frequent; how often each was looked at, and how fast it was then, is up to what else the machine did
# meanwhile.
looks() { sed -n 's/^ *read \([0-9]*\) vectors.*/\1/p' "$1.log"; }
early=$(looks phase.1) late=$(looks phase.2)
share=$((100 * early / (early + late)))
check_within "share of the looks that phase 1 had" "$share" 5 95
read -r first second <<<"$(counts app --weight=none)"
check_within "share of the first way in the whole run" "$((100 * first / (first + second)))" $((share - 15)) $((share + 15))
# The same of the recording as a whole, by the number of the phase.
for n in 1 2; do
	TMPDIR=$T "$PATHFDO" convert -q --phase=$n -b ./app app.data -o only.$n.pfdo || fail "convert --phase=$n ends with $?"
	"$PATHFDO" show --text only.$n.pfdo | sed '/^#/d' >only.txt
	"$PATHFDO" show --text phase.$n.pfdo | sed '/^#/d' | cmp - only.txt || fail "phase $n is another than --by-phase has it"
done
[ -z "$(find . -maxdepth 1 -name 'pathfdo.*')" ] || fail "something is left in TMPDIR"
# However it ends: here it waits for one who reads its output.
mkdir tmp
mkfifo stream
TMPDIR=$T/tmp "$PATHFDO" convert -q --phase=1 -b ./app app.data -o stream &
waiting=$!
for _ in $(seq 100); do
	[ "$(cat /proc/$waiting/wchan)" != wait_for_partner ] || break # not told everywhere
	sleep 0.1
done
kill -KILL $waiting
wait $waiting 2>/dev/null || true
check_eq "left in TMPDIR by one that was killed" "$(ls -A tmp)" ""
refused 1 "no vector of it is in a hot spot 7" convert --phase=7 -b ./app app.data -o x.pfdo
refused 2 "of one recording" convert --phase=1 app.data app.data -o x.pfdo
refused 2 "from 1 on" convert --phase=0 app.data -o x.pfdo
refused 1 "which would be lost" convert --phase=1 app.data -o app.data
"$PATHFDO" diff phase.1.pfdo phase.2.pfdo >diff.txt || fail "diff ends with $?"
echo "overlap of the phases: $(grep -m 1 'source positions' diff.txt)"

refused 2 "goes with a recording" hotspots --all --by-phase=x true
