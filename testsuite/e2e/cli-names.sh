#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Recordings of programs that run again and again: names that differ, a quiet recorder, and an account of a conversion that
# has neither small change nor the recorder itself.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >work.c <<'END'
#include <stdio.h>
int main(void)
{
	unsigned v = 1, odd = 0;
	for (int i = 0; i < 30000000; i++) {
		v = v * 1103515245 + 12345;
		if (v >> 28 == 3)
			odd += v;
	}
	printf("%u\n", odd);
}
END
$CC -O2 -g work.c -o work
record() { "$PATHFDO" record --source=soft -F 200 --max-overhead=20 "$@" -- ./work >/dev/null 2>said || fail "record: $(cat said)"; }
before=$(date -u +%Y%m%d-%H%M%S)
TZ=EST5EDT record -q -o '100%%.%t.%h.%p.%x.data'
after=$(date -u +%Y%m%d-%H%M%S)
check_eq "what -q says" "$(cat said)" ""
name=$(echo 100%.*)
stamp=${name#100%.}
stamp=${stamp%%.*}
[[ $stamp =~ ^[0-9]{8}-[0-9]{6}$ && ! $stamp < $before && ! $stamp > $after ]] || fail "the time in $name is not between $before and $after"
check_eq "the rest of the name" "$(echo "$name" | sed 's/\.[0-9]*\.%x\.data$/.PID/')" "100%.$stamp.$(hostname | tr / -).PID"
record -q -o 'app.%p.data'
record -q -o 'app.%p.data'
check_eq "recordings of two runs" "$(find . -name 'app.*.data' | wc -l)" 2
record -o loud.data
check_eq "lines without -q: the summary" "$(grep -c '^\[ pathfdo record: .* -> loud.data; ' said) of $(wc -l <said)" "1 of 1"

"$PATHFDO" convert -b work app.*.data -o app.pfdo 2>said
grep -q "$T/work: [0-9.]*% of all" said || fail "the account has not the program: $(cat said)"
! grep -q 'libpathfdo-recorder' said || fail "the account has the recorder: $(cat said)"
awk '/% of all, not used/ { share = $2 + 0; if (share < 1) exit 1 }' said || fail "the account has small change: $(cat said)"

# Nor is it among what the program was compiled from, unless that is asked for.
"$PATHFDO" convert loud.data -o loud.pfdo 2>said || fail "$(cat said)"
"$PATHFDO" show --text loud.pfdo >loud.txt
grep -q "^compiled $T/work.c" loud.txt || fail "the program's source is not in the profile"
! grep "^compiled .*runtime/agent/" loud.txt || fail "the recorder's sources are in the profile"
