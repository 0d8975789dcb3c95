#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Build-ids of all lengths that linkers write, as perf keeps them: of 32 bytes the first 20, of 1 byte four; debug files have their
# names by all of it.
set -eu
. "$(dirname "$0")/lib.sh"
. "$TOP/testsuite/tools/perf-lib.sh"
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
for id in $half$half$half$half $half$half ${half}aabbccddee ${half}aabbccdd $half aabbccddee aabb aa; do
	"$CC" -O2 -g -Wl,--build-id=0x$id work.c -o work
	perf_clock p.data ./work
	"$PATHFDO" convert -q p.data -o p.pfdo || fail "a build-id $id"
	"$PATHFDO" show --text p.pfdo | grep -v ^from >whole
	grep -q '^function main ' whole || fail "a build-id $id: no counts"
	if [ ${#id} -gt 2 ]; then
		mkdir -p "debug/.build-id/${id:0:2}"
		objcopy --only-keep-debug work "debug/.build-id/${id:0:2}/${id:2}.debug"
		strip work
		"$PATHFDO" convert -q --debug-dir=debug p.data -o p.pfdo || fail "a debug file by the build-id $id"
		"$PATHFDO" show --text p.pfdo | grep -v ^from | cmp - whole || fail "a debug file by the build-id $id: another profile"
	fi
	"$CC" -O2 -g -Wl,--build-id=0x11${id#??} work.c -o work
	refused 1 "work: build-id is 11.* but .* was recorded with build-id aa" convert p.data -o none.pfdo
done
