#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Of what is inlined deep the compiler may lose the scopes, and most of what a function counts is then on lines that it does
# not have.  It is not stale for that, as its own places are where they were.  A record that has few of these is.
set -eu
. "$(dirname "$0")/lib.sh"
. "$TOP/testsuite/tools/converter-lib.sh"
cd "$T"
cat >work.c <<'END'
void note(int *a, int sum);
__attribute__((noipa)) int work(int *a, int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++) {
		if (a[i] > 3)
			sum += a[i] * 5;
		else
			sum ^= i;
		a[i] = sum >> 1;
	}
	note(a, sum);
	note(a + 1, sum);
	note(a + 2, sum);
	note(a + 3, sum);
	note(a + 4, sum);
	return sum;
}
__attribute__((noipa)) void note(int *a, int sum)
{
	*a ^= sum;
}
int main(void)
{
	int a[16] = { 0 }, sum = 0;
	for (int i = 0; i < 100; i++)
		sum += work(a, 16);
	return sum == 12345;
}
END
"$CC" -O2 -g work.c -o work
exact "$T/work"
convert "$T/work"
# compiled FILTER: what the compiler says with a profile of which AWK's FILTER changed the lines of work.
compiled() {
	awk "\$1 == \"function\" { on = \$2 == \"work\" } on { $1 } 1" work.txt >changed.txt
	"$PATHFDO" show --from-text changed.txt -o changed.pfdo || fail "the profile is refused: $(cat changed.txt)"
	rm -f report
	"$CC" -O2 -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/changed.pfdo" \
		-fplugin-arg-pathfdo-report="$T/report" -c work.c -o work.o 2>said || fail "$(cat said)"
	grep '^{"function":"work"' report | sed 's/.*"found":"\([a-z]*\)".*/\1/'
}
lost='if ($1 == "16:1") for (i = 40; i < 60; i += 3) print "  " i ":" i % 7 + 9 " count 5000"'
grep -q '^  16:1 count' work.txt || fail "the profile has no end of work: $(cat work.txt)"
check_eq "the profile as it is" "$(compiled '')" matched
check_eq "with code without scopes" "$(compiled "{ $lost }")" matched
[ ! -s said ] || fail "a source that nobody edited: $(cat said)"
# Of the function's own places its end is left.
check_eq "with little else" "$(compiled "{ $lost } if (\$2 == \"count\" && \$1 ~ /^([1-9]|1[0-5]):/) next; \
if (\$1 ~ /^(taken|fell|path|call)\$/) next")" stale
grep -q ".work. has changed too much since it was profiled" said || fail "nothing said of an edit: $(cat said)"
