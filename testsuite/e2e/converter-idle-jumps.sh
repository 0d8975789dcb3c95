#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Of `return n` the compiler may leave nothing but a jump, behind an arm that never runs: the ways that do run have the
# value at its place already.  That the jump never ran does not say that the statement did not.
set -eu
. "$(dirname "$0")/lib.sh"
. "$TOP/testsuite/tools/converter-lib.sh"
cd "$T"

cat >jumps.c <<'END'
struct in {
	int line, column;
	int *lines;
	unsigned sum;
};
__attribute__((noipa)) int decode(unsigned *n, unsigned c, int *count)
{
	*n = c;
	*count = c == 0xffffffff;
	return c == 0xfffffffe;
}
__attribute__((noipa)) void report(struct in *in, unsigned n) { in->sum += n; }
__attribute__((noipa)) unsigned next(struct in *in, unsigned c)
{
	unsigned n;
	if (c < 1000000) {
		int wrong, count = 0;
		wrong = decode(&n, c, &count);
		if (!wrong && n == 0xffffffff && count == 1)
			return 0xffffffff;
		else if (wrong) {
			in->lines[0] = in->line;
			in->lines[1] = in->column;
			report(in, n);
			n = 0xfffd;
		}
		return n; /* runs 4,000 times */
	}
	return c;
}
int main(void)
{
	int lines[2];
	struct in in = { 1, 2, lines, 0 };
	for (unsigned i = 0; i < 4000; i++)
		in.sum += next(&in, i);
	return in.sum == 1;
}
END
from=$(grep -n ' next(struct in' jumps.c | cut -d: -f1)
line=$(($(grep -n 'runs 4,000 times' jumps.c | cut -d: -f1) - from))

"$CC" -O2 -g jumps.c -o jumps
exact "$T/jumps"
convert "$T/jumps"
awk '$1 == "function" { on = $2 == "next" } on' jumps.txt >next.txt
! grep -q "^ *$line:[0-9.]* count 0" next.txt || fail "what ran 4,000 times has a count of 0: $(cat next.txt)"
