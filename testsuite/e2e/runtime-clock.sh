#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# --source=clock: what perf reads from it agrees with how the program's time is really spent.
set -eu
. "$(dirname "$0")/lib.sh"
command -v perf >/dev/null || skip "perf is not installed"

"$PATHFDO" doctor >"$T/doctor" 2>/dev/null || true
grep -q '^clock *works' "$T/doctor" || skip "clock does not work here: $(grep '^clock' "$T/doctor")"
cd "$T"
# More work in one function than in the other, by turns so that a noisy machine hits both.  What share of the time that is
# is the processor's to say, and the program's to measure.
cat >work.c <<'SOURCE'
#include <stdio.h>
#include <time.h>

static volatile unsigned long sum;
__attribute__((noinline)) static void work_one(void)
{
	for (unsigned long i = 0; i < 100000; i++)
		sum += i;
}
__attribute__((noinline)) static void work_three(void)
{
	for (unsigned long i = 0; i < 300000; i++)
		sum += i;
}
static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}
int main(void)
{
	double one = 0, three = 0;
	for (int i = 0; i < 3000; i++) {
		double begin = now(), middle;
		work_one();
		middle = now();
		work_three();
		one += middle - begin;
		three += now() - middle;
	}
	printf("%.2f\n", 100 * three / (one + three));
	return 0;
}
SOURCE
$CC -O1 -g -o work work.c
"$PATHFDO" record --source=clock -F 1000 -o clock.data ./work 2>err >share || fail "$(cat err)"
grep -qE '^\[ pathfdo record: [0-9]+ samples, .* -> clock.data; recorder cost [0-9.]+% of [0-9.]+ s CPU \]$' err ||
	fail "the summary: $(cat err)"
perf script -i clock.data -F period,ip,sym >samples 2>perf.err || fail "perf script: $(cat perf.err)"
total=$(grep -c . samples)
check_eq "samples in the summary" "$(sed -n 's/.*record: \([0-9]*\) samples.*/\1/p' err)" "$total"
check_within "share of work_three, percent, beside the $(cat share) that the program measured" \
	"$(awk -v measured="$(cat share)" '/work_three/ { n++ } END { print 100 * n / NR - measured }' samples)" -6 6
# The distance of samples is the period asked for: most often, where the machine has not stopped the program.
check_within "usual distance of samples, us" "$(perf script -i clock.data --ns -F time 2>/dev/null |
	awk '{ sub(":", ""); if (last) print int(($1 - last) * 1e6); last = $1 }' | sort -n |
	awk '{ gap[NR] = $1 } END { print gap[int(NR / 4) + 1] }')" 800 1200
perf report -i clock.data --stdio 2>/dev/null | grep -q 'work_three' || fail "perf report does not know work_three"
perf buildid-list -i clock.data | grep -q "$(readelf -n work | sed -n 's/.*Build ID: //p') .*/work\$" ||
	fail "the build-id is missing: $(perf buildid-list -i clock.data)"

# --limit ends the recording, not the program.
"$PATHFDO" record --source=clock -F 10000 --limit=4K -o small.data ./work 2>err >share || fail "$(cat err)"
grep -q 'limit was reached' err || fail "--limit is not mentioned: $(cat err)"
check_within "size with --limit" "$(stat -c %s small.data)" 4096 400000
perf script -i small.data >/dev/null 2>perf.err || fail "perf script: $(cat perf.err)"

# The period that is set moves by up to an eighth to both sides, every tenth of a second, on average the one asked for.
fake perf
got=0
LD_PRELOAD=$T/perf.so FAKE_PERF=cpus=2 FAKE_PERF_PERIODS=$T/periods "$PATHFDO" record --source=clock -F 1000 \
	sh -c 'until [ "$(cat "$1" 2>/dev/null | wc -l)" -ge 80 ]; do sleep 0.1; done' sh "$T/periods" 2>err || got=$?
check_eq "exit status without samples ($(cat err))" $got 1
check_within "distinct periods" "$(sort -u periods | wc -l)" 30 "$(wc -l <periods)"
check_within "smallest" "$(sort -n periods | head -1)" 875000 990000
check_within "largest" "$(sort -n periods | tail -1)" 1010000 1125000
check_within "mean" "$(awk '{ sum += $1 } END { print sum / NR }' periods)" 930000 1070000
rm periods
LD_PRELOAD=$T/perf.so FAKE_PERF=cpus=2 FAKE_PERF_PERIODS=$T/periods "$PATHFDO" record --source=clock -F 1000 --fixed-period \
	sh -c 'until [ "$(cat "$1" 2>/dev/null | wc -l)" -ge 4 ]; do sleep 0.1; done' sh "$T/periods" 2>err || true
check_eq "periods that are fixed" "$(sort -u periods)" 1000000

# A process whose first thread has ended goes on in the others.
cat >headless.c <<'SOURCE'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

__attribute__((noinline)) static void *remain(void *sum)
{
	alarm(60);
	for (;;)
		++*(volatile unsigned long *)sum;
}
int main(void)
{
	static unsigned long sum;
	pthread_t thread;
	if (pthread_create(&thread, NULL, remain, &sum) != 0)
		return 1;
	pthread_exit(NULL);
}
SOURCE
$CC -O1 -g -pthread -o headless headless.c
./headless &
pid=$!
for ((i = 0; i < 600; i++)); do
	grep -q '^State:.*Z' /proc/$pid/status && break
	sleep 0.1
done
"$PATHFDO" record -q --source=clock -p $pid --duration=1 -o headless.data 2>err || fail "its first thread has ended: $(cat err)"
perf script -i headless.data -F ip,sym >samples 2>perf.err || fail "perf script: $(cat perf.err)"
check_within "share of the thread that remains" "$(awk '/remain/ { n++ } END { print 100 * n / NR }' samples)" 99 100
kill $pid
