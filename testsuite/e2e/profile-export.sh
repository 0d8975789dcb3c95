#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# pathfdo export --format=gcov: gcc -fauto-profile takes the file, gives each block the count that the profile has for its
# line, promotes the indirect call and inlines what was inlined.  Real profiles of a C and a C++ program keep the output.
set -eu
. "$(dirname "$0")/lib.sh"
P=$TOP/testsuite/programs/export-lines.c
FORMAT=gcov-$($CC -dumpversion | cut -d. -f1)
[ $FORMAT != gcov-12 ] || FORMAT=gcov
# times COUNT: how GCC prints it.  GCC 16 has all counts multiplied so that the highest, here 15003, is nearly 2^50.
times() {
	[ $FORMAT = gcov-16 ] && echo "$(($1 * ((1 << 50) / 15003))) (auto FDO)" || echo "$1 (auto FDO)"
}

# The line that /* WORDS */ marks, counted from the declaration that /* FROM */ marks.
offset() {
	local line from
	line=$(grep -n "/\* $2 \*/" "$P" | cut -d: -f1)
	from=$(grep -n "/\* $1 \*/" "$P" | cut -d: -f1)
	echo $((line - from))
}
at() {
	offset work "$1"
}
export_gcov() {
	"$PATHFDO" show --from-text "$1.txt" -o "$1.pfdo" && "$PATHFDO" export --format=$FORMAT "$1.pfdo" -o "$1.afdo"
}

cd "$T"
cat >lines.txt <<END
pathfdo-profile 1
unit executions
function work $P:$(grep -n '/\* work \*/' "$P" | cut -d: -f1) head 3
  $(at start) count 3
  $(at test) count 15003
  $(at step) count 15000
  $(at choice) count 15000
  $(at rare) count 938
  $(at common) count 14062
  $(at call) count 15000
    call twice 14000
    call thrice 1000
  $(at clamped) count 15000
  $(at last) count 3
  $(at end) count 3
  inline @1 clamp $P:$(grep -n '/\* clamp \*/' "$P" | cut -d: -f1) at $(at clamped) entries 15000
    $(offset clamp 'clamp test') count 15000
    $(offset clamp 'clamp high') count 421
    $(offset clamp 'clamp mod') count 421
    $(offset clamp 'clamp end') count 15000
END
export_gcov lines
$CC -O2 -fauto-profile=lines.afdo -c "$P" -o lines.o -fdump-tree-ccp2-blocks-details 2>err ||
	fail "gcc ends with $?: $(head -n 3 err)"
check_eq "what gcc says" "$(cat err)" ""
# The count and quality of the block of work() in which FUNCTION is called.
count_of() {
	awk -v call=" $1 [(]" '/^;; Function / { inside = $3 == "work"; block = "" }
		inside && /^;;   basic block/ { block = $0; sub(/.*count /, "", block); sub(/[,)].*/, ")", block) }
		block != "" && $0 ~ call { print block; exit }' ./*.ccp2
}
check_eq "block of rare" "$(count_of rare)" "$(times 938)"
check_eq "block of common" "$(count_of common)" "$(times 14062)"
check_eq "block of the inlined high" "$(count_of high)" "$(times 421)"
check_eq "block of last" "$(count_of last)" "$(times 3)"
left=$(count_of 'chosen[.0-9_]*') # by a probability, which GCC rounds
check_within "what the promoted call leaves" "${left% (auto FDO)}" "$(times 1000 | cut -d ' ' -f 1)" "$(times 1001 | cut -d ' ' -f 1)"
grep -qE 'if \(chosen[.0-9_]* == twice\)' ./*.ccp2 || fail "the indirect call was not promoted"

# The counts are the file's and not GCC's own guesses.
sed "s/^  $(at rare) count 938/  $(at rare) count 77/" lines.txt >other.txt
export_gcov other
rm ./*.ccp2
$CC -O2 -fauto-profile=other.afdo -c "$P" -o lines.o -fdump-tree-ccp2-blocks-details
check_eq "block of rare, another profile" "$(count_of rare)" "$(times 77)"

# Real profiles: the road of `pathfdo convert`, with gcc's own reader in place of the plugin.  The file is read from a pipe
# and written to one as well.
real() {
	local name=$1 compiler=$2 source=$TOP/$3
	shift 3
	$compiler -O2 -g -w -o "$name" "$source"
	"$PATHFDO" record --source=soft -F 400 --max-overhead=20 -o "$name.data" -- "./$name" "$@" >plain 2>record.log ||
		fail "record: $(tail -n 1 record.log)"
	"$PATHFDO" convert -b "./$name" "$name.data" -o "$name.pfdo" 2>convert.log || fail "$(tail -n 1 convert.log)"
	"$PATHFDO" export --format=$FORMAT - -o - <"$name.pfdo" >"$name.afdo"
	"$PATHFDO" export --format=$FORMAT "$name.pfdo" -o "$name.again"
	cmp "$name.afdo" "$name.again" || fail "the same profile gives other bytes"
	for level in -O2 "-O3 -mavx2"; do
		# shellcheck disable=SC2086 # options are words
		$compiler $level -w -fauto-profile="$name.afdo" -o "$name.afdo-built" "$source" 2>err ||
			fail "$name with $level: $(grep -m 1 error err)"
	done
	$compiler -O2 -g -w -fauto-profile="$name.afdo" -o "$name.afdo-built" "$source"
	"./$name.afdo-built" "$@" >optimised || fail "$name, optimised, ends with $?"
	cmp plain optimised || fail "the profile changed what $name prints"
}
real jumps "$CC" testsuite/programs/road-jumps.c 2000000
real shapes "$CXX" testsuite/programs/road-shapes.cc 9000
BASE_INSTRUCTIONS=$(callgrind out ./shapes 60)
FAST_INSTRUCTIONS=$(callgrind out ./shapes.afdo-built 60)
echo "instructions: $BASE_INSTRUCTIONS, with -fauto-profile $FAST_INSTRUCTIONS"
check_fewer 1

# An arm that never ran, in a hot loop that is vectorised: a count of zero there kills GCC 12 (SIGFPE in pass vect).
cat >arm.c <<'END'
void arm(int *restrict a, int *restrict b, int n)
{
	for (int i = 0; i < n; i++)
		if (b[i] > 3)
			a[i] = 5;
}
END
cat >arm.txt <<'END'
pathfdo-profile 1
unit executions
function arm arm.c:1 head 1
  2 count 1000
  3 count 1000
  4 count 0
  5 count 1
END
export_gcov arm
$CC -O3 -mavx2 -fauto-profile=arm.afdo -fopt-info-vec -c arm.c -o arm.o 2>err || fail "gcc ends with $?: $(grep -m 1 error err)"
grep -q 'loop vectorized' err || fail "the loop is not vectorised, so that nothing was tested: $(cat err)"

# The summary of version 3, reckoned by hand: 14 lines with 120854 executions; 1% is reached with the first, and 99%, 119646,
# with the ninth: 15003, six of 15000, 14062, 938.
"$PATHFDO" export --format=gcov-16 lines.pfdo -o summary.afdo
words() {
	echo $(od -A n -v -t "$1" -j "$2" -N "$3" summary.afdo)
}
check_eq "header and tag" "$(words x4 0 16)" "67636461 00000003 00000000 a8000000"
check_eq "sum, highest count and head, lines, functions, steps" "$(words u8 16 48)" "120854 15003 3 14 1 16"
check_eq "cutoff of 1%" "$(words u4 64 4) $(words u8 68 16)" "10000 15003 1"
check_eq "cutoff of 99%" "$(words u4 $((64 + 11 * 20)) 4) $(words u8 $((68 + 11 * 20)) 16)" "990000 938 9"
check_eq "tag, one file, its name, names" "$(words x4 384 4) $(words u4 392 4) $(words u4 396 4)" "aa000000 1 $((${#P} + 1))"

# A profile of clock samples, and counts beyond what GCC's arithmetic holds.
sed 's/executions/samples/' lines.txt >clock.txt
export_gcov clock
cmp lines.afdo clock.afdo || fail "the unit matters"
sed 's/15000/18446744073709551615/' lines.txt >huge.txt
export_gcov huge 2>said
grep -q 'the highest count is 18446744073709551615; all counts are scaled' said || fail "export says: $(cat said)"
$CC -O2 -fauto-profile=huge.afdo -o huge "$P" || fail "gcc ends with $? for huge counts"
check_eq "program with huge counts" "$(./huge 1 2)" "$($CC -O2 -o plain.exe "$P" && ./plain.exe 1 2)"

# Bad input: one message, no file.
printf 'pathfdo-profile 1\nunit executions\n' >none.txt
"$PATHFDO" show --from-text none.txt -o empty.pfdo
head -c 300 lines.pfdo >short.pfdo
echo "no profile" >foreign.pfdo
refused 1 'empty.pfdo: the profile has no function that ran' export --format=$FORMAT empty.pfdo -o none.pfdo
refused 1 'short.pfdo: the file ends' export --format=$FORMAT short.pfdo -o none.pfdo
refused 1 'foreign.pfdo' export --format=$FORMAT foreign.pfdo -o none.pfdo
refused 1 'absent.pfdo: cannot read' export --format=$FORMAT absent.pfdo -o none.pfdo
refused 1 'nowhere/none.pfdo' export --format=$FORMAT lines.pfdo -o nowhere/none.pfdo
refused 2 "there is no format 'nonsense'; there are: gcov" export --format=nonsense lines.pfdo -o none.pfdo
refused 2 'format is missing' export lines.pfdo -o none.pfdo
refused 2 'is missing' export --format=$FORMAT lines.pfdo
refused 2 'which profile' export --format=$FORMAT -o none.pfdo
refused 2 'one profile' export --format=$FORMAT lines.pfdo lines.pfdo -o none.pfdo
for bad in empty short foreign; do
	check_eq "lines about $bad.pfdo" "$("$PATHFDO" export --format=$FORMAT $bad.pfdo -o none.pfdo 2>&1 | wc -l)" 1
done
# What was there stays when the new one cannot be written.
mkdir limited
cp lines.afdo limited/kept.afdo
said=$(ulimit -f 0 && "$PATHFDO" export --format=$FORMAT lines.pfdo -o limited/kept.afdo 2>&1) && fail "wrote beyond the limit"
check_eq "message" "${said##*: }" "File too large"
check_eq "what is left" "$(ls limited)" kept.afdo
cmp lines.afdo limited/kept.afdo || fail "the old file changed"
exit 0
