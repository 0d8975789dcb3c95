#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Which loops are peeled.  All but one turn twice on average.  One whose counter starts at a constant is peeled, as is one
# that starts with a null pointer, at what it compares with, or where its result is measured from; and one that hardly
# turns, or of which nobody asks how far it came.  One that steps from anywhere to where its result is is not, unless that
# is asked for.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >loops.c <<'END2'
struct item {
	struct item *next;
	int key;
};
int from_zero(const char *a, const char *b, int limit)
{
	int n = 0;
	while (n < limit && a[n] == b[n])
		n++;
	return n;
}
int from_anywhere(const char *a, const char *b, int limit, int n)
{
	while (++n < limit && a[n] == b[n])
		;
	return n;
}
struct item *to_front(struct item **list, int key)
{
	struct item *before = 0, *here = *list;
	while (here && here->key != key) {
		before = here;
		here = here->next;
	}
	if (here && before) {
		before->next = here->next;
		here->next = *list;
		*list = here;
	}
	return here;
}
int around(const int *ring, int start, int key)
{
	int i = start;
	while (ring[i] != key) {
		i = ring[i + 1];
		if (i == start)
			return -1;
	}
	return i;
}
long distance(const char *at, const char *end, char key)
{
	const char *from = at;
	while (at < end && *at != key)
		at++;
	return at - from;
}
int hardly(int n, int limit)
{
	while (n < limit) {
		n = n * 3 + 1;
		if (n % 7)
			break;
	}
	return n;
}
int as_asked(const char *a, int limit, int n)
{
#pragma GCC unroll 1
	while (++n < limit && a[n])
		;
	return n;
}
int beside(const char *a, const char *b, int limit, int n)
{
	while (++n < limit && a[n] == b[n])
		;
#pragma GCC unroll 1
	while (++n < limit && a[n])
		;
	return n;
}
struct item *in_list(struct item *here, int key)
{
	while (here && here->key != key)
		here = here->next;
	return here;
}
int summed(const unsigned *at, int n, const int *table, int sum)
{
	for (; n > 0; n--)
		sum += table[*at++];
	return sum;
}
END2
# lines FUNCTION LINE HEAD COUNTED...: the record of a function that is entered 1000 times, and the lines of its loop.
lines() {
	local name=$1 line=$2 record
	shift 2
	echo "function $name loops.c:$line head 1000 entries 1000"
	for record; do
		echo "  ${record% *} count ${record#* }"
	done
}
{
	printf 'pathfdo-profile 1\nunit executions\n'
	lines from_zero 5 '2 1000' '3.2 3000' '3.1 2900' '4 2000' '5 1000'
	lines from_anywhere 12 '2.2 3000' '2.1 2900' '4 1000'
	lines to_front 18 '2 1000' '3.2 3000' '3.1 2900' '4 2000' '5 2000' '7 1000'
	lines around 32 '2 1000' '3 3000' '4 2000' '5 2000' '8 1000'
	lines distance 42 '2 1000' '3.2 3000' '3.1 2900' '4 2000' '5 1000'
	lines hardly 49 '2 1100' '3 1100' '4 1100' '5 1000' '7 1000'
	lines as_asked 58 '3.2 3000' '3.1 2900' '5 1000'
	lines summed 80 '2.2 3000' '2.1 2900' '3 2000' '4 1000'
	lines beside 65 '2.2 3000' '2.1 2900' '5.2 3000' '5.1 2900' '7 1000'
	lines in_list 74 '2.2 3000' '2.1 2900' '3 2000' '4 1000'
} >profile.txt
"$PATHFDO" show --from-text profile.txt -o p.pfdo
# peeled FUNCTION FLAG...: how many loops of it.
peeled() {
	local name=$1
	shift
	$CC -O2 -g -Werror -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/p.pfdo" -fdump-tree-cunroll-details=dump "$@" -c loops.c
	awk -v name="$name" '/^;; Function /{here = $3 == name} here && /^Peeled loop/{n++} END{print n + 0}' dump
}
check_eq "a counter from zero" "$(peeled from_zero)" 1
check_eq "a pointer that is null at first" "$(peeled to_front)" 1
check_eq "a start that it comes back to" "$(peeled around)" 1
check_eq "a start that its result is measured from" "$(peeled distance)" 1
check_eq "from anywhere, and most times no further" "$(peeled hardly)" 1
check_eq "from anywhere, to be forgotten" "$(peeled summed)" 1
check_eq "from anywhere in a list" "$(peeled in_list)" 1
check_eq "from anywhere" "$(peeled from_anywhere)" 0
check_eq "from anywhere, beside a loop of which the author says more" "$(peeled beside)" 0
check_eq "the same where that is asked for" "$(peeled from_anywhere -fpeel-loops)" 1

# Nothing of that is left for the passes behind, but what the author says.
$CC -O2 -g -Werror -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/p.pfdo" -funroll-all-loops \
	-fdump-rtl-loop2_unroll-details=dump -c loops.c
check_eq "loops that may not be unrolled" "$(awk '/^;; Function /{name = $3} /user didn.t want it unrolled/{print name}' dump)" \
	"as_asked
beside"
