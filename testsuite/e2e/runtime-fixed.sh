#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Fixed periods against random ones: a program that does one thing for half of the time, in step with the periods, and another
# thing for the other half.  With fixed periods only one of both is ever seen, with random ones each has its half.
set -eu
. "$(dirname "$0")/lib.sh"
[ -e "$B/libpathfdo-recorder.so" ] || skip "the recorder library is not built"
cd "$T"
# 40 ms are whole ticks of kernels that tick 100, 250 and 1000 times a second.  A tick is early or late by one at the most.
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
	long now;

	while ((now = milliseconds()) < 3000) {
		if ((now + 10) % 40 < 20)
			in_step();
		else
			out_of_step();
	}
	return 0;
}
END
$CC -O1 -g -o steps steps.c

# in_step OPTION...: the share of `in_step` in a recording, in percent.
in_step() {
	"$PATHFDO" record -q --source=soft -F 25 -n 64 --max-overhead=50 "$@" -o p.data -- ./steps 2>log ||
		unrecorded "log"
	"$PATHFDO" convert -q --weight=none p.data -o p.pfdo || fail "convert"
	"$PATHFDO" show --text p.pfdo | awk '$1 == "function" { for (i = 3; i < NF; i++) if ($i == "total") { total[$2] = $(i + 1); sum += $(i + 1) } }
		END { printf "%d\n", 100 * total["in_step"] / sum }'
}

check_within "in_step with random periods" "$(in_step)" 25 75
check_within "in_step with fixed periods" "$(in_step --fixed-period)" 95 100
