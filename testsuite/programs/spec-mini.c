/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A benchmark for the stand-in of the SPEC tools: ROUNDS numbers are sorted by a comparison through a pointer and
 * summed by a small machine whose operations are almost always one of two.  C99, two sources, nothing but the C
 * library; prints to standard output and to standard error, since the suites look at both. */
#include <stdio.h>
#include <stdlib.h>

void rank(unsigned *values, unsigned n, unsigned order);

static unsigned operate(unsigned op, unsigned a, unsigned b)
{
	unsigned r = a;

	if (op < 200)
		r = a + b * 3;
	else if (op < 250)
		r = a ^ (b >> 3);
	else if (op == 250)
		for (unsigned i = 0; i < 9; i++)
			r = r * 31 + (b >> i) % 7;
	else if (op == 251)
		for (unsigned i = 0; i < 5; i++)
			r ^= (a << i) / (b + 1);
	else if (op == 252)
		r = a % (b + 1) + b % (a + 1);
	else
		r = a > b ? a - b : b - a;
	return r;
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 100, state = 12345, sum = 0;
	unsigned values[512];

	for (unsigned r = 0; r < rounds; r++) {
		for (unsigned i = 0; i < 512; i++)
			values[i] = state = state * 1664525 + 1013904223;
		rank(values, 512, r % 1000 == 999);
		for (unsigned i = 1; i < 512; i++)
			sum = operate(values[i] & 255, sum, values[i - 1]);
		for (unsigned i = 1; i < 512; i++)
			sum += operate(values[i] >> 8 & 255, sum, i);
	}
	printf("%u rounds, sum %u\n", rounds, sum);
	fprintf(stderr, "done\n");
	return 0;
}
