#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Conditions of one place: the jumps of `a && (b || c)` have that of the operator, and so has its value where all ways
# meet.  What tells them apart is the discriminator, which the first of them loses where the function's first block is
# joined to its caller's; and what is computed of the arguments that do not change is moved in front of the loop.  The
# branches are near gcov's all the same.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/truth-lib.sh"
cd "$T"
cat >conditions.c <<'END'
#include <stdio.h>
#include <stdlib.h>
struct clause { unsigned size; float activity; };
struct table { struct clause *at; };
static struct clause *get(const struct table *t, unsigned x)
{
	return &t->at[x];
}
static int less(const struct table *t, unsigned x, unsigned y)
{
	return get(t, x)->size > 2 && (get(t, y)->size == 2 || get(t, x)->activity < get(t, y)->activity);
}
__attribute__((noinline)) int split(const struct table *t, unsigned *array, int size)
{
	unsigned pivot = array[size / 2], held;
	int i = -1, j = size;

	for (;;) {
		do i++; while (less(t, array[i], pivot));
		do j--; while (less(t, pivot, array[j]));
		if (i >= j)
			break;
		held = array[i];
		array[i] = array[j];
		array[j] = held;
	}
	return i;
}
int main(int argc, char **argv)
{
	static struct clause clauses[500];
	static unsigned order[500];
	struct table table = { clauses };
	long all = 0;

	for (int i = 0; i < 500; i++)
		clauses[i] = (struct clause) { 3 + i % 5, (float)(i * 7919 % 500) };
	for (int n = atoi(argv[argc - 1]); n > 0; n--) {
		for (int i = 0; i < 500; i++)
			order[i] = (i * 211 + n) % 500;
		all += split(&table, order, 500);
	}
	printf("%ld\n", all);
	return 0;
}
END
error=$(truth conditions split branch_error)
check_within "branch error of split" "$error" 0 0.1
