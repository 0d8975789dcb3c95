#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# By a recording of few looks nothing is known of a function that it hardly saw but that it ran: what the compiler inlines
# there without a profile it inlines with such a one.  By 75 looks in all, or three at the function, the same zero is one, unless much of what ran was seen
# by a single look.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >doubt.c <<'END'
struct list {
	char *at;
	unsigned count, room;
};
void grow(struct list *list);
int odd(int n);
int work(int n);
static inline void push(struct list *list, char c)
{
	if (list->count == list->room)
		grow(list);
	list->at[list->count++] = c;
}
int search(struct list *list, int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++) {
		sum += work(i);
		if (__builtin_expect_with_probability(odd(i), 1, .5)) {
			push(list, 'a');
			push(list, (char)i);
			push(list, (char)n);
		}
	}
	return sum;
}
END
# calls_by LOOKS [TIMES [ALONE]]: calls of push that are left by such a profile, which saw search at work 16 times (or so many).
calls_by() {
	local times=${2:-16}
	cat >doubt.c.txt <<END
pathfdo-profile 1
unit executions
agreement looks $1 square 100 alone ${3:-0}

function elsewhere elsewhere.c:1 head 0 total 100000
  1 count 50000
  2 count 50000

function search doubt.c:14 head 1 total $((3 * times + 3))
  1 count 1
  2 count $((times + 1))
  3 count $times
    call work $times
  4 count $times
    call odd $times
  5 count 0
  6 count 0
  7 count 0
  10 count 1
END
	"$PATHFDO" show --from-text doubt.c.txt -o doubt.pfdo
	rm -f report
	$CC -O2 -g -fno-unroll-loops -S doubt.c -o doubt.s -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile=doubt.pfdo \
		-fplugin-arg-pathfdo-report=report
	grep -q '"function":"search".*"found":"matched"' report || fail "search is not matched: $(cat report)"
	grep -c 'call.*push' doubt.s || true
}
$CC -O2 -g -S doubt.c -o plain.s
check_eq "calls of push without a profile" "$(grep -c 'call.*push' plain.s)" 0
for looks in 1 14 74; do
	check_eq "calls of push by $looks looks" "$(calls_by $looks)" 0
done
for looks in 75 1000; do
	check_eq "calls of push by $looks looks" "$(calls_by $looks)" 3
done
# A fifth of all that was seen is four of 20 looks at the least.
check_eq "calls of push by 20 looks, of which search had four" "$(calls_by 20 8500)" 3
# Of what ran, 41 and 40 permille were seen by a look that no other shares its with.
check_eq "calls of push by 1000 looks with much that one of them saw" "$(calls_by 1000 16 41000)" 0
check_eq "calls of push by 1000 looks with less of that" "$(calls_by 1000 16 40000)" 3
