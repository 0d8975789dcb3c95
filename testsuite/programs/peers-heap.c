/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For testsuite/bench: a heap sort and a switch, whose branches depend on the data. */
#include <stdio.h>
#include <stdlib.h>

static unsigned state = 1;

static unsigned next(void)
{
	return state = state * 1103515245u + 12345u;
}

__attribute__((noinline)) static void sift(int *a, int n, int i)
{
	for (int c; (c = 2 * i + 1) < n; i = c) {
		if (c + 1 < n && a[c + 1] > a[c])
			c++;
		if (a[i] >= a[c])
			return;
		int t = a[i];

		a[i] = a[c];
		a[c] = t;
	}
}

__attribute__((noinline)) static void heap_sort(int *a, int n)
{
	for (int i = n / 2; i-- > 0;)
		sift(a, n, i);
	for (int i = n; i-- > 1;) {
		int t = a[0];

		a[0] = a[i];
		a[i] = t;
		sift(a, i, 0);
	}
}

__attribute__((noinline)) static int classify(int v)
{
	switch (v & 7) {
	case 0:
		return v / 3;
	case 1:
		return v ^ 5;
	case 2:
		return v + 9;
	default:
		return v & 15;
	}
}

int main(int argc, char **argv)
{
	enum { N = 100000 };
	int rounds = argc > 1 ? atoi(argv[1]) : 60;
	int *a = malloc(N * sizeof *a);
	long sum = 0;

	for (int round = 0; round < rounds; round++) {
		for (int i = 0; i < N; i++)
			a[i] = next() >> 4;
		heap_sort(a, N);
		for (int i = 0; i < N; i++)
			sum += classify(a[i]);
	}
	printf("%ld\n", sum);
	return 0;
}
