/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For the converter's tests: a static function of the same name as one in convert-counts.c. */
extern volatile int sink;

int other(int rounds);

static __attribute__((noinline)) int helper(int x)
{
	sink -= x; /* =11= */
	return x * sink;
}

int other(int rounds)
{
	int sum = 0;

	for (int i = 0; i < rounds; i++)
		sum += helper(i); /* =11= */
	return sum;
}
