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
