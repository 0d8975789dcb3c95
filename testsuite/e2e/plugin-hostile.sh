#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Counts that arithmetic goes wrong with: up to 2^64 - 1 beside 0 and 1, in a loop that is vectorised, a recursion, and
# an indirect call.  The compiler lives, the program is right; and a profile says the same in units 2^40 times as large.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >huge.c <<'EOF2'
#include <stdio.h>
int n = 2;
static int twice(int i) { return i * 2; }
static int thrice(int i) { return i * 3; }
int (*volatile table[])(int) = { twice, thrice };
__attribute__((noinline)) int depth(int i) { return i ? depth(i - 1) + table[i & 1](i) : 0; }
int main(void)
{
	int i, x = 45;
	for (i = 0; i < n; i++) {
		if (i != 0)
			x = (i > 0) ? i : 0;
	}
	printf("%d %d\n", x, depth(1000));
	return 0;
}
EOF2
# profile A B C D: one of loop and calls, with counts A and B where it enters and C and D where it stays.
profile() {
	cat <<EOF2
pathfdo-profile 1
unit executions
function main huge.c:7 head $1 total $3
  2:6 count $1
  3:16 count $2
    fell 4:6 $2
    taken 6:2 $1
  4:6 count $3
    taken 3:21 $3
    fell 5:6 0
  5:23 count $4
  7:24 count $1
    call depth $3
function depth huge.c:6 head $2 total $4
  0:43 count $3
    fell 0:52 $4
    taken 0:43 0
  0:52 count $4
  0:65 count $3
    call twice $3
    call thrice $4
  inline @1 twice huge.c:3 at 0:65 entries $4
    0:30 count $3
EOF2
}
$CC -O2 -g huge.c -o plain
M=18446744073709551615
for counts in "$M $M $M $M" "1 $M 1 $M" "0 $M $M 1" "1 2 4194304 0" "$M 0 1 0" "0 0 $M 0" \
	"1 9223372036854775808 9223372036854775807 2" "137438953472 1 1 137438953472"; do
	# shellcheck disable=SC2086 # words
	profile $counts >p.txt
	"$PATHFDO" show --from-text p.txt -o p.pfdo
	for flags in -O2 -O3 "-O3 -flto" "-O2 -ftree-vectorize -fno-inline" -Os "-O3 -funroll-all-loops -march=x86-64-v3"; do
		# shellcheck disable=SC2086
		$CC $flags -w -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/p.pfdo" huge.c -o with 2>messages ||
			fail "counts $counts, $flags: $(grep -m 2 error messages)"
		check_eq "output with counts $counts, $flags" "$(./with)" "$(./plain)"
	done
done

# The same ratios, which are scaled up in one and down in the other.
profile 1024 65536 4194304 524288 >small.txt
profile $((1024 << 40)) $((65536 << 40)) $((4194304 << 40)) $((524288 << 40)) >large.txt
for p in small large; do
	"$PATHFDO" show --from-text $p.txt -o same.pfdo
	$CC -O3 -w -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/same.pfdo" -c huge.c -o $p.o
done
cmp small.o large.o || fail "counts in larger units make another program"

# Where the counts of a function fall back to its own frequencies, for want of entries, nothing gets one of the program's:
# the compiler looks for such a mixture (from GCC 16 on) with -fchecking.
cat >mixture.c <<'EOF2'
#include <stdio.h>
double one = 1, other = 1;
__attribute__((noipa)) void f(double to[2], int b)
{
	double a[] = { b ? one : other, 0, 0, 0 }, sum = 0;
	for (int i = 0; i < 4; i++)
		sum += a[i];
	for (int i = 0; i < 4; i++)
		a[i] /= sum;
	if (b) {
		to[0] = a[0];
		to[1] = a[1];
	} else {
		to[0] = a[0] + a[1];
	}
}
int main(void)
{
	double to[2];
	f(to, 1);
	printf("%g %g\n", to[0], to[1]);
	return 0;
}
EOF2
$CC -O2 -g -ffast-math mixture.c -o plain
for most in 4294967295 $M; do
	cat >p.txt <<-EOF2
	pathfdo-profile 1
	unit executions
	function f mixture.c:3 head 2 total $most entries $most
	  2:19 count 4294967295
	  4:7 count $most
	  6:8 count 137438953472
	  7:5 count $most
	  8:9 count $most
	function main mixture.c:17 head $most total $most
	  3:2 count $most
	    call f 2
	EOF2
	"$PATHFDO" show --from-text p.txt -o p.pfdo
	for flags in -O2 -O3 "-O2 -ffast-math" "-O3 -ffast-math"; do
		# shellcheck disable=SC2086
		$CC $flags -w -g -fchecking=1 -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/p.pfdo" mixture.c -o with 2>messages ||
			fail "$most beside 2 entries, $flags: $(grep -m 2 error messages)"
		check_eq "output with $most beside 2 entries, $flags" "$(./with)" "$(./plain)"
	done
done
