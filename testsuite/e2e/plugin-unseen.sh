#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What a short profile never saw is compiled as without one, beside what it saw: it may be cold or not, and is not worth
# the code that the flags of a profile make of it.  Where the profile says who called a function, what else calls that is
# unseen, too; where it does not, what alone leads there is where the hot function is inlined: the loops of that one are
# made fast there, its own are not.  A header's function may have been entered by any other file.  And a function that a
# look or two saw may have done anything else before: of what it calls nothing is known.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >short.c <<'END'
int work(const int *a, int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += a[i] * 3;
	return sum;
}
int unseen(const int *a, int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += a[i] * 3;
	return sum;
}
static int entered(const int *a, int *to, int n)
{
	/* Vectors need to know first whether the two overlap. */
	for (int i = 0; i < n; i++)
		to[i] |= a[i];
	return to[0];
}
int leads(const int *a, int *to, int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += a[i] * 3;
	return sum + entered(a, to, n);
}
int pick(const int *a, int n, int how)
{
	switch (how) {
	case 2:
		return work(a, n) + 1;
	case 5:
		return unseen(a, n) + 2;
	case 7:
		return unseen(a + 1, n) - work(a, n);
	}
	return 0;
}
END
at=$PWD/short.c
{
	printf 'pathfdo-profile 1\nunit executions\n'
	printf 'function work %s:1 head 90 total 18000\n  2 count 90\n  3 count 9000\n  4 count 9000\n  5 count 90\n' "$at"
	printf 'function entered %s:15 head 90 total 18000\n  2 count 90\n' "$at"
	printf '  3 count 9000\n  4 count 9000\n  5 count 90\n'
} >alone.txt
# The same, and it called itself: the first time somebody else did.
sed '/^function entered/,$ s/^  5 count 90$/  5 count 90\n    call entered 89/' alone.txt >self.txt
# The same, and work called it when it was profiled.
sed '0,/^  5 count 90$/ s//  5 count 90\n    call entered 90/' alone.txt >called.txt
# The same, and pick chose work in the one look that saw it.
{
	sed 's/^unit .*/&\nagreement looks 20 square 20 alone 0/' called.txt
	printf '\nfunction pick %s:29 head 1 total 3\n  2 count 1\n  4 count 1\n    call work 1\n' "$at"
} >picked.txt
# The same, and it is a header's.
sed '/^function entered/ s,short\.c,short.h,' alone.txt >header.txt
awk -v at="$PWD/short" 'NR == 15 { print "# 15 \"" at ".h\"" } NR == 22 { print "# 22 \"" at ".c\"" } { print }' short.c >header.c

# code NAME FILE FLAG...: the machine code of each function of FILE, in NAME.FUNCTION.
code() {
	local name=$1 file=$2 f
	shift 2
	$CC -O2 -g -ffunction-sections -fno-early-inlining "$@" -c "$file" -o "$name.o" || fail "the compile of $name fails"
	for f in work unseen leads; do
		objdump -d --no-show-raw-insn -j ".text.$f" -j ".text.hot.$f" "$name.o" 2>/dev/null |
			sed -n '/^ /p' | cut -f 2- >"$name.$f"
		[ -s "$name.$f" ] || fail "there is no $f in $name"
	done
}
for p in alone self called header picked; do
	file=short.c
	[ $p != header ] || file=header.c
	"$PATHFDO" show --from-text $p.txt -o $p.pfdo
	code $p $file -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile=$p.pfdo -fno-profile-reorder-functions \
		-fplugin-arg-pathfdo-report=$p.report
done
grep '"function":"pick"' picked.report | grep -q '"found":"matched"' || fail "what chose is not known"
grep '"function":"entered"' header.report | grep -q '"found":"matched"' || fail "the header's function is not known"
code plain short.c
cmp -s plain.work alone.work && fail "the loop that was seen is as without a profile"
for p in alone self called header picked; do
	cmp plain.unseen $p.unseen || fail "what was never seen is not as without a profile ($p)"
done
# vectors NAME INSTRUCTION: how many of these leads() has.
vectors() {
	grep -c "^$2 " "$1.leads" || true
}
for p in alone self; do
	[ "$(vectors $p por)" -gt "$(vectors plain por)" ] ||
		fail "what was seen has no vectors where only that leads to it ($p)"
	[ "$(vectors $p paddd)" -le "$(vectors plain paddd)" ] ||
		fail "a loop of what was never seen has vectors ($p)"
done
# By flags of its own it has them, and is unrolled.
code loud short.c -O3 -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile=alone.pfdo -fno-profile-reorder-functions
[ "$(vectors loud paddd)" -gt 0 ] || fail "a loop of what was never seen has no vectors with -O3"
# unrolled FLAG...: how many loops at the line of that loop are.
unrolled() {
	$CC -O2 -g -fno-early-inlining -fopt-info-loop -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile=alone.pfdo "$@" -c short.c -o u.o 2>said
	grep -c '^short.c:25:.*loop unrolled' said || true
}
check_eq "loops that were never seen and are unrolled" "$(unrolled)" 0
[ "$(unrolled -funroll-loops -fno-tree-vectorize)" -gt 0 ] || fail "-funroll-loops is not obeyed: $(cat said)"
for p in called header; do
	[ "$(vectors $p por)" -eq "$(vectors plain por)" ] || fail "what others may have called has vectors here ($p)"
done
exit 0
