/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For the converter's tests: every line that ends in a number between equals signs runs so often, by hand computation.
 * Inlining three deep, a macro with several blocks on one line, recursion, calls by pointer, a part that never runs,
 * and a static function whose name another file uses too (convert-other.c). */
#include <stdio.h>
#include <stdlib.h>

int other(int rounds);

volatile int sink;
volatile int three = 3;

#define CLAMP(x, low, high) ((x) < (low) ? (sink++, (low)) : (x) > (high) ? (sink--, (high)) : (x))

static inline __attribute__((always_inline)) int deepest(int x)
{
	if (x % 5 == 0)    /* =640= */
		sink += x; /* =128= */
	return x ^ sink;   /* =640= */
}

static inline __attribute__((always_inline)) int middle(int x)
{
	return deepest(x + 1) + 3;
}

static inline __attribute__((always_inline)) int outer(int x)
{
	sink = x; /* =640= */
	return middle(x);
}

static __attribute__((noinline)) int helper(int x)
{
	sink = x + 1; /* =37= */
	return x + sink;
}

__attribute__((noinline)) static int run_loop(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += outer(i); /* =640= */
	return sum;
}

__attribute__((noinline)) static int run_macro(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += CLAMP(i, 10, 20); /* =100= */
	return sum;
}

__attribute__((noinline)) static void tree(int depth)
{
	sink++;         /* =1023= */
	if (depth == 0) /* =1023= */
		return;
	tree(depth - 1); /* =511= */
	tree(depth - 1); /* =511= */
	sink--;          /* =511= */
}

static __attribute__((noinline)) int twice(int x)
{
	sink = x; /* =60= */
	return 2 * x;
}

static __attribute__((noinline)) int thrice(int x)
{
	sink = x; /* =30= */
	return 3 * x;
}

__attribute__((noinline)) static int run_pointers(int n)
{
	static int (*const table[])(int) = { twice, thrice, twice };
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += table[i % 3](i); /* =90= */
	return sum;
}

__attribute__((noinline)) static int never(int x)
{
	if (x < 0) {                            /* =1= */
		fprintf(stderr, "cannot be\n"); /* =0= */
		exit(1);
	}
	return x;
}

int main(void)
{
	int sum = run_loop(640) + run_macro(100) + run_pointers(90) + never(three); /* =1= */

	tree(9);
	for (int i = 0; i < 37; i++)
		sum += helper(i);               /* =37= */
	printf("%d\n", sum + other(11) + sink); /* =1= */
	return 0;
}
