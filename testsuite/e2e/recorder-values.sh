#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What a program divides by and copies is recorded, from the burst to the code that is built for it: known programs, whose
# shares of values are counted by hand, with calls of memcpy by every way that there is, and widths of division.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >values.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define AWAY __attribute__((noinline, noclone))
AWAY unsigned divide(unsigned a, unsigned b)
{
	return a / b;
}
AWAY long minus(long a, long b)
{
	return a / b;
}
AWAY unsigned power(unsigned a, unsigned b)
{
	return a % b;
}
AWAY void copy(char *to, const char *from, size_t size)
{
	memcpy(to, from, size);
	to[0]++;
}
AWAY int choose(unsigned which, int n)
{
	switch (which) { /* with a table of 8 entries, 20 is its first */
	case 20: return n * 3;
	case 21: return n / 5;
	case 22: return n ^ 77;
	case 23: return 9 - n;
	case 24: return n << 4;
	case 25: return n | 6;
	case 26: return n & 31;
	case 27: return n * n;
	default: return 0;
	}
}
AWAY void *last(char *to, size_t size)
{
	return memset(to, 'x', size);
}
int main(int argc, char **argv)
{
	static _Alignas(64) char a[64] = "what is copied", b[128];
	unsigned n = strtoul(argv[1], 0, 10), sum = 0;
	for (unsigned i = 0; i < n; i++) {
		sum += divide(i * 77, i % 20 ? 10 : 7);
		sum += (unsigned)minus(i, i % 10 ? -3 : 5);
		sum += power(i % 90, i % 5 ? 128 : 100);
		copy(b + i % 2 * 16, a, i % 10 ? 16 : 3);
		last(b + 64, 9);
		sum += choose(i % 4 ? 23 : i % 8 ? 27 : 99, i);
	}
	printf("%u %s\n", sum, b);
	return argc > 2;
}
END
# numbers FUNCTION KIND: "VALUE COUNT" of each, the commonest first, of that kind in that function.
numbers() {
	"$PATHFDO" show --text --function "$1" p.pfdo | sed -n "s/^ *value $2 //p"
}
# share FUNCTION KIND VALUE: thousandths of all sightings.
share() {
	numbers "$1" "$2" | awk -v value="$3" '$1 == "looks" || $1 == "sum" { next } { all += $2 } $1 == value { part = $2 }
		END { print all >= 200 ? int(1000 * part / all) : "too few: " all + 0 }'
}
# At this rate a second of the program is seen some hundred times; a burst of 1024 branches has at least 200 sightings.
train() {
	"$PATHFDO" record -q -F 2000 --max-overhead=50 -o p.data "$@" >trained
	"$PATHFDO" convert p.data -o p.pfdo >account 2>&1 || fail "convert: $(cat account)"
}
check_shares() {
	# One in twenty, one in ten, one in five; a burst shows whole turns but for its two ends.
	check_within "divisor 10, $1" "$(share divide divisor 10)" 930 970
	check_within "no power of two, $1" "$(share divide power 0)" 1000 1000
	check_within "divisor -3, $1" "$(share minus divisor -3)" 880 920
	check_within "powers of two, $1" "$(share power power 1)" 770 830
	check_within "quotient 0, $1" "$(share power quotient 0)" 1000 1000
	check_eq "quotients of signed numbers, $1" "$(numbers minus quotient)" ""
	check_within "size 16, $1" "$(share copy size 16)" 880 920
	check_within "alignment 16, $1" "$(share copy align 16)" 470 530
	check_within "size 9 of a tail call, $1" "$(share last size 9)" 1000 1000
	# Of eight there is one that the range check sends away.
	check_within "case 23, $1" "$(share choose switch 3)" 837 877
	check_within "case 27, $1" "$(share choose switch 7)" 123 163
	check_within "its alignment, $1" "$(share last align 64)" 1000 1000
}
for way in "" "-fno-plt" "-fcf-protection=full -Wl,-z,ibtplt" "-no-pie -fno-pic -Wl,-z,now"; do
	# shellcheck disable=SC2086 # words
	$CC -O2 -g $way values.c -o values
	train ./values 20000000
	check_eq "the output of $way" "$(./values 20000000)" "$(cat trained)"
	check_shares "$way"
done
# In a run of which every branch is seen: the first of each burst's values.
"$PATHFDO" record -q --all -o p.data ./values 500000 >trained
"$PATHFDO" convert p.data -o p.pfdo >account 2>&1 || fail "convert: $(cat account)"
check_shares "of --all"

# What was recorded is what the code is built for.
$CC -O2 -g values.c -o base
train ./base 20000000
$CC -O2 -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/p.pfdo" -fdump-tree-optimized values.c -o fast
for want in 'divide (!=|==) 10\)' 'minus (!=|==) -3\)' 'power ( & |if \(a_)' 'copy (!=|==) 16\)' 'last (!=|==) 9\)'; do
	sed -n "/^;; Function ${want%% *} /,/^}/p" ./*.optimized | grep -qE -e "${want#* }" ||
		fail "${want%% *} is not built for /${want#* }/: $(numbers "${want%% *}" '[a-z]*')"
done
check_eq "the output of what was built" "$(./fast 12345)" "$(./base 12345)"

# Two recordings add up.
"$PATHFDO" merge p.pfdo p.pfdo -o sum.pfdo >account 2>&1
one=$(numbers divide divisor | sed -n 's/^10 //p')
mv sum.pfdo p.pfdo
check_eq "the sum of two" "$(numbers divide divisor | sed -n 's/^10 //p')" $((2 * one))
