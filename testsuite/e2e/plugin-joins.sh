#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A limit that is never met: what its other arm does stands above the branch in machine code, and the jump leads to where
# both arms lead.  It is the arm's all the same: what the branch did is near gcov's counts.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/truth-lib.sh"
cd "$T"
cat >joins.c <<'END'
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) unsigned long
put(unsigned char *out, const unsigned char *in, unsigned long n, unsigned long far)
{
	unsigned long i = 0, all = 0;

	while (i + 12 < n) {
		unsigned long m = 1;

		while (i + m < n && in[i + m] == in[i] && m < 270)
			m++;
		*out++ = far - i;
		*out++ = m > 255 ? (m = 255) : m;
		i += m;
		all ^= all * 3 + m;
	}
	return all;
}
int main(int argc, char **argv)
{
	static unsigned char in[1000], out[2000];
	unsigned long all = 0;

	for (int i = 0; i < 1000; i++)
		in[i] = i % 11 / 3;
	for (int n = atoi(argv[argc - 1]); n > 0; n--)
		all += put(out, in, 1000 - n % 3, n);
	printf("%lu %d\n", all, out[7]);
	return 0;
}
END
error=$(truth joins put branch_error)
check_within "branch error of put" "$error" 0 0.03
