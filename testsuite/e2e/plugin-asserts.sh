#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The conditions of an assertion and the call that reports its failure have one place.  Their jumps lead from one to the
# next, never to the call: what is behind the assertion ran as often as what is before it.  And a loop's test of which an
# inlined function has the comparison ran as often as its jumps, whatever else has its own place.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/truth-lib.sh"
cd "$T"
cat >asserts.cc <<'END'
#include <cassert>
#include <cstdio>
#include <cstdlib>

struct matrix {
	long rows, columns, *at;

	long &operator()(long i, long k)
	{
		assert(i >= 0 && i < rows && k >= 0 && k < columns);
		return at[i * columns + k];
	}
};

struct cursor {
	const int *columns;
	long here, end;

	cursor(const int *all, const int *first, long row) : columns(all), here(first[row]), end(first[row + 1]) {}
	explicit operator bool() const { return here < end; }
	long column() const { return columns[here]; }
	void operator++() { here++; }
};

__attribute__((noinline)) static long walk(matrix &m, const int *columns, const int *first, long row)
{
	cursor it(columns, first, row);
	long sum = 0;

	while (it && it.column() < row)
		++it;
	if (it) {
		if (it.column() == row) {
			sum += m(row, row);
			++it;
		}
	}
	for (; it; ++it) {
		m(it.column(), row) += sum;
		sum ^= m(row, it.column());
	}
	return sum;
}

int main(int, char **argv)
{
	long n = atol(argv[1]), sum = 0;
	matrix m = { 16, 16, new long[256]() };
	int columns[200], first[17], count = 0;

	for (int i = 0; i < 16; i++) {
		first[i] = count;
		for (int k = 0; k < 16; k++)
			if (i == k || (i * 7 + k * 3) % 4 == 0)
				columns[count++] = k;
	}
	first[16] = count;
	for (long i = 0; i < n; i++)
		sum += walk(m, columns, first, i % 16);
	printf("%ld\n", sum);
	return 0;
}
END
exact asserts.cc 16000
check_within "block error" "$(judged whole.pfdo asserts.cc '_ZL4walk[^"]*' block_error)" 0 0.06
check_within "branch error" "$(judged whole.pfdo asserts.cc '_ZL4walk[^"]*' branch_error)" 0 0.06
