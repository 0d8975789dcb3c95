/* SPDX-License-Identifier: GPL-3.0-or-later */
/* phases-opposite N M: N turns of a loop whose four conditions mostly hold, then M turns in which they mostly do not.
 * What is done either way is the same amount of work, so that one layout of the loop is as good for one phase as it is
 * bad for the other. */
#include <stdio.h>
#include <stdlib.h>

static volatile unsigned int mostly;

#define WORK(n) __asm__ volatile("addq %1, %0" : "+r"(sum) : "i"(n))
#define STEP(bit, n)                                                                                                   \
	if ((r >> (bit)&127) < mostly)                                                                                 \
		WORK(n);                                                                                               \
	else                                                                                                           \
		WORK((n) + 1)

__attribute__((noipa)) static unsigned long work(long turns)
{
	static unsigned int r = 1;
	unsigned long sum = 0;

	for (long i = 0; i < turns; i++) {
		r = r * 1103515245u + 12345u;
		STEP(8, 3);
		STEP(13, 5);
		STEP(18, 7);
		STEP(24, 9);
	}
	return sum;
}

int main(int argc, char **argv)
{
	unsigned long sum;

	mostly = 127;
	sum = argc > 1 ? work(atol(argv[1])) : 0;
	mostly = 1;
	sum += argc > 2 ? work(atol(argv[2])) : 0;
	printf("%lu\n", sum);
	return 0;
}
