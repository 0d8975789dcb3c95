#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A loop's latch, where the ways through its body meet, is not copied into them; joins elsewhere are.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >tails.c <<'END'
int part(unsigned char *p, int lo, int hi, int key, int *equal)
{
	int lt = lo;
	for (;;) {
		if (lo > hi)
			break;
		int n = p[lo] - key;
		if (n == 0) {
			unsigned char swapped = p[lo];
			p[lo] = p[lt];
			p[lt] = swapped;
			lt++;
			lo++;
			continue;
		}
		if (n > 0)
			break;
		lo++;
	}
	*equal = lt;
	return lo;
}
int joined(int *a, int b)
{
	int r;
	if (b) {
		a[1] += 3;
		r = 1;
	} else {
		a[2] ^= 5;
		r = a[0];
	}
	a[3] = r;
	a[4] += r * 5;
	return a[3] / r;
}
END
cat >profile.txt <<'END'
pathfdo-profile 1
unit executions
function part tails.c:1 head 1000 entries 1000
  2 count 1000
  4 count 31000
  6 count 30500
  7 count 30500
  8 count 20000
  9 count 20000
  10 count 20000
  11 count 20000
  12 count 20000
  15 count 10500
  17 count 10000
  19 count 1000
  20 count 1000
function joined tails.c:22 head 30000 entries 30000
  3 count 30000
  4 count 15000
  5 count 15000
  7 count 15000
  8 count 15000
  10 count 30000
  11 count 30000
  12 count 30000
END
"$PATHFDO" show --from-text profile.txt -o p.pfdo
# copies FUNCTION FLAG...: how many blocks of it are copied into a way to them.
copies() {
	local name=$1
	shift
	$CC -O2 -g -Werror -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/p.pfdo" -fdump-tree-tracer-details=dump "$@" -c tails.c
	awk -v name="$name" '/^;; Function /{here = $3 == name} here && /^Duplicated [0-9]+ as/{n++} END{print n + 0}' dump
}
check_eq "copies of a latch" "$(copies part)" 0
check_within "copies of a join" "$(copies joined)" 1 9
check_eq "-g0 gives the same code" "$($CC -O2 -g -fcompare-debug -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/p.pfdo" \
	-c tails.c 2>&1)" ""
