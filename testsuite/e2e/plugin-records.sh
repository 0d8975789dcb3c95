#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that count their paths by calling context: over all contexts of a function they are exactly the paths that the same
# program counts without contexts, and gcov's blocks and edges; the contexts are those of a program that counts no paths; and a
# function's paths in each context are those that were worked out by hand.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/gcov-lib.sh"
P=$TOP/testsuite/programs

# build WHAT PROGRAM OPTION...: $T/WHAT, which counts WHAT.
build() {
	local what=$1 program=$2
	shift 2
	# shellcheck disable=SC2046 # a list of options
	$CXX "$@" -w -g -pthread $("$PATHFDO" cflags --cc "$CC" --plugin "$PLUGIN" --instrument="$what") "$P/$program" -o "$T/$what" ||
		fail "$*: $program does not compile to count $what"
}

# run WHAT [ARGUMENT...]: its files are in $T/WHAT.out.
run() {
	local what=$1
	rm -rf "$T/$what.out"
	mkdir "$T/$what.out"
	(cd "$T/$what.out" && exec "$T/$@" >"$T/$what.said" 2>&1) || fail "$*: the program fails: $(cat "$T/$what.said")"
}

# paths FILE...: the paths that ran, with functions, counts of blocks and edges, and lines.
paths() {
	"$PATHFDO" paths --exact --json --top=1000000 "$@" | tee "$T/json" |
		jq -S '[.functions[] | select(.executions > 0) | del(.unfinished)], [.top[] | del(.share)]'
}

same() {
	paths "$T"/paths.out/* >"$T/wanted"
	paths "$T"/paths,context.out/* >"$T/got"
	check_within "$1: paths" "$(jq -s '.[1] | length' "$T/got")" "$2" 100000
	cmp "$T/wanted" "$T/got" || fail "$1: the paths of all contexts are not those that are counted without contexts"
}

# undisturbed OPTION [ARGUMENT...]: runs what counts paths, contexts and cycles; `context --json OPTION` of it is in $T/json.
# These programs take microseconds: where others had the processor within main's, its share says nothing, and it runs anew.
undisturbed() {
	local option=$1 try
	shift
	for try in 1 2 3 4 5 6 7 8; do
		run paths,context,cycles "$@"
		# shellcheck disable=SC2086 # may be none
		"$PATHFDO" context $option --json "$T"/paths,context,cycles.out/* >"$T/json"
		! jq -e '([.contexts[].paths[]?.cycles] | add) >= 0.01 * (.contexts[] | select(.function == "main").cycles)' \
			"$T/json" >/dev/null || return 0
	done
}

for level in "-O0" "-O2 -fnon-call-exceptions" "-O3 -flto"; do
	# shellcheck disable=SC2086 # a list of options
	{
		build paths paths-shapes.cc $level
		build paths,context paths-shapes.cc $level
		rm -rf "$T/gcov"
		mkdir "$T/gcov"
		(cd "$T/gcov" && $CXX $level -g -pthread -fprofile-update=atomic --coverage "$P/paths-shapes.cc" -o shapes)
	}
	run paths
	run paths,context
	check_eq "$level: output" "$(cat "$T/paths,context.said")" "$(cat "$T/paths.said")"
	same "$level" 100
	(cd "$T/gcov" && ./shapes >/dev/null)
	# Functions that were never called are in no record.
	"$TOP/testsuite/tools/gcov-paths" "$T/json" "$T"/gcov/*.gcno >"$T/said" || true
	sed -i "/ is in gcov's notes alone$/d" "$T/said"
	check_eq "$level: functions and differences from gcov's counts" "$(grep -c . "$T/said")" 1
	check_within "$level: functions with executions that were compared" \
		"$(grep -o 'executions [0-9]*' "$T/said" | cut -d' ' -f2)" 12 1000

	# shellcheck disable=SC2086
	{
		build paths context-shapes.cc $level
		build context context-shapes.cc $level
		build paths,context context-shapes.cc $level
	}
	for shape in recurse mutual by_pointer jumps catcher signals threads uncounted forks; do
		run paths $shape
		run context $shape
		run paths,context $shape
		same "$level: $shape" 5
		for what in context paths,context; do
			for file in "$T/$what.out"/*; do "$PATHFDO" context --folded --sites "$file"; done | LC_ALL=C sort >"$T/$what.tree"
		done
		cmp "$T/context.tree" "$T/paths,context.tree" || fail "$level: the contexts of '$shape' are others where paths are counted"
	done
done

# leaf(x) and leaf(2 * x) for x from 0 to 9, and 20 paths of many() with 2^20 of them, of which each call site has ten.
cat >"$T/sites.c" <<'END'
__attribute__((noipa)) static int leaf(int x)
{
	if (x > 3)
		return x * 2;
	return x + 1;
}
__attribute__((noipa)) static int step(int x)
{
	return x & 1;
}
#define FOUR(x, at) step((x) >> (at)) ? 1 : 2, step((x) >> (at + 1)) ? 1 : 2, step((x) >> (at + 2)) ? 1 : 2, step((x) >> (at + 3)) ? 1 : 2
__attribute__((noipa)) static int sum(int a, int b, int c, int d)
{
	return a + b + c + d;
}
__attribute__((noipa)) static int many(int x)
{
	return sum(FOUR(x, 0)) + sum(FOUR(x, 4)) + sum(FOUR(x, 8)) + sum(FOUR(x, 12)) + sum(FOUR(x, 16));
}
int main(void)
{
	int all = 0;

	for (int i = 0; i < 10; i++) {
		all += leaf(i);
		all += leaf(2 * i);
		all += many(i);
		all += many(i << 10);
		all += many(i << 10);
	}
	return all == 0;
}
END
cp "$T/sites.c" "$T/sites.cc"
P=$T build paths,context,cycles sites.cc -O1
undisturbed --sites
counts() {
	jq -c --arg name "$1" '[.contexts[] | select(.function | test($name)) | {line: .called_at, counts: [.paths[].count]}] |
		sort_by(.line) | map(.counts)' "$T/json"
}
check_eq "paths of leaf by call site" "$(counts leaf)" "[[6,4],[8,2]]"
check_eq "paths of many by call site" "$(counts many)" "[$(printf '[1,1,1,1,1,1,1,1,1,1],%.0s' 1 2 3 | sed 's/,$//')]"
check_eq "paths of many at two sites that are one path" "$(jq -c '[.contexts[] | select(.function | test("many")) | [.paths[].number] | sort] |
	unique | length' "$T/json")" 2
# A call's cycles are in no path but its own: all paths of a context have no more than it has, and all together no more than main.
check_eq "contexts whose paths have more cycles than they" "$(jq '[.contexts[] | select(([.paths[]?.cycles] | add // 0) > .own)] | length' "$T/json")" 0
check_within "cycles of all paths, of main's" "$(jq '([.contexts[].paths[]?.cycles] | add) / (.contexts[] | select(.function == "main").cycles)' \
	"$T/json")" 0.01 1
check_eq "contexts of many without cycles" "$(jq '[.contexts[] | select((.function | test("many")) and ([.paths[].cycles] | add) == 0)] | length' \
	"$T/json")" 0
"$PATHFDO" context --calls --paths "$T"/paths,context,cycles.out/* | sed -n '/ leaf(int)$/,/many/p' >"$T/said"
check_eq "paths of leaf, printed" "$(grep -oE '[0-9]+ +path [0-9]+ .*' "$T/said" | head -n 2 | sed 's/  */ /g; s/path [0-9]*/path/')" \
	"14 path sites.cc:3 4
6 path sites.cc:3 5"

# Behind a longjmp nobody knows when a path began, so that paths of who called setjmp have none; nothing is counted twice.
build paths,context,cycles context-shapes.cc -O2
undisturbed '' jumps
check_eq "cycles of paths of a function with setjmp" "$(jq '[.contexts[] | select(.function == "jumps").paths[].cycles] | add' "$T/json")" 0
check_within "cycles of all paths, of main's" "$(jq '([.contexts[].paths[]?.cycles] | add) / (.contexts[] | select(.function == "main").cycles)' \
	"$T/json")" 0.01 1

# A function that waits has the cycles for which it does, and its callers have not; that makes its path hot.
# shellcheck disable=SC2046 # a list of options
$CC -O2 -g $("$PATHFDO" cflags --cc "$CC" --plugin "$PLUGIN" --instrument=paths,context,cycles) "$TOP/testsuite/programs/context-cycles.c" \
	-o "$T/waits" || fail "context-cycles.c does not compile"
run waits
"$PATHFDO" context --json "$T"/waits.out/* >"$T/json"
for what in twice:6000000 again:4000000; do
	cycles=$(jq --arg name "${what%:*}" '(.contexts[] | select(.function == $name and .recursive == null).id) as $id |
		.contexts[] | select(.parent == $id and .function == "spin") | [.paths[].cycles] | add' "$T/json")
	check_within "cycles of spin's paths below ${what%:*}" "$cycles" "${what#*:}" 1e18
done
check_within "cycles of all paths" "$(jq '([.contexts[].paths[]?.cycles] | add) / (.contexts[] | select(.function == "main").cycles)' "$T/json")" 0.5 1
"$PATHFDO" paths --exact --threshold=20 --json "$T"/waits.out/* >"$T/json"
check_eq "the metric" "$(jq -r .classes.by "$T/json")" cycles
check_eq "what all classes have, less the whole" "$(jq '.classes |
	([.paths[].metric] | add) - .metric, ([.paths[].lines] | add) - .lines, ([.functions[].metric] | add) - .metric' "$T/json" | paste -sd' ')" "0 0 0"
check_within "cycles of spin" "$(jq '.functions[] | select(.function == "spin").cycles' "$T/json")" 10000000 1e18
"$PATHFDO" paths --exact "$T"/waits.out/* >"$T/said"
for what in paths functions; do
	grep -qE "^  $what: [0-9]+ dense with [0-9.]+%.*, [0-9]+ sparse with [0-9.]+%.*, [0-9]+ cold with [0-9.]+%" "$T/said" ||
		fail "the classes of $what are not told: $(cat "$T/said")"
done

# What cannot be is refused: contexts without paths, as paths; another order of words; paths in what is made for other tools.
refused 1 "paths were not counted with these contexts" paths --exact "$T"/context.out/*
refused 2 'must be paths, context or paths,context' cflags --instrument=context,paths
refused 2 '\-\-paths is for text' context --paths --json "$T"/context.out/*
