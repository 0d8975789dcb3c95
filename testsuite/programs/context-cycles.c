/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that end when the time stamp counter has gone on by as much as they are told. */
#include <x86intrin.h>

static volatile unsigned long turns;

__attribute__((noinline)) static void spin(unsigned long cycles)
{
	unsigned long long begin = __rdtsc();

	while (__rdtsc() - begin < cycles)
		turns = turns + 1;
}

__attribute__((noinline)) static void twice(void)
{
	spin(3000000);
	spin(3000000);
	turns = 0;
}

__attribute__((noinline)) static void again(int depth)
{
	spin(1000000);
	if (depth > 0)
		again(depth - 1);
	turns = 0;
}

int main(void)
{
	twice();
	again(3);
	return 0;
}
