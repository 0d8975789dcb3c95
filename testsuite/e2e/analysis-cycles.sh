#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `pathfdo compare` on a machine that counts cycles, by a stand-in for the kernel's interface, and on one that does not.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/compare-lib.sh"
fake counters
# The stand-in's events are the kernel's, which forbids them too in many containers and to users of Debian.
cat >"$T/may-count.c" <<'END'
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = sizeof attr, .config = PERF_COUNT_SW_TASK_CLOCK,
					.exclude_kernel = 1, .exclude_hv = 1 };
	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0) < 0;
}
END
$CC "$T/may-count.c" -o "$T/may-count"
"$T/may-count" || skip "the kernel lets nobody count here, not even its own events"
cat >"$T/src/Makefile" <<'END'
prog: main.c
	$(CC) $(CFLAGS) -o $@ main.c -lm
END

# with SETTING STATUS: the comparison with FAKE_COUNTERS=SETTING.
with() {
	LD_PRELOAD="$T/counters.so" FAKE_COUNTERS=$1 compare "$2" --variants=base,flags,O3 --train='"$PROGRAM" 300' \
		--ref='"$PROGRAM" 6000' --ref='"$PROGRAM" 7000'
}

with "" 0
check_eq counters "$("$B/tools/jsonget" "$T/out.json" machine counters | tr -d ' \n')" '["cycles","instructions","branch_misses"]'
check_eq reason "$("$B/tools/jsonget" "$T/out.json" machine uncounted)" ""
check_eq "noise by cycles" "$(found noise_cycles length)" 2
for v in base flags O3; do
	for r in 0 1; do
		for key in cycles base_cycles instructions base_instructions branch_misses base_branch_misses; do
			check_eq "$key of $v" "$(variant $v references $r counters $key length)" 2
		done
		check_eq "I-cache misses of $v" "$(variant $v references $r counters icache_misses)" ""
		# The stand-in's cycles are nanoseconds: those of the same run, whose user time has no more than they.
		cycles=$(variant $v references $r counters cycles 1)
		check_within "cycles of $v" "$cycles" \
			"$(awk "BEGIN { print 1e9 * $(variant $v references $r seconds 1) * 0.5 }")" 10000000000
	done
done
grep -qE '^machine .* counting cycles, instructions, branch misses$' "$T/table" || fail "$(grep ^machine "$T/table")"
grep -qE '^variant +cycles +time' "$T/table" || fail "cycles are not the first figure: $(grep ^variant "$T/table")"
grep -q '^What the processor counted' "$T/table" || fail "what was counted is not shown"
grep -qE 'Base against itself differs by up to [0-9.]+% by cycles' "$T/table" || fail "$(sed -n 2p "$T/table")"

# What was counted is kept.
variant flags references >"$T/before"
with "" 0
! grep -v 'the load is' "$T/progress" || fail "was done again: $(cat "$T/progress")"
check_eq "numbers that were kept" "$(variant flags references)" "$(cat "$T/before")"

# Counters that took turns: said, and scaled (600 in 60 of 100 is 1,000).
with 600/100/60 0
check_eq "scaled cycles" "$(variant flags references 0 counters cycles 0 | sed 's/\.0*$//')" 1000
grep -qE "took turns in reference run 1: an event was counted in as little as 60% of the time" "$T/table" ||
	fail "not shown: $(cat "$T/table")"

# A machine that does not count: time, and one line that says why.
with 2 0
check_eq counters "$("$B/tools/jsonget" "$T/out.json" machine counters length)" 0
check_eq "counts of flags" "$(variant flags references 0 counters | tr -d ' \n')" '{}'
check_eq "pairs of flags" "$(variant flags references 0 seconds length)" 2
grep -qE '^machine .*, cycles not counted \(the machine shows no hardware counters' "$T/table" || fail "$(grep ^machine "$T/table")"
! grep -q 'What the processor counted' "$T/table" || fail "counts are shown, and there are none"
with 13 0
grep -qE '^machine .*, cycles not counted \(.*kernel.perf_event_paranoid is' "$T/table" || fail "$(grep ^machine "$T/table")"
