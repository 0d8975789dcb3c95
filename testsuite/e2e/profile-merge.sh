#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# pathfdo merge and diff: sums, weights, units, saturation; overlaps worked out by hand.
set -eu
. "$(dirname "$0")/lib.sh"

# profile NAME UNIT LINE...: makes a profile.
profile() {
	local name=$1 unit=$2
	shift 2
	{ printf 'pathfdo-profile 1\nunit %s\n' "$unit" && printf '%s\n' "$@"; } |
		"$PATHFDO" show --from-text - -o "$T/$name.pfdo"
}
# count NAME PATTERN: the count of the first line that matches.
count() {
	"$PATHFDO" show --text "$T/$1.pfdo" | sed -n "s/^ *$2 count \([0-9]*\).*/\1/p" | head -n 1
}
soft='from soft event pathfdo-soft binary /bin/a build-id 12 samples 5 first-ns 1 last-ns'
profile a executions "$soft 7" 'function f f.c:1 head 1' ' 1:2 count 10' '  taken 2 9' '  fell 3 1' 'function g g.c:1' ' 1 count 90'
profile b executions "$soft 8" 'function f f.c:1 head 2' ' 1:2 count 30' '  taken 2 1' '  fell 3 9' ' 2 count 70'
profile c samples "$soft 9" 'function f f.c:1' ' 1:2 count 4' ' 2 count 4'

"$PATHFDO" merge "$T/a.pfdo" "$T/b.pfdo" -o "$T/ab.pfdo" 2>"$T/err"
check_eq "messages" "$(cat "$T/err")" ""
check_eq "10 + 30" "$(count ab 1:2)" 40
check_eq "0 + 70" "$(count ab 2)" 70
check_eq "heads" "$("$PATHFDO" show --text "$T/ab.pfdo" | sed -n 's/^function f.*head \([0-9]*\).*/\1/p')" 3
check_eq "provenances" "$("$PATHFDO" show --text "$T/ab.pfdo" | grep -c '^from')" 2

# Any order gives the same bytes.
"$PATHFDO" merge -o "$T/ba.pfdo" "$T/b.pfdo" "$T/a.pfdo"
cmp "$T/ab.pfdo" "$T/ba.pfdo" || fail "the order matters"
"$PATHFDO" merge "$T/ab.pfdo" "$T/c.pfdo" "$T/a.pfdo" -o "$T/x.pfdo" 2>/dev/null
"$PATHFDO" merge "$T/a.pfdo" "$T/ab.pfdo" "$T/c.pfdo" -o "$T/y.pfdo" 2>/dev/null
cmp "$T/x.pfdo" "$T/y.pfdo" || fail "the order matters with two units"

# Weights: 10 * 0.5 + 30 * 2.
"$PATHFDO" merge --weight "$T/a.pfdo=0.5" --weight "$T/b.pfdo=2" "$T/a.pfdo" "$T/b.pfdo" -o "$T/w.pfdo"
check_eq "weighted" "$(count w 1:2)" 65
"$PATHFDO" merge --weight "$T/a.pfdo=0.50000009999" --weight "$T/b.pfdo=2.0000000000" "$T/a.pfdo" "$T/b.pfdo" -o "$T/w.pfdo"
check_eq "weighted, with more digits than count" "$(count w 1:2)" 65

# 8 samples meet 200 executions: times 25, so 10 + 30 + 4 * 25; the unit is executions.
"$PATHFDO" merge "$T/a.pfdo" "$T/c.pfdo" "$T/b.pfdo" -o "$T/abc.pfdo" 2>"$T/err"
grep -q 'c.pfdo counts samples.*multiplied by 25,' "$T/err" || fail "merge says: $(cat "$T/err")"
check_eq "normalised" "$(count abc 1:2)" 140
check_eq "unit" "$("$PATHFDO" show --text "$T/abc.pfdo" | sed -n 2p)" "unit executions"
"$PATHFDO" merge "$T/c.pfdo" "$T/c.pfdo" -o "$T/cc.pfdo" 2>"$T/err"
check_eq "8 samples stay samples" "$(count cc 1:2) $("$PATHFDO" show --text "$T/cc.pfdo" | sed -n 2p)" "8 unit samples"
grep -q 'the same recording of /bin/a is in the sum twice' "$T/err" || fail "merge says: $(cat "$T/err")"

# Without times the file is what can be known again, by whatever name.
profile untimed executions 'from other binary /bin/a' 'function f f.c:1' ' 1:2 count 7'
ln "$T/untimed.pfdo" "$T/link.pfdo"
"$PATHFDO" merge "$T/untimed.pfdo" "$T/a.pfdo" "$T/link.pfdo" "$T/untimed.pfdo" -o "$T/three.pfdo" 2>"$T/err"
check_eq "thrice" "$(count three 1:2)" $((3 * 7 + $(count a 1:2)))
check_eq "what is said of it" "$(grep -cE '^pathfdo merge: .*/(untimed|link).pfdo is named more than once, and counts as often$' "$T/err") of $(wc -l <"$T/err")" "1 of 1"
"$PATHFDO" merge "$T/untimed.pfdo" "$T/a.pfdo" -o "$T/once.pfdo" 2>"$T/err"
check_eq "what is said of files that are named once" "$(cat "$T/err")" ""

# Overflow stays at the limit, and is said.
profile huge executions 'function f f.c:1' ' 1:2 count 18446744073709551610'
"$PATHFDO" merge "$T/huge.pfdo" "$T/a.pfdo" -o "$T/h.pfdo" 2>"$T/err"
check_eq "saturated" "$(count h 1:2)" 18446744073709551615
grep -q 'counts are beyond 2^64 - 1' "$T/err" || fail "merge says: $(cat "$T/err")"

# An input cannot be the output.
cp "$T/a.pfdo" "$T/self.pfdo"
refused 1 "self.pfdo: is the input" merge "$T/self.pfdo" "$T/b.pfdo" -o "$T/self.pfdo"
cmp "$T/self.pfdo" "$T/a.pfdo" || fail "an input was overwritten"

# A limit on file sizes is an error like a full disk, and no half of a file stays.
mkdir "$T/limited"
said=$(ulimit -f 0 && "$PATHFDO" merge "$T/a.pfdo" -o "$T/limited/x.pfdo" 2>&1) && fail "merge wrote beyond the limit"
check_eq "message" "${said##*: }" "File too large"
check_eq "what is left" "$(ls "$T/limited")" ""
head -c 500 "$T/a.pfdo" >"$T/short.pfdo"
refused 1 'short.pfdo: the file ends' merge "$T/a.pfdo" "$T/short.pfdo" -o "$T/none.pfdo"
refused 1 'absent.pfdo: cannot read' merge "$T/absent.pfdo" -o "$T/none.pfdo"
refused 2 'not merged' merge --weight "$T/c.pfdo=2" "$T/a.pfdo" -o "$T/none.pfdo"
refused 2 'W from' merge --weight "$T/a.pfdo=0" "$T/a.pfdo" -o "$T/none.pfdo"
refused 2 'W from' merge --weight "$T/a.pfdo=1e3" "$T/a.pfdo" -o "$T/none.pfdo"
refused 2 'is missing' merge "$T/a.pfdo"
refused 2 'which profiles' merge -o "$T/none.pfdo"
refused 1 'short.pfdo: the file ends' diff "$T/a.pfdo" "$T/short.pfdo"
refused 2 'two profiles' diff "$T/a.pfdo"

# Of a, .1 is at 1:2 and .9 in g; of b, .3 at 1:2 and .7 at 2: .1 in common.  Edges .9 .1 and .1 .9: .2, and the only
# branch goes the other way.
"$PATHFDO" diff "$T/a.pfdo" "$T/b.pfdo" >"$T/diff"
overlap() {
	sed -n "s/^ *\([0-9.-]*\)%\{0,1\}  $1.*/\1/p" "$T/diff"
}
check_eq "positions" "$(overlap 'source positions')" 10.00
check_eq "functions" "$(overlap functions)" 10.00
check_eq "edges" "$(overlap 'branch edges')" 20.00
check_eq "paths" "$(overlap paths)" -
check_eq "directions" "$(overlap 'of branch executions')" 100.00
check_eq "most different" "$(grep -A2 '^functions by' "$T/diff" | tail -n 1 | tr -s ' ')" " 10.00% 100.00% +90.00% f f.c"
"$PATHFDO" diff "$T/a.pfdo" "$T/a.pfdo" >"$T/diff"
check_eq "a profile with itself" "$(overlap 'source positions') $(overlap 'of branch executions')" "100.00 0.00"
command -v python3 >/dev/null && check_eq "JSON" "$("$PATHFDO" diff --json "$T/a.pfdo" "$T/b.pfdo" | python3 -c '
import json, sys
d = json.load(sys.stdin)
print(d["overlap"]["edges"], d["overlap"]["paths"], d["directions"]["wrong"], d["functions"][0]["b"])')" "0.2 None 1 1.0"
exit 0
