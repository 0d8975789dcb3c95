#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The conditions of an assertion and the call that reports its failure have one place.  Their jumps lead from one to the
# next, never to the call: what is behind the assertion ran as often as what is before it.  And a loop's test of which an
# inlined function has the comparison ran as often as its jumps, whatever else has its own place.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
[ -x "$B/tools/callgrind-vectors" ] || skip "run make tools"
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
$CXX -O2 -g -fprofile-generate="$T/gcda" -c asserts.cc
$CXX -fprofile-generate asserts.o -o counted
./counted 16000 >counted.out
$CXX -O2 -g asserts.cc -o plain
valgrind -q --tool=callgrind --dump-instr=yes --collect-jumps=yes --skip-plt=no --compress-strings=no \
	--compress-pos=no --callgrind-out-file=calls ./plain 16000 >plain.out || fail "the program fails"
cmp counted.out plain.out
"$B/tools/callgrind-vectors" calls data && "$PATHFDO" convert -b plain data -o whole.pfdo >convert.log 2>&1 || fail "no profile"
$CXX -O2 -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/whole.pfdo" -fplugin-arg-pathfdo-truth="$T/gcda" \
	-fplugin-arg-pathfdo-report="$T/report" -c asserts.cc 2>messages || fail "not compiled: $(cat messages)"
truth=$(grep '^{"truth":"_ZL4walk' report) || fail "walk has no truth: $(cat report)"
check_within "block error" "$(sed -n 's/.*"block_error":\([0-9.]*\).*/\1/p' <<<"$truth")" 0 0.06
check_within "branch error" "$(sed -n 's/.*"branch_error":\([0-9.]*\).*/\1/p' <<<"$truth")" 0 0.06
