#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The programs of the co-processor against exact sources that are none of ours: branch edges and calls over every branch of
# a run against callgrind's counts; dependences over a trace of lackey's against a reckoning of their definition; misses
# against cachegrind's cache of the same shape.  And a program that a user writes.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
command -v valgrind >/dev/null || skip "valgrind is not installed"
$CC -O1 -g -fno-optimize-sibling-calls -fno-pie -no-pie "$TOP/testsuite/programs/engine-known.c" -o known

refused 2 "name a program" engine p.data
refused 2 "choose one" engine -p branch_edges --all --trace=trace ./known
refused 2 "choose one" engine -p branch_edges --bursts --all ./known
refused 2 "percent of CPU time" engine -p branch_edges --bursts=0 ./known
refused 2 "percent of CPU time" engine -p branch_edges --bursts=1e1 ./known
refused 2 "takes no --json" engine -p branch_edges --check --json
refused 2 "takes no --json, --html or -o" engine -p branch_edges --check -o "$T/checked"
refused 2 "whole number" engine -p branch_edges --top=x p.data
refused 1 "none.engine: cannot read" engine -p none.engine p.data
printf 'array a 4 { n 8 sum }\non load {\n\tadd a.n x\n}\n' >bad.engine
refused 1 'bad.engine:3:10: the name of an array' engine -p bad.engine --check

valgrind -q --tool=lackey --trace-mem=yes ./known 2>trace || fail "lackey does not run"
"$PATHFDO" engine -p memory_dependence -p cache_conflicts --trace=trace --json >memory.json 2>log || fail "the trace is not read"
[ ! -s log ] || fail "a trace that has all that is looked at: $(cat log)"
# Lackey's loads have no values.
"$PATHFDO" engine -p load_values --trace=trace >out 2>log || fail "the trace is not read by load_values"
grep -q "no load of the stream has its value" log || fail "it does not say that values are missing"
sed 's/$/\r/' trace | "$PATHFDO" engine -p memory_dependence -p cache_conflicts --trace=- --json | cmp - memory.json ||
	fail "lines that end as Windows has it"
python3 - <<'EOF' || fail "the dependences are not those of the trace"
import collections, json, re, sys
engine = json.load(open("memory.json"))["engine"]
pc, wrote, pairs = 0, {}, collections.Counter()
for line in open("trace"):
    m = re.match(r" ?([ILSM]) +([0-9a-f]+),", line)
    if not m:
        continue
    kind, address = m[1], int(m[2], 16)
    if kind == "I":
        pc = address
    if kind in "LM" and address >> 3 in wrote:
        pairs[wrote[address >> 3], pc] += 1
    if kind in "SM":
        wrote[address >> 3] = pc
# What the engine has must be a true pair; those within the program, whose stores are never far, must be whole.
got = {(r["store"]["address"], r["load"]["address"]): r["count"] for r in engine[0]["arrays"]["pairs"]}
assert all(count <= pairs[p] for p, count in got.items())
own = {p: count for p, count in pairs.items() if all(0x401000 <= a < 0x402000 for a in p)}
assert own and 5000 in own.values(), own
for p, count in own.items():
    assert got.get(p) == count, (p, count, got.get(p))
EOF
# Cachegrind's D1 of 512 lines in one way each, too; an access over the end of a line is two lines to it alone.
valgrind --tool=cachegrind --cache-sim=yes --D1=32768,1,64 --cachegrind-out-file=cg.out ./known 2>cg.log || fail "cachegrind does not run"
read -r misses < <(sed -n 's/.*D1  misses: *\([0-9,]*\).*/\1/p' cg.log | tr -d ,)
read -r got < <(python3 -c '
import json
print(sum(r["missed"] for r in json.load(open("memory.json"))["engine"][1]["arrays"]["misses"]))')
check_within "misses of the cache, cachegrind's being $misses" "$got" $((misses - misses / 200)) $((misses + misses / 200))

# One of the user's: the share of loads that load what the same instruction loaded last.
cat >last.engine <<'EOF'
counter used 16
array loads 512 { pc 64 key code  last 64  same 32 sum  executed 32 sum }
on load {
	find loads pc
	if not found loads {
		next loads
		take loads pc
		set loads.last value + 1
		add used 1
	}
	add loads.executed 1
	add loads.same loads.last == value
	set loads.last value
	if used == slots loads { set used 0 interrupt save }
}
EOF
printf 'I  10,4\n L 1000,8,5\n L 1000,8,5\n L 1000,8,6\nI  20,4\n L 1000,8,0\nI  10,4\n L 1000,8,6\n' >small
"$PATHFDO" engine -p ./last.engine --trace=- --json <small >last.json || fail "standard input is not read"
python3 - <<'EOF' || fail "the user's program does not count"
import json
rows = json.load(open("last.json"))["engine"][0]["arrays"]["loads"]
assert [(r["pc"]["address"], r["same"], r["executed"]) for r in rows] == [(0x10, 2, 4), (0x20, 0, 1)], rows
EOF

# What can be foretold: a stride of 2, which is seen from the third load on, and a constant.
printf 'I  10,4\n L 1000,8,10\n L 1008,8,12\nI  20,4\n L 1000,8,5\nI  10,4\n L 1000,8,14\n L 1000,8,16\nI  20,4\n L 1000,8,5\n' >strides
"$PATHFDO" engine -p load_patterns --trace=strides --json >strides.json 2>log || fail "load_patterns does not run"
[ ! -s log ] || fail "a trace with values: $(cat log)"
python3 - <<'EOF' || fail "the patterns are others"
import json
rows = json.load(open("strides.json"))["engine"][0]["arrays"]["loads"]
got = {r["pc"]["address"]: (r["executed"], r["same"], r["strided"], r["changed"]) for r in rows}
assert got == {0x10: (4, 0, 2, 6), 0x20: (2, 1, 1, 0)}, got
EOF

"$PATHFDO" engine -p branch_edges -p call_stacks --all --json -o edges.json -- ./known 2>log || fail "a run ends with $?: $(cat log)"
valgrind -q --tool=callgrind --skip-plt=no --dump-instr=yes --collect-jumps=yes --compress-pos=no --compress-strings=no \
	--callgrind-out-file=counts ./known || fail "callgrind does not run"
python3 - <<'EOF' || fail "the edges or calls are not callgrind's"
import collections, json
engine = json.load(open("edges.json"))["engine"]
taken, executed, calls = collections.Counter(), collections.Counter(), collections.Counter()
caller = callee = jump = None
for line in open("counts"):
    key, _, value = line.rstrip().partition("=")
    if key == "fn":
        caller = value
    elif key == "cfn":
        callee = value
    elif key == "calls":
        calls[callee, caller] += int(value.split()[0])
    elif key == "jcnd":
        jump = [int(n) for n in value.split()[0].split("/")]
    elif jump and line.startswith("0x"):
        at = int(line.split()[0], 16)
        taken[at] += jump[0]
        executed[at] += jump[1]
        jump = None
own = lambda code: code["file"].endswith("/known")
rows = {r["pc"]["address"]: (r["executed"], r["taken"]) for r in engine[0]["arrays"]["branches"] if own(r["pc"])}
seen = {at: (executed[at], taken[at]) for at in executed if 0x401000 <= at < 0x402000}
assert (5000, 4995) in seen.values() and len(seen) >= 4, seen
for at, counts in seen.items():
    assert rows.get(at) == counts, (hex(at), rows.get(at), counts)
got = collections.Counter()
names = {"main", "work", "left", "right", "leaf", "fill", "drain"}
for r in engine[1]["arrays"]["calls"]:
    pair = r["function"]["function"], r["caller"]["function"]
    if own(r["function"]) and own(r["caller"]) and names.issuperset(pair):
        got[pair] += r["count"]
want = {pair: n for pair, n in calls.items() if names.issuperset(pair)}
assert len(want) == 7 and dict(got) == want, (got, want)
leaf = {r["above"]["function"]: r["count"] for r in engine[1]["arrays"]["calls"] if r["caller"]["function"] == "right"}
assert leaf == {"work": 2000}, leaf
EOF
# Loads and stores of the run are lackey's, instruction by instruction; drain loads 900 times 7 and 0, 10, 20 to 990, in
# each of five turns.
cat >count.engine <<'EOF'
counter used 16
array accesses 512 { class 8 key  pc 64 key code  n 64 sum  sum 64 sum  bytes 64 sum }
on load {
	find accesses 0, pc
	if not found accesses { next accesses take accesses 0, pc add used 1 }
	add accesses.n 1
	add accesses.sum value
	add accesses.bytes size
	if used == slots accesses { set used 0 interrupt save }
}
on store {
	find accesses 1, pc
	if not found accesses { next accesses take accesses 1, pc add used 1 }
	add accesses.n 1
	add accesses.bytes size
	if used == slots accesses { set used 0 interrupt save }
}
EOF
cat >lackeys.py <<'EOF'
import collections, json, re
exact, pc = collections.Counter(), 0
for line in open("trace"):
    m = re.match(r" ?([ILSM]) +([0-9a-f]+),(\d+)", line)
    if not m:
        continue
    if m[1] == "I":
        pc = int(m[2], 16)
        continue
    for which, kinds in enumerate(("LM", "SM")):
        if m[1] in kinds and 0x401000 <= pc < 0x402000:
            exact[which, pc, "n"] += 1
            exact[which, pc, "bytes"] += int(m[3])
engine = json.load(open("live.json"))["engine"]
rows = [r for r in engine[0]["arrays"]["accesses"] if r["pc"]["file"].endswith("/known")]
got = {(r["class"], r["pc"]["address"], what): r[what] for r in rows for what in ("n", "bytes")}
assert len(got) > 40 and got == dict(exact), set(got.items()) ^ set(exact.items())
EOF
# alike: the loads and stores of a run of `known' are those of lackey's trace, and the script's standard input holds.
alike() {
	"$PATHFDO" engine -p ./count.engine -p load_values -p memory_dependence --all --json -o live.json -- ./known >out 2>log ||
		fail "a run with its loads ends with $?: $(cat log)"
	cat lackeys.py - | python3 - || fail "other loads and stores than lackey's, or other values"
}
alike <<'EOF'
drained = [r for r in rows if r["class"] == 0 and r["pc"]["function"] == "drain" and r["n"] == 5000]
assert [r["sum"] for r in drained] == [5 * (900 * 7 + sum(range(0, 1000, 10)))], drained
seven = [r for r in engine[1]["arrays"]["loads"] if r["pc"]["function"] == "drain" and r["active"] == 7]
assert len(seven) == 1 and 0.85 < seven[0]["invariance"] < 0.95, seven
assert [r["count"] for r in engine[2]["arrays"]["pairs"]
        if r["store"]["function"] == "fill" and r["load"]["function"] == "drain"] == [5000]
EOF
# What the processor runs itself is seen as well: at the turns of threads, and behind system calls.  Each of four threads
# sums 0 to 7, and eight times its number, 5,000 times; behind 4,000 calls are a load of 5, a store, an addition of that,
# and a return.
mv known loads
$CC -O1 -g -fno-pie -no-pie "$TOP/testsuite/programs/engine-steps.c" -o known -lpthread
valgrind -q --tool=lackey --trace-mem=yes ./known 2>trace >out || fail "lackey does not run"
alike <<'EOF'
summed = [(r["n"], r["sum"]) for r in rows if r["class"] == 0 and r["pc"]["function"] == "sum" and r["n"] == 4 * 40000]
assert summed == [(160000, 5000 * 8 * (0 + 1 + 2 + 3) + 4 * 5000 * sum(range(8)))], summed
behind = [(r["class"], r["n"], r["sum"]) for r in rows if r["pc"]["function"] == "calls" and r["n"] == 1000]
assert {(0, 1000, 5000), (0, 1000, 5 * sum(range(1000)))} <= set(behind), behind
EOF
mv loads known
# The errors, and their picture: of the 5,000 loads in drain 4,500 are of 7, and the error is what its points say.
cp known 'kn<own>&'
"$PATHFDO" engine -p load_values -p simple_sampling --truth --json -o truth.json --html=truth.html --all -- './kn<own>&' 2>log ||
	fail "the truth ends with $?: $(cat log)"
python3 - <<'EOF' || fail "the truth is another"
import json, math, xml.etree.ElementTree as xml
rows = json.load(open("truth.json"))["engine"]
for row in rows:
    points, course = row["truth"]["points"], row["truth"]["course"]
    [seven] = [p for p in points if p["pc"]["function"] == "drain" and p["value"] == 7]
    assert (seven["count"], seven["share"]) == (4500, .9), seven
    assert len(points) == row["truth"]["values"] and sum(p["seen"] for p in points) == row["truth"]["seen"]
    weight = sum(p["count"] for p in points)
    rms = math.sqrt(sum(p["count"] * (p["share"] - p["estimate"]) ** 2 for p in points) / weight)
    assert abs(rms - row["truth"]["rms"]) < 1e-4 and course[-1]["rms"] == row["truth"]["rms"], (rms, row["truth"]["rms"])
    assert [s["loads"] for s in course[:-1]] == [16384 << i for i in range(len(course) - 1)], course
    assert course[-1]["loads"] == row["offered"] and course[-1]["saved"] == row["saved"], course
page = xml.parse("truth.html").getroot()
tag = "{http://www.w3.org/1999/xhtml}"
assert len(list(page.iter(tag + "circle"))) == sum(row["truth"]["values"] for row in rows)
assert "kn<own>&" in page.find(f"{tag}body/{tag}main/{tag}h1").text
EOF
refused 2 "give --truth with it" engine -p load_values --html=x.html --trace=trace
"$PATHFDO" engine -p load_values --truth --html=- --trace=trace >page.html 2>log || fail "a page to standard output: $(cat log)"
check_eq "what is behind the page" "$(tail -c 8 page.html)" "</html>"
for told in --json --output=-; do
	refused 2 "only one thing at a time" engine -p load_values --truth --html=- $told --trace=trace
done
refused 1 "which would be lost" engine -p load_values --truth --html=trace --trace=trace
# The same by bursts, each a piece by itself: of 1,000 loads of drain 900 are of 7, and its loop ends once in as many turns.
"$PATHFDO" engine -p load_values -p branch_edges -p memory_dependence --bursts=50 --json -o bursts.json -- ./known fill 400000 2>log ||
	fail "bursts end with $?: $(cat log)"
grep -qE '^\[ pathfdo engine: [0-9]+ bursts, [0-9]+ branches; recorder cost [0-9.]+% of [0-9.]+ s CPU \]$' log || fail "it does not tell its cost: $(cat log)"
python3 - <<'EOF' || fail "the bursts show another program"
import json, re
values, edges, pairs = json.load(open("bursts.json"))["engine"]
bursts, branches = map(int, re.search(r"(\d+) bursts, (\d+) branches", open("log").read()).groups())
assert bursts <= branches <= 255 * bursts and edges["offered"] >= branches, (bursts, branches)
loads = [r for r in values["arrays"]["loads"] if r["pc"]["function"] == "drain" and r["total"] > 200]
assert len(loads) == 1 and loads[0]["active"] == 7 and 0.86 < loads[0]["invariance"] < 0.94, loads
loop = max((r for r in edges["arrays"]["branches"] if r["pc"]["function"] == "drain"), key=lambda r: r["taken"])
# A load whose branch no longer came into its burst is not counted, and a burst may begin between the two.
assert loads[0]["total"] <= loop["executed"] + bursts and loop["taken"] > 0.98 * loop["executed"], (loads, loop)
# No burst is long enough to see in drain what it saw in fill, all but at their seam.
assert not [r for r in pairs["arrays"]["pairs"] if r["store"]["function"] == "fill" and r["count"] > 255 * 8]
EOF
"$PATHFDO" record -q --source=soft -F 1000 -o p.data -- ./known long >out 2>log || skip "no recording: $(cat log)"
"$PATHFDO" engine -p load_values p.data >out 2>log || fail "a recording without loads ends with $?"
grep -q "looks at nothing that the stream has" log || fail "it does not say that there are no loads"
