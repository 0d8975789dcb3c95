// SPDX-License-Identifier: GPL-3.0-or-later
// For e2e/converter-copies.sh: one of four units, as UNIT says, of which each instantiates what convert-copies.h has.
// Built with a section a function, so that --gc-sections leaves out what nobody calls.
#include "convert-copies.h"

#define JOIN(a, b) a##b
#define NAME(a, b) JOIN(a, b)

#if UNIT == 1
volatile int sink;
#endif

// Nobody calls it.
int NAME(left_out_, UNIT)(int x)
{
	asm volatile(".skip 60000, 0x90");
	for (int i = 0; i < x; i++)
		sink = sink + i;
	return sink;
}

int NAME(unit_, UNIT)(int count, bool rare)
{
	int sum = 0;

	for (int i = 0; i < count; i++) {
		shared s(i);

		sum += folded(i); /* =100= */
		sink = sum;       /* =100= */
		if (rare)
			sum += s.never_ran(i);
	}
	return sum;
}

#if UNIT == 1
int main(int argc, char **)
{
	int sum = unit_1(10, argc > 1) + unit_2(20, argc > 1) + unit_3(30, argc > 1) + unit_4(40, argc > 1);

	return sum == 1;
}
#endif
