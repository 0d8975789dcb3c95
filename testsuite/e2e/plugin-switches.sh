#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A loop at one destination of a switch that is hot stays in the hot part, whatever GCC makes of the switch: a table
# without gaps, whose lowering leaves no chance to the default; a table with gaps; bit tests; a tree of comparisons.
# The assembly tells where the loop's mark is.  And a switch in a loop without an end, whose values go round for ever, is
# followed no longer than that.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >switches.c <<'EOF'
void mark(int *at);
#define HOT(name) __asm__ volatile("/* hot " #name " */")
#define TURNS(name, start) \
		i = start; \
		do { \
			HOT(name); \
			at[i] += start; \
			i += 2; \
		} while (i < length); \
		break
void table(int kind, int *at, long length)
{
	long i;
	switch (kind) {
	case 6: mark(at); break;
	case 7: case 12: mark(at + 1); break;
	case 8: mark(at + 2); break;
	case 9: case 11: mark(at + 3); break;
	case 10: mark(at + 4); break;
	default: TURNS(table, 3);
	}
}
void gaps(int kind, int *at, long length)
{
	long i;
	switch (kind) {
	case 6: mark(at); break;
	case 7: case 12: mark(at + 1); break;
	case 8: mark(at + 2); break;
	case 14: case 16: mark(at + 3); break;
	case 17: mark(at + 4); break;
	default: TURNS(gaps, 5);
	}
}
void bits(int kind, int *at, long length)
{
	long i;
	switch (kind) {
	case 6: case 9: case 13: case 21: case 25: mark(at); break;
	case 7: case 12: case 15: case 30: mark(at + 1); break;
	default: TURNS(bits, 7);
	}
}
void tree(int kind, int *at, long length)
{
	long i;
	switch (kind) {
	case 6: mark(at); break;
	case 700: mark(at + 1); break;
	case 8000: mark(at + 2); break;
	case 90000: mark(at + 3); break;
	default: TURNS(tree, 9);
	}
}
void one(int kind, int *at, long length)
{
	long i;
	switch (kind) {
	case 6: mark(at); break;
	case 7: case 12: mark(at + 1); break;
	case 8: TURNS(one, 11);
	case 9: case 11: mark(at + 3); break;
	case 10: mark(at + 4); break;
	default: mark(at + 5); break;
	}
}
EOF
# 300 calls, which all went to the loop.
{
	printf 'pathfdo-profile 1\nunit executions\nagreement looks 400 square 0\n'
	awk '/^void [a-z]*\(int kind/ { begin = NR; sub(/\(.*/, "", $2)
			printf "\nfunction %s switches.c:%d head 300 total 1000300\n  2 count 300\n", $2, begin }
	     /case|default/ { printf "  %d count %d\n", NR - begin, /TURNS/ ? 1000000 : 0 }' switches.c
} >switches.txt
"$PATHFDO" show --from-text switches.txt -o switches.pfdo

# The functions whose loop is all in the hot part, or not.
places() {
	awk '/\t\.(text|section)/ { cold = /\.text\.unlikely/ }
	     /\/\* hot/ { if (!($3 in away)) names[++n] = $3; away[$3] += cold }
	     END { for (k = 1; k <= n; k++) printf "%s %s\n", names[k], away[names[k]] ? "cold" : "hot" }' "$1" | sort
}

for flags in -O2 -O3 "-O2 -fno-jump-tables" "-O2 -fno-bit-tests" "-O2 -fPIC"; do
	# shellcheck disable=SC2086 # options are words
	set -- $flags -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile=switches.pfdo
	$CC "$@" -S switches.c -o switches.s || fail "no $flags"
	check_eq "loops with $flags" "$(places switches.s)" "bits hot
gaps hot
one hot
table hot
tree hot"
	$CC "$@" -fcompare-debug -c switches.c || fail "the code depends on -g with $flags"
done

cat >endless.c <<'EOF'
struct reader { char none; };
void end(void) __attribute__((noreturn));
void step(void *ranges);
void turn(unsigned long count, struct reader *readers, void *ranges, unsigned char c, const unsigned char *p)
{
	struct reader *reader = 0;

	(void)((readers != 0) != (ranges != 0) ? end(), 0 : 0);
	for (unsigned long i = 0; i < count; i++) {
		if (readers)
			reader = &readers[i];
		if (*p == 'R')
			continue;
		for (;;) {
			switch (c) {
			case 'x':
				if (ranges)
					step(ranges);
				break;
			case '7':
				(void)((reader != 0) != (ranges != 0) ? end(), 0 : 0);
				break;
			}
			p = 0;
		}
	}
}
EOF
cat >endless.txt <<'EOF'
pathfdo-profile 1
unit executions
function turn endless.c:4 head 0 total 946001
  1:1 count 4000
  4:2 count 4000 instructions 2
    taken 4:43.1 4000 different
  4:24 count 4000 instructions 4
  4:43.1 count 400000 instructions 2
  5:30 count 400000 instructions 3
    fell 8:6 399999 different
    taken 23:1 1 equal
  5:30.1 count 40000 instructions 3
    fell 23:1 40000 equal
  7:11 count 4000
  8:6 count 40000 instructions 4
    fell 5:30.1 2667 equal
    taken 11:4 1333 different
  11:4 count 4000 instructions 4
    fell 13:8 2667 equal
    taken 11:4 1333 different
  13:8 count 40000 instructions 2
  14:6 count 2000 max 2001 instructions 5
  17:5 count 2000 instructions 2
    taken 17:26 2000 equal
  17:26 count 2000 instructions 2
  23:1 count 1 instructions 2
EOF
"$PATHFDO" show --from-text endless.txt -o endless.pfdo
for flags in -O2 -O3; do
	timeout 100 "$CC" $flags -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/endless.pfdo" \
		-fplugin-arg-pathfdo-report="$T/endless.json" -c endless.c 2>messages ||
		fail "a switch in an endless loop, $flags: $(cat messages)"
	grep -q '"function":"turn".*"found":"matched"' endless.json || fail "$(cat endless.json)"
done
