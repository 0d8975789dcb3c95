#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What a short profile never saw is compiled as without one, beside what it saw: it may be cold or not, and is not worth
# the code that the flags of a profile make of it.  Where the profile says who called a function, what else calls that is
# unseen, too; where it does not, what alone leads there is not, and its loops are, once the hot function is inlined.
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
__attribute__((noinline)) static int entered(int n) { return n < 2 ? n : n * 5 % 77; }
int leads(const int *a, int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += a[i] * 3;
	return entered(sum);
}
END
at=$PWD/short.c
{
	printf 'pathfdo-profile 1\nunit executions\n'
	printf 'function work %s:1 head 90 total 18000\n  2 count 90\n  3 count 9000\n  4 count 9000\n  5 count 90\n' "$at"
	printf 'function entered %s:15 head 90 total 180\n  0 count 90\n' "$at"
} >alone.txt
# The same, and it called itself: the first time somebody else did.
sed 's/^  0 count 90$/  0 count 90\n    call entered 89/' alone.txt >self.txt
# The same, and work called it when it was profiled.
sed 's/^  5 count 90$/  5 count 90\n    call entered 90/' alone.txt >called.txt

# code NAME FLAG...: the machine code of each function of short.c, in NAME.FUNCTION.
code() {
	local name=$1 f
	shift
	$CC -O2 -g -ffunction-sections "$@" -c short.c -o "$name.o" || fail "the compile of $name fails"
	for f in work unseen leads; do
		objdump -d --no-show-raw-insn -j ".text.$f" -j ".text.hot.$f" "$name.o" 2>/dev/null |
			sed -n '/^ /p' | cut -f 2- >"$name.$f"
		[ -s "$name.$f" ] || fail "there is no $f in $name"
	done
}
for p in alone self called; do
	"$PATHFDO" show --from-text $p.txt -o $p.pfdo
	code $p -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile=$p.pfdo -fno-profile-reorder-functions
done
code plain
cmp -s plain.work alone.work && fail "the loop that was seen is as without a profile"
for p in alone self called; do
	cmp plain.unseen $p.unseen || fail "what was never seen is not as without a profile ($p)"
done
cmp plain.leads called.leads || fail "a function that calls what others called is not as without a profile"
cmp -s plain.leads self.leads && fail "the only way to what calls itself is as without a profile"
cmp -s plain.leads alone.leads && fail "the only way to what was seen is as without a profile"
exit 0
