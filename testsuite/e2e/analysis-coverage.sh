#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Coverage of a flow graph that is known by construction, worked out by hand; of a recording that is exact, against
# callgrind instruction by instruction; and of a real one, which may miss code but never invents any.  What it writes
# is read by lcov and by what reads gcov's JSON, and agrees with gcov.
set -eu
. "$(dirname "$0")/lib.sh"
P=$TOP/testsuite/programs

# covers KIND RECORDING: the blocks of `figure` that are covered, by their labels.
covers() {
	"$PATHFDO" coverage -b "$T/figure" --kind="$1" --list=instructions "$T/$2" >"$T/list" || fail "coverage of $2"
	awk 'NR == FNR { if ($2 ~ /^[tT]$/ && $3 ~ /^[A-S]$/) label[$1] = $3; next }
		$2 == "covered" { address = sprintf("%16s", substr($1, 3)); gsub(" ", "0", address)
			if (address in label) print label[address] }' <(nm "$T/figure") "$T/list" | sort | tr -d '\n'
}

# at LABEL [OFFSET]: where it is, with a bias of 0x555555554000.
at() { printf '0x%x' $((0x555555554000 + 0x$(nm "$T/figure" | awk -v label="$1" '$3 == label { print $1 }') + ${2:-0})); }

# branch LABEL: the address of the last instruction in front of LABEL.
branch() {
	local end=$((0x$(nm "$T/figure" | awk -v label="$1" '$3 == label { print $1 }')))
	objdump -d --no-show-raw-insn "$T/figure" | awk -v end="$(printf '%x' $end)" '
		$1 == end ":" { print last; exit }
		$1 ~ /^[0-9a-f]+:$/ { last = substr($1, 1, length($1) - 1) }' |
		while read -r address; do printf '0x%x' $((0x555555554000 + 0x$address)); done
}

$CC -O1 -g -w -pie "$P/coverage-figure.c" -o "$T/figure"
mapping="figure 7 1.0: PERF_RECORD_MMAP2 7/7: [0x555555554000(0x10000) @ 0 08:01 1 1]: r-xp $T/figure"
{
	echo "$mapping"
	echo "figure 7 2.0: 1000 cpu-clock:u: $(at C 2) figure"
} >"$T/plain"
check_eq "the block of a sample" "$(covers single plain)" "C"
check_eq "the block of a sample, as vectors" "$(covers vectors plain)" "C"
check_eq "what surrounds a sample" "$(covers single-dominators plain)" "ACOPS"

# A vector that comes to G, goes by H and J to L, and on to N: newest branch first, as perf prints.
{
	echo "$mapping"
	printf 'figure 7 2.0: 1000 branches:u: %s figure ' "$(at N)"
	echo "$(branch M)/$(at N)/P/-/-/0 $(branch I)/$(at J)/P/-/-/0 $(branch F)/$(at G)/P/-/-/0"
} >"$T/vector"
check_eq "the first block of a vector" "$(covers single vector)" "G"
check_eq "the first block with what surrounds it" "$(covers single-dominators vector)" "ABDGJNPS"
check_eq "a vector" "$(covers vectors vector)" "GHJL"
check_eq "a vector with what surrounds it" "$(covers dominators vector)" "ABDGHJLNPS"
check_eq "one branch of a vector" "$("$PATHFDO" coverage -b "$T/figure" --length=1 --json "$T/vector" | jq .kinds.vectors.covered)" 4

# A call from what ran makes the callee run: of `quiet` nothing was seen but its call.
{
	echo "$mapping"
	echo "figure 7 2.0: 1000 cpu-clock:u: $(at quiet) figure"
} >"$T/caller"
check_eq "no callee without calls" "$(covers dominators caller)" ""
check_eq "the callee" "$(covers calls caller)" "AS"

# Exact counts as a recording: everything that ran is found, as often as it ran.
command -v valgrind >/dev/null || skip "valgrind is not installed"
# Bound at the start: callgrind takes what the linker does on the way of a first call for calls of the caller.
$CC -O2 -g -w -Wl,-z,now "$P/agent-sort.c" -o "$T/sort"
valgrind -q --tool=callgrind --skip-plt=no --dump-instr=yes --collect-jumps=yes --compress-strings=no --compress-pos=no \
	--callgrind-out-file="$T/cg" "$T/sort" 2 >/dev/null
"$B/tools/callgrind-vectors" "$T/cg" "$T/exact.data"
"$PATHFDO" coverage -b "$T/sort" --against="$T/cg" --list=instructions --json "$T/exact.data" >"$T/json"
check_eq "what ran and was not found" "$(jq '.executed - .kinds.vectors.found' "$T/json")" 0
check_eq "what was found and did not run" "$(jq .kinds.vectors.wrong "$T/json")" 0
check_within "relative entropy of exact counts" "$(jq .entropy.vectors "$T/json")" -0.001 0.01
jq -r '.instructions[] | select(.seen > 0) | "\(.address) \(.seen | round)"' "$T/json" | sort >"$T/got"
awk '/^ob=/ { inside = /\/sort$/ } /^calls=/ { skip = 1; next } /^(jump|jcnd)=/ { skip = 1; next }
	/^0x/ { if (!skip && inside) sum[$1] += $3; skip = 0 }
	END { for (a in sum) print a, sum[a] }' "$T/cg" | while read -r a n; do echo "$((a)) $n"; done | sort >"$T/all"
join "$T/got" "$T/all" | awk '$2 != $3 { print; bad = 1 } END { exit bad || NR < 200 }' >"$T/differ" ||
	fail "counts that are not callgrind's: $(head -n 3 "$T/differ"), of $(wc -l <"$T/got")"
printf 'events: Ir\npositions: line\n1 2\n' >"$T/lines"
refused 1 "lines:3: costs are not those of instructions; write it by valgrind" coverage -b "$T/sort" --against="$T/lines" "$T/exact.data"
sed 's/\/sort$/\/other/' "$T/cg" >"$T/foreign"
refused 1 "foreign: holds no object 'sort'; run this very binary" coverage -b "$T/sort" --against="$T/foreign" "$T/exact.data"
refused 1 "figure: nothing that was recorded ran in it; name the binary that ran: most was in .*sort" coverage -b "$T/figure" "$T/exact.data"

# A real recording: all that it covers ran.
"$PATHFDO" record --source=soft -o "$T/soft.data" -- "$T/sort" 60 >/dev/null 2>"$T/said" || unrecorded "$T/said"
"$PATHFDO" coverage -b "$T/sort" --against="$T/cg" --json "$T/soft.data" >"$T/json"
check_eq "covered by vectors and never run" "$(jq .kinds.vectors.wrong "$T/json")" 0
check_eq "more vectors or surroundings, less covered" "$(jq '.kinds | (.single.found <= .vectors.found and .vectors.found <= .dominators.found
	and .dominators.found <= .calls.found and .single.found <= ."single-dominators".found)' "$T/json")" true

# Lines: what lcov reads as hit was executed, by gcov's count of a build of its own.
mkdir "$T/gcov"
$CC -O0 -g -w "$P/agent-sort.c" -o "$T/plainsort"
(cd "$T/gcov" && $CC -O0 --coverage -w "$P/agent-sort.c" -o sort && ./sort 2 >/dev/null && "$GCOV" --json-format --stdout sort-agent-sort.gcda 2>/dev/null >gcov.json)
"$PATHFDO" record --source=soft -o "$T/plain.data" -- "$T/plainsort" 30 >/dev/null 2>"$T/said"
"$PATHFDO" coverage -b "$T/plainsort" --lcov="$T/lcov.info" --gcov="$T/gcov.json" "$T/plain.data" >/dev/null
sed -n 's/^DA:\([0-9]*\),[1-9].*/\1/p' "$T/lcov.info" | sort >"$T/hit"
jq '.files[].lines[] | select(.count > 0) | .line_number' "$T/gcov/gcov.json" | sort -u >"$T/ran"
[ -s "$T/hit" ] || fail "no line is hit"
# The braces of a function have code, which gcov counts under its name and its return.
grep -nE '^[{}]$' "$P/agent-sort.c" | cut -d: -f1 | sort >"$T/braces"
check_eq "lines hit that gcov has not" "$(comm -23 "$T/hit" "$T/ran" | comm -23 - "$T/braces" | tr '\n' ' ')" ""
check_eq "lines hit in gcov's JSON" "$(jq '.files[].lines[] | select(.count > 0) | .line_number' "$T/gcov.json" | sort)" "$(cat "$T/hit")"
beginnings() { sed -n "s/^$1:\([0-9]*\),.*/\1/p" "$T/lcov.info" | sort -u; }
[ "$(beginnings FN | wc -l)" -ge 3 ] || fail "functions are missing in lcov.info: $(beginnings FN)"
check_eq "functions whose line has no count" "$(comm -23 <(beginnings FN) <(beginnings DA) | tr '\n' ' ')" ""
# Format 1 is that of GCC 9 to 13; 2, since GCC 14, has all of it, and more of each line.
keys_of() {
	jq -r '{ file: .files[0], function: .files[0].functions[0], line: .files[0].lines[0], all: . } |
		to_entries[] | "\(.key).\(.value | keys[])"' "$1" | sort
}
check_eq "keys of our JSON that gcov's has not" "$(comm -23 <(keys_of "$T/gcov.json") <(keys_of "$T/gcov/gcov.json"))" ""
[ "$(jq -r .format_version "$T/gcov/gcov.json")" != 1 ] ||
	check_eq "keys of gcov's JSON that ours has not" "$(comm -13 <(keys_of "$T/gcov.json") <(keys_of "$T/gcov/gcov.json"))" ""
if command -v genhtml >/dev/null; then
	genhtml -q -o "$T/html" "$T/lcov.info" >"$T/said" 2>&1 || fail "genhtml: $(tail -n 2 "$T/said")"
	grep -q "agent-sort.c" "$T/html/index.html" || find "$T/html" -name 'agent-sort.c.gcov.html' | grep -q . ||
		fail "genhtml made no page of the source"
	check_eq "lines that lcov counts as hit" "$(lcov --summary "$T/lcov.info" 2>/dev/null | sed -n 's/.*lines\.*: .*(\([0-9]*\) of.*/\1/p')" \
		"$(wc -l <"$T/hit")"
fi

# Behind longjmp stands what did not run, though nothing but the call leads there in the order of the code.
cat >"$T/jumps.c" <<'END'
#include <setjmp.h>
#include <stdio.h>
jmp_buf env;
__attribute__((noinline)) void check(int i)
{
	if (__builtin_expect(i == 7, 1))
		longjmp(env, 1);
	printf("other %d\n", i);
}
int main(int argc, char **argv)
{
	if (!setjmp(env))
		check(argc + 6);
	return 0;
}
END
$CC -O2 -g -pie "$T/jumps.c" -o "$T/jumps"
call=$(objdump -d --no-show-raw-insn "$T/jumps" | awk '/call.*longjmp/ { print substr($1, 1, length($1) - 1); exit }')
{
	echo "${mapping//figure/jumps}"
	echo "jumps 7 2.0: 1000 cpu-clock:u: $(printf '0x%x' $((0x555555554000 + 0x$call))) check"
} >"$T/jumps.data"
check_eq "lines around a longjmp" "$("$PATHFDO" coverage -b "$T/jumps" --list=lines --json "$T/jumps.data" |
	jq -c '[.lines[] | select(.function == "check") | [.line, .count]] | map(select(.[0] == 7 or .[0] == 8))')" '[[7,1],[8,0]]'

# Of two functions on one line the first ran: gcov says that of the line a block did not run.
printf '#define BOTH int a(int x) { return x + 1; } int b(int x) { return x * 3; }\nBOTH\nint main(void) { return 0; }\n' >"$T/both.c"
$CC -O1 -g -pie "$T/both.c" -o "$T/both"
{
	echo "${mapping//figure/both}"
	echo "both 7 2.0: 1000 cpu-clock:u: $(printf '0x%x' $((0x555555554000 + 0x$(nm "$T/both" | awk '$3 == "a" { print $1 }')))) a"
} >"$T/both.data"
"$PATHFDO" coverage -b "$T/both" --gcov="$T/both.json" "$T/both.data" >"$T/said"
check_eq "the line of two functions" "$(jq -c '.files[0].lines[] | select(.line_number == 2) | [.count, .unexecuted_block]' "$T/both.json")" '[1,true]'
check_eq "functions of a line" "$("$PATHFDO" coverage -b "$T/both" --list=lines --json "$T/both.data" |
	jq -c '[.lines[] | select(.line == 2) | [.function, .count]]')" '[["a",1],["b",0]]'

# A source whose name is of two lines.
printf '# 1 "a\\nb.c"\nint main(void)\n{\n\treturn 0;\n}\n' >"$T/broken.c"
$CC -O1 -g -pie "$T/broken.c" -o "$T/broken"
{
	echo "${mapping//figure/broken}"
	echo "broken 7 2.0: 1000 cpu-clock:u: $(printf '0x%x' $((0x555555554000 + 0x$(nm "$T/broken" | awk '$3 == "main" { print $1 }')))) main"
} >"$T/broken.data"
"$PATHFDO" coverage -b "$T/broken" --gcov="$T/broken.json" "$T/broken.data" >"$T/said"
check_eq "the source in gcov's JSON" "$(jq -r '.files[].file | split("/")[-1]' "$T/broken.json")" $'a\nb.c'
check_eq "the line in the list" "$("$PATHFDO" coverage -b "$T/broken" --list=lines "$T/broken.data" | grep -c 'a?b\.c:[0-9]*  main$')" 1
refused 1 'newline in it, which lcov' coverage -b "$T/broken" --lcov="$T/none.pfdo" "$T/broken.data"
