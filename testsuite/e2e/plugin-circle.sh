#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Functions that call each other in a circle: whichever of them the compiler takes for the first caller, what one had
# inlined and does not inline again is known when the turn of what it calls comes.  The profile is by hand.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
# A circle of two and one of three functions; in each one was inlined that is mostly idle there.
cat >circle.c <<'END'
extern int values[64];
int ring(int), chain(int), wheel(int);
static int part(int x)
{
	if (x < 1000)
		return ring(x - 1);
	for (int i = 0; i < 50; i++)
		x = x * 29 + values[(x - i) & 63] % 11;
	values[x & 63] ^= x / 7;
	return x + values[x & 31] / (x | 1);
}
int ring(int x)
{
	return x < 0 ? 0 : part(x) + values[x & 63];
}
static int link(int x)
{
	if (x < 1000)
		return wheel(x - 1);
	for (int i = 0; i < 40; i++)
		x = x * 27 + values[(x + i) & 63] % 7;
	values[x & 63] ^= x / 3;
	return x - values[x & 15] / (x | 3);
}
int chain(int x)
{
	return x < 0 ? 0 : link(x) + values[x & 31];
}
int wheel(int x)
{
	return x & 1 ? chain(x - 3) : chain(x - 5);
}
END
line() { grep -n "^\(static \)\?int $1(int x)" circle.c | cut -d: -f1; }
# host NAME CALLEE: a record of NAME, which had CALLEE inlined in its second line.
host() {
	cat <<-END
	function $1 circle.c:$(line "$1") head 6000
	  2 count 6000
	  inline @1 $2 circle.c:$(line "$2") at 2:$(awk -v call="$2(x)" 'index($0, call) { print index($0, call); exit }' \
		<(sed "1,$(line "$1")d" circle.c)) entries 6000
	    2:5 count 6000
	      taken 3:10@1 6000 less
	    3:10 count 6000
	END
}
{
	printf 'pathfdo-profile 1\nunit executions\n'
	host ring part
	host chain link
	printf 'function wheel circle.c:%s head 6000\n  2 count 6000\n' "$(line wheel)"
} >profile.txt
"$PATHFDO" show --from-text profile.txt -o p.pfdo

# entries CALLEE: how often its own body was entered, by what the plugin has for it.
entries() { sed -n "s/^{\"function\":\"$1\".*\"found\":\"matched\",\"head\":\([0-9]*\).*/\1/p" report; }
for flags in -O2 -O3 "-O2 -fno-toplevel-reorder"; do
	rm -f report
	# shellcheck disable=SC2086 # several flags
	$CC $flags -g -Werror -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/p.pfdo" \
		-fplugin-arg-pathfdo-report="$T/report" -c circle.c
	check_eq "calls that are left, with $flags" "$(grep -c '"refused":"\(part\|link\)"' report)" 2
	check_eq "entries of what was inlined in the circle of two, with $flags" "$(entries part)" 6000
	check_eq "entries of what was inlined in the circle of three, with $flags" "$(entries link)" 6000
	! grep '"lost"' report || fail "counts are lost with $flags"
done
