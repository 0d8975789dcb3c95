#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# autofdo's dump_gcov reads in an exported file what `pathfdo show` prints of the profile: the same functions, inlined
# instances, lines and counts.  (Its strings are those of version 1; testsuite/tools/afdo-words makes them so.)
set -eu
. "$(dirname "$0")/lib.sh"
command -v dump_gcov >/dev/null || skip "dump_gcov is not installed (Debian package autofdo)"

cd "$T"
# peer NAME COMPILER SOURCE ARGUMENTS...
peer() {
	local name=$1 compiler=$2 source=$TOP/$3
	shift 3
	$compiler -O2 -g -w -o "$name" "$source"
	"$PATHFDO" record --source=soft -F 400 --max-overhead=20 -o "$name.data" -- "./$name" "$@" >/dev/null 2>record.log ||
		fail "record: $(tail -n 1 record.log)"
	"$PATHFDO" convert -b "./$name" "$name.data" -o "$name.pfdo" 2>convert.log || fail "$(tail -n 1 convert.log)"
	compare "$name"
}
compare() {
	"$PATHFDO" export --format=gcov "$1.pfdo" -o "$1.afdo" 2>/dev/null
	"$B/tools/afdo-words" <"$1.afdo" >"$1.old"
	dump_gcov -gcov_version=2 "$1.old" >"$1.dump" 2>err || fail "dump_gcov ends with $?: $(head -n 1 err)"
	awk -v dump=1 -f "$TOP/testsuite/tools/afdo-lines.awk" "$1.dump" | sort >"$1.got"
	"$PATHFDO" show --text "$1.pfdo" | awk -f "$TOP/testsuite/tools/afdo-lines.awk" | sort >"$1.want"
	[ "$(wc -l <"$1.want")" -ge 8 ] || fail "$1 has too few lines: $(wc -l <"$1.want")"
	diff "$1.want" "$1.got" >differ || fail "of $1, dump_gcov reads otherwise: $(head -n 3 differ)"
	echo "$1: $(wc -l <"$1.want") lines"
}
peer jumps "$CC" testsuite/programs/road-jumps.c 2000000
peer shapes "$CXX" testsuite/programs/road-shapes.cc 9000
grep -q '>.*>' shapes.want || fail "nothing is inlined twice over in shapes"

# Targets and heads too, of a profile made by hand: two positions of a line, a name with a dot, a function in two files.
cat >hand.txt <<'END'
pathfdo-profile 1
unit executions
function main main.c:12 head 5
  -2 count 1
  1:2 count 3
  1:7.3 count 9
    call less 30
    call more 10
  2 count 0
  3 count 8
  4 count 8
  5 count 8
  inline @1 helper.part.0 util.h:40 at 3:14.2 entries 40
    1:3 count 40
  inline @2 helper.part.0 util.h:40 at 3:29 entries 50
    1:3 count 50
function twice a.c:2 head 7
  1 count 7
function twice b.c:9 head 2
  1 count 5
END
"$PATHFDO" show --from-text hand.txt -o hand.pfdo
compare hand
check_eq "targets" "$(sed -n 's/^  1: 9  //p' hand.dump | tr ' ' '\n' | grep . | sort | tr '\n' ' ')" "less:30 more:10 "
check_eq "heads" "$(sed -n 's/^\([a-z]*\) total:[0-9]* head:/\1 /p' hand.dump | sort | tr '\n' ' ')" "main 5 twice 9 "
