#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Functions that rightly have no row at their entry: one without any, as LLVM's outliner makes them, and one written in
# assembly language that begins with data, as OpenSSL's do with the bytes of endbr64.  The rows of others, and its own, count.
set -eu
. "$(dirname "$0")/lib.sh"
. "$TOP/testsuite/tools/converter-lib.sh"
cd "$T"

cat >rowless.c <<'END'
unsigned turns(unsigned n);
__attribute__((noipa)) unsigned bare(unsigned n)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < n; i++)
		sum += i & 3 ? n : sum >> 1;
	return sum;
}
int main(void)
{
	unsigned sum = 0;
	volatile unsigned i = 0;
	do
		sum += bare(9);
	while (++i < 700);
	return sum + turns(900) == 1;
}
END
cat >hand.S <<'END'
	.text
	.globl	turns
	.type	turns, @function
turns:
	.byte	0xf3, 0x0f, 0x1e, 0xfa
	xorl	%eax, %eax
1:	incl	%eax
	cmpl	%edi, %eax
	jne	1b
	ret
	.size	turns, .-turns
	.section .note.GNU-stack,"",@progbits
END
"$CC" -O1 -g -fno-var-tracking -gno-variable-location-views -S rowless.c -o all.s
awk '$0 == "bare:" { on = 1 } $1 == ".size" { on = 0 } !(on && $1 == ".loc")' all.s >rowless.s
[ "$(grep -c '\.loc' all.s)" -gt "$(grep -c '\.loc' rowless.s)" ] || fail "there were no rows to take away"
"$CC" -c rowless.s
"$CC" -g rowless.o hand.S -o rowless

exact "$T/rowless"
"$PATHFDO" convert -b rowless rowless.data -o rowless.pfdo 2>said || fail "$(cat said)"
! grep -q 'cannot be read' said || fail "a right line table: $(cat said)"
"$PATHFDO" show --text rowless.pfdo >rowless.txt
# ways FUNCTION: how often its loop went on and was left.
ways() { awk -v name="$1" '$1 == "function" { on = $2 == name } on && ($1 == "taken" || $1 == "fell") { print $3 }' rowless.txt | sort -n | xargs; }
check_eq "ways of main" "$(ways main)" "1 699"
check_eq "ways of the loop that is written by hand" "$(ways turns)" "1 899"
