#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The operations of an interpreter by computed goto get the counts that gcov has of the same run, also where the profile
# has a conditional jump that seems to lead to some of them, as those do whose code was merged with theirs.
set -eu
. "$(dirname "$0")/lib.sh"
[ -x "$B/tools/callgrind-vectors" ] || skip "run make tools"
cp "$TOP/testsuite/programs/plugin-gotos.c" "$T/gotos.c"
cd "$T"
$CC -O2 -g gotos.c -o plain
valgrind -q --tool=callgrind --dump-instr=yes --collect-jumps=yes --skip-plt=no --compress-strings=no \
	--compress-pos=no --callgrind-out-file=calls ./plain 20000 >plain.out || fail "the interpreter fails"
"$B/tools/callgrind-vectors" calls data && "$PATHFDO" convert -b plain data -o exact.pfdo >convert.log 2>&1 ||
	fail "no profile: $(cat convert.log)"
$CC -O2 -g -fprofile-generate="$T/counts" -c gotos.c -o gotos.o
$CC -fprofile-generate gotos.o -o counting
./counting 20000 | cmp - plain.out || fail "the counting program prints something else"

# error PROFILE: how far its block counts are from gcov's.
error() {
	$CC -O2 -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/$1" -fplugin-arg-pathfdo-truth="$T/counts" -c gotos.c \
		-o gotos.o 2>truth.log || fail "$1: $(cat truth.log)"
	sed -n 's/.*block counts off by \([0-9.]*\),.*/\1/p' truth.log
}
check_within "error of the exact profile" "$(error exact.pfdo)" 0 0.1

# Two more ways of the last jump in the line of the operation's test, to what two operations begin with.
at() { echo $(($(grep -n -m1 "$1" gotos.c | cut -d: -f1) - $(grep -n 'long run(' gotos.c | cut -d: -f1))); }
"$PATHFDO" show --text exact.pfdo >exact.txt
awk -v "test=$(at 'n > 0 &&')" -v "first=$(at 'value += arg'):2" -v "second=$(at 'value -= arg'):2" '
	on && !/^    (fell|taken) / { print "    fell " first " 4998\n    fell " second " 4998"; on = 0; done = 1 }
	{ print }
	/^function / { in_run = $2 == "run" }
	in_run && !done && /^    (fell|taken) / && record ~ "^  " test ":" { on = 1 }
	/^  [0-9]/ { record = $0 }' exact.txt >merged.txt
check_eq "ways that were added" "$(diff exact.txt merged.txt | grep -c '^> *fell')" 2
"$PATHFDO" show --from-text merged.txt -o merged.pfdo
check_within "error with a conditional jump beside the computed one" "$(error merged.pfdo)" 0 0.1
