#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Loops of one source position and of constant length, as video encoders write them with macros: the profile's counts
# make the vectoriser take them, as those of -fprofile-use do, and the program gets as much faster.  -fno-tree-vectorize
# is overruled by both; without it GCC would take these loops with no profile at all.
set -eu
. "$(dirname "$0")/lib.sh"
cat >"$T/sad.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#define SAD(name, lx, ly)                                                                                              \
	static int name(unsigned char *a, long sa, unsigned char *b, long sb)                                          \
	{                                                                                                              \
		int sum = 0;                                                                                           \
		for (int y = 0; y < ly; y++) {                                                                         \
			for (int x = 0; x < lx; x++)                                                                   \
				sum += abs(a[x] - b[x]);                                                               \
			a += sa;                                                                                       \
			b += sb;                                                                                       \
		}                                                                                                      \
		return sum;                                                                                            \
	}
#define SAD_X4(size)                                                                                                   \
	__attribute__((noinline)) void sad_x4_##size(unsigned char *a, unsigned char *b, int *scores)                  \
	{                                                                                                              \
		scores[0] = sad_##size(a, 16, b, 40);                                                                  \
		scores[1] = sad_##size(a, 16, b + 1, 40);                                                              \
		scores[2] = sad_##size(a, 16, b + 40, 40);                                                             \
		scores[3] = sad_##size(a, 16, b + 41, 40);                                                             \
	}
SAD(sad_16x16, 16, 16)
SAD(sad_8x8, 8, 8)
SAD_X4(16x16)
SAD_X4(8x8)
int main(int argc, char **argv)
{
	static unsigned char a[256], b[2000];
	unsigned total = 0;
	int scores[4];
	for (int i = 0; i < 2000; i++)
		b[i] = i * i >> 3, a[i & 255] = i * 7;
	for (long n = atol(argv[argc - 1]); n > 0; n--) {
		sad_x4_16x16(a, b + n % 8, scores);
		total += scores[n & 3];
		sad_x4_8x8(a, b + n % 16, scores);
		total += scores[n & 3];
	}
	printf("%u\n", total);
}
END
cd "$T"
ROWS=$(grep -n '^SAD(' sad.c | cut -d: -f1 | paste -sd'|')
# build NAME OPTION...: prints how many inlined row loops were vectorised.
build() {
	local name=$1
	shift
	"$CC" -O2 -g -fno-tree-vectorize "$@" -c sad.c -o "$name.o" -fopt-info-vec-optimized="$T/$name.vec" || fail "$name is not compiled"
	"$CC" -O2 -g "$name.o" -o "$name" ${LINK:-}
	grep -cE "^sad.c:($ROWS):.*loop vectorized" "$name.vec" || true
}

check_eq "vectorised without a profile" "$(build base)" 0
"$PATHFDO" record --source=soft -o sad.data -- ./base 700000 >base.out 2>said || fail "$(cat said)"
"$PATHFDO" convert -b base sad.data -o sad.pfdo 2>said || fail "$(cat said)"
ours=$(build soft -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/sad.pfdo")
LINK=-fprofile-generate build counted -fprofile-generate -fprofile-update=single >/dev/null
./counted 5000 >/dev/null
mv counted.gcda exact.gcda
theirs=$(build exact -fprofile-use -w)
# Each function has four such loops; further copies (the functions inlined, clones of their callers) may be there or not.
check_within "vectorised by -fprofile-use" "$theirs" 8 20
check_within "vectorised by ours" "$ours" 8 20
check_eq "output" "$(./soft 700000)" "$(cat base.out)"
base=$(callgrind out ./base 3000) soft=$(callgrind out ./soft 3000) exact=$(callgrind out ./exact 3000)
[ "$soft" -le $((exact + exact / 10)) ] || fail "$soft instructions, -fprofile-use $exact, neither $base"
