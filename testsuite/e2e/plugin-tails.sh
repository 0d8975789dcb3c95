#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The equal ends of what a computed goto leads to stay apart in a function that ran often, where each jump to a common
# one would be executed; they are merged, as without a profile, in one that hardly ran, in one without a computed goto, and
# where the command line asks for it.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >ends.c <<'END'
#define END __asm__ volatile ("nop" : : "r"(p), "i"(1)); __asm__ volatile ("nop" : : "r"(p), "i"(2)); \
	__asm__ volatile ("nop" : : "r"(p), "i"(3)); __asm__ volatile ("nop" : : "r"(p), "i"(4)); \
	__asm__ volatile ("nop" : : "r"(p), "i"(5)); __asm__ volatile ("nop" : : "r"(p), "i"(6));
#define GOTOS(NAME, FACTOR) \
void NAME(const unsigned char *at, int *p) \
{ \
	static const void *const table[] = { &&one, &&two, &&out }; \
	goto *table[*at++]; \
one:	p[0] = at[0] * FACTOR; \
	END \
	goto *table[*at++]; \
two:	p[1] = at[0] + FACTOR; \
	END \
	goto *table[*at++]; \
out:	return; \
}
GOTOS(often, 3)
GOTOS(seldom, 5)
void plain(int a, int *p)
{
	if (a > 10) {
		p[0] = a * 3;
		END
	} else {
		p[1] = a + 77;
		END
	}
}
END
profile_of() {
	printf 'function %s %s/ends.c:%d head %d total %d\n' "$1" "$T" "$2" "$3" $(($3 * 8))
	shift 3
	printf '  %d count %d\n' "$@"
}
{
	printf 'pathfdo-profile 1\nunit executions\n'
	profile_of often 17 1000000 0 4000000
	profile_of seldom 18 1 0 1
	profile_of plain 19 4000000 2 4000000 3 2000000 4 2000000 6 2000000 7 2000000
} >ends.txt
"$PATHFDO" show --from-text ends.txt -o ends.pfdo

# ends FUNCTION FLAG...: how many of the marked instructions are in the function's code.
ends() {
	local name=$1
	shift
	$CC -O2 -g -fno-tree-tail-merge "$@" -S ends.c -o ends.s 2>ends.log || fail "ends.c does not compile: $(cat ends.log)"
	awk -v "begin=$name:" -v "end=\t.size\t$name," \
		'$0 == begin { on = 1 } index($0, end) == 1 { on = 0 } on && $1 == "nop" { n++ } END { print n + 0 }' ends.s
}
ours="-fplugin=$PLUGIN -fplugin-arg-pathfdo-profile=$T/ends.pfdo"
check_eq "ends of often without a profile" "$(ends often)" 6
# Options are kept by function: what is compiled behind another function has its own.
# shellcheck disable=SC2086 # options are words
{
	check_eq "ends of often" "$(ends often $ours)" 12
	check_eq "ends of seldom" "$(ends seldom $ours)" 6
	check_eq "ends of plain" "$(ends plain $ours)" 6
	check_eq "ends of seldom behind often" "$(ends seldom $ours -fno-toplevel-reorder)" 6
	check_eq "ends of often by -fcrossjumping" "$(ends often $ours -fcrossjumping)" 6
}
