/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For the co-processor: calls through pointers and returns that alternate, stores that others load, a loop that loads
 * the same value nine times of ten.  To be built without jumps in the place of calls. */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

static uint64_t table[4096];

NOINLINE uint64_t leaf(uint64_t x)
{
	__asm__ volatile("");
	return x & 1 ? x * 3 : x / 2;
}

NOINLINE uint64_t left(uint64_t x)
{
	return leaf(x) + 1;
}

NOINLINE uint64_t right(uint64_t x)
{
	return leaf(x + 1) + leaf(x) + 2;
}

NOINLINE uint64_t work(int turns)
{
	uint64_t (*const ways[2])(uint64_t) = { left, right };
	uint64_t sum = 0;

	for (int i = 0; i < turns; i++)
		sum += ways[i % 3 == 0](sum + (uint64_t)i);
	return sum;
}

NOINLINE void fill(volatile uint64_t *to, int count)
{
	for (int i = 0; i < count; i++)
		to[i] = i % 10 ? 7 : (uint64_t)i;
}

NOINLINE uint64_t drain(const volatile uint64_t *from, int count)
{
	uint64_t sum = 0;

	for (int i = 0; i < count; i++)
		sum += from[i];
	return sum;
}

/* With an argument it runs long enough for a recording, with two it fills and drains as often as the second
 * says. */
int main(int argc, char **argv)
{
	uint64_t sum = work(argc == 2 ? 30000000 : 3000);

	int turns = argc > 2 ? atoi(argv[2]) : 5;

	for (int i = 0; i < turns; i++) {
		fill(table, 1000);
		sum += drain(table, 1000);
	}
	return sum == 1;
}
