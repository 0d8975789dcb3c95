/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inputs for the benchmark workloads, the same bytes everywhere for the same arguments:
 *   generate text SEED LINES        log-like lines of words and numbers, with the skewed frequencies of real text
 *   generate sat SEED VARIABLES N   random 3-SAT in DIMACS with N clauses for 100 variables (426: the hard ratio)
 *   generate parity SEED BITS       a parity chain, which is unsatisfiable and all structure
 * The hard case is that floating point and the C library's random numbers differ between machines: integers only. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

static uint32_t next_random(uint32_t below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(((state >> 33) * below) >> 31);
}

static void word(uint32_t rank)
{
	static const char *const syllables[] = { "ba", "de", "ki", "lo", "mu",  "na",
						 "pe", "ri", "so", "tu", "vel", "zor" };

	do {
		fputs(syllables[rank % 12], stdout);
		rank /= 12;
	} while (rank);
}

/* Small ranks far more often than large ones: the product of two uniform numbers. */
static uint32_t skewed(uint32_t below)
{
	return (uint32_t)((uint64_t)next_random(below) * next_random(below) / below);
}

static void text(uint32_t lines)
{
	static const char *const level[] = { "info", "info", "info", "debug", "warn", "error" };

	for (uint32_t i = 0; i < lines; i++) {
		printf("%u-%02u %s ", 1000 + i / 7, next_random(60), level[next_random(6)]);
		word(skewed(300));
		printf(" user%u %u.%02u", skewed(5000), next_random(2000), next_random(100));
		for (uint32_t n = 2 + next_random(9); n > 0; n--) {
			putchar(' ');
			word(skewed(4000));
		}
		putchar('\n');
	}
}

static int literal(uint32_t variable)
{
	return next_random(2) ? (int)variable : -(int)variable;
}

static void sat(uint32_t variables, uint32_t ratio)
{
	uint32_t clauses = (uint32_t)((uint64_t)variables * ratio / 100);

	printf("p cnf %u %u\n", variables, clauses);
	for (uint32_t i = 0; i < clauses; i++) {
		uint32_t a = 1 + next_random(variables), b, c;

		do
			b = 1 + next_random(variables);
		while (b == a);
		do
			c = 1 + next_random(variables);
		while (c == a || c == b);
		printf("%d %d %d 0\n", literal(a), literal(b), literal(c));
	}
}

/* z = x xor y as four clauses. */
static void exclusive_or(int x, int y, int z)
{
	printf("%d %d %d 0\n%d %d %d 0\n%d %d %d 0\n%d %d %d 0\n", -x, -y, -z, x, y, -z, x, -y, z, -x, y, z);
}

/* Two chains that add up the same bits in different orders and are said to differ. */
static void parity(uint32_t bits)
{
	int n = (int)bits, next = n + 1, first = 1, second;
	int *order = malloc(bits * sizeof *order);

	if (!order)
		exit(1);
	for (int i = 0; i < n; i++)
		order[i] = i + 1;
	for (uint32_t i = bits - 1; i > 0; i--) {
		uint32_t j = next_random(i + 1);
		int swap = order[i];

		order[i] = order[j];
		order[j] = swap;
	}
	printf("p cnf %d %d\n", n + 2 * (n - 1), 8 * (n - 1) + 2);
	for (int i = 2; i <= n; i++, next++) {
		exclusive_or(first, i, next);
		first = next;
	}
	second = order[0];
	for (int i = 1; i < n; i++, next++) {
		exclusive_or(second, order[i], next);
		second = next;
	}
	printf("%d %d 0\n%d %d 0\n", first, second, -first, -second);
	free(order);
}

int main(int argc, char **argv)
{
	const char *what = argc > 3 ? argv[1] : "";
	uint32_t size = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0;

	state = argc > 3 ? strtoull(argv[2], NULL, 10) * 2654435761u + 1 : 0;
	if (strcmp(what, "text") == 0 && size > 0)
		text(size);
	else if (strcmp(what, "sat") == 0 && argc > 4 && size > 3)
		sat(size, (uint32_t)strtoul(argv[4], NULL, 10));
	else if (strcmp(what, "parity") == 0 && size > 1)
		parity(size);
	else {
		fprintf(stderr, "usage: generate text SEED LINES | sat SEED VARIABLES PERCENT | parity SEED BITS\n");
		return 2;
	}
	return fflush(stdout) == 0 ? 0 : 1;
}
