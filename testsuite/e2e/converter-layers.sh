#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Discriminators of GCC 16 tell how many executions of the source one of the code is, and of which copy: both count, and
# neither is part of the position.  The numbers of another producer are what they are.  Counts by hand, from the rounds of
# the loops in the source; a program whose loop GCC 16 itself vectorises has them from its own bounds.
set -eu
. "$(dirname "$0")/lib.sh"
. "$TOP/testsuite/tools/converter-lib.sh"

# made NAME PRODUCER: the program, which says that PRODUCER compiled it.
made() {
	sed -E 's/"GNU C[0-9]+ [0-9.]+/"'"$2"'/' "$T/layers.s" >"$T/$1.s"
	grep -qF "\"$2 " "$T/$1.s" || fail "no producer in the compiler's assembly"
	"$CC" "$T/$1.s" -o "$T/$1"
	exact "$T/$1"
	convert "$T/$1"
}

# Outcomes of one record that differ in their sense alone.
add_up() {
	awk '!/^[tf]/ { for (i = 1; i <= n; i++) print ways[i], count[ways[i]]; n = 0; split("", count); print; next }
		!(($1 " " $2) in count) { ways[++n] = $1 " " $2 }
		{ count[$1 " " $2] += $3 }
		END { for (i = 1; i <= n; i++) print ways[i], count[ways[i]] }'
}

# records NAME FUNCTION: POSITION COUNT of the records of its loops, and "taken" and "fell" with POSITION and COUNT.
records() {
	awk -v f="$2" '$1 == "function" { on = $2 == f; next } !on { next }
		$1 ~ /^(93|179):/ { record = $1; print $1, $3 }
		$1 ~ /^[0-9]/ && $1 !~ /^(93|179):/ { record = "" }
		record && ($1 == "taken" || $1 == "fell") { print $1, $2, $3 }' "$T/$1.txt" | add_up | paste -sd ' '
}

"$CC" -O2 -g -S "$TOP/testsuite/programs/convert-layers.c" -o "$T/layers.s"
made layered "GNU C17 16.2.0"
made plain "GNU C17 15.3.0"
# 10 x 4 + 2 executions.  The jumps back: 9 of four executions, and 1; each loop was left once.
check_eq "vectorised" "$(records layered lanes)" "93:1.2 42 taken 93:1.2 37 fell 93:1.2 1 fell 102:1 1"
check_eq "unrolled" "$(records layered twice)" "179:1.3 20"
check_eq "vectorised, GCC 15" "$(records plain lanes)" \
	"93:1.33794 10 taken 93:1.33794 9 fell 93:1.65538 1 93:1.65538 2 taken 93:1.65538 1 fell 102:1 1"
check_eq "unrolled, GCC 15" "$(records plain twice)" "179:1.32771 10 179:1.65539 10"

# With the entries in another file the producer stands there.  (Valgrind runs it stripped: the older one fails on those.)
(cd "$T" && "$CC" -O2 -g -gsplit-dwarf -S "$TOP/testsuite/programs/convert-layers.c" -o split.s &&
	sed -Ei 's/"GNU C[0-9]+ [0-9.]+/"GNU C17 16.2.0/' split.s && "$CC" -gsplit-dwarf -c split.s && "$CC" split.o -o split)
[ -f "$T/split.dwo" ] || fail "the entries are not in another file"
cp "$T/split" "$T/whole"
strip "$T/split"
exact "$T/split"
cp "$T/whole" "$T/split"
convert "$T/split"
check_eq "split" "$(records split twice)" "179:1.3 20"

command -v gcc-16 >/dev/null || {
	echo "skip: there is no gcc-16 to write layers by itself"
	exit 0
}
cat >"$T/real.c" <<'END'
__attribute__((noipa)) static void add(float *a, const float *b, int n)
{
	for (int i = 0; i < n; i++)
		a[i] += b[i];
}
int main(void)
{
	static float a[1003], b[1003];
	add(a, b, 1003);
	return 0;
}
END
gcc-16 -O3 -g "$T/real.c" -o "$T/real"
exact "$T/real"
convert "$T/real"
check_eq "executions of the body" "$(awk '/^function add / { on = 1 } on && $1 ~ /^3:/ && $3 > max { max = $3 }
	/^function main / { on = 0 } END { print max }' "$T/real.txt")" 1003
