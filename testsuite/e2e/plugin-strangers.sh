#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Where a store was moved behind its loop, a jump asks there whether there was any, under the place of the loop's test.
# It is not taken for a way out of the loop, which would have the loop entered twice as often.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/truth-lib.sh"
cd "$T"
cat >stores.c <<'END'
#include <stdio.h>
#include <stdlib.h>

static long seen;

__attribute__((noinline, noclone)) static long walk(const unsigned char *v, long n)
{
	long sum = 0;

	for (long i = 0; i < n; i++) {
		if (v[i] == 7) {
			sum += v[i] * 3;
			seen++;
		} else {
			sum ^= v[i] + i;
		}
	}
	return sum;
}

int main(int argc, char **argv)
{
	static unsigned char l[64];
	long n = atol(argv[argc - 1]), sum = 0;

	for (int i = 0; i < 64; i++)
		l[i] = i % 16;
	for (long i = 0; i < n; i++)
		sum += walk(l, 64);
	printf("%ld %ld\n", sum, seen);
	return 0;
}
END
exact stores.c 1000
check_within "branch error of walk" "$(judged whole.pfdo stores.c walk branch_error)" 0 0.002
# The source has 64 turns an entry.
walk=$(grep '^{"truth":"walk"' report | sed 's/.*"estimate":\[0,0,\([0-9]*\),\([0-9]*\),.*/\1 \2/')
check_within "turns an entry" "$(awk -v all="$walk" 'BEGIN { split(all, of); print of[2] / of[1] }')" 63 65
