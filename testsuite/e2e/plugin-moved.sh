#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What does not change in a loop is loaded and computed in front of it, under its place in the loop's test, and has the
# count of the entries.  The profile's counts are near gcov's all the same, also where the loop stores something: to a
# variable whose address is taken behind it, or to what has another type.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/truth-lib.sh"
cd "$T"
cat >moved.c <<'END'
#include <stdio.h>
#include <stdlib.h>
typedef float vector __attribute__((vector_size(16)));
struct shape { int channels, length; float *to; };
__attribute__((noinline)) float correlate(const struct shape *s, const vector *a, const vector *b)
{
	vector sum = { 0 };
	float *at = (float *)&sum;
	int i = 0;

	while (i < s->channels * s->length / 16) {
		sum += *a * *b;
		a++;
		b++;
		i++;
	}
	return at[0] + at[1] + at[2] + at[3];
}
__attribute__((noinline)) void scale(const struct shape *s, float by)
{
	float *to = s->to;
	int i = 0;

	while (i < s->channels * s->length / 16) {
		*to = by + *to;
		to++;
		i++;
	}
}
int main(int argc, char **argv)
{
	static vector a[64], b[64];
	static float to[64];
	struct shape s = { 2, 352, to };
	float all = 0;

	for (int i = 0; i < 64; i++)
		a[i] = b[i] = (vector) { i, 1, .5f, 2 };
	for (int n = atoi(argv[argc - 1]); n > 0; n--) {
		all += correlate(&s, a, b) * .001f;
		scale(&s, all);
	}
	printf("%g %g\n", all, to[3]);
	return 0;
}
END
exact moved.c 2000
for function in correlate scale; do
	for error in block_error branch_error; do
		check_within "$function's $error" "$(judged whole.pfdo moved.c $function $error)" 0 .02
	done
done
