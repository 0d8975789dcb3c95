#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Build-ids of all lengths that linkers write, as perf keeps them: of 32 bytes the first 20, of 1 byte four.
set -eu
. "$(dirname "$0")/lib.sh"
command -v perf >/dev/null || skip "perf is not installed"
cd "$T"
cat >work.c <<'END'
static volatile unsigned v;
int main(void)
{
	for (unsigned i = 0; i < 60000000; i++)
		v = v * 3 + i;
	return 0;
}
END
half=aabbccddeeff00112233445566778899
for id in 0x$half$half 0x${half}aabbccdd 0x$half 0xaabbccddee 0xaa; do
	"$CC" -O2 -g -Wl,--build-id=$id work.c -o work
	perf record -q -e cpu-clock:u -o p.data ./work >/dev/null 2>said || skip "perf records nothing here: $(head -n 1 said)"
	"$PATHFDO" convert -q p.data -o p.pfdo || fail "a build-id $id"
	"$PATHFDO" show --text p.pfdo | grep -q '^function main ' || fail "a build-id $id: no counts"
	"$CC" -O2 -g -Wl,--build-id=0x11${id#0x??} work.c -o work
	refused 1 "work: build-id is 11.* but .* was recorded with build-id aa" convert p.data -o none.pfdo
done
