#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `pathfdo compare` where the kernel samples nothing, as in most containers: all variants are the default, and those that this
# machine cannot record have their reason and are no fault; by name they are one.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/compare-lib.sh"
command -v valgrind >/dev/null || skip "no valgrind"
$CC -O1 "$TOP/testsuite/programs/deny-perf.c" -o "$T/deny"
"$T/deny" 1 true || skip "no filter of system calls can be set here"
{ echo '#!/bin/sh' && echo "exec '$T/deny' 1 '$PATHFDO' \"\$@\""; } >"$T/contained"
chmod +x "$T/contained"
PATHFDO=$T/contained
work=(--build="$BUILD" --train='"$PROGRAM" 4000' --ref='"$PROGRAM" 300' --instructions-only)

compare 0 "${work[@]}"
says 'perf_event_open is forbidden here|perf_event_paranoid is' "$(variant clock error)"
[ -n "$(variant lbr error)" ] && [ "$(variant lbr error)" != null ] || fail "lbr has no error"
for v in base flags O3 instr soft O3+soft; do
	check_eq "error of $v" "$(variant $v error)" null
	check_within "instructions of $v" "$(variant $v references 0 instructions)" 100000 100000000
done

compare 1 "${work[@]}" --variants=clock,soft
says 'perf_event_open is forbidden here|perf_event_paranoid is' "$(variant clock error)"
says '1 of the variants could not be compared' "$(cat "$T/progress")"
