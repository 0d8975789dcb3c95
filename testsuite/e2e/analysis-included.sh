#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Functions of which a part is in another file, which is included in their midst, or of which a generator says so: coverage
# counts each line in its own file, whichever DWARF it is, and files have the functions that are declared in them.  A profile's
# positions have no file: convert says how much of it that concerns.
set -eu
. "$(dirname "$0")/lib.sh"
. "$TOP/testsuite/tools/converter-lib.sh"
command -v jq >/dev/null || skip "jq is not installed"
cd "$T"
cat >ops.def <<'END'
	/* The counts are those of 300 rounds. */
	case 0:
		acc += odd(n); /* =100= */
		break;
	case 1:
		acc ^= odd(i); /* =100= */
		break;
	default:
		acc -= odd(acc); /* =100= */
		break;
END
cat >prog.c <<'END'
#include <stdio.h>

unsigned odd(unsigned);

/* Lines of the same numbers as those of the other files are here:
 * no
 * code
 * at
 * all.
 */
__attribute__((noipa)) unsigned run(unsigned n)
{
	unsigned acc = 1; /* =1= */

	for (unsigned i = 0; i < n; i++) {
		switch (i % 3) {
#include "ops.def"
		}
	}
	return odd(acc);
}
#line 101 "prog.c"
__attribute__((noipa)) unsigned parse(unsigned n)
{
	if (n > 7) { /* =1= */
#line 5 "grammar.y"
		n = odd(n); /* =1= */
#line 105 "prog.c"
	}
	return odd(n);
}

int main(void)
{
	printf("%u\n", run(300) + parse(9)); /* =1= */
	return 0;
}
END
cat >rest.c <<'END'
__attribute__((noipa)) unsigned odd(unsigned n)
{
	return n | 1; /* =303= */
}
END
cat >wanted <<'END'
grammar.y 5 1
ops.def 3 100
ops.def 6 100
ops.def 9 100
prog.c 103 1
prog.c 111 1
prog.c 13 1
rest.c 3 303
END
for kind in -gdwarf-4 -gdwarf-5 "-gdwarf-5 -gsplit-dwarf" "-g -flto"; do
	# shellcheck disable=SC2086 # flags are words
	$CC -O1 $kind prog.c rest.c -o prog || fail "$kind does not compile"
	strip -g -o bare prog # valgrind cannot read all debug information
	exact ./bare
	"$PATHFDO" coverage -b prog --kind=vectors --lcov=lcov --gcov=gcov.json bare.data >out 2>said || fail "$kind: $(cat said)"
	awk -F'[:,]' '/^SF:/ { sub(".*/", "", $2); file = $2 } /^DA:/ { print file, $2, $3 }' lcov | sort >lines
	check_eq "lines that are not counted so, $kind" "$(comm -23 wanted lines)" ""
	check_eq "lines that ops.def and grammar.y do not have, $kind" \
		"$(awk '$1 == "ops.def" && $2 !~ /^([2-9]|10)$/ || $1 == "grammar.y" && $2 != 5' lines)" ""
	check_eq "functions by file, $kind" \
		"$(awk -F'[:,]' '/^SF:/ { sub(".*/", "", $2); file = $2 } /^FN:/ { print file, $3 }' lcov | sort | paste -sd ' ')" \
		"prog.c main prog.c parse prog.c run rest.c odd"
	check_eq "the same in gcov's, $kind" \
		"$(jq -r '.files[] | (.file | sub(".*/"; "")) as $f | .functions[] | "\($f) \(.name)"' gcov.json | sort | paste -sd ' ')" \
		"prog.c main prog.c parse prog.c run rest.c odd"
	"$PATHFDO" convert --json -b prog bare.data -o prog.pfdo >json 2>said || fail "$kind: $(cat said)"
	# At least the 300 calls of ops.def and the one of grammar.y, and nothing of odd, which is called as often.
	check_within "branches in other files, $kind, of $(jq '.binaries[] | select(.asked) | .mapped' json)" \
		"$(jq '.binaries[] | select(.asked) | .abroad' json)" 301 "$(jq '.binaries[] | select(.asked) | .mapped / 2' json)"
	"$PATHFDO" convert -b prog bare.data -o prog.pfdo 2>said || fail "$kind: $(cat said)"
	grep -q "^  [0-9.]*% of it at lines of other files than those of its functions" said || fail "$kind: $(cat said)"
done
sed '/include "ops.def"/d; /^#line/d' prog.c >own.c
$CC -O1 -g own.c rest.c -o prog
strip -g -o bare prog
exact ./bare
"$PATHFDO" convert -b prog bare.data -o prog.pfdo 2>said || fail "$(cat said)"
! grep "other files than" said || fail "it is told of a program that has nothing of the kind"
