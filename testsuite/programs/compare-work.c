/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work for the tests of `pathfdo compare`: an interpreter of a made-up program, whose branches are far from even.  The
 * argument is how many thousand steps.  It prints the same in every run, unless it is compiled not to. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { ADD, XOR, SHIFT, JUMP, LOAD, RARE };

static uint32_t state = 12345;

static uint32_t next(void)
{
	state = state * 1664525u + 1013904223u;
	return state >> 8;
}

static uint32_t step(uint32_t operation, uint32_t value, uint32_t *memory)
{
	switch (operation) {
	case ADD:
		return value + memory[value % 64];
	case XOR:
		return value ^ (value >> 3);
	case SHIFT:
		return value << 1 | value >> 31;
	case JUMP:
		return value % 7 == 0 ? value + 1 : value - 1;
	case LOAD:
		memory[value % 64] += value;
		return memory[(value + 1) % 64];
	default:
		for (int i = 0; i < 64; i++)
			memory[i] ^= value;
		return value;
	}
}

/* The processor executes one instruction here, valgrind as many as there are bytes. */
static void wipe(char *to, unsigned long size)
{
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(0) : "memory");
}

int main(int argc, char **argv)
{
	static char bytes[1000000];
	uint32_t memory[64] = { 0 }, value = 1;
	long steps = argc > 1 ? atol(argv[1]) * 1000 : 1000;

	wipe(bytes, sizeof bytes);
	for (long i = 0; i < steps; i++) {
		uint32_t chance = next() % 1000;

		value = step(chance < 700 ? chance % 3 : chance < 999 ? JUMP + chance % 2 : RARE, value, memory);
	}
#ifdef CRASH
	abort();
#endif
	printf("%u\n", value);
#ifdef DIFFERENT
	puts("different");
#endif
#ifdef UNSTEADY
	printf("%p\n", (void *)memory);
#endif
	return 0;
}
