#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A case that no look saw, in a function that does much: by few looks its loop is vectorised all the same, as it may run
# with other input, and is not unrolled; by many, in the profile and in the function, it is for size.  What cannot be
# vectorised is for size in any case, and so is what the compiler knows never to run.  The profile is by hand; what is vectorised the compiler tells.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >kept.c <<'END'
void note(int x);
int kernel(int how, const int *restrict a, int *restrict out, int n)
{
	int sum = 0;
	switch (how) {
	case 1:
		for (int i = 0; i < n; i++)
			out[i] = a[i] * 3 + (a[i] >> 2);
		break;
	case 2:
		for (int i = 0; i < n; i++)
			out[i] = a[i] * 5 - (a[i] >> 1);
		break;
	case 3:
		for (int i = 0; i < n; i++)
			note(a[i]);
		break;
	case 4:
		for (int i = 0; i < n; i++)
			out[i] = a[i] * 7 - (a[i] >> 3);
		__builtin_unreachable();
	default:
		sum = 1;
	}
	return sum;
}
END
# vectorised LOOKS [ALONE]: the lines of loops that are vectorised (and in `unrolled' those that are unrolled) by a profile that saw case 1 in so many looks.
vectorised() {
	cat >kept.txt <<END
pathfdo-profile 1
unit executions
agreement looks $1 square 100 alone ${2:-0}

function kernel kept.c:2 head 1000 total 202000
  2 count 1000
  3 count 1000
    taken 5 1000 equal
  5 count 101000
  6 count 100000
  9 count 0
  10 count 0
  13 count 0
  14 count 0
  20 count 0
  22 count 1000
END
	"$PATHFDO" show --from-text kept.txt -o p.pfdo || fail "the profile is refused"
	$CC -O2 -g -fopt-info-loop -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/p.pfdo" -c kept.c 2>said || fail "$(cat said)"
	sed -n 's/^kept.c:\([0-9]*\):.*loop unrolled.*/\1/p' said | sort -nu | tr '\n' ' ' >unrolled
	sed -n 's/^kept.c:\([0-9]*\):.*loop vectorized.*/\1/p' said | sort -nu | tr '\n' ' '
}
# From GCC 13 on -funroll-loops unrolls only small loops at -O2 unless it was given.
unrolled='7 '
[ "$($CC -dumpversion | cut -d. -f1)" -lt 13 ] || unrolled=
for looks in 80 299; do
	check_eq "what is vectorised by $looks looks" "$(vectorised $looks)" "7 11 "
	check_eq "what is unrolled by $looks looks" "$(cat unrolled)" "$unrolled"
done
check_eq "what is vectorised by 1000 looks" "$(vectorised 1000)" "7 "
# A hundredth of what ran was seen by a single look, and as much may not have been seen at all.
check_eq "what is vectorised by 1000 looks with much that one of them saw, all of which were at the function" \
	"$(vectorised 1000 11000)" "7 "
