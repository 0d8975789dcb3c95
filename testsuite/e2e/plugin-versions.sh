#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A function of which the compiler makes a version for each of several targets (target_clones): debug information has them
# all under the name and the place of the source's function, and the compiler takes all of them for made up.  So the
# version that never runs had the counts of the one that does, and that one "has changed too much".
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/truth-lib.sh"
cd "$T"
cat >versions.c <<'END'
#include <stdio.h>
#include <stdlib.h>
static unsigned char bytes[1000];
__attribute__((noinline, target_clones("sse4.2", "default"))) unsigned kernel(const unsigned char *p, int n)
{
	unsigned s = 0;
	for (int i = 0; i < n; i++) {
		if (p[i] < 3)
			s += p[i] / (s | 1);
		else if (p[i] > 250)
			s ^= p[n - i - 1];
		else
			s = s * 3 + p[i];
	}
	return s;
}
int main(int argc, char **argv)
{
	unsigned s = 1, rounds = (unsigned)atoi(argv[argc - 1]);

	for (int i = 0; i < 1000; i++)
		bytes[i] = (unsigned char)((s = s * 1103515245 + 12345) >> 20);
	for (unsigned r = 0; r < rounds; r++)
		s += kernel(bytes, 1000);
	printf("%u\n", s);
}
END
grep -qw sse4_2 /proc/cpuinfo || skip "the processor has no SSE 4.2"
error=$(truth versions 'kernel.sse4_2' block_error)
grep -q 'changed too much' messages && fail "a function that did not change: $(cat messages)"
check_within "block error of the version that runs" "$error" 0 0.1

# What the profile does not know is compiled as without one, and a version has the options of the function that it was made
# of: where the source asks for NaN, they are what makes the program right.
cat >options.c <<'END2'
#include <stdio.h>
__attribute__((noinline)) int busy(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += i ^ n;
	return s;
}
__attribute__((optimize("no-fast-math"), noinline)) int alone(double x)
{
	return x != x;
}
__attribute__((optimize("no-fast-math"), target_clones("sse4.2", "default"))) int versions(double x)
{
	return x != x;
}
int main(void)
{
	volatile double zero = 0;

	printf("%d %d %d\n", busy(100), alone(zero / zero), versions(zero / zero));
	return 0;
}
END2
printf 'pathfdo-profile 1\nunit executions\nfunction busy %s/options.c:2 head 90\n  2 count 90\n  3 count 9000\n  4 count 9000\n' "$T" >options.txt
"$PATHFDO" show --from-text options.txt -o options.pfdo
$CC -O2 -ffast-math options.c -o options
check_eq "without a profile" "$(./options)" "7654 1 1"
$CC -O2 -ffast-math -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile=options.pfdo -fplugin-arg-pathfdo-report=report options.c -o options
grep -q '"function":"busy".*"matched"' report || fail "the profile fits nothing: $(cat report)"
check_eq "with a profile that does not know them" "$(./options)" "7654 1 1"
