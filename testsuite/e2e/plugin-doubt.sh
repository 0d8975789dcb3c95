#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# By a recording of few looks nothing is cold that it never saw, in functions that it saw as in others: what the compiler
# inlines without a profile it inlines with such a one.  By 75 looks the same zero is one.
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
		if (odd(i)) {
			push(list, 'a');
			push(list, (char)i);
			push(list, (char)n);
		}
	}
	return sum;
}
END
# calls_by LOOKS: calls of push that are left by such a profile, which saw search at work 16 times.
calls_by() {
	cat >doubt.c.txt <<END
pathfdo-profile 1
unit executions
agreement looks $1 square 100

function elsewhere elsewhere.c:1 head 0 total 100000
  1 count 50000
  2 count 50000

function search doubt.c:14 head 1 total 51
  1 count 1
  2 count 17
  3 count 16
    call work 16
  4 count 16
    call odd 16
  5 count 0
  6 count 0
  7 count 0
  10 count 1
END
	"$PATHFDO" show --from-text doubt.c.txt -o doubt.pfdo
	rm -f report
	$CC -O2 -g -S doubt.c -o doubt.s -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile=doubt.pfdo \
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
