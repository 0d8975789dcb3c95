#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The recorder at its limits: of more vectors than there is room for a sample is kept; a full disk, a file-size limit
# (which does not matter to it), a directory that is not there, little address space, a system-call filter, a program without LD_PRELOAD in its
# environment: the program runs as if nothing was.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$TOP"
. testsuite/e2e/agent-lib.sh

build_program vectors
build_program filter
plain vectors "$T/vectors"

# Room for 48 chunks of one burst each: more were recorded, in a second or two of work, and at most 47 are kept.
build_program sort
plain sort "$T/sort" 150
LIMIT=16384 recorded sort "$SO" 2000 1024 1000000 "$T/sort" 150
check_within "bursts" "$(bursts sort)" 48 100000
for kept in $(sed -n 's/.*(kept \([0-9]*\),.*/\1/p' "$T/sort.dump"); do
	check_within "bursts that are kept" "$kept" 20 47
done

run() { # FOLDER PREPARATION: in a shell of its own
	(eval "$2"; PATHFDO_DIR=$1 LD_PRELOAD=$SO exec "$T/vectors") >"$T/out" 2>"$T/err" || fail "$2: exit status $?"
	cmp "$T/out" "$T/vectors.ref" || fail "$2: another output"
	cmp "$T/err" "$T/vectors.referr" || fail "$2: a message"
}
mkdir "$T/d"
"$B/tools/control" -F 2000 -p 1000000 "$T/d"
run "$T/none" true
run "" true
run "$T/d" "ulimit -f 1000"
run "$T/d" "ulimit -v 2000000"
"$B/tools/wiredump" "$T/d" >"$T/dump" || fail "$(cat "$T/dump")"
check_within "bursts under a limit of file sizes" "$(awk '/^total/ { print $3 }' "$T/dump")" 1 100000
check_eq "refused for want of addresses" "$(sed -n 's/.*; refusals //p' "$T/dump" | tr ' ' '\n' | awk '{ n += $1 } END { print n }')" 1

# Without randomisation a library lies right below the stack, where translated code must find a place, too: qsort is the C
# library's own, so all but a few branches are there.
cat >"$T/sorts.c" <<'END'
#include <stdlib.h>
static int order(const void *a, const void *b)
{
	return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}
int main(void)
{
	static int n[4096];
	for (int turn = 0; turn < 1200; turn++) {
		for (int i = 0; i < 4096; i++)
			n[i] = i * 7919 % 4093;
		qsort(n, 4096, sizeof *n, order);
	}
	return 0;
}
END
$CC -O1 -o "$T/sorts" "$T/sorts.c"
if setarch -R true 2>/dev/null; then
	setarch -R "$PATHFDO" record -q --source=soft -F 2000 --max-overhead=50 -o "$T/sorts.data" -- "$T/sorts" || fail "no recording without randomisation"
	"$PATHFDO" engine -p branch_edges --json "$T/sorts.data" >"$T/sorts.json"
	python3 - "$T/sorts.json" <<'END' || fail "the C library is not followed without randomisation"
import json, sys
rows = json.load(open(sys.argv[1]))["engine"][0]["arrays"]["branches"]
count = lambda name: sum(r["executed"] for r in rows if name in r["pc"]["file"].rsplit("/", 1)[-1])
assert count("libc.") > 1000 and count("libc.") > count("sorts"), (count("libc."), count("sorts"))
END
fi

# The disk becomes full when the recorder writes its vectors, or has been since before the process began: then there is
# room for the control page alone.
for size in 200k 4k; do
	mount -t tmpfs -o size=$size none "$T/d" 2>/dev/null || break
	"$B/tools/control" -F 2000 -p 1000000 -n 60000 "$T/d"
	run "$T/d" ": a disk of $size"
	umount "$T/d"
	echo "full disk of $size: same output"
done

plain filter "$T/filter"
check_eq "filter by itself" "$(cat "$T/filter.rc")" 0
recorded filter "$SO" 2000 1024 1000000 "$T/filter"
check_within "bursts before the filter" "$(bursts filter)" 1 100000
