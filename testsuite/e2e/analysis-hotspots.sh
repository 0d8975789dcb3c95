#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Hot spots of a program with two phases of known length, one of 5 and one of 15 million equal turns: there are two, in
# the order of the phases, each of its function alone and with its share of what was recorded.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
$CC -O2 -g "$TOP/testsuite/programs/hotspots-phases.c" -o phases

# The pieces are taken by time, which on a busy machine passes faster in one phase than in the other: what part of them is
# the first phase's is told by the profile of the same recording, in which they are not weighed, as they are not here.
# What passes until they are found is some 12,500 branches, so bursts have to be many: a longer run has more.
for k in 1 3 9; do
	"$PATHFDO" record -q --source=soft -F 1000 -n 16384 --max-overhead=50 -o p.data -- ./phases $((5000000 * k)) $((15000000 * k)) \
		>out 2>log || fail "the recording ends with $?: $(cat log)"
	[ "$("$PATHFDO" hotspots --json p.data | jq .branches)" -lt 3000000 ] || break
done
"$PATHFDO" convert -q --weight=none p.data -o p.pfdo 2>log || fail "the recording is not converted: $(cat log)"
part=$("$PATHFDO" show --text p.pfdo | awk '
	/^function (first|second)_phase / { for (i = 3; i < NF; i++) if ($i == "total") n[$2] = $(i + 1) }
	END { print n["first_phase"] / (n["first_phase"] + n["second_phase"]) }')
"$PATHFDO" hotspots --html=page.html p.data >text || fail "it ends with $?"
"$PATHFDO" hotspots --json p.data >p.json
python3 - "$part" <<'END' || fail "the hot spots are not the phases"
import json, sys
part = float(sys.argv[1])
run = json.load(open("p.json"))
spots = run["hotspots"]
assert run["sampled"] and run["table"]["hotspots"] == len(spots) == 2, run["table"]
assert [s["functions"][0]["name"] for s in spots] == ["first_phase", "second_phase"], spots
# All that ran of each, less what ran until it was found.
assert abs(spots[0]["share"] - part) < 0.01 and abs(spots[1]["share"] - (1 - part)) < 0.01, (part, spots)
for s in spots:
    assert len(s["functions"]) == 1 and s["entered"] == 1, s
    # The loops are 3 branches: of the odd turn, of the inner loop and of the outer one, which runs once in 8.
    assert len(s["branches"]) == 3, s
    taken = sorted(b["taken"] / b["executed"] for b in s["branches"])
    assert 0.4 < taken[0] < 0.6 and 0.8 < taken[1] < 0.95 and taken[2] == 1, taken
END
grep -q "sampled pieces of up to 16384" text || fail "it does not say what it saw"
grep -Eq "^ +2  hot spots" text || fail "the text is another: $(cat text)"

# What a candidate is: at more executions in an interval than there are branches in it there is none.
check_eq "hot spots out of reach" "$("$PATHFDO" hotspots --threshold=5000 --counter-bits=13 --json p.data |
	python3 -c 'import json,sys; print(json.load(sys.stdin)["table"]["hotspots"])')" 0

# The page is well-formed, with a band and a bar for each.
python3 - <<'END' || fail "the page is not what was found"
import xml.dom.minidom
page = xml.dom.minidom.parse("page.html")
rects = [r.getAttribute("class") for r in page.getElementsByTagName("rect")]
assert rects.count("band") == 2 and rects.count("bar") == 2, rects
assert len(page.getElementsByTagName("tr")) == 3
texts = [t.firstChild.data for t in page.getElementsByTagName("text") if t.firstChild]
times = [t for t in texts if t.endswith((" k", " M"))]
assert len(times) == 5 == len(set(times)), times
END
legible page.html
grep -q "default-src 'none'" page.html || fail "there is no policy"

refused 2 "power of two" hotspots --entries=48 p.data
refused 2 "whole number" hotspots --ways=x p.data
refused 2 "one recording" hotspots p.data p.data
refused 1 "none.data" hotspots none.data
if samples_by_clock; then
	"$PATHFDO" record -q --source=clock -o c.data -- ./phases 5000000 1 >out 2>log || fail "by the clock: $(cat log)"
	refused 1 "no branch vectors in it.*--source=soft" hotspots c.data
fi

command -v chromium >/dev/null || skip "there is no chromium to look at it (the page is well)"
timeout 100 chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$T/chromium" --window-size=390,900 \
	--screenshot="$T/phone.png" "file://$T/page.html" 2>browser.log || skip "chromium does not run here: $(tail -n 1 browser.log)"
[ "$(stat -c %s phone.png)" -gt 5000 ] || fail "the screenshot is empty"
