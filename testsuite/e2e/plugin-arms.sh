#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# An arm whose code stands at the place of its test, since a macro has both: the jump past it leads to where both arms
# lead, and so does the way through it.  Each way is its own arm's all the same, and what the branch did is near gcov's
# counts, as far as machine code has a branch for it.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/truth-lib.sh"
cd "$T"
cat >arms.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#define sign(x) ((x) > 0 ? 1 : (x) < 0 ? -1 : 0)
__attribute__((noinline)) long directions(const long *p, const long *q, long n)
{
	long way[9] = { 0 };

	for (long i = 0; i + 1 < n; i++)
		way[4 + 3 * sign(p[i] - p[i + 1]) + sign(q[i] - q[i + 1])]++;
	return way[0] * 3 + way[4] * 5 + way[8];
}
int main(int argc, char **argv)
{
	static long p[640], q[640];
	long all = 0;

	for (int i = 0; i < 640; i++) {
		p[i] = i * 5 % 800;
		q[i] = i * 7 % 640;
	}
	for (int n = atoi(argv[argc - 1]); n > 0; n--)
		all += directions(p, q, 600 + n % 4);
	printf("%ld\n", all);
	return 0;
}
END
error=$(truth arms directions branch_error)
check_within "branch error of directions" "$error" 0 0.4
