#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The processor that Valgrind's tool `counters` plays has callgrind's counts, and a program that counts cycles on it records the
# event in their place: what its contexts and paths say of instructions is what is in the code, and callgrind's inclusive costs.
set -eu
. "$(dirname "$0")/lib.sh"
command -v valgrind >/dev/null || skip "valgrind is not installed"
command -v jq >/dev/null || skip "jq is not installed"
"$TOP/testsuite/tools/valgrind/build" "$T/valgrind" >"$T/said" 2>&1 || skip "$(tail -n 1 "$T/said")"
cat >"$T/known.c" <<'END'
static int table[1 << 20];

__attribute__((noipa)) static void work(void)
{
	__asm__ volatile(".rept 1000\n\tnop\n\t.endr");
}

__attribute__((noipa)) static void twice(int times)
{
	for (int i = 0; i < times; i++) {
		work();
		work();
	}
}

/* Each read is of a line that was not read before. */
__attribute__((noipa)) static int read_lines(void)
{
	int sum = 0;

	for (int i = 0; i < 1 << 20; i += 16)
		sum += ((volatile int *)table)[i];
	return sum;
}

int main(void)
{
	work();
	twice(10);
	return read_lines();
}
END

# counters EVENT PROGRAM: runs it; its counts are in $T/counts, what it recorded in $T/out.
counters() {
	rm -rf "$T/out"
	mkdir "$T/out"
	PATHFDO_OUTPUT=$T/out VALGRIND_LIB=$T/valgrind valgrind -q --tool=counters --event="$1" --vex-guest-chase=no \
		--vex-iropt-unroll-thresh=0 --counters-out="$T/counts" "$2" || fail "$2 fails by the tool"
}

count() {
	awk -v name="$1" '$1 == name { print $2 }' "$T/counts"
}

$CC -O2 -g "$T/known.c" -o "$T/plain"
counters all "$T/plain"
valgrind -q --tool=callgrind --cache-sim=yes --branch-sim=yes --I1=32768,8,64 --D1=32768,8,64 --LL=8388608,16,64 \
	--callgrind-out-file="$T/cg" "$T/plain" 2>"$T/said"
# Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw Bc Bcm Bi Bim; callgrind has a line that is read and written among the writes.
read -r _ ir _ _ i1mr d1mr d1mw _ _ _ _ bcm _ _ < <(grep '^summary:' "$T/cg")
check_within "instructions, of callgrind's" "$(awk -v a="$(count instructions)" -v b="$ir" 'BEGIN { print a / b }')" 0.98 1.02
check_within "misses of code, beyond callgrind's" "$(($(count fetch-misses) - i1mr))" -30 30
check_within "misses of data, beyond callgrind's" "$(($(count read-misses) + $(count write-misses) - d1mr - d1mw))" -50 50
check_within "mispredictions, of callgrind's" "$(awk -v a="$(count mispredictions)" -v b="$bcm" 'BEGIN { print a / b }')" 0.5 2

# Instructions of contexts: 1,000 a call of `work` and few besides; and callgrind's inclusive ones but for few a call.
# shellcheck disable=SC2046 # a list of options
$CC -O2 -g $("$PATHFDO" cflags --cc "$CC" --plugin "$PLUGIN" --instrument=context,cycles) "$T/known.c" -o "$T/contexts"
counters instructions "$T/contexts"
"$PATHFDO" context --json "$T"/out/* >"$T/json"
own() {
	jq --arg name "$1" '[.contexts[] | select(.function == $name).own] | add' "$T/json"
}
check_within "instructions of work" "$(own work)" 21000 21400
PATHFDO_OUTPUT=$T valgrind -q --tool=callgrind --compress-strings=no --compress-pos=no --callgrind-out-file="$T/cg2" "$T/contexts"
# inclusive FUNCTION: what callgrind has in calls of it.
inclusive() {
	awk -v name="$1" '/^cfn=/ { callee = substr($0, 5) } /^calls=/ { split($1, c, "="); getline; if (callee == name) sum += $2 } END { print sum + 0 }' "$T/cg2"
}
# What a call has beyond what it records stands in front of the counter's reading at the entry, which is much when a record is
# made there, and behind that at the end.  `work` has three call sites.
for of in work:21:3 twice:1:2 read_lines:1:1; do
	IFS=: read -r name calls records <<<"$of"
	recorded=$(jq --arg name "$name" '[.contexts[] | select(.function == $name).cycles] | add' "$T/json")
	check_within "callgrind's inclusive instructions of $name, beyond what was recorded" \
		"$(($(inclusive "$name") - recorded))" "$calls" "$((calls * 12 + records * 800))"
done

# Misses of paths: the loop has those of all lines, one a turn.
# shellcheck disable=SC2046 # a list of options
$CC -O2 -g $("$PATHFDO" cflags --cc "$CC" --plugin "$PLUGIN" --instrument=paths,cycles) "$T/known.c" -o "$T/paths"
counters read-misses "$T/paths"
"$PATHFDO" paths --exact --json "$T"/out/* >"$T/json"
check_within "misses of read_lines" "$(jq '[.top[] | select(.function == "read_lines").cycles] | add' "$T/json")" 65536 65600
check_within "misses of what is not read_lines" "$(jq '[.top[] | select(.function != "read_lines").cycles] | add' "$T/json")" 0 100
