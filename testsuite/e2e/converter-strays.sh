#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Code that has a line and no scope stands in that of the inlined function in front of it.  Its file tells whose it is:
# the host's, which is in another file than what was inlined.  What a function includes is no host's, and stays its own.
set -eu
. "$(dirname "$0")/lib.sh"
. "$TOP/testsuite/tools/converter-lib.sh"
cd "$T"
cat >step.h <<'END'
#line 500
static inline __attribute__((always_inline)) void step(volatile unsigned *to, unsigned n)
{
	*to += n;
	*to ^= 0x55;
#include "rest.inc"
}
END
printf '#line 40\n\t*to -= 3;\n' >rest.inc
cat >host.c <<'END'
static volatile unsigned sum;
#include "step.h"
__attribute__((noipa)) void host(unsigned n)
{
	step(&sum, n);
}
int main(void)
{
	for (unsigned i = 0; i < 1000; i++)
		host(i);
	return 0;
}
END
# What is at line 503 leaves the host then, by the table of lines, and the scopes are what they were.
"$CC" -O2 -g -S host.c -o host.s
number() { sed -n "s/^[[:space:]]*\\.file \\([1-9][0-9]*\\) .*\"\\([^\"]*\\/\\)*$1\".*/\\1/p" host.s | head -n 1; }
own=$(number host.c) other=$(number step.h)
sed -E "s/\\.loc $other 503 [0-9]+/.loc $own 6 1/" host.s >stray.s
cmp -s host.s stray.s && fail "no code is at line 503"
"$CC" stray.s -o stray
exact "$T/stray"
convert "$T/stray"
awk '$1 == "function" { on = $2 == "host" } on' stray.txt >host.txt
# of NODE LINE: how often ran what is on this line of the host, or of what is inlined there.
of() {
	awk -v node="$1" -v at="$2" '$1 == "inline" { inside = 1 }
		inside == node && $1 ~ "^" at ":" && $2 == "count" { print $3; exit }' host.txt
}
check_eq "executions of what leaves the host" "$(of 0 3)" 1000
check_eq "executions of the inlined function's line" "$(of 1 2)" 1000
check_eq "executions of what it includes" "$(of 1 -460)" 1000
lines=$(awk '$1 == "inline" { inside = 1 }
	inside && $2 == "count" { sub(/:.*/, "", $1); print $1 }' host.txt | sort -nu | xargs)
check_eq "lines of the inlined function" "$lines" "-460 2"
