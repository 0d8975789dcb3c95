// SPDX-License-Identifier: GPL-3.0-or-later
// For e2e/converter-copies.sh: what several units have of one function.  The numbers between the equal signs are how
// often a line runs, over all units.
#ifndef CONVERT_COPIES_H
#define CONVERT_COPIES_H

extern volatile int sink;

template <typename T> __attribute__((noinline)) T folded(T value)
{
	for (int i = 0; i < 20; i++)
		sink = i;  /* =2000= */
	sink = (int)value; /* =100= */
	return value + (T)sink;
}

struct shared {
	int value;

	__attribute__((noinline)) shared(int start) : value(start)
	{
		sink = start; /* =100= */
	}

	// With code to spare, so that a copy which the linker left out lies over all of the program.
	__attribute__((noinline)) int never_ran(int x)
	{
		sink = x;
		asm volatile(".skip 60000, 0x90");
		for (int i = 0; i < x; i++)
			value += sink;
		return value;
	}
};

int unit_1(int count, bool rare);
int unit_2(int count, bool rare);
int unit_3(int count, bool rare);
int unit_4(int count, bool rare);

#endif
