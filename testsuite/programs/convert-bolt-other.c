/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The other file of convert-bolt.c. */
unsigned pf_other(unsigned n);

static volatile unsigned sink = 3;

__attribute__((noinline)) static unsigned step(unsigned n)
{
	return n % 3 == 0 ? n / 3 : n * sink;
}

__attribute__((noinline)) unsigned pf_other(unsigned n)
{
	unsigned sum = 0;

	while (n > 4) {
		sum += step(n);
		n >>= 2;
	}
	return sum;
}
