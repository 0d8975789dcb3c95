#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The table of values: what it prints of a profile that is written by hand, and what it says when there is nothing.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >v.txt <<'END'
pathfdo-profile 1
unit executions
function outer a.c:10 head 5 total 160
  2:7 count 100
    value divisor 10 30
    value divisor 3 10
    value divisor looks 4
  inline inner b.h:100 at 3:4 entries 60
    5:9 count 60
      value size 16 60
      value size 8 20
      value size 4 10
      value size 2 4
      value size 1 3
      value size other 3
      value size looks 9
      value size sum 1200
END
"$PATHFDO" show --from-text v.txt -o v.pfdo
# 30 of 40; of 100 sizes the first four, and six of others.
check_eq "the table" "$("$PATHFDO" values v.pfdo | tail -n +2 | tr -s ' ')" \
	" 100 divisor 40 4 a.c:12:7 outer 10 75.0%, 3 25.0%
 60 size 100 9 b.h:105:9 inner in outer 16 60.0%, 8 20.0%, 4 10.0%, 2 4.0%, others 6.0%"
check_eq "one kind" "$("$PATHFDO" values --kind=size v.pfdo | tail -n +2 | wc -l)" 1
check_eq "one line" "$("$PATHFDO" values -n 1 v.pfdo | tail -n +2 | grep -c divisor)" 1
"$PATHFDO" values --json --kind=size v.pfdo >v.json
python3 - <<'END' || fail "the JSON is not what it should be: $(cat v.json)"
import json
[row] = json.load(open("v.json"))["values"]
assert row.pop("values") == [dict(value=v, count=c) for v, c in ((16, 60), (8, 20), (4, 10), (2, 4), (1, 3))]
assert row == {"function": "inner", "in": "outer", "file": "b.h", "line": 105, "column": 9, "discriminator": 0,
	"executions": 60, "kind": "size", "sightings": 100, "looks": 9, "sum": 1200, "other": 3}, row
END
# The whole profile's JSON has them too.
"$PATHFDO" show --json v.pfdo >v.json
python3 -c 'import json, sys
found = [v for f in json.load(open("v.json"))["functions"] for r in f["records"] for v in r["values"]]
sys.exit(len(found) != 11 or found[0] != {"kind": "divisor", "part": "value", "value": 10, "count": 30})' ||
	fail "show --json: $(cat v.json)"
refused 2 'kind is size, align, divisor, power, quotient, switch, load, store or argument, not colour' values --kind=colour v.pfdo
refused 2 'number from 1 on, not 0' values -n 0 v.pfdo
refused 2 'which profile' values
refused 1 'none.txt.*cannot|none.txt.*No such' values none.txt
check_eq "what is said of no values" "$("$PATHFDO" values --kind=power v.pfdo 2>&1)" \
	"pathfdo values: v.pfdo knows no power: nothing of the kind ran in what was recorded; what is loaded, stored and handed to functions is noted by 'pathfdo record --values' alone"
grep -v value v.txt >bare.txt
"$PATHFDO" show --from-text bare.txt -o bare.pfdo
check_eq "what is said of a profile by the clock" "$("$PATHFDO" values bare.pfdo 2>&1)" \
	"pathfdo values: bare.pfdo knows no values: it was made without vectors of the software recorder, which notes them: record with 'pathfdo record --source=soft', without --raw"
check_eq "none as JSON" "$("$PATHFDO" values --kind=power --json v.pfdo)" '{"values": []}'
