#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What a function divides by is used in its copies, too: in those that the inliner makes behind the plugin, and in clones.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >copies.c <<'END'
static unsigned part(unsigned a, unsigned b)
{
	return a / b;
}
static unsigned rest(unsigned a, unsigned b)
{
	return a % b;
}
__attribute__((noinline)) static unsigned cloned(unsigned a, unsigned b, int much)
{
	if (much)
		return a / b + 3;
	return a + 1;
}
unsigned one(unsigned a, unsigned b) { return part(a, b) + rest(a, b); }
unsigned two(unsigned a, unsigned b) { return part(a + 3, b) ^ rest(a + 5, b); }
unsigned three(unsigned a, unsigned b) { return cloned(a, b, 1) ^ cloned(a + 7, b, 1); }
END
cat >copies.txt <<'END'
pathfdo-profile 1
unit executions
function part copies.c:1 head 200000
  2:11 count 200000
    value divisor 10 990
    value divisor other 10
    value divisor looks 100
function rest copies.c:5 head 200000
  2:11 count 200000
    value power 1 990
    value power 0 10
    value power looks 100
function cloned copies.c:9 head 200000
  2:5 count 200000
  3:12 count 200000
    value divisor 10 990
    value divisor other 10
    value divisor looks 100
END
for name in one two three; do
	line=$(grep -n "^unsigned $name" copies.c | cut -d: -f1)
	printf 'function %s copies.c:%d head 100000\n  0 count 100000\n' $name "$line"
done >>copies.txt
"$PATHFDO" show --from-text copies.txt -o copies.pfdo
# Without the early inliner all copies are made behind the plugin.
$CC -O2 -g -fno-early-inlining -fchecking=1 -fdump-tree-optimized -fplugin="$PLUGIN" \
	-fplugin-arg-pathfdo-profile="$T/copies.pfdo" -c copies.c -o copies.o 2>messages || fail "$(cat messages)"
check_eq "what is said" "$(cat messages)" ""
cat ./*.optimized >tree
body() { sed -n "/^;; Function $1 /,/^}/p" tree; }
for name in one two; do
	[ -n "$(body $name)" ] || fail "there is no $name"
	! body $name | grep -q ' \(part\|rest\) (' || fail "$name calls what was to be inlined: $(body $name)"
	check_eq "divisions by ten in $name" "$(body $name | grep -c ' / 10;')" 1
	check_eq "masks in $name" "$(body $name | grep -cE 'b_[0-9]+\(D\) \+ 4294967295;')" 1
done
clone=$(sed -n 's/^;; Function \(cloned[^ ]*\) .*/\1/p' tree | head -n 1)
case $clone in cloned.*) ;; *) fail "the function has no clone: $(grep '^;; Function' tree)" ;; esac
check_eq "divisions by ten in $clone" "$(body "$clone" | grep -c ' / 10;')" 1
