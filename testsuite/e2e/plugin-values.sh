#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What a profile says of values becomes code: a compare with the common divisor in front of a division, a mask for powers of
# two, a subtraction for small quotients, a copy of the common size in front of memcpy, and that only where enough was
# seen.  Whatever a profile claims, the program computes the same.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >v.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
__attribute__((noinline)) unsigned divide(unsigned a, unsigned b)
{
	return a / b;
}
__attribute__((noinline)) unsigned power(unsigned a, unsigned b)
{
	return a % b;
}
__attribute__((noinline)) unsigned wrap(unsigned a, unsigned b)
{
	return a % b;
}
__attribute__((noinline)) void copy(char *to, const char *from, size_t size)
{
	memcpy(to, from, size);
}
__attribute__((noinline)) long signs(long a, long b)
{
	return a / b + a % b;
}
int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? strtoul(argv[1], 0, 10) : 1000, sum = 0;
	char a[64] = "values are counted, and then they are used", b[64] = "";
	for (unsigned i = 0; i < n; i++) {
		sum += divide(i * 77, i % 20 ? 10 : 7);
		sum += power(i * 3, i % 10 ? 1u << (i % 8 + 2) : 37);
		sum += wrap(i % 90, i % 9 ? 100 : 3);
		copy(b, a, i % 10 ? 16 : i % 40);
		sum += b[i % 40] + signs((long)i - 500, i % 7 ? -3 : 9);
	}
	printf("%u %s\n", sum, b);
	return 0;
}
END
# profile DIVISOR POWER QUOTIENT SIZE LOOKS [SIGNED]: sightings of 100 of what is common, in so many looks.
profile() {
	cat <<END
pathfdo-profile 1
unit executions
function divide v.c:4 head 100000
  2:11 count 100000
    value divisor 10 $1
    value divisor other $((100 - $1))
    value divisor looks $5
function power v.c:8 head 100000
  2:11 count 100000
    value power 1 $2
    value power 0 $((100 - $2))
    value power looks $5
function wrap v.c:12 head 100000
  2:11 count 100000
    value quotient 0 $3
    value quotient 2 $((100 - $3))
    value quotient looks $5
function copy v.c:16 head 100000
  2:2 count 100000
    value size ${6:-16} $4
    value size 7 $(((100 - $4) / 2))
    value size 9 $(((101 - $4) / 2))
    value size looks $5
    value size sum 1510
    value align 16 100
    value align looks $5
function signs v.c:20 head 100000
  2:11 count 100000
    value divisor ${6:--3} $1
    value divisor looks $5
function main v.c:24 head 1
  4 count 100000
END
}
# build OUT TEXT FLAG...: with that profile; its intermediate code is in ./OUT.tree.
build() {
	local out=$1 text=$2
	shift 2
	rm -f ./*.optimized
	printf '%s\n' "$text" >p.txt
	"$PATHFDO" show --from-text p.txt -o p.pfdo
	$CC -O2 -g -fchecking=1 -fdump-tree-optimized -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/p.pfdo" \
		-fplugin-arg-pathfdo-report="$T/$out.json" "$@" v.c -o "$out" 2>messages || fail "$out: $(cat messages)"
	check_eq "what is said of $out" "$(cat messages)" ""
	cat ./*.optimized >"$out.tree"
}
# body OUT FUNCTION: its intermediate code.
body() { sed -n "/^;; Function $2 /,/^}/p" "$1.tree"; }
has() { body "$1" "$2" | grep -qE -e "$3" || fail "$2 of $1 lacks /$3/: $(body "$1" "$2")"; }
lacks() { ! body "$1" "$2" | grep -qE -e "$3" || fail "$2 of $1 has /$3/: $(body "$1" "$2")"; }

$CC -O2 -g v.c -o base
want=$(./base 100000)
# By the page: (2p - 1)^2 looks >= 4 for what divides.  For .95 that is 4.94 looks, for .9 6.25, for .8 11.1.
build fast "$(profile 95 90 95 90 10)"
has fast divide '(!=|==) 10\)'
has fast divide ' / 10;'
has fast power ' & '
has fast wrap 'if \(a_[^ ]* (<|>=) b_'
has fast copy '(!=|==) 16\)'
has fast copy 'MEM <(uint128_t|unsigned char|vector)'
has fast signs '(!=|==) -3\)'
check_eq "values that statements got, in all" "$(grep -c '"unit"' fast.json) $(sed -n 's/.*"unit".*"specialised":\([0-9]*\).*/\1/p' fast.json)" "1 7"
check_eq "the output" "$(./fast 100000)" "$want"
# Where nothing else was seen there is still no certainty: by the rule of succession one time in twelve is something else.
build sure "$(profile 100 100 100 100 10)"
has sure divide '\[8\.33%\]'
has sure wrap '\[8\.33%\]'
# What is common, but was not looked at often enough, and what is not common, is left alone.
for few in "95 90 95 49 4" "90 90 90 49 6" "80 80 80 49 11" "50 50 50 49 1000000"; do
	# shellcheck disable=SC2086 # five words
	build few "$(profile $few)"
	lacks few divide ' 10'
	lacks few power ' & '
	lacks few wrap ' if '
done
# Of sizes (2p - 1/2)^2 looks >= 1 is enough, half of all, and two looks: for .6 that is 2.04, for .5 it is 4.
for few in "100 1" "60 2" "50 3" "49 1000000"; do
	build few "$(profile 50 50 50 ${few% *} ${few#* })"
	lacks few copy ' if '
done
for enough in "100 2" "60 3" "50 4"; do
	build enough "$(profile 50 50 50 ${enough% *} ${enough#* })"
	has enough copy '(!=|==) 16\)'
	lacks enough divide ' 10'
done
# GCC's own options hold.
build off "$(profile 95 90 95 90 10)" -fno-vpt
lacks off divide ' 10'
lacks off copy ' if '
# The code is that without debug information.
$CC -O2 -g -fcompare-debug -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/p.pfdo" -c v.c -o debug.o 2>messages ||
	fail "-fcompare-debug: $(cat messages)"
# Lies: divisors and sizes that cannot be.
for lie in 0 1 -1 4294967296 9223372036854775807 -9223372036854775808; do
	build lie "$(profile 99 99 99 99 1000000 $lie)"
	check_eq "the output after the lie $lie" "$(./lie 100000)" "$want"
done
# Sizes of which none is common, and of a word in the mean, are copied in place on x86-64, where GCC goes by that; longer
# ones, by a call.
# called OUT: the calls that `copy` makes.
called() { objdump -d "$1" | sed -n '/<copy>:/,/^$/p' | grep -c 'memcpy' || true; }
mean() { profile 50 50 50 49 "$1" | sed "s/sum 1510/sum $2/"; } # LOOKS SUM: of 100 sizes
build mean "$(mean 4 800)"
build unsure "$(mean 3 800)"
build long "$(mean 4 900)"
check_eq "calls of memcpy where nine bytes are the mean" "$(called long)" 1
check_eq "calls of memcpy where three looks were taken" "$(called unsure)" 1
[ "$(uname -m)" != x86_64 ] || check_eq "calls of memcpy where four looks were taken" "$(called mean)" 0
check_eq "the output of copies in place" "$(./mean 100000)" "$want"
# A mean is to the nearest, as -fprofile-use takes it: 3.86 bytes are 4, for which GCC has another loop than for 3.
for sum in 300 314 386 400; do
	build mean$sum "$(mean 4 $sum)"
	objdump -d --no-show-raw-insn mean$sum | sed -n '/<copy>:/,/^$/p' >mean$sum.code
done
cmp mean314.code mean300.code || fail "a mean of 3.14 is not expanded as one of 3"
cmp mean386.code mean400.code || fail "a mean of 3.86 is not expanded as one of 4"
! cmp -s mean300.code mean400.code || fail "means of 3 and 4 are expanded alike, so that nothing was tested"
# A copy of a common size costs the inliner nothing: the largest function that is inlined without values, by stores that are
# put into it, is inlined with them, and each copy has the compare in front.  The limits are those of -O2, which fewer
# stores come to.
cat >small.c <<'END'
#include <stdio.h>
#include <string.h>
struct text { char *data; size_t length; char small[16]; const char *volatile more; };
void *grow(struct text *t, size_t size);
static void set(struct text *t, const char *from, const char *end)
{
	size_t size = end - from;
	t->data = t->small;
	if (size > 15)
		t->data = grow(t, size);
	if (size == 1)
		t->small[0] = *from;
	else if (size)
		memcpy(t->data, from, size);
	t->length = size; STORES
	t->data[size] = 0;
}
void one(struct text *t, const char *from) { set(t, from, from + strlen(from)); }
void two(struct text *t, const char *from) { set(t, from + 1, from + strlen(from)); }
void three(struct text *t, const char *from) { set(t, from, strchr(from, ' ')); }
void four(struct text *t, const char *from) { set(t, strchr(from, ' '), from + strlen(from)); }
END
# small OUT STORES VALUES: OUT.tree is the code with so many stores, and those values of the copy.
small() {
	local name line=19 stores
	stores=$(printf 't->more=from;%.0s' $(seq "$2"))
	{
		printf 'pathfdo-profile 1\nunit executions\n'
		printf 'function set small.c:5 head 400000\n'
		printf '  %s count 400000\n' 1:9 2:10 3:5 5:5
		printf '  3:3 count 400\n  7:10 count 400000\n'
		printf '  8:3 count 400000\n%s' "$3"
		printf '  9:12 count 400000\n  10:16 count 400000\n'
		for name in one two three four; do
			printf 'function %s small.c:%d head 100000\n  0:51 count 100000\n' $name $line
			line=$((line + 1))
		done
	} >p.txt
	"$PATHFDO" show --from-text p.txt -o p.pfdo
	rm -f ./*.optimized
	$CC -O2 -g -fchecking=1 --param max-inline-insns-auto=15 --param inline-heuristics-hint-percent=200 \
		-DSTORES="$stores" -fdump-tree-optimized -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/p.pfdo" \
		-c small.c -o "$1.o" || fail "small.c does not compile"
	cat ./*.optimized >"$1.tree"
}
calls() { grep -cE '^ +set(\.[a-z0-9.]*)? \(' "$1" || true; }
values=$(printf '    value size %s\n' '2 90' '7 10' 'looks 100' 'sum 250')$'\n'
for stores in $(seq 60); do
	small plain "$stores" ''
	[ "$(calls plain.tree)" = 0 ] || break
done
[ "$stores" -gt 1 ] && [ "$stores" -lt 60 ] || fail "the inliner's limit was not met: $stores stores"
small common $((stores - 1)) "$values"
check_eq "calls of the largest set that is inlined without values ($((stores - 1)) stores), with them" "$(calls common.tree)" 0
check_eq "compares with the common size" "$(grep -cE '(!=|==) 2\)' common.tree || true)" 4
# Fewer instructions are executed where memcpy is not called; a division by multiplying takes more, and less time.
command -v valgrind >/dev/null || skip "there is no valgrind; all else passed"
build copies "$(profile 50 50 50 90 10)"
build calls "$(profile 50 50 50 49 10)"
copies=$(callgrind copied ./copies 20000)
calls=$(callgrind called ./calls 20000)
check_eq "the output under callgrind" "$(cat copied)" "$(cat called)"
# 18,000 copies of 16 bytes: a compare and two moves for a call of the C library, which takes some ten instructions.
check_within "instructions saved a copy" $(((calls - copies) / 18000)) 2 40
