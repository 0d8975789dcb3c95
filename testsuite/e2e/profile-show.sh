#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# pathfdo show: text there and back, selections, JSON, and what bad input gives.
set -eu
. "$(dirname "$0")/lib.sh"

cat >"$T/app.txt" <<'TEXT'
pathfdo-profile 1
unit executions
from soft event pathfdo-soft binary /usr/bin/demo build-id 0123abcd samples 100 tool "pathfdo 0.1.0"
function main main.c:12 head 1
  3:9 count 40 max 44 instructions 3
    taken 1:3@1 30
    fell 6:1 10
  inline @1 helper util.h:40 at 3:14.2 entries 40
    1:3 count 40
  path 25 3:9 1:3@1
function "two words" "my file.c":7 head 2
  -1 count 20
function caf"" c.c:1
  1 count 1
compiled src/main.c
compiled "my file.c"
TEXT
sed -i 's/^function caf""/function "caf\\xe9"/' "$T/app.txt"

# There and back is the same text and the same bytes.
"$PATHFDO" show --from-text "$T/app.txt" -o "$T/app.pfdo"
"$PATHFDO" show --text "$T/app.pfdo" >"$T/once.txt"
"$PATHFDO" show --from-text - -o "$T/again.pfdo" <"$T/once.txt"
cmp "$T/app.pfdo" "$T/again.pfdo" || fail "another profile came back from its text"
"$PATHFDO" show --text - <"$T/app.pfdo" | cmp - "$T/once.txt" || fail "standard input reads otherwise"
"$PATHFDO" show --from-text "$T/app.txt" -o - | cmp - "$T/app.pfdo" || fail "standard output writes otherwise"
check_eq "the total of main" "$(grep '^function main' "$T/once.txt")" "function main main.c:12 head 1 total 80"

# Selections: 80 + 20 + 1 = 101.
check_eq "the hottest" "$("$PATHFDO" show --functions --top 1 "$T/app.pfdo" | tail -n +2 | tr -s ' ')" \
	" 79.21% 80 1 main main.c:12"
check_eq "the hottest, by short options" "$("$PATHFDO" show -n 1 "$T/app.pfdo" | tail -n +2 | tr -s ' ')" " 79.21% 80 1 main main.c:12"
check_eq "no option is the list" "$("$PATHFDO" show "$T/app.pfdo")" "$("$PATHFDO" show --functions "$T/app.pfdo")"
check_eq "functions" "$("$PATHFDO" show --functions "$T/app.pfdo" | wc -l)" 4
check_eq "one function" "$("$PATHFDO" show --text --function 'two words' "$T/app.pfdo" | grep -c '^function')" 1
check_eq "top is a profile" "$("$PATHFDO" show --text --top 2 "$T/app.pfdo" | "$PATHFDO" show --from-text - -o - |
	"$PATHFDO" show --functions - | wc -l)" 3
"$PATHFDO" show --summary "$T/app.pfdo" >"$T/summary"
check_eq "total" "$(grep '^total' "$T/summary")" "total 101"
check_eq "source files" "$(grep '^compiled' "$T/summary")" "compiled 2"
check_eq "source files of a part" "$("$PATHFDO" show --text --top 1 "$T/app.pfdo" | grep -c '^compiled' || true)" 0
check_eq "source files of all" "$("$PATHFDO" show --text "$T/app.pfdo" | tail -n 2 | tr '\n' ' ')" \
	'compiled "my file.c" compiled src/main.c '
check_eq "half of all counts" "$(grep '^ 50.0%' "$T/summary" | tr -s ' ')" " 50.0% 2 40"

# Names as people write them, which c++filt knows too.
for name in _ZN3app5Table4findERKi _ZNK3app5Table4foldIlEET_S2_ _Zbroken; do
	printf 'pathfdo-profile 1\nunit executions\nfunction %s t.cc:1 head 1\n  1 count 5\n' $name | "$PATHFDO" show --from-text - -o "$T/name.pfdo"
	check_eq "the name of $name" "$("$PATHFDO" show "$T/name.pfdo" | sed -n '2s/^ *[^ ]* *[^ ]* *[^ ]*  \(.*\)  t.cc:1$/\1/p')" "$(echo $name | c++filt)"
	for wanted in $name "$(echo $name | c++filt)"; do
		check_eq "$name as $wanted" "$("$PATHFDO" show --function "$wanted" "$T/name.pfdo" | grep -c ^function)" 1
	done
done

# JSON is JSON, and holds the same.
command -v python3 >/dev/null && {
	check_eq "JSON" "$("$PATHFDO" show --json "$T/app.pfdo" | python3 -c '
import json, sys
p = json.load(sys.stdin)
f = {x["name"]: x for x in p["functions"]}
m = f["main"]
print(p["unit"], p["summary"]["total"], len(p["provenance"]), ascii(sorted(f)), m["nodes"][1]["name"],
      m["records"][0]["outcomes"][0], m["paths"][0]["places"][1]["node"], p["compiled"], p["compiled_count"])')" \
		"executions 101 1 ['caf\\ufffd', 'main', 'two words'] helper {'node': 1, 'line': 1, 'column': 3, 'discriminator': 0, 'taken': True, 'count': 30} 1 ['my file.c', 'src/main.c'] 2"
}

head -c 300 "$T/app.pfdo" >"$T/short.pfdo"
{ head -c 900 "$T/app.pfdo" && printf x && tail -c +902 "$T/app.pfdo"; } >"$T/bad.pfdo"
: >"$T/empty.pfdo"
printf 'pathfdo-profile 1\nunit executions\nfunction f f.c:1\n  1 count many\n' >"$T/bad.txt"
refused 1 'short.pfdo: the file ends at offset 300' show "$T/short.pfdo"
refused 1 'bad.pfdo: offset [0-9]*: .*checksum' show "$T/bad.pfdo"
refused 1 'empty.pfdo: is empty; make one with pathfdo convert' show "$T/empty.pfdo"
refused 1 'not a pathfdo profile' show "$PATHFDO"
refused 1 'absent.pfdo: cannot read: No such file' show "$T/absent.pfdo"
refused 1 "no function is named 'nobody'" show --function nobody "$T/app.pfdo"
refused 1 "no function is named 'helper', but it was inlined into 'main', and into 0 others: show that" show --function helper "$T/app.pfdo"
refused 1 "bad.txt:4:11: 'many' is no count" show --from-text "$T/bad.txt" -o "$T/none.pfdo"
refused 1 'absent/x.pfdo' show --from-text "$T/app.txt" -o "$T/absent/x.pfdo"
refused 2 'needs -o' show --from-text "$T/app.txt"
refused 2 'which profile' show
refused 2 'from 1 on' show --top 0 "$T/app.pfdo"
refused 2 'options' show --nonsense "$T/app.pfdo"

# A profile that is there is not touched by a failure.
cp "$T/app.pfdo" "$T/kept.pfdo"
! "$PATHFDO" show --from-text "$T/bad.txt" -o "$T/kept.pfdo" 2>/dev/null || fail "bad text was taken"
cmp "$T/app.pfdo" "$T/kept.pfdo" || fail "a failure damaged the old profile"
