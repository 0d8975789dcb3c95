#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Both arms of a condition in a macro have the macro's one place, so that no place tells which way is which.  What holds
# on each does, as the jump's condition tells it; without that the count of one arm is the other's.  The hard case is one
# jump for two conditions, which is on "equal" where both of them are on "different".
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/truth-lib.sh"
cd "$T"
cat >senses.c <<'END'
#include <stdio.h>
#include <stdlib.h>

static unsigned long state = 12345;

static unsigned draw(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33);
}

struct counted {
	int uses;
	long freed;
};

#define RELEASE(c) do { if (--(c)->uses == 0) { (c)->freed += 3; (c)->uses = 8; } else { (c)->freed ^= 5; } } while (0)
__attribute__((noinline)) long released(struct counted *c)
{
	RELEASE(c);
	return c->freed;
}

#define SORTED(x, up, down) do { if ((x) < 150) { *(up) += (x); *(down) ^= 7; } else { *(down) += (x); *(up) ^= 9; } } while (0)
__attribute__((noinline)) long sorted(long x, long *up, long *down)
{
	SORTED(x, up, down);
	return *up - *down;
}

/* One jump for both: on "equal" both bits are set. */
__attribute__((noinline)) long joined(long x, long *up)
{
	if (x & 16)
		if (x & 32)
			*up ^= x * 3;
	return *up + x;
}

int main(int argc, char **argv)
{
	struct counted c = { 1, 0 };
	long all = 0, up = 0, down = 0;

	for (long i = 200 * atol(argv[argc - 1]); i > 0; i--)
		all += released(&c) + sorted(draw() % 200, &up, &down) +
		       joined(draw() % 16 ? 48 : draw() % 64, &up);
	printf("%ld\n", all);
	return 0;
}
END
# error FUNCTION REPORT
error() { sed -n "s/^{\"truth\":\"$1\".*\"branch_error\":\([0-9.]*\).*/\1/p" "$2"; }
truth senses released branch_error >/dev/null
# The same profile without senses: what they are worth here.
"$PATHFDO" show --text senses.pfdo | sed 's/^\( *\(taken\|fell\) .* [0-9]*\) [a-z]*$/\1/' >without.txt
"$PATHFDO" show --from-text without.txt -o without.pfdo
$CC -O2 -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/without.pfdo" -fplugin-arg-pathfdo-truth="$T/gcda" \
	-fplugin-arg-pathfdo-report="$T/report.without" -c senses.c 2>messages || fail "not compiled: $(cat messages)"
for function in sorted joined; do
	check_within "branch error of $function" "$(error $function report)" 0 0.1
done
# Newer compilers make conditional moves of the arms of released, and from GCC 14 on arms of a macro have discriminators.
if objdump -d plain | sed -n '/<released>:/,/ret/p' | grep -qE '\sj[a-ln-z]+ '; then
	check_within "branch error of released" "$(error released report)" 0 0.1
fi
[ "$($CC -dumpversion | cut -d. -f1)" -gt 13 ] ||
	check_within "branch error of released without senses" "$(error released report.without)" 0.2 1

# The two conditions of `left < 262 && !ended` have one place, as what is inlined has no discriminators until GCC 13; the
# second is behind the first, and so is the way past both.  By hand: one filling for 5000 turns.
cat >drained.c <<'END'
#include <stdio.h>
#include <stdlib.h>
unsigned left, ended, again;
long got;
__attribute__((noinline)) void refill(void)
{
	left += 5000;
	ended = --again == 0;
}
static long drained(long sum)
{
	while (left != 0) {
		sum = sum * 3 ^ (long)left;
		if (sum & 8)
			got++;
		left--;
		while (left < 262 && !ended) refill();
	}
	return sum;
}
int main(int argc, char **argv)
{
	long s = 0;
	for (long i = atol(argv[argc - 1]); i > 0; i--) { ended = 0; again = 20; refill(); s += drained(i); }
	printf("%ld %ld\n", s, got);
	return 0;
}
END
$CC -O2 -g drained.c -o drained
"$PATHFDO" record --source=soft -o drained.data -- ./drained 1500 >/dev/null 2>&1 || fail "not recorded"
"$PATHFDO" convert drained.data -o drained.pfdo >/dev/null 2>messages || fail "not converted: $(cat messages)"
$CC -O2 -g -fdump-ipa-all -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/drained.pfdo" -c drained.c 2>messages ||
	fail "not compiled: $(cat messages)"
refills=$(awk '/^[^ ]/ { on = index($0, "drained/") == 1 } on && / Calls:/' ./*i.pathfdo |
	sed -n 's,.* refill/[0-9]* (\([0-9]*\) .*,\1,p')
# The highest count of a small recording is written as 2^27 or somewhat less: that of the loop, by the unit of the plugin.
check_within "fillings for 5000 turns" "$(awk "BEGIN { print 5000 * ($refills) / 2 ^ 27 }")" 0 20
