/* SPDX-License-Identifier: GPL-3.0-or-later */
/* convert-paces SECONDS: three functions in turn, for so much CPU time: one waits for memory at each of its branches,
 * one works, and one works four times as much between two of them.  Whatever is counted by branches must be in
 * proportion to how often their loops have turned, which is printed at the end.  They turn at random, or a rate of
 * samples could beat with the rounds. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CELLS (1u << 23) /* 32 MB: more than a core's share of any cache */
#define TURNS 40000u     /* at a time, on the mean; an eighth of it when waiting */

static uint32_t *next;
static volatile uint32_t sink;
static uint64_t state = 1;

static uint32_t chance(uint32_t of)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % of;
}

/* One cycle through all cells, in an order that no prefetcher knows. */
static void shuffle(void)
{
	for (uint32_t i = 0; i < CELLS; i++)
		next[i] = i;
	for (uint32_t i = CELLS - 1; i > 0; i--) {
		uint32_t swapped = next[i], with = chance(i);

		next[i] = next[with];
		next[with] = swapped;
	}
}

__attribute__((noinline)) static uint32_t waits(uint32_t cell, uint32_t turns)
{
	for (uint32_t i = 0; i < turns; i++)
		cell = next[cell];
	return cell;
}

#define STEP x = x * 1664525u + (x >> 7);

__attribute__((noinline)) static uint32_t dense(uint32_t x, uint32_t turns)
{
	for (uint32_t i = 0; i < turns; i++) {
		STEP STEP STEP STEP
	}
	return x;
}

__attribute__((noinline)) static uint32_t sparse(uint32_t x, uint32_t turns)
{
	for (uint32_t i = 0; i < turns; i++) {
		STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP
	}
	return x;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double end = argc > 1 ? atof(argv[1]) : 0;
	uint32_t cell = 0, turns[3];
	uint64_t ran[3] = { 0 };

	next = malloc(CELLS * sizeof *next);
	if (!next)
		return 1;
	shuffle();
	end += seconds();
	do {
		for (int i = 0; i < 3; i++)
			ran[i] += turns[i] = (TURNS / 2 + chance(TURNS)) / (i == 0 ? 8 : 1);
		cell = waits(cell, turns[0]);
		sink = dense(cell, turns[1]) + sparse(cell, turns[2]);
	} while (seconds() < end);
	printf("%llu %llu %llu\n", (unsigned long long)ran[0], (unsigned long long)ran[1], (unsigned long long)ran[2]);
	return 0;
}
