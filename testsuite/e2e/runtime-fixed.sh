#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Fixed periods against random ones: a program that does one thing for half of the time, in step with the periods, and another
# thing for the other half.  With fixed periods only one of both is ever seen, with random ones each has its half.  The hard
# case is a machine that is so busy that its kernel loses ticks, and with them the step: the recording tells, and is made anew.
set -eu
. "$(dirname "$0")/lib.sh"
[ -e "$B/libpathfdo-recorder.so" ] || skip "the recorder library is not built"
cd "$T"
# 100 ms, half of a period, are whole ticks of kernels that tick 100, 250 and 1000 times a second.
cat >steps.c <<'END'
#include <stdlib.h>
#include <time.h>

static volatile unsigned long sum;

static long milliseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

__attribute__((noipa)) static void in_step(void)
{
	for (int i = 0; i < 20000; i++)
		sum += i & 3;
}

__attribute__((noipa)) static void out_of_step(void)
{
	for (int i = 0; i < 20000; i++)
		sum += i & 3;
}

int main(int argc, char **argv)
{
	long began = milliseconds(), now;

	while ((now = milliseconds() - began) < 1000 * atol(argv[argc - 1])) {
		if ((now + 50) % 200 < 100)
			in_step();
		else
			out_of_step();
	}
	return 0;
}
END
$CC -O1 -g -o steps steps.c

# recorded SECONDS OPTION...: p.data is of so much work; SHARE is that of `in_step` in it, in percent.
recorded() {
	local seconds=$1
	shift
	"$PATHFDO" record -q --raw --source=soft -F 5 -n 64 --max-overhead=50 "$@" -o p.data -- ./steps "$seconds" 2>log ||
		unrecorded "log"
	"$PATHFDO" convert -q --weight=none p.data -o p.pfdo || fail "convert"
	SHARE=$("$PATHFDO" show --text p.pfdo | awk '$1 == "function" { for (i = 3; i < NF; i++) if ($i == "total") { total[$2] = $(i + 1); sum += $(i + 1) } }
		END { printf "%d\n", 100 * total["in_step"] / sum }')
}

recorded 12
check_within "in_step with random periods" "$SHARE" 25 75

# late: how many of the bursts come more than a tick late.
late() {
	perf script -i p.data -F period >periods 2>log || fail "perf: $(cat log)"
	[ -s periods ] || fail "perf sees no bursts"
	awk '$1 > 250000000 { n++ } END { print n + 0 }' periods
}
command -v perf >/dev/null || skip "the rest: perf is not installed"
for _ in 1 2 3 4 5 6 7 8; do
	recorded 6 --fixed-period
	LATE=$(late)
	[ "$LATE" -ne 0 ] || break
done
[ "$LATE" -eq 0 ] || skip "the rest: the kernel of this machine loses ticks of the CPU time"
check_within "in_step with fixed periods" "$SHARE" 95 100
