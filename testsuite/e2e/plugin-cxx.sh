#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# C++: a function of internal linkage is found by its plain name and line, its virtual call is promoted to the usual
# target, exceptions still work, and so does all of it under -flto.
set -eu
. "$(dirname "$0")/lib.sh"
cp "$TOP/testsuite/programs/plugin-shapes.cc" "$T/shapes.cc"
cd "$T"
line() { grep -n -m1 "$1" shapes.cc | cut -d: -f1; }
S=$(line '^long sum') M=$(line '^int main')
$CXX -O2 -g shapes.cc -o old
TARGET=$(nm old | awk '/square.*area/ { print $3 }')
cat >profile.txt <<EOF
pathfdo-profile 1
unit executions
function sum shapes.cc:$S head 10 total 1000000
  2 count 10
  4 count 10000
  5 count 640000
  6 count 640000
    call $TARGET 600000
    call other 40000
  8 count 10
function main shapes.cc:$M head 10 total 20
  2 count 10
  12 count 640
EOF
"$PATHFDO" show --from-text profile.txt -o app.pfdo
USE=(-fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/app.pfdo")
for flags in -O2 -O3 "-O2 -flto"; do
	rm -f new report
	$CXX $flags -g "${USE[@]}" -fplugin-arg-pathfdo-report="$T/report" shapes.cc -o new 2>messages ||
		fail "$flags: $(cat messages)"
	check_eq "output with $flags" "$(./new 5000)" "$(./old 5000)"
	# At -O3 it is in main before the profile comes.
	[ "$flags" = -O3 ] || grep '"line":'"$S"',' report | grep -q '"found":"matched".*"promoted":1' ||
		fail "sum with $flags: $(grep sum report)"
done
$CXX -O2 -g "${USE[@]}" -c -fdump-ipa-profile_estimate shapes.cc -o a.o
grep -q 'Indirect call -> direct call.*square' ./*profile_estimate || fail "no promotion to square::area"

# Across files with -flto: the caller's profile names a function that only the link sees.
cat >caller.c <<'EOF'
extern int (*table[])(int);
int drive(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += table[i % 16 == 0](i);
	return s;
}
EOF
cat >callee.c <<'EOF'
#include <stdio.h>
int drive(int n);
int usual(int n) { return n * 5 + 1; }
int rare(int n) { return n * 7 + 2; }
int (*table[])(int) = { usual, rare };
int main(void) { printf("%d\n", drive(100000)); return 0; }
EOF
cat >lto.txt <<'EOF'
pathfdo-profile 1
unit executions
function drive caller.c:2 head 1 total 200000
  2 count 1
  3 count 100000
  4 count 100000
    call usual 93750
    call rare 6250
  5 count 1
function usual callee.c:3 head 93750 total 93750
  0 count 93750
function rare callee.c:4 head 6250 total 6250
  0 count 6250
function main callee.c:6 head 1 total 1
  0 count 1
EOF
"$PATHFDO" show --from-text lto.txt -o lto.pfdo
$CC -O2 -g caller.c callee.c -o plain
$CC -O2 -g -flto -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/lto.pfdo" -c caller.c callee.c
$CC -O2 -g -flto=1 -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/lto.pfdo" -fdump-ipa-profile_estimate caller.o \
	callee.o -o linked
check_eq "output of the link-time build" "$(./linked)" "$(./plain)"
grep -q 'Indirect call -> direct call from other module.*usual' ./*profile_estimate ||
	fail "the call across files is not promoted at link time"
