#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The recorded vectors against exact counts: how much of the instruction profile of the main program agrees with
# callgrind's, as the overlap sum(min(p, q)) over instructions.  A burst's edge runs each instruction from its start to
# its branch once, so the weight of an instruction is the number of edges that cover it.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$TOP"
. testsuite/e2e/agent-lib.sh
command -v valgrind >/dev/null || skip "valgrind is not installed"
command -v python3 >/dev/null || skip "python3 is not installed"

${CC:-gcc} -O2 -g -w testsuite/programs/agent-sort.c -o "$T/sort"
plain sort "$T/sort" 120
mkdir "$T/pf"
"$B/tools/control" -F 2000 -p 1000000 "$T/pf"
PATHFDO_DIR=$T/pf LD_PRELOAD=$SO "$T/sort" 120 >"$T/out"
cmp "$T/out" "$T/sort.ref" || fail "another output"
"$B/tools/wiredump" -e "$T/pf" >"$T/dump" || fail "$(tail -1 "$T/dump")"
valgrind -q --tool=callgrind --dump-instr=yes --callgrind-out-file="$T/cg" "$T/sort" 2 >/dev/null
objdump -d --no-show-raw-insn "$T/sort" | sed -n 's/^ *\([0-9a-f]*\):.*/\1/p' >"$T/instructions"
overlap=$(python3 - "$T" <<'END'
import bisect, re, sys
folder = sys.argv[1]
instructions = sorted(int(line, 16) for line in open(folder + '/instructions'))
got, want = {}, {}
for line in open(folder + '/dump'):
    if line.startswith('edge ') and '/sort ' in line:
        _, _, start, branch, _, _, count = line.split()
        low, high = bisect.bisect_left(instructions, int(start, 16)), bisect.bisect_right(instructions, int(branch, 16))
        for address in instructions[low:high]:
            got[address] = got.get(address, 0) + int(count)
address, inside, skip, names = 0, False, False, {}
for line in open(folder + '/cg'):
    match = re.match(r'(c?ob)=\((\d+)\) ?(.*)', line)
    if match:
        if match.group(3):
            names[match.group(2)] = match.group(3)
        if match.group(1) == 'ob':
            inside = names[match.group(2)].endswith('/sort')
        continue
    match = re.match(r'(0x[0-9a-f]+|\+\d+|-\d+|\*) (\S+) (\d+)$', line)
    if match:
        text = match.group(1)
        address = int(text, 16) if text[:2] == '0x' else address if text == '*' else address + int(text)
        if inside and not skip:
            want[address] = want.get(address, 0) + int(match.group(3))
    skip = line.startswith('calls=') # the line behind is the callee's cost
g, w = sum(got.values()), sum(want.values())
print('%.4f' % sum(min(got.get(a, 0) / g, want[a] / w) for a in want))
END
)
check_within "overlap with callgrind" "$overlap" 0.85 1
echo "overlap with callgrind $overlap"
