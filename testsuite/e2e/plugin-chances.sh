#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What GCC makes of a switch has the chances of the switch: with counts by hand each destination gets from comparisons,
# bit tests and tables what it had, a default that several tests lead to by how many values they let go; with an exact
# profile, which knows what the range check let go, the chances are those of the program's input, and fewer branches are
# taken.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
[ -x "$B/tools/callgrind-vectors" ] || skip "run make tools"

cat >chances.c <<'EOC'
void mark(int *at);
enum narrow { FIRST, LAST = 15 };
void bits(unsigned char kind, int *at)
{
	switch (kind) {
	case 6: case 9: case 13: case 21: case 25: mark(at); break; /* 100 */
	case 7: case 12: case 15: case 30: mark(at + 1); break; /* 40 */
	default: mark(at + 2); break; /* 860 */
	}
}
void table(unsigned char kind, int *at)
{
	switch (kind) {
	case 10: mark(at); break; /* 100 */
	case 11: mark(at + 1); break; /* 200 */
	case 13: mark(at + 2); break; /* 0 */
	case 15: mark(at + 3); break; /* 0 */
	case 16: mark(at + 4); break; /* 0 */
	case 18: mark(at + 5); break; /* 0 */
	default: mark(at + 6); break; /* 700 */
	}
}
void tree(int kind, int *at)
{
	switch (kind) {
	case 6: mark(at); break; /* 100 */
	case 700: mark(at + 1); break; /* 0 */
	case 8000: mark(at + 2); break; /* 300 */
	case 90000: mark(at + 3); break; /* 100 */
	default: mark(at + 4); break; /* 500 */
	}
}
void mixed(unsigned kind, int *at)
{
	switch (kind) {
	case 10: mark(at); break; /* 100 */
	case 11: mark(at + 1); break; /* 50 */
	case 12: mark(at + 2); break; /* 50 */
	case 13: mark(at + 3); break; /* 0 */
	case 14: mark(at + 4); break; /* 50 */
	case 15: mark(at + 5); break; /* 150 */
	case 1000: case 1003: case 1005: case 1017: case 1020: case 1041: mark(at + 6); break; /* 300 */
	case 70000 ... 80000: mark(at + 7); break; /* 100 */
	case 4000000000: mark(at + 8); break; /* 0 */
	default: mark(at + 9); break; /* 200 */
	}
}
void full(unsigned kind, int *at)
{
	switch (kind & 7) {
	case 0: mark(at); break; /* 100 */
	case 1: mark(at + 1); break; /* 600 */
	case 2: mark(at + 2); break; /* 50 */
	case 3: mark(at + 3); break; /* 50 */
	case 5: mark(at + 4); break; /* 50 */
	case 6: mark(at + 5); break; /* 50 */
	default: mark(at + 6); break; /* 100 */
	}
}
void closed(int kind, int *at)
{
	switch (kind) {
	case -4: mark(at); break; /* 100 */
	case -3: mark(at + 1); break; /* 600 */
	case -2: mark(at + 2); break; /* 100 */
	case -1: mark(at + 3); break; /* 100 */
	case 1: mark(at + 4); break; /* 50 */
	case 2: mark(at + 5); break; /* 50 */
	default: __builtin_unreachable(); /* 0 */
	}
}
void nested(long kind, unsigned long other, int *at)
{
	switch (kind) {
	case -100: mark(at); break; /* 250 */
	case -9223372036854775807: mark(at + 1); break; /* 0 */
	default: switch (other) {
		case 1: mark(at + 2); break; /* 250 */
		case 18446744073709551615ul: mark(at + 3); break; /* 0 */
		case 5: mark(at + 4); break; /* 250 */
		default: mark(at + 5); break; /* 250 */
		}
	}
}
EOC
{
	printf 'pathfdo-profile 1\nunit executions\nagreement looks 400 square 0\n'
	awk '/^void [a-z]*\(.* kind/ { begin = NR; sub(/\(.*/, "", $2)
			printf "\nfunction %s chances.c:%d head 1000 total 9000\n  2 count 1000\n", $2, begin }
	     match($0, /\/\* [0-9]+ /) { printf "  %d count %d\n", NR - begin, substr($0, RSTART + 3) }' chances.c
} >chances.txt
"$PATHFDO" show --from-text chances.txt -o chances.pfdo
set -- -g -w -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile=chances.pfdo -fchecking=1

# chances FUNCTION DUMP: the percentages of the ways out of its blocks that end in a comparison, one after the other.
chances() {
	awk -v name="$1" '/^;; Function / { inside = $3 ~ "^" name "(\\.|$)" }
	     inside && /goto <bb [0-9]*>; \[[0-9.]+%\]/ && !/100.00%/ { gsub(/.*\[|%.*/, ""); print }' "$2"
}

for flags in -Og -O1 -O2 -O3 -Os "-O2 -fPIC" "-O2 -fno-jump-tables" "-O2 -fno-bit-tests"; do
	rm -f chances.c.* chances.o
	# shellcheck disable=SC2086 # options are words
	$CC $flags "$@" -c chances.c -fdump-tree-optimized-blocks-details -dumpdir "" || fail "no $flags"
	grep -q 'basic block.* count ' chances.c.*optimized || fail "the dump with $flags has no counts"
	if grep -m 3 'Invalid sum' chances.c.*optimized; then
		fail "with $flags what leads to a block is not what the block has"
	fi
	# shellcheck disable=SC2086
	$CC $flags "$@" -fcompare-debug -c chances.c || fail "the code depends on -g with $flags"
done

# Of a byte's 256 values 9 are cases: beyond 30 are 225 of 247, before 6 are 6 more, which GCC lets go at once or not.
$CC -O2 "$@" -c chances.c -fdump-tree-reassoc2-blocks -fdump-rtl-vregs -dumpdir "" || fail "no dump"
check_within "percentage that bits lets go at once" "$(chances bits chances.c.*reassoc2 | head -n 1)" 78.3 80.5
# The range check of the table lets 247 of 250 values go, its gaps the rest; the least bits of the number in the note
# are how well it is known, and 2^27 is 1.
check_within "percentage that table lets go at once" "$(awk '/^;; Function / { inside = $3 == "table" }
	inside && /REG_BR_PROB/ {
		gsub(/.*REG_BR_PROB /, ""); print int($1 / 8) / 2^27 * 100; exit }' chances.c.*vregs)" \
	69 69.3

# With a profile of its own all is known: 20,000 of 25,600 characters are letters, 4,000 of the others blank.
plain=$TOP/testsuite/programs/plugin-chances.c
$CC -O2 -g "$plain" -o plain || fail "$plain does not build"
valgrind -q --tool=callgrind --dump-instr=yes --collect-jumps=yes --skip-plt=no --compress-strings=no \
	--compress-pos=no --callgrind-out-file=calls ./plain 200 >plain.out || fail "the plain program fails"
"$B/tools/callgrind-vectors" calls data && "$PATHFDO" convert -b plain data -o p.pfdo >convert.log 2>&1 ||
	fail "no profile"
$CC -O2 -g -fchecking=1 -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile=p.pfdo "$plain" -o fast \
	-fdump-tree-reassoc2-blocks -dumpdir "" || fail "$plain does not build with its profile"
mapfile -t shares < <(chances words plugin-chances.c.*reassoc2)
check_within "percentage of letters" "${shares[0]}" 77 80
# From GCC 13 on what follows is not asked in this order.
[ "$($CC -dumpversion | cut -d. -f1)" -gt 12 ] || check_within "percentage of blanks" "${shares[2]}" 71.2 71.7

# Each of the 512 values of a turn is one way round a loop, and goes every second time somewhere else besides.
many=$(taken fast 200) few=$(taken fast 100)
cmp -s plain.out <(./fast 200) || fail "the profile changed what the program prints"
check_within "taken branches in 100 turns" $((many - few)) 51200 76800
