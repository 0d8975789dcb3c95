#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The truth mode against gcov: a profile made from callgrind's exact counts comes out near, one with all loops wrong
# comes out far, and the oracle's program executes as few instructions as -fprofile-use's.
set -eu
. "$(dirname "$0")/lib.sh"
command -v valgrind >/dev/null || skip "valgrind is not installed"
cp "$TOP/testsuite/programs/plugin-loop.c" "$T/loop.c"
cd "$T"
W=$(grep -n -m1 '^int work' loop.c | cut -d: -f1)
$CC -O2 -g -fprofile-generate="$T/gcda" -c loop.c
$CC -fprofile-generate loop.o -o instrumented
./instrumented 20000 >/dev/null
$CC -O2 -g loop.c -o plain

# What the program does, by hand: work once, its loop 20000 times.
cat >right.txt <<EOF
pathfdo-profile 1
unit executions
function work loop.c:$W head 1 total 40002
  4 count 1
  6 count 20001
  7 count 20000
  8 count 20000
EOF
sed 's/count 2000[01]/count 2/' right.txt >wrong.txt
for p in right wrong; do
	"$PATHFDO" show --from-text $p.txt -o $p.pfdo
	$CC -O2 -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/$p.pfdo" -fplugin-arg-pathfdo-truth="$T/gcda" \
		-fplugin-arg-pathfdo-report="$T/$p.report" -c loop.c 2>$p.messages
	grep -q '^pathfdo: loop.c: 1 functions against gcov: block counts off by' $p.messages ||
		fail "$p: $(cat $p.messages)"
done
error_of() { sed -n 's/^{"truth":"work","block_error":\([0-9.]*\).*/\1/p' "$1.report"; }
check_within "block error with right counts" "$(error_of right)" 0 0.1
check_within "block error with wrong counts" "$(error_of wrong)" 0.2 2
# gcov's own counts are in the report: the loop's body ran 20000 times.
grep '^{"truth":"work"' right.report | grep -q '"gcov":\[.*[,[]20000[],]' || fail "no 20000 in $(cat right.report)"

# gcov's file goes by the object's name.
$CC -O2 -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/right.pfdo" -fplugin-arg-pathfdo-truth="$T/gcda" -c loop.c -o other.o \
	2>other.messages
grep -q '^pathfdo: loop.c: nothing to compare with' other.messages || fail "another object: $(cat other.messages)"
if grep -q 'against gcov: block counts off' other.messages; then fail "no counts, and yet right: $(cat other.messages)"; fi

# Without the passes that the plugin changes, and the values of which the truth mode knows nothing.
counts="-fno-tracer -fno-vpt"
# shellcheck disable=SC2086 # two options
$CC -O2 -g $counts -fprofile-use="$T/gcda" -c loop.c
$CC loop.o -o used
# shellcheck disable=SC2086
$CC -O2 -g $counts -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/right.pfdo" -fplugin-arg-pathfdo-truth="$T/gcda" \
	-fplugin-arg-pathfdo-oracle -c loop.c
$CC loop.o -o oracle
used=$(callgrind out ./used 20000) oracle=$(callgrind out2 ./oracle 20000)
cmp out out2 || fail "the outputs differ"
check_within "the oracle's instructions against -fprofile-use's" "$(awk "BEGIN { print $oracle / $used }")" 0.9 1
