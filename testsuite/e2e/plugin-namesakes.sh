#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Static functions of one name in several files: each has its own counts, and one that never ran has none, though the others
# are hot, be they calls or inlined; the same in a copy of the tree in another folder.  Nobody is told to record anew.
set -eu
. "$(dirname "$0")/lib.sh"
command -v valgrind >/dev/null || skip "valgrind is not installed"
mkdir -p "$T/tree/left" "$T/tree/right"
cd "$T/tree"
# body NAME CONDITION: a file with a static function `step', called by the function NAME, which runs if CONDITION.
body() {
	cat <<END
static __attribute__((noinline)) int step(int *a, int i)
{
	return a[i & 7] += i $2;
}
int $1(int *a, int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += step(a, i);
	return s;
}
END
}
body one "* 3" >one.c
{ echo && echo && body two "* 5"; } >two.c
body left "* 7" >left/part.c
body right "* 9" >right/part.c
# What is inlined, and its namesake in a file of the same name that is no part of the program.
cat >left/pick.c <<'END'
static int pick(int *a, int i)
{
	if (i % 3 == 0)
		return a[i & 3] * 5;
	a[i & 7] += a[(i + 1) & 7] ^ i;
	a[(i + 2) & 7] -= a[(i + 3) & 7] ^ (i >> 1);
	a[(i + 4) & 7] += a[(i + 5) & 7] ^ (i >> 2);
	return a[i & 7] + a[(i + 6) & 7];
}
int left_pick(int *a, int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += pick(a, i);
	return s;
}
END
{ printf '\n\n\n\n\n\n\n\n\n\n' && sed 's/left_pick/right_pick/; s/i % 3 == 0/a[i \& 1] > 4/' left/pick.c; } >right/pick.c
cat >main.c <<'END'
#include <stdio.h>
int one(int *, int), two(int *, int), left(int *, int), right(int *, int), left_pick(int *, int);
int main(int argc, char **argv)
{
	int a[8] = { 0 }, s = one(a, 700) + left(a, 300) + left_pick(a, 500);
	(void)argv;
	if (argc > 1)
		s += two(a, 200) + right(a, 100);
	printf("%d\n", s);
	return 0;
}
END
SOURCES="main.c one.c two.c left/part.c right/part.c left/pick.c"
# shellcheck disable=SC2086 # file names
$CC -O2 -g $SOURCES -o "$T/app"
valgrind -q --tool=callgrind --dump-instr=yes --collect-jumps=yes --skip-plt=no --compress-strings=no --compress-pos=no \
	--callgrind-out-file="$T/calls" "$T/app" >/dev/null
"$B/tools/callgrind-vectors" "$T/calls" "$T/data"
"$PATHFDO" convert -q -b "$T/app" "$T/data" -o "$T/app.pfdo" 2>"$T/convert.log" || fail "convert: $(cat "$T/convert.log")"
check_eq "records of step" "$("$PATHFDO" show --text "$T/app.pfdo" | grep '^function step ' | sed 's/.* head \([0-9]*\) .*/\1/' | sort | paste -sd ' ')" \
	"300 700"
# step_of FILE [NAME]: what is found of its step, or of NAME, and the head.
step_of() {
	rm -f "$T/report"
	$CC -O2 -g -Werror -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/app.pfdo" -fplugin-arg-pathfdo-report="$T/report" \
		-c "$1" -o "$T/new.o" 2>"$T/messages" || fail "$1 in $PWD: $(cat "$T/messages")"
	sed -n 's/^{"function":"'"${2:-step}"'",.*"found":"\([a-z]*\)"\(,"head":\([0-9]*\)\)*.*/\1 \3/p' "$T/report"
}
check_all() {
	check_eq "step of one.c in $PWD" "$(step_of one.c)" "matched 700"
	check_eq "step of left/part.c in $PWD" "$(step_of left/part.c)" "matched 300"
	check_eq "step of right/part.c in $PWD" "$(cd right && step_of part.c)" "unmatched "
	check_eq "pick of left/pick.c in $PWD, which is inlined again" "$(step_of left/pick.c pick)" ""
	grep -q '^{"inlined":"pick","into":"left_pick","entries":500' "$T/report" || fail "pick is not inlined again: $(cat "$T/report")"
	check_eq "pick of right/pick.c in $PWD" "$(cd right && step_of pick.c pick)" "unmatched "
	check_eq "step of left/part.c by its whole name" "$(step_of "$PWD/left/part.c")" "matched 300"
}
check_all
check_eq "step of two.c" "$(step_of two.c)" "unmatched "
cp -r "$T/tree" "$T/copy"
cd "$T/copy"
check_all

# Names that begin in the source's own folder, as packages have them: a name without a folder could be a file of any, but
# the profile knows both files.
mkdir -p "$T/mapped/right"
cd "$T/mapped"
body one "* 3" >part.c
{ echo && body two "* 5"; } >right/part.c
sed -e 's/ + left(a, 300) + left_pick(a, 500)//; s/ + right(a, 100)//' "$T/tree/main.c" >main.c
MAPPED=-ffile-prefix-map=$PWD=.
$CC -O2 -g "$MAPPED" main.c part.c right/part.c -o "$T/mapped/app"
valgrind -q --tool=callgrind --dump-instr=yes --collect-jumps=yes --skip-plt=no --compress-strings=no --compress-pos=no \
	--callgrind-out-file="$T/calls" ./app >/dev/null
"$B/tools/callgrind-vectors" "$T/calls" "$T/data"
"$PATHFDO" convert -q -b ./app "$T/data" -o "$T/app.pfdo" 2>"$T/convert.log" || fail "convert: $(cat "$T/convert.log")"
check_eq "files of the mapped program" "$("$PATHFDO" show --text "$T/app.pfdo" | sed -n 's/^compiled //p' | grep part | paste -sd ' ')" \
	"part.c right/part.c"
plain_cc=$CC
CC="$CC $MAPPED"
check_eq "step of part.c, mapped" "$(step_of part.c)" "matched 700"
check_eq "step of right/part.c, mapped" "$(step_of right/part.c)" "unmatched "
CC=$plain_cc
check_eq "step of part.c, in a folder that the profile does not know" "$(step_of part.c)" "matched 700"

# Two instances of a template have one name and line in debug information, since their types are local ones, and so are not
# known by a linkage name.  What was inlined at each call is that of the function which is called there now.
cat >twins.cc <<'END2'
namespace
{
struct A {
	int at;
};
struct B {
	int at;
};
}
template <class T> __attribute__((noinline)) int run(T t, int n)
{
	int s = t.at;
	for (int i = 0; i < n; i++)
		s += i ^ s;
	return s;
}
int often(int n)
{
	return run(A { 1 }, n);
}
int seldom(int n)
{
	return run(B { 2 }, n);
}
END2
cat >twins.txt <<'END2'
pathfdo-profile 1
unit executions
function _Z5ofteni twins.cc:17 head 90000
  2 count 90000
  inline @1 run twins.cc:10 at 2:12 entries 90000
    2 count 90000
    3 count 900000
    4 count 900000
    5 count 90000
function _Z6seldomi twins.cc:21 head 100
  2 count 100
  inline @1 run twins.cc:10 at 2:12 entries 100
    2 count 100
    3 count 1000
    4 count 1000
    5 count 100
END2
"$PATHFDO" show --from-text twins.txt -o twins.pfdo
rm -f report
$CXX -O2 -g -Werror -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile=twins.pfdo -fplugin-arg-pathfdo-report=report -c twins.cc
for twin in 1AEEiT_i:90000 1BEEiT_i:100; do
	check_eq "entries and instances of run<${twin:1:1}>" \
		"$(sed -n "s/^{\"function\":\"_Z3runI[^\"]*${twin%:*}\".*\"head\":\([0-9]*\),.*\"merged\":\([0-9]*\),.*/\1 \2/p" report)" "${twin#*:} 1"
done
