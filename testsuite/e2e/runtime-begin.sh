#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Bursts that begin by the count of an event.  The kernel's count of page faults goes the whole way of a processor's
# counter, on any machine: of the first touches one function has a quarter by construction, one three quarters, and one
# that takes nearly all of the time has none; the bounds are half of a quarter to either side, as up to a third was seen of it
# on a busy machine.  Through threads, fork and exec; and what comes of it where the kernel
# refuses.
set -eu
. "$(dirname "$0")/lib.sh"

cd "$T"
$CC -O1 -g -pthread "$TOP/testsuite/programs/begin-faults.c" -o faults
$CC -O1 "$TOP/testsuite/programs/deny-perf.c" -o deny
faults="--source=soft --begin=page-faults -F 1000 -n 8 --max-overhead=50 -v"
# shellcheck disable=SC2086 # words
"$PATHFDO" record $faults -o p.data -- ./faults 60 2>log || {
	grep -qE 'cannot begin by .page-faults.' log && skip "the kernel counts nothing here: $(tail -n 1 log)"
	fail "$(cat log)"
}
grep -qx 'pathfdo record: bursts begun by: page-faults' log || fail "record does not say what began bursts: $(cat log)"
! grep -q 'by the CPU timer' log || fail "counters were refused: $(cat log)"

# shares FILE: of few, many and spin, in percent.
shares() {
	"$PATHFDO" convert -q "$1" -o p.pfdo || fail "convert $1"
	"$PATHFDO" show --text p.pfdo >p.text
	awk '$1 == "function" { for (i = 3; i < NF; i++) if ($i == "total") { total[$2] = $(i + 1); sum += $(i + 1) } }
		END { printf "%d %d %d\n", 100 * total["few"] / sum, 100 * total["many"] / sum, 100 * total["spin"] / sum }' p.text
}

read -r few many spin < <(shares p.data)
echo "page faults: few $few%, many $many%, spin $spin%"
check_within "few, which has a quarter of the faults" "$few" 12 38
check_within "many, which has three quarters" "$many" 60 88
check_within "spin, which has none" "$spin" 0 6
grep -q 'from soft event pathfdo-soft/page-faults ' p.text || fail "the profile: $(head -3 p.text)"
perf evlist -i p.data 2>/dev/null | grep -qx pathfdo-soft/page-faults || [ ! -x "$(command -v perf)" ] ||
	fail "perf names the event $(perf evlist -i p.data)"

# Two threads, a child, and what it becomes, which is the same process: three threads by number.
if command -v perf >/dev/null; then
	# shellcheck disable=SC2086
	"$PATHFDO" record ${faults/-v/-q} --raw -o raw.data -- ./faults 60 2>log || fail "$(cat log)"
	check_eq "threads with bursts" "$(perf script -i raw.data -F pid,tid 2>/dev/null | sort -u | wc -l)" 3
fi

# The timer sees where the time goes, which has no exact share: on a busy machine a page fault takes what it takes.
# shellcheck disable=SC2086
"$PATHFDO" record ${faults/page-faults/timer} -o t.data -- ./faults 60 2>log || fail "$(cat log)"
grep -qx 'pathfdo record: bursts begun by: CPU timer' log || fail "the timer: $(cat log)"
read -r few many spin < <(shares t.data)
check_within "spin, which has the time" "$spin" 15 100
grep -q 'from soft event pathfdo-soft binary' p.text || fail "the profile by the timer: $(head -3 p.text)"

# No descriptor is left when a thread starts: it goes by the timer, and that is said.
# shellcheck disable=SC2086
(ulimit -n 64 && "$PATHFDO" record $faults -o g.data -- ./faults 60 greedy) 2>log || fail "$(cat log)"
grep -qE '^pathfdo record: [1-9][0-9]* of [0-9]+ bursts were begun by the CPU timer, as the kernel gave their threads no counter of page-faults$' log ||
	fail "a thread without a counter: $(cat log)"

# A program that may have few signals waiting: each timer takes the place of one, a counter takes none.
# shellcheck disable=SC2086
"$PATHFDO" record $faults -o few.data -- ./faults 60 limited 2>log || fail "$(cat log)"
! grep -q 'by the CPU timer' log || fail "under a small limit of signals: $(cat log)"
read -r few many spin < <(shares few.data)
check_within "few, under a small limit of signals" "$few" 12 38
check_within "many, under it" "$many" 60 88
# shellcheck disable=SC2086
if "$PATHFDO" record ${faults/page-faults/timer} -o no.data -- ./faults 60 limited 2>log; then
	fail "a program whose signals are few has timers"
fi
grep -q 'no timer could be made' log || fail "the reason why there is no timer: $(cat log)"

# A counter rests for an exec that fails, or a spawn, and then the kernel has no descriptor for another one.
for how in exec spawn system; do
	# shellcheck disable=SC2086
	(ulimit -n 64 && "$PATHFDO" record $faults -o r.data -- ./faults 60 $how) 2>log || fail "$(cat log)"
	grep -qE '^pathfdo record: [1-9][0-9]* of [0-9]+ bursts were begun by the CPU timer, as the kernel gave' log ||
		fail "behind $how no bursts are begun: $(cat log)"
done

# Forbidden: one that was asked for by name is an error, auto is not.
for code in 1 38; do
	# shellcheck disable=SC2086
	if ./deny $code "$PATHFDO" record $faults -o no.data -- ./faults 1 2>log; then
		fail "it records although perf_event_open fails with $code"
	fi
	[ ! -e no.data ] || fail "there is a recording although it failed"
	grep -q "bursts cannot begin by 'page-faults': " log || fail "the error with $code: $(cat log)"
	./deny $code "$PATHFDO" record --source=soft --begin=auto -F 1000 -v -o auto.data -- ./faults 50 2>log || fail "$(cat log)"
	check_eq "lines about it" "$(grep -c 'bursts begun by: CPU timer; taken branches cannot be counted: ' log)" 1
done
# Where the kernel is too old for the signal, and where it does not know the event.
$CC -O1 -shared -fPIC "$TOP/testsuite/programs/old-kernel.c" -o old.so
# shellcheck disable=SC2086
if LD_PRELOAD=$T/old.so "$PATHFDO" record $faults -o no.data -- ./faults 1 2>log; then
	fail "it records by an event on Linux 6.0"
fi
check_eq "the error of Linux 6.0" "$(grep -c "cannot begin by 'page-faults': that needs Linux 6.1 or later, and this is 6.0.19" log)" 1
LD_PRELOAD=$T/old.so "$PATHFDO" record --source=soft --begin=auto -F 1000 -v -o auto.data -- ./faults 50 2>log || fail "$(cat log)"
check_eq "auto on Linux 6.0" "$(grep -c 'by: CPU timer; .*needs Linux 6.1' log)" 1
if "$PATHFDO" record --begin=no-such-event -o no.data -- ./faults 1 2>log; then
	fail "it takes an event that does not exist"
fi
grep -q "bursts cannot begin by 'no-such-event': " log || fail "an unknown event: $(cat log)"
