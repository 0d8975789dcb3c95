#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Build-ids of all lengths that linkers write, as perf keeps them: of 32 bytes the first 20, of 1 byte four; debug files
# have their names by all of it.
set -eu
. "$(dirname "$0")/lib.sh"
. "$TOP/testsuite/tools/perf-lib.sh"
cd "$T"
cat >work.c <<'END'
#include <unistd.h>
static volatile unsigned v;
int main(void)
{
	for (unsigned i = 0; i < 60000000; i++)
		v = v * 3 + i;
	_exit(0);
}
END

# tried ID RECORD... : a program of that build-id is known again, by a debug file of its name, too, and one of another
# is not.
tried() {
	local id=$1
	shift
	# shellcheck disable=SC2086 # options are words
	"$CC" -O2 -g $LINK -Wl,--build-id=0x$id work.c -o work
	rm -f p.data
	"$@" ./work >/dev/null 2>said || skip "$1 records nothing here: $(head -n 1 said)"
	"$PATHFDO" convert -q p.data -o p.pfdo || fail "a build-id $id by $1"
	"$PATHFDO" show --text p.pfdo | grep -v ^from >whole
	grep -q '^function main ' whole || fail "a build-id $id by $1: no counts"
	if [ ${#id} -gt 2 ]; then
		mkdir -p "debug/.build-id/${id:0:2}"
		objcopy --only-keep-debug work "debug/.build-id/${id:0:2}/${id:2}.debug"
		strip work
		"$PATHFDO" convert -q --debug-dir=debug p.data -o p.pfdo ||
			fail "a debug file by the build-id $id"
		"$PATHFDO" show --text p.pfdo | grep -v ^from | cmp - whole ||
			fail "a debug file by the build-id $id: another profile"
	fi
	# perf of Linux 7 keeps no build-id of more than 20 bytes, nor of very few, and then nothing tells two builds apart.
	[ "$1" != perf_clock ] || perf buildid-list -i p.data | grep -q '^[0-9a-f].*work$' || return 0
	told=$((told + 1))
	# shellcheck disable=SC2086
	"$CC" -O2 -g $LINK -Wl,--build-id=0x11${id#??} work.c -o work
	refused 1 "work: build-id is 11.* but .* was recorded with build-id aa" convert p.data -o none.pfdo
}

half=aabbccddeeff00112233445566778899
LINK=
told=0
for id in $half$half$half$half $half$half ${half}aabbccddee ${half}aabbccdd $half aabbccddee aabb aa; do
	tried $id perf_clock p.data
done

# Where no other note follows, which is as newer linkers lay out any program, the last of the 5 bytes is the end of all.
LINK="-nostartfiles -Wl,-emain"
"$CC" -O2 $LINK -Wl,--build-id=0xaabbccddee work.c -o work
readelf -lW work | grep -q '^ *NOTE .* 0x0*15 0x0*15 ' || fail "the note does not end behind its last byte: $(readelf -lW work)"
tried aabbccddee perf_clock p.data
tried aabbccddee "$PATHFDO" record -q --source=soft -o p.data --
tried aabbccddee "$PATHFDO" record -q --source=clock -o p.data --
[ $told -ge 3 ] || fail "only $told build-ids were recorded"
