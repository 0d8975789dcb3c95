#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A loop that GCC unrolls and jams is as hot as it was: its inner loop, of three turns, is unrolled completely, where a
# count of one turn for each entry would have it compiled for size.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >sums.c <<'END'
__attribute__((noipa)) void sums(double *restrict to, double *const *site, const int *at, int count)
{
	double sum[3] = { to[0], to[1], to[2] };
	for (int j = 0; j < count; j++) {
		int here = at[j];
		for (int i = 0; i < 3; i++)
			sum[i] += site[i][here];
	}
	for (int i = 0; i < 3; i++)
		to[i] = sum[i];
}
__attribute__((noipa)) int busy(const int *at, int count)
{
	int odd = 0;
	for (int j = 0; j < count; j++)
		odd += at[j] & 1;
	return odd;
}
int main(int argc, char **argv)
{
	static double a[9], b[9], c[9], to[3];
	static int at[400];
	double *site[3] = { a, b, c };
	int odd = 0;
	for (int k = 0; k < argc; k++) {
		odd += busy(at, argc);
		sums(to, site, at, 400);
	}
	return odd + (int)to[1] + argv[0][0];
}
END
# sums is entered 10 times, and its loop turns 400 times; busy's is a hundred times as hot.
cat >sums.txt <<'END'
pathfdo-profile 1
unit executions
function sums sums.c:1 head 10 total 36040
  2 count 10
  3 count 4010
  4 count 4000
  5 count 16000
  6 count 12000
  8 count 30
  9 count 30
function busy sums.c:12 head 10 total 800020
  2 count 10
  3 count 400010
  4 count 400000
  5 count 10
END
"$PATHFDO" show --from-text sums.txt -o p.pfdo
use=(-O2 -g -fopt-info-loop-optimized -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/p.pfdo")
# turns: by messages, how often the loop's inner one was entered that is unrolled completely, for each entry of sums, which
# ends with a loop that is unrolled, too.
turns() {
	local inner entries
	inner=$(sed -n 's/^sums.c:6:.* completely unrolled (header execution count \([0-9]*\))$/\1/p' messages)
	entries=$(sed -n 's/^sums.c:9:.* completely unrolled (header execution count \([0-9]*\))$/\1/p' messages)
	awk "BEGIN { print ${inner:-0} / ${entries:-1} }"
}
# By hand: two of 400 turns are one now, and GCC takes for granted that nine of ten entries come to the unrolled loop.
"$CC" "${use[@]}" -c sums.c 2>messages || fail "sums.c does not compile"
grep -q "sums.c:4:.*applying unroll and jam" messages || skip "this compiler does not jam the loop"
check_within "turns of the jammed loop" "$(turns)" 175 205
