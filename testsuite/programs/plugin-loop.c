/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A loop of 640 rounds with a rare arm, a hot small callee, an indirect call, a cold error path. */
#include <stdio.h>
#include <stdlib.h>

typedef int (*operation)(int);

static __attribute__((noinline)) int twice(int n)
{
	return n * 2 + 1;
}

static __attribute__((noinline)) int thrice(int n)
{
	return n * 3 + 2;
}

operation operations[2] = { twice, thrice };

static int mix(int value, int round)
{
	if (round % 64 == 63)
		value = value * 31 + round;
	for (int i = 0; i < 3; i++)
		value ^= value << 3 ^ (value >> 5) ^ i ^ (value * 7 >> 2);
	for (int i = 0; i < 3; i++)
		value += value << 2 ^ (value >> 9) ^ i ^ (value * 13 >> 4);
	return value;
}

int refuse(int n)
{
	fprintf(stderr, "cannot work %d rounds\n", n);
	return -1;
}

int work(int rounds)
{
	int value = 1;

	if (rounds < 0)
		return refuse(rounds);
	for (int round = 0; round < rounds; round++) {
		value = mix(value, round);
		value += operations[round % 10 == 9](round);
	}
	return value;
}

int spare(int n)
{
	return mix(n, n) + mix(n + 1, n);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 640;

	if (rounds > 100000)
		printf("%d\n", spare(rounds));
	printf("%d\n", work(rounds));
	return 0;
}
