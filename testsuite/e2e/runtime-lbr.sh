#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# --source=lbr through a stand-in for perf_event_open that serves branch stacks from several CPUs, with records across
# the ring's end, lost ones and throttling.  What perf script reads must be what was served.
set -eu
. "$(dirname "$0")/lib.sh"
command -v perf >/dev/null || skip "perf is not installed"

fake perf
case $("$PATHFDO" record --source=lbr true 2>&1 || true) in
*AddressSanitizer*) skip "the sanitizers do not run under a preloaded library" ;;
esac
cd "$T"
export FAKE_PERF_LOG=$T/served LIBPFM_FORCE_PMU=skl

# until_served N: a command that runs until so many samples were served, however seldom the recorder comes to look.
until_served() {
	echo "until [ \"\$(cat '$T/served' 2>/dev/null | wc -l)\" -ge $1 ]; do sleep 0.1; done"
}

# fake SETTINGS ARGUMENT...: records with a fake kernel.
fake() {
	local settings=$1
	shift
	rm -f served
	LD_PRELOAD=$T/perf.so FAKE_PERF=$settings "$PATHFDO" record "$@" 2>err
}

# check_served FILE: perf script gives exactly the samples that were served.
check_served() {
	perf script -i "$1" -F ip,brstack 2>/dev/null | sed 's|/P/-/-/[^ ]*||g; s/^ *//; s/  */ /g; s/ $//' | sort >read
	sort served >wanted
	cmp -s read wanted || fail "perf script reads other branch stacks than were served: $(diff read wanted | head -4)"
	check_within "samples" "$(wc -l <wanted)" 1 1000000
}

fake cpus=4,samples=3000 --source=lbr -v -o lbr.data sh -c "$(until_served 9000)" || fail "$(cat err)"
check_eq "samples served" "$(wc -l <served)" 9000
check_served lbr.data
grep -q 'event br_inst_retired.near_taken:u' err || fail "the event: $(cat err)"
grep -q '51 events were lost' err || fail "lost events: $(cat err)"
grep -q 'throttled the event 3 times' err || fail "throttling: $(cat err)"
branches=$(awk '{ n += NF - 1 } END { printf "%d k", n / 1000 }' served)
grep -q "record: 9000 samples, $branches branches, .*-> lbr.data" err || fail "the summary: $(cat err)"
perf evlist -v -i lbr.data | grep -q '^br_inst_retired.near_taken:u:.*BRANCH_STACK.*USER|ANY' ||
	fail "the event's description: $(perf evlist -v -i lbr.data)"
perf script -i lbr.data --show-mmap-events 2>/dev/null | grep -q 'MMAP2.*/bin/true' || fail "the mapping is missing"

# A small ring, as kernel.perf_event_mlock_kb leaves it: smaller batches, nothing missing.
fake cpus=2,samples=2000,mlock=65536 --source=lbr -o small.data sh -c "$(until_served 2000)" || fail "$(cat err)"
check_eq "samples served" "$(wc -l <served)" 2000
check_served small.data

# auto prefers it.
fake cpus=2,samples=500 -v -o auto.data sh -c "$(until_served 500)" || fail "$(cat err)"
grep -q '^pathfdo record: source lbr: ' err || fail "auto: $(cat err)"
check_served auto.data

# Zen 3: one event, a fixed period.
fake cpus=2,samples=500,brs --source=lbr -v -o brs.data sh -c "$(until_served 500)" || fail "$(cat err)"
grep -q 'event branch-brs:u' err || fail "the event for BRS: $(cat err)"
perf evlist -v -i brs.data | grep -q 'type: 4.*config: 0xc4.* 500009' || fail "$(perf evlist -v -i brs.data)"
check_served brs.data

# An event by name, perf's or libpfm4's; an unknown one is refused.
fake cpus=2,samples=500 -e BR_INST_RETIRED:CONDITIONAL -v -o named.data sh -c "$(until_served 500)" || fail "$(cat err)"
perf evlist -v -i named.data | grep -q 'config: 0x1c4' || fail "$(perf evlist -v -i named.data)"
if fake cpus=2 -e no_such_event -o none.data sleep 0.1; then fail "an unknown event was taken"; fi
grep -q no_such_event err || fail "$(cat err)"
[ ! -e none.data ] || fail "a recording without an event"

# Refusals of the kernel, each with what would change it (EACCES, ENOENT).
if fake errno=13 --source=lbr -o none.data true; then fail "EACCES was passed over"; fi
grep -qE 'perf_event_paranoid' err || fail "EACCES is not explained: $(cat err)"
if fake errno=2 --source=lbr -o none.data true; then fail "ENOENT was passed over"; fi
[ ! -e none.data ] || fail "a recording without an event"

# Nothing sampled: no file.
if fake cpus=2,samples=0 --source=lbr -o none.data true; then fail "an empty recording was accepted"; fi
grep -q 'nothing was recorded' err || fail "$(cat err)"
[ ! -e none.data ] || fail "an empty recording was left"

# The program's end counts here too.
got=0
fake cpus=2,samples=500 --source=lbr -o crash.data sh -c 'sleep 0.3; kill -SEGV $$' || got=$?
check_eq "exit status of a crash" $got 139
check_served crash.data
