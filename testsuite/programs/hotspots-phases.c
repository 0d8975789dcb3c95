/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hotspots-phases N M: two phases, each a loop in a function of its own, of N and of M turns.  A turn of either is the
 * same work: 8 turns of an inner loop with one conditional branch in it. */
#include <stdio.h>
#include <stdlib.h>

static unsigned int state = 1;

static unsigned int next(void)
{
	state = state * 1103515245u + 12345u;
	return state >> 16;
}

__attribute__((noipa)) static unsigned long first_phase(long turns)
{
	unsigned long sum = 0;

	for (long i = 0; i < turns; i++)
		for (int k = 0; k < 8; k++)
			if (next() & 1)
				__asm__ volatile("addq $3, %0" : "+r"(sum));
	return sum;
}

__attribute__((noipa)) static unsigned long second_phase(long turns)
{
	unsigned long sum = 0;

	for (long i = 0; i < turns; i++)
		for (int k = 0; k < 8; k++)
			if (next() & 2)
				__asm__ volatile("addq $5, %0" : "+r"(sum));
	return sum;
}

int main(int argc, char **argv)
{
	unsigned long sum = argc < 3 ? 0 : first_phase(atol(argv[1])) + second_phase(atol(argv[2]));

	printf("%lu\n", sum);
	return argc < 3;
}
