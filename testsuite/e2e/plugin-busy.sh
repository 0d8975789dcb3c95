#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Where the program is busy, what it calls is inlined up to the limits of -O3, and up to those of the command line where
# that says some.  What is hot, but none of the positions that have 990 of 1000 executions, keeps the limits that it had,
# as does a function that its author gave options.  The profile is by hand.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >limits.c <<'END2'
int helper(int *v, int x)
{
	v[0] += x;
	v[1] ^= x * 3;
	v[2] -= x / 2;
	v[3] += x * 5;
	v[4] ^= x / 4;
	v[5] += x * 7;
	v[6] ^= x / 8;
	v[7] -= x * 9;
	v[8] ^= x * 11;
	v[9] += x / 16;
	v[10] -= x * 13;
	v[11] ^= x / 32;
	v[12] += x * 15;
	return v[13] + x;
}
int busy(int *v, int n)
{
	for (int i = 0; i < n; i++)
		n -= helper(v, i);
	return n;
}
OWN int warm(int *v, int n)
{
	for (int i = 0; i < n; i++)
		n -= helper(v, i);
	return n;
}
END2
# profile WARM: of which warm has so many turns.
profile() {
	printf 'pathfdo-profile 1\nunit executions\n'
	echo "function helper limits.c:1 head $((1000000 + $1)) entries $((1000000 + $1))"
	for line in 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
		echo "  $line count $((1000000 + $1))"
	done
	loop busy 18 1000000
	loop warm 24 "$1"
}
# loop NAME LINE TURNS: the record of one that calls the helper.
loop() {
	printf 'function %s limits.c:%d head 10 entries 10\n' "$1" "$2"
	printf '  2:20.1 count %d\n  3 count %d\n  4 count 10\n' "$(($3 + 10))" "$3"
}
# calls FUNCTION FLAG...: how many calls of the helper its code has.
calls() {
	local name=$1
	shift
	$CC -O2 -g -Werror -DOWN= -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/p.pfdo" "$@" -c limits.c
	objdump -dr --no-show-raw-insn limits.o |
		awk -v name="<$name>:" '/>:$/{here = $2 == name} here && /helper/{n++} END{print n + 0}'
}
profile 2000 >profile.txt
"$PATHFDO" show --from-text profile.txt -o p.pfdo
check_eq "calls where the program is busy" "$(calls busy)" 0
check_eq "calls where it is not, but hot" "$(calls warm)" 1
few=(--param max-inline-insns-auto=15 --param inline-heuristics-hint-percent=200)
check_eq "calls with limits of the command line" "$(calls busy "${few[@]}")" 1
profile 1000000 >profile.txt
"$PATHFDO" show --from-text profile.txt -o p.pfdo
check_eq "calls in a second busy function" "$(calls warm)" 0
check_eq "calls in one that has options of its own" "$(calls warm -UOWN '-DOWN=__attribute__((optimize("no-gcse")))')" 1

# A pragma gives options to all functions of a file, and they stay alike: what has changed since it was profiled is inlined
# into what is busy, and what is hot into the only function that leads to it, though that was never seen.
cat >pragma.c <<'END2'
#pragma GCC optimize("no-gcse")
static int changed(int *v, int x)
{
	for (int i = 0; i < x; i++)
		v[i] += v[i + 1] * x ^ i;
	return v[x];
}
int busy(int *v, int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += changed(v, i);
	return sum;
}
static int entered(int *v, int x)
{
	for (int i = 0; i < x; i++)
		v[i] -= v[i + 2] * x ^ i;
	return v[x + 1];
}
int leads(int *v, int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += entered(v, i);
	return sum;
}
END2
cat >pragma.txt <<'END2'
pathfdo-profile 1
unit executions
function busy pragma.c:8 head 10 entries 10
  3 count 1000010
  4 count 1000000
  5 count 10
function changed pragma.c:2 head 1000000 entries 1000000
  40 count 1000000
  41 count 1000000
function entered pragma.c:15 head 1000000 entries 1000000
  2 count 5000000
  3 count 4000000
  4 count 1000000
END2
"$PATHFDO" show --from-text pragma.txt -o p.pfdo
$CC -O2 -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/p.pfdo" -fplugin-arg-pathfdo-report="$T/report" -c pragma.c 2>messages
check_eq "what is found of them" "$(sed -n 's/^{"function":"\([a-z]*\)".*"found":"\([a-z]*\)".*/\1 \2/p' report | sort | paste -sd,)" \
	"busy matched,changed stale,entered matched,leads unmatched"
check_eq "functions that are called" "$(nm pragma.o | awk '$2 == "t"{print $3}')" ""
