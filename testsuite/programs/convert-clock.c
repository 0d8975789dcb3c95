/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For the converter's tests: nearly all time in one loop, an eighth of whose rounds take the branch. */
#include <stdio.h>

volatile int sink;

__attribute__((noinline)) static long hot(long n)
{
	long sum = 0;

	for (long i = 0; i < n; i++) {
		sum += i * i; /* hot */
		if (i % 8 == 0)
			sink = (int)sum;
	}
	return sum;
}

__attribute__((noinline)) static long cold(long n)
{
	return n * 3 + sink;
}

int main(void)
{
	printf("%ld\n", hot(300000000) + cold(7));
	return 0;
}
