#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Code without a line has that of the code in front of it in the line table.  Here a constant, where the ways past a loop
# meet behind its test, stands at the test: which runs 1,000 times, and not 4,000, and is not where they lead.
set -eu
. "$(dirname "$0")/lib.sh"
. "$TOP/testsuite/tools/converter-lib.sh"
cd "$T"

cat >past.c <<'END'
struct sink {
	void (*put)(struct sink *to, int byte);
	unsigned sum;
};
static void add(struct sink *to, int byte) { to->sum += (unsigned)byte; }
__attribute__((noipa)) int encode(unsigned c, unsigned char *to, struct sink *out, int *count)
{
	int bytes = 0, wrong = 0;
	if (c <= 0x7f) {
		to[0] = (unsigned char)c;
		bytes = 1;
	} else if (c <= 0x7ff) {
		to[0] = (unsigned char)(0xc0 | c >> 6);
		to[1] = (unsigned char)(0x80 | (c & 0x3f));
		bytes = 2;
	} else if (c <= 0xffff) {
		to[0] = (unsigned char)(0xe0 | c >> 12);
		to[1] = (unsigned char)(0x80 | (c >> 6 & 0x3f));
		to[2] = (unsigned char)(0x80 | (c & 0x3f));
		bytes = 3;
		if (c == 0xfffe || c == 0xffff)
			wrong = 1;
	} else if (c <= 0x3ffffff) {
		to[0] = (unsigned char)(0xf8 | c >> 24);
		bytes = 5;
		wrong = 1;
	} else {
		wrong = 1;
	}
	if (!wrong && out) { /* the way past */
		for (int i = 0; i < bytes; i++) /* the loop */
			out->put(out, to[i]);
	}
	*count = bytes; /* behind it */
	if (wrong)
		return -1;
	return 0;
}
int main(void)
{
	struct sink sink = { add, 0 };
	unsigned char buffer[8];
	int bad = 0, count;
	for (unsigned i = 0; i < 4000; i++)
		bad += encode(i & 0x7f, buffer, i % 4 ? 0 : &sink, &count);
	return bad || !sink.sum;
}
END
# line COMMENT: the line of encode that has it, as profiles number it.
line() { awk -v text="$1" '/^__attribute__.*encode/ { from = NR } index($0, "/* " text " */") { print NR - from }' past.c; }

"$CC" -O2 -g past.c -o past
exact "$T/past"
convert "$T/past"
awk '$1 == "function" { on = $2 == "encode" } on' past.txt >encode.txt

# In front of the loop and at its end a test may run, each 1,000 times.
most=$(awk -v at="$(line "the loop")" '$1 ~ "^" at ":" && $2 == "count" && $3 > most { most = $3 } END { print most + 0 }' encode.txt)
[ "$most" -ge 1000 ] && [ "$most" -le 2000 ] || fail "1,000 turns, and the loop's test ran $most times: $(cat encode.txt)"
led=$(awk -v at="$(line "the way past")" '$2 == "count" { on = $1 ~ "^" at ":" }
	on && ($1 == "taken" || $1 == "fell") && $3 == 3000 { sub(/:.*/, "", $2); print $2 }' encode.txt)
# Of what is behind the loop the compiler may take one statement or another first.
[ "${led:-0}" -ge "$(line "behind it")" ] || fail "3,000 calls went past the loop to line $led, want what is behind it: $(cat encode.txt)"
