#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What runs early in short processes has its share: eight stages of 4 ms of CPU time each, in 150 processes of a recording,
# some 480 bursts on a quiet machine; on a busy one it takes several.  (A burst that stood for what its process had run before
# it gave the first stage .07 of its share.)
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >stages.c <<'END'
#include <time.h>
static volatile long sink;
static long long spent(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}
#define STAGE(n) __attribute__((noinline)) static void stage##n(long long until) { while (spent() < until) for (int i = 0; i < 20000; i++) sink += i; }
STAGE(0) STAGE(1) STAGE(2) STAGE(3) STAGE(4) STAGE(5) STAGE(6) STAGE(7)
int main(void)
{
	long long begin = spent(); /* on some virtual machines the start of a process takes 8 ms */
	void (*const stages[])(long long) = { stage0, stage1, stage2, stage3, stage4, stage5, stage6, stage7 };

	for (int i = 0; i < 8; i++)
		stages[i](begin + 4000000ll * (i + 1));
	return 0;
}
END
$CC -O2 -g stages.c -o stages || fail "stages.c does not compile"
bursts=0
for ((part = 1; part <= 6 && bursts < 400; part++)); do
	# shellcheck disable=SC2016 # for the inner shell
	"$PATHFDO" record --source=soft --max-overhead=50 -o app.$part.data -- \
		sh -c 'for i in $(seq 150); do ./stages || exit; done' 2>recorded || fail "the recording fails: $(tail -n 1 recorded)"
	bursts=$((bursts + $(sed -n 's/.*: \([0-9]*\) bursts.*/\1/p' recorded)))
done
"$PATHFDO" convert -q --weight=period -b stages app.*.data -o app.pfdo 2>said || fail "convert fails: $(tail -n 1 said)"
shares=$("$PATHFDO" show app.pfdo | awk '$4 ~ /^stage[0-7]$/ { n[$4] = $2; sum += $2 }
	END { for (i = 0; i < 8; i++) printf "%s%.2f", i ? " " : "", 8 * n["stage" i] / sum }')
[ "$bursts" -ge 400 ] || skip "only $bursts bursts in six recordings"
for share in $shares; do
	check_within "each stage's share of the mean, of $shares by $bursts bursts" "$share" 0.4 1.6
done
