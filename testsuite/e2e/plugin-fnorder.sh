#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Function order: the functions of two files come to lie as the calls of the profile ask for, whichever file they are
# in, with each linker that sorts sections; cold parts, functions without counts and those with a section of their own
# stay where they would be.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"

# f1 calls f3 (the other file) calls f5 (the first), often; f0 calls f2 calls f4, less.  Compiled in the order of names.
cat >one.c <<'END'
extern int v[8];
int f2(int), f3(int);
void end(void) __attribute__((noreturn, noinline));

__attribute__((noinline)) int f0(int n)
{
	return f2(n) + v[n & 7];
}

__attribute__((noinline)) int f1(int n)
{
	return f3(n) + v[n & 5];
}

__attribute__((noinline)) int f5(int n)
{
	if (n < -7) {
		v[3] = n * 77;
		v[n & 3] ^= 1 + v[n & 1];
	}
	return v[n & 3];
}

__attribute__((section(".text.own"))) int own(int n)
{
	return v[n & 1];
}
END
cat >two.c <<'END'
int f0(int), f1(int), f4(int), f5(int), v[8];

__attribute__((noinline)) int f2(int n)
{
	return f4(n) - v[n & 7];
}

__attribute__((noinline)) int f3(int n)
{
	return f5(n) - v[n & 6];
}

__attribute__((noinline)) int f4(int n)
{
	return n + v[n & 7];
}

int main(void)
{
	return f0(8) + f1(8) - 8;
}
END
cat >p.txt <<'END'
pathfdo-profile 1
unit executions
function f0 one.c:5 head 1000 total 1000
  2 count 1000 max 1000 instructions 25
    call f2 1000
function f1 one.c:10 head 900000 total 900000
  2 count 900000 max 900000 instructions 25
    call f3 900000
function f2 two.c:3 head 1000 total 1000
  2 count 1000 max 1000 instructions 25
    call f4 1000
function f3 two.c:8 head 900000 total 900000
  2 count 900000 max 900000 instructions 25
    call f5 900000
function f4 two.c:13 head 1000 total 1000
  2 count 1000 max 1000 instructions 25
function f5 one.c:15 head 900000 total 2700000
  2 count 900000 max 900000 instructions 5
  3 count 0 max 0 instructions 5
  4 count 0 max 0 instructions 5
  6 count 900000 max 900000 instructions 5
function own one.c:24 head 900000 total 900000
  2 count 900000 max 900000 instructions 5
END
"$PATHFDO" show --from-text p.txt -o p.pfdo

# compile OPTION...: both files with the profile.
compile() {
	for source in one two; do
		$CC -O2 -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile=p.pfdo "$@" -c $source.c -o $source.o ||
			fail "$source.c does not compile with $*"
	done
}

# order FILE: its functions by address, clones as what they are clones of.
order() {
	nm -n "$1" | awk '$3 ~ /^f[0-9]/ && $3 !~ /cold/ { printf "%s%s", space, substr($3, 1, 2); space = " " }'
}

# section OBJECT SYMBOL: the section of a symbol.
section() {
	objdump -t "$1" | awk -v symbol="$2" '$NF == symbol { for (i = 1; i < NF; i++) if ($i ~ /^\.text/) print $i }'
}

compile
for linker in bfd gold; do
	command -v ld.$linker >/dev/null || continue
	$CC -fuse-ld=$linker -o $linker one.o two.o || fail "$linker does not link"
	./$linker || fail "the program ends with $?"
	check_eq "order by $linker" "$(order $linker)" "f1 f3 f5 f0 f2 f4"
done
check_eq "section of a part that never runs" "$(section one.o f5.cold)" .text.unlikely
check_eq "section that the user chose" "$(section one.o own)" .text.own
check_eq "section of a function without counts" "$(section two.o main)" .text.startup
cp one.o again.o
compile
cmp one.o again.o || fail "two compiles differ"

compile -fno-profile-reorder-functions
objdump -h one.o two.o | grep -q 'text\.sorted' && fail "-fno-profile-reorder-functions orders functions"

# At the link, where there is no plugin, by GCC's own order in one partition.
compile -flto
$CC -O2 -flto -flto-partition=one -o lto one.o two.o || fail "-flto does not link"
check_eq "order with -flto" "$(order lto)" "f1 f3 f5 f0 f2 f4"
