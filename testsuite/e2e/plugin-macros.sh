#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What is known of a macro's condition in one place is the guess for the same macro elsewhere in the function, whichever
# way round the compiler has it; another macro with the same words on another line is none of it.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/truth-lib.sh"
cd "$T"
cat >macros.c <<'END'
#include <stdio.h>
#include <stdlib.h>

#define TRAP(r, n) do { if ((n) % 32 != 0) (r)[3] ^= (n) * 7; else (r)[2] += (n); } while (0)
#define LATE(r, n) do { if ((n) % 32 != 0) (r)[3] ^= (n) * 5; else (r)[2] += (n); } while (0)

__attribute__((noinline)) void walk(long *r, long n)
{
	r[0] += n;
	TRAP(r, n);
	r[1] ^= r[0];
	TRAP(r, n + 32);
	r[0] += r[3];
	TRAP(r, n + 64);
	r[1] += r[2];
	LATE(r, n);
}

int main(int argc, char **argv)
{
	static long r[4];

	for (long i = atol(argv[argc - 1]); i > 0; i--)
		walk(r, i);
	printf("%ld %ld\n", r[0], r[1]);
	return 0;
}
END
exact macros.c 32000 -fno-if-conversion -fno-if-conversion2

# error LINE...: the branch error of walk where all records of these lines of it are missing.
error() {
	"$PATHFDO" show --text whole.pfdo | awk -v lines=" $* " '
		/^[a-z]/ { walk = $2 == "walk" }
		/^  [0-9]/ { split($1, at, ":"); gone = walk && index(lines, " " at[1] " ") }
		/^  [a-z]/ { gone = walk && $1 == "path" }
		!gone' >less.txt
	"$PATHFDO" show --from-text less.txt -o less.pfdo || fail "no profile without $*: $(cat less.txt)"
	judged less.pfdo macros.c walk branch_error
}
# Four conditions, each of which holds 31 times in 32.
check_within "branch error with all that is known" "$(error 0)" 0 0.02
check_within "branch error where one TRAP of three is known" "$(error 5 7)" 0 0.1
check_within "branch error where no TRAP is known" "$(error 3 5 7)" 0.15 1
