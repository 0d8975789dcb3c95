#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The recorder at its limits: vectors beyond PATHFDO_LIMIT are counted, never lost; a full disk, a file-size limit, a
# directory that is not there, little address space, a system-call filter, a program without LD_PRELOAD in its
# environment: the program runs as if nothing was.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$TOP"
. testsuite/e2e/agent-lib.sh

build_program vectors
build_program filter
plain vectors "$T/vectors"

PATHFDO_LIMIT=16384 recorded vectors "$SO" 2000 1024 1000000 "$T/vectors"
aggregated=$(sed -n 's/.*(aggregated \([0-9]*\),.*/\1/p' "$T/vectors.dump" | sort -n | tail -1)
check_within "aggregated bursts" "$aggregated" 10 100000

mkdir "$T/d"
run() { # PREPARATION: in a shell of its own
	(eval "$1"; export PATHFDO_HZ=2000 PATHFDO_OVERHEAD=1000000; LD_PRELOAD=$SO exec "$T/vectors") >"$T/out" 2>"$T/err" ||
		fail "$1: exit status $?"
	cmp "$T/out" "$T/vectors.ref" || fail "$1: another output"
	cmp "$T/err" "$T/vectors.referr" || fail "$1: a message"
}
run "export PATHFDO_DIR=$T/none"
run "export PATHFDO_DIR=$T/d; ulimit -f 1000"
run "export PATHFDO_DIR=$T/d; ulimit -v 2000000"
run "unset PATHFDO_DIR"
"$T/wiredump" "$T"/d/*.pfwire >"$T/dump" || fail "$(cat "$T/dump")"
check_eq "threads refused for want of memory" "$(awk '/refusals/ { n += $(NF - 1) } END { print n }' "$T/dump")" 2

if mount -t tmpfs -o size=200k none "$T/d" 2>/dev/null; then
	run "export PATHFDO_DIR=$T/d PATHFDO_BRANCHES=60000"
	umount "$T/d"
	echo "full disk: same output"
fi

plain filter "$T/filter"
check_eq "filter by itself" "$(cat "$T/filter.rc")" 0
recorded filter "$SO" 2000 1024 1000000 "$T/filter"
check_within "bursts before the filter" "$(bursts filter)" 1 100000
