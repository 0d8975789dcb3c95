/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorting, searching and hashing of its own (nothing in libc): agent-sort ROUNDS.  Each round does the same kind of
 * work on other data, so that a short run has the profile of a long one. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT 60000

static uint32_t values[COUNT], heap[COUNT];

static void __attribute__((noinline)) quick(uint32_t *v, long low, long high)
{
	while (low < high) {
		uint32_t pivot = v[(low + high) / 2];
		long i = low, j = high;
		while (i <= j) {
			while (v[i] < pivot)
				i++;
			while (v[j] > pivot)
				j--;
			if (i <= j) {
				uint32_t swap = v[i];
				v[i++] = v[j];
				v[j--] = swap;
			}
		}
		if (j - low < high - i) {
			quick(v, low, j);
			low = i;
		} else {
			quick(v, i, high);
			high = j;
		}
	}
}

static void __attribute__((noinline)) sift(uint32_t *v, long root, long count)
{
	for (long child = 2 * root + 1; child < count; root = child, child = 2 * root + 1) {
		if (child + 1 < count && v[child + 1] > v[child])
			child++;
		if (v[root] >= v[child])
			return;
		uint32_t swap = v[root];
		v[root] = v[child];
		v[child] = swap;
	}
}

static long __attribute__((noinline)) find(const uint32_t *v, uint32_t value)
{
	long low = 0, high = COUNT;
	while (low < high) {
		long middle = (low + high) / 2;
		if (v[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static uint64_t __attribute__((noinline)) classify(const uint32_t *v)
{
	uint64_t sum = 0;
	for (long i = 0; i < COUNT; i++) {
		switch (v[i] % 11) {
		case 0:
		case 7:
			sum += v[i];
			break;
		case 1:
			sum ^= v[i] << 3;
			break;
		case 4:
			sum = sum * 3 + 1;
			break;
		default:
			if (v[i] & 64)
				sum++;
		}
	}
	return sum;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1;
	uint32_t seed = 1;
	uint64_t sum = 0;
	for (int round = 0; round < rounds; round++) {
		for (long i = 0; i < COUNT; i++)
			values[i] = heap[i] = (seed = seed * 1664525 + 1013904223) >> 4;
		quick(values, 0, COUNT - 1);
		for (long i = COUNT / 2; i-- > 0;)
			sift(heap, i, COUNT);
		for (long i = 0; i < COUNT; i++)
			sum += (uint64_t)find(values, heap[i] + 5);
		sum += classify(heap);
	}
	printf("%lu\n", sum);
	return 0;
}
