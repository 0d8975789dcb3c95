#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Loops of one or two turns.  In machine code the test before the first turn is not there, as what comes before the loop
# has decided it; the test at the end knows of the second turn alone.  And loops of five turns, which the machine code has
# one behind the other, or several at once.  The profile's counts are near gcov's all the same.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/truth-lib.sh"
cd "$T"
cat >turns.c <<'END'
#include <stdio.h>
#include <stdlib.h>
struct row { int count; float at[2], of[2], sum; };
__attribute__((noinline)) float add(struct row *rows, int n)
{
	float all = 0;

	for (int i = 0; i < n; i++) {
		struct row *r = &rows[i];
		int count = r->count;
		float low = 0;

		if (count != 1 && count != 2)
			abort();
		for (int k = 0; k < count; k++) {
			float a = r->at[k] * 3, b = r->of[k] - low;

			low = a * b + r->sum;
			r->of[k] = b - a * .125f;
		}
		all += low;
	}
	return all;
}
__attribute__((noinline)) long fill(long *to, long x)
{
	long all = 0;

	if (x % 16 == 3)
		return x;
	for (int i = 0; i < 5; i++)
		to[i] = x;
	for (int i = 0; i < 5; i++)
		all += to[i] ^ i;
	return all;
}
int main(int argc, char **argv)
{
	static struct row rows[300];
	static long at[5];
	float all = 0;

	for (int i = 0; i < 300; i++)
		rows[i] = (struct row) { 1 + i * i % 7 % 2, { i * .01f, 1 }, { 2, 3 }, i };
	for (int n = atoi(argv[argc - 1]); n > 0; n--)
		all += add(rows, 300) > n;
	for (long n = 100 * atol(argv[argc - 1]); n > 0; n--)
		all += fill(at, n) > 3;
	printf("%g\n", all);
	return 0;
}
END
error=$(truth turns add block_error)
check_within "block error of add" "$error" 0 0.1
error=$(sed -n 's/^{"truth":"fill".*"block_error":\([0-9.]*\).*/\1/p' report)
check_within "block error of fill" "$error" 0 0.1
