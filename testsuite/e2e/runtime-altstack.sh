#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A program whose threads all have the same alternate stack, as Varnish's have, goes on as it was when a recorder comes
# and goes, and is recorded; so it is where it begins with the recorder.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
$CC -std=gnu11 -D_GNU_SOURCE -O2 -g -w -I"$TOP/testsuite/nasty" "$TOP/testsuite/nasty/altstack-common.c" -o common -lpthread

recorded() { # LOG
	grep -q '[0-9] bursts' "$1" || fail "nothing is recorded: $(cat "$1")"
}
for round in 1 2 3; do
	"$PATHFDO" record --source=soft -F 2000 --max-overhead=100 -o some.data ./common >out 2>err || fail "round $round: $(cat err)"
	check_eq "what it says" "$(cat out)" "done"
	recorded err
done
for round in 1 2 3; do
	./common >out 2>err &
	program=$!
	"$PATHFDO" record --source=soft -F 2000 --max-overhead=100 -p $program -o some.data 2>log || true
	wait $program || fail "attached, round $round: status $?: $(cat err)"
	check_eq "what it says with the recorder attached" "$(cat out)" "done"
	recorded log
done
