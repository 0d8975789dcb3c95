#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Loops that GCC splits at a condition on their counter: of the two loops the one that does the work has its counts,
# whether that is the first or the second, whichever way the counter goes and however the condition is written.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
{
	echo 'void often(long), rare(long), both(long);'
	# loop NAME TYPE FROM TEST STEP CONDITION ARM ARM
	loop() {
		printf 'void %s(%s m, %s n)\n{\n\t%s k = %s;\n\twhile (%s) {\n\t\tif (%s)\n' "$1" "$2" "$2" "$2" "$3" "$4" "$6"
		printf '\t\t\t%s((long)k);\n\t\telse\n\t\t\t%s((long)k);\n\t\tboth((long)k);\n\t\tk %s 1;\n\t}\n}\n' "$7" "$8" "$5"
	}
	loop later int m 'k < n' += 'k > m' often rare
	loop later_turned int m 'k < n' += 'k <= m' rare often
	loop later_swapped int m 'k < n' += 'm < k' often rare
	loop later_pointer 'char *' m 'k < n' += 'k > m' often rare
	loop down int n 'k > m' -= 'k < n' often rare
	loop early int m 'k < n' += 'k < n - 1' often rare
	loop early_turned int m 'k < n' += 'k >= n - 1' rare often
} >loops.c
# 100 entries of 100 turns each; the arms are at 5 and 7.
{
	printf 'pathfdo-profile 1\nunit executions\n'
	awk '/^void [a-z_]*\(.* m,/ { sub(/\(.*/, "", $2)
		printf "function %s loops.c:%d head 100 entries 100\n", $2, NR
		first = $2 ~ /turned/ ? 100 : 9900
		printf "  2 count 100\n  3 count 10100\n  4 count 10000\n  5 count %d\n  7 count %d\n", first, 10000 - first
		printf "  8 count 10000\n  9 count 10000\n" }' loops.c
} >profile.txt
"$PATHFDO" show --from-text profile.txt -o p.pfdo
$CC -O2 -g -Werror -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/p.pfdo" -fdump-tree-lsplit-blocks-details=dump \
	-fopt-info-loop-optimized=splits -c loops.c
check_eq "loops that were split" "$(grep -c 'loop split' splits)" 7
# share FUNCTION: the part of the calls of both in the loop that calls often, which has its counter by the same name.
share() {
	awk -v name="$1" '/^;; Function /{here = $3 == name} !here{next}
		/^;;   basic block /{match($0, /count [0-9]+/); count = substr($0, RSTART + 6, RLENGTH - 6)}
		/ often \(/{counter = $2} / both \(/{all += count; turns[$2] += count}
		END{printf "%.3f\n", all ? turns[counter] / all : -1}' dump
}
for name in later later_turned later_swapped later_pointer down early early_turned; do
	check_within "$name: part of the turns in the loop that does the work" "$(share $name)" 0.97 1
done
