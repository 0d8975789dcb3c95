#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A function that calls itself is inlined into itself as long as it stays small with what else is inlined into it: not at
# all where its hot callees come with each copy, as deep as the compiler likes where it has none, and as deep as the command
# line says.  The copies are told by a constant that stands in the function's source once.  The profile is by hand.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >tree.c <<'END2'
struct t { struct t *first, *next; int v[20]; };
#define STEPS \
	v[0] += x * 3; v[1] ^= x / 4; v[2] -= x * 7; v[3] += x / 16; v[4] ^= x * 11; \
	v[5] -= x / 2; v[6] += x * 15; v[7] ^= x / 8; v[8] -= x * 19; v[9] += x / 32; \
	v[10] ^= x * 23; v[11] -= x / 4; v[12] += x * 27; v[13] ^= x / 16; v[14] -= x * 31; \
	v[15] += x / 2; v[16] ^= x * 35; v[17] -= x / 8; v[18] += x * 39; v[19] ^= x / 32; \
	v[15] += x / 64; v[16] ^= x * 41; v[17] -= x / 128; v[18] += x * 43; v[19] ^= x / 256;
int work(int *v, int x)
{
	STEPS
	return v[13] + x;
}
int toil(int *v, int x)
{
	STEPS
	return v[14] + x;
}
int visit(struct t *t, int n)
{
	n = work(t->v, toil(t->v, work(t->v, n ^ 123457)));
	for (struct t *c = t->first; c; c = c->next)
		n += visit(c, n);
	return n;
}
int look(struct t *t, int n)
{
	n ^= 123457;
	for (struct t *c = t->first; c; c = c->next)
		n += look(c, n);
	return n;
}
int other(struct t *t)
{
	return work(t->v, toil(t->v, 1));
}
END2
{
	printf 'pathfdo-profile 1\nunit executions\n'
	for f in work:8 toil:13; do
		printf 'function %s tree.c:%d head 1000010 entries 1000010\n' "${f%:*}" "${f#*:}"
		printf '  2 count 1000010\n  3 count 1000010\n'
	done
	# As many turns as entries, but for the first.
	for f in visit:18 look:25; do
		printf 'function %s tree.c:%d head 1000000 entries 1000000\n  2 count 1000000\n' "${f%:*}" "${f#*:}"
		printf '  3 count 1000000\n  4 count 1000000\n  5 count 1000000\n'
	done
	printf 'function other tree.c:32 head 10 entries 10\n  2 count 10\n'
} >profile.txt
"$PATHFDO" show --from-text profile.txt -o p.pfdo
# copies FUNCTION FLAG...: how many copies of itself its code is.
copies() {
	local name=$1
	shift
	$CC -O2 -g -Werror "$@" -c tree.c
	objdump -d --no-show-raw-insn tree.o |
		awk -v name="<$name>:" '/>:$/{here = $2 == name} here && /\$0x1e241/{n++} END{print n + 0}'
}
with=(-fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/p.pfdo")
check_eq "copies of one with large callees" "$(copies visit "${with[@]}")" 1
check_eq "copies of one without callees" "$(copies look "${with[@]}")" 9
check_eq "copies of one with large callees, as deep as the command line says" \
	"$(copies visit "${with[@]}" --param max-inline-recursive-depth-auto=2)" 3
check_eq "copies of one without callees, as deep as the command line says" \
	"$(copies look "${with[@]}" --param max-inline-recursive-depth-auto=2)" 3
