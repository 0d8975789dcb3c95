/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two functions that linkers with --icf=all make one of, as their code is the same: add<int> and add<unsigned>.  What
 * looks the same and is not: an alias, and a class whose constructor has two symbols. */
#include <cstdio>
#include <cstdlib>

template <class T> __attribute__((noinline)) T add(T a, T b)
{
	volatile T sum = a;

	for (int i = 0; i < 10; i++)
		sum = sum * 3 + b;
	return sum;
}

struct Point {
	int x;
	Point(int at);
};

__attribute__((noinline)) Point::Point(int at)
    : x(at)
{
	for (volatile int i = 0; i < 3; i = i + 1)
		x ^= at;
}

extern "C" {
__attribute__((noinline)) int turn(int n)
{
	for (volatile int i = 0; i < 5; i = i + 1)
		n = n * 7 ^ 3;
	return n;
}
int turn_again(int n) __attribute__((alias("turn")));
}

/* Turns of the loop. */
int main(int argc, char **argv)
{
	unsigned long sum = 0;
	int turns = argc > 1 ? atoi(argv[1]) : 3000000;

	for (int i = 0; i < turns; i++) {
		Point p(i);

		sum += (unsigned)p.x + (unsigned)add<int>(i, 3) + add<unsigned>((unsigned)i, 5);
		sum += (unsigned)(turn(i) ^ turn_again(i));
	}
	printf("%lu\n", sum);
	return 0;
}
