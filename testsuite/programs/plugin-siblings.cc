/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instances of two templates, one of which calls the other, for two types that have the same layout: the compiler keeps
 * one of each (-fipa-icf). */
#include <cstdio>
#include <cstdlib>

struct left {
	unsigned char at[4];
};

struct right {
	unsigned char at[4];
};

static long seen;

template <class T> __attribute__((noinline, noclone)) static long weigh(const T *v, long n)
{
	if (v->at[3] >= 12)
		return n / (v->at[1] + 1);
	seen++;
	return v->at[1] + 3;
}

template <class T> __attribute__((noinline, noclone)) static long walk(const T *v, long n)
{
	long sum = 0;

	for (long i = 0; i < n; i++) {
		if (v[i].at[0] == 7)
			sum += weigh(&v[i], n);
		else
			sum ^= v[i].at[2] + i;
	}
	return sum;
}

int main(int argc, char **argv)
{
	static left l[64];
	static right r[64];
	long n = atol(argv[argc - 1]), sum = 0;

	for (int i = 0; i < 64; i++) {
		l[i].at[0] = r[i].at[0] = i % 8;
		l[i].at[3] = r[i].at[3] = i / 4;
	}
	for (long i = 0; i < n; i++) {
		sum += walk(l, 64);
		if (i % 4 == 0)
			sum -= walk(r, 64);
	}
	printf("%ld %ld\n", sum, seen);
	return 0;
}
