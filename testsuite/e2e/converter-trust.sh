#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What convert says of how far a recording can be trusted.  The program runs 40 loops: in turn by the moment, and each
# burst sees them all; or each for its 40th of the run, and no two stretches of time have anything in common.
set -eu
. "$(dirname "$0")/lib.sh"

$CC -O2 -g -fno-ipa-icf "$TOP/testsuite/programs/convert-flat.c" -o "$T/flat"

take() { # NAME BRANCHES TURNS ROUNDS
	"$PATHFDO" record --source=soft -F 1000 -n "$2" --max-overhead=50 -o "$T/$1.data" -- "$T/flat" "$3" "$4" \
		>/dev/null 2>"$T/record.log" || skip "nothing is recorded here: $(tail -n 1 "$T/record.log")"
	"$PATHFDO" convert -b "$T/flat" "$T/$1.data" -o "$T/$1.pfdo" 2>"$T/$1.log" || fail "convert: $(tail -n 1 "$T/$1.log")"
	agreement=$(sed -nE 's/^  two halves of it agree to ([0-9.]+)% .*/\1/p' "$T/$1.log")
	looks=$(sed -nE 's/^  two halves .*, with ([0-9]+) vectors in all.*/\1/p' "$T/$1.log")
	check_eq "looks" "$looks" "$(sed -nE 's/^  read [0-9]+ vectors, used ([0-9]+)$/\1/p' "$T/$1.log")"
	check_eq "what show says" "$("$PATHFDO" show --summary "$T/$1.pfdo" | grep '^halves')" \
		"halves agree to $agreement% by $looks looks"
	check_eq "what show says as JSON" "$("$PATHFDO" show --summary --json "$T/$1.pfdo" |
		sed -nE 's/^"agreement": .*"permille": ([0-9]+), "looks": ([0-9]+).*/\1 \2/p')" "${agreement/./} $looks"
}

take mixed 4096 10 1000000
check_within "agreement of halves that saw the same" "$agreement" 90 100
if grep warning "$T/mixed.log"; then
	fail "a warning of a good recording"
fi

take apart 64 25000000 1
check_within "agreement of halves that saw different code" "$agreement" 0 45
grep -q "warning: two halves of the recording agree to only $agreement%: too little was recorded" "$T/apart.log" ||
	fail "no warning: $(cat "$T/apart.log")"

# Plain samples say nothing of it, and the text form keeps it.
"$PATHFDO" show --text "$T/mixed.pfdo" | sed '/^agreement/d' | "$PATHFDO" show --from-text - -o "$T/without.pfdo"
check_eq "of what is not known" "$("$PATHFDO" show --summary "$T/without.pfdo" | grep -c '^halves' || true)" 0
"$PATHFDO" show --text "$T/mixed.pfdo" | "$PATHFDO" show --from-text - -o "$T/again.pfdo"
cmp "$T/mixed.pfdo" "$T/again.pfdo" || fail "the text form loses something"
"$PATHFDO" merge "$T/mixed.pfdo" "$T/apart.pfdo" -o "$T/both.pfdo"
"$PATHFDO" show --summary "$T/both.pfdo" | grep -q '^halves agree to' || fail "merge forgets it"
