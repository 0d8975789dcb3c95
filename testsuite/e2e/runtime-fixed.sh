#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Fixed periods against random ones: a program that does one thing for half of the time, in step with the periods, and another
# thing for the other half.  With fixed periods only one of both is ever seen, with random ones each has its half.  The hard
# case is a machine that is so busy that its kernel loses ticks, and with them the step: the recording tells, and is made anew.
set -eu
. "$(dirname "$0")/lib.sh"
[ -e "$B/libpathfdo-recorder.so" ] || skip "the recorder library is not built"
command -v perf >/dev/null || skip "perf is not installed"
cd "$T"
# 100 ms, half of a period, are whole ticks of kernels that tick 100, 250 and 1000 times a second.
cat >steps.c <<'END'
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

int main(void)
{
	long began = milliseconds(), now;

	while ((now = milliseconds() - began) < 6000) {
		if ((now + 50) % 200 < 100)
			in_step();
		else
			out_of_step();
	}
	return 0;
}
END
$CC -O1 -g -o steps steps.c

# in_step OPTION...: SHARE is that of `in_step` in a recording without a lost tick, in percent.
in_step() {
	for _ in 1 2 3 4 5 6 7 8; do
		"$PATHFDO" record -q --raw --source=soft -F 5 -n 64 --max-overhead=50 "$@" -o p.data -- ./steps 2>log ||
			unrecorded "log"
		LATE=$(perf script -i p.data -F period 2>log | awk '$1 > 250000000 { n++ } END { print n + 0 }')
		[ "$LATE" -ne 0 ] || break
	done
	[ "$LATE" -eq 0 ] || skip "the kernel of this machine loses ticks of the CPU time"
	"$PATHFDO" convert -q --weight=none p.data -o p.pfdo || fail "convert"
	SHARE=$("$PATHFDO" show --text p.pfdo | awk '$1 == "function" { for (i = 3; i < NF; i++) if ($i == "total") { total[$2] = $(i + 1); sum += $(i + 1) } }
		END { printf "%d\n", 100 * total["in_step"] / sum }')
}

in_step
check_within "in_step with random periods" "$SHARE" 15 85
in_step --fixed-period
check_within "in_step with fixed periods" "$SHARE" 95 100
