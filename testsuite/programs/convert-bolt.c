/* SPDX-License-Identifier: GPL-3.0-or-later */
/* convert-bolt COUNT: what tells functions and blocks apart for BOLT: a static function `step` here and in
 * convert-bolt-other.c, and data of that name; calls at the ends of blocks, a jump table, recursion, and a cold part
 * that jumps back to where only it does. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

unsigned pf_other(unsigned n);

static unsigned state = 1;

__attribute__((noinline)) static unsigned step(unsigned n)
{
	state = state * 1103515245u + 12345u;
	return n & 64 ? state >> 16 : state >> 18;
}

__attribute__((noinline)) static unsigned sink(unsigned n, unsigned kind)
{
	switch (kind) {
	case 0:
		return n + 1;
	case 1:
		n ^= 0x55; /* fall through */
	case 2:
		return n * 3 + state;
	case 3:
		return pf_other(n);
	case 4:
		return n << 1 | state;
	case 5:
		return n / 7;
	default:
		return n - 1;
	}
}

__attribute__((noinline, cold)) static unsigned rare(unsigned n)
{
	return n + (unsigned)getpid();
}

__attribute__((noinline)) static unsigned mostly(unsigned n)
{
	unsigned v = n == 0x12345678 ? rare(n) : n + 1;

	/* Too much to be there twice. */
	v = (v ^ state) * 7 + (v >> 3) * (state | 5);
	v = (v ^ v >> 7) * 0x9e3779b1u + (state & 0xff00ff) * (v << 5 | 3);
	return (v ^ v >> 13) * 0x85ebca6bu + (state >> 9) * (v & 0xf0f0f0f0u);
}

__attribute__((noinline)) static unsigned deep(unsigned n)
{
	return n > 1 ? deep(n - 1) * 5 + deep(n / 2 > 3 ? 3 : n / 2) : step(n);
}

int main(int argc, char **argv)
{
	unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 1000, sum = 0;

	for (unsigned i = 0; i < count; i++) {
		if (step(i) & 1)
			sum += sink(i, sum % 8) + mostly(i);
		if (sum & 2)
			sum ^= pf_other(sum);
		if (i % 16 == 0)
			sum += deep(i % 5);
	}
	printf("%u\n", sum);
	return 0;
}
