#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Two threads that wait for each other in loops with `pause` (as OpenMP's do) and have one processor: each waits until the
# kernel takes the processor away from it, at the tick at which its burst is due, and when it runs again the other has
# done its part.  A burst that began in such a loop would always see its end, and what is done behind the waits, .04 of
# the turns or less, had .49 and .94 of two recordings.  What else it does takes several ticks on any processor: what ends
# before the tick behind a wait has no burst at all.
set -eu
. "$(dirname "$0")/lib.sh"
command -v taskset >/dev/null || skip "there is no taskset"
cd "$T"
cat >spins.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
static volatile int turn;
static volatile long sink;
static void wait_for(int who)
{
	for (long i = 0; turn != who; i++)
		__builtin_ia32_pause();
}
__attribute__((noinline)) static void part(int turns)
{
	for (int i = 0; i < turns; i++)
		sink += i;
}
__attribute__((noinline)) static void rest(int turns)
{
	for (int i = 0; i < turns; i++)
		sink ^= i;
}
static void *other(void *rounds)
{
	for (int r = 0; r < *(int *)rounds; r++) {
		wait_for(1);
		turn = 0;
	}
	return NULL;
}
static double used(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
/* Turns of `rest` that take 20 ms, and no fewer than 5 million. */
static int several_ticks(void)
{
	for (int turns = 5000000;; turns *= 2) {
		double begin = used();
		rest(turns);
		if (turns > 500000000 || used() - begin > .02)
			return turns;
	}
}
int main(int argc, char **argv)
{
	int long_turns = several_ticks();
	int rounds = atoi(argv[argc - 1]);
	pthread_t thread;

	pthread_create(&thread, NULL, other, &rounds);
	for (int r = 0; r < rounds; r++) {
		turn = 1;
		wait_for(0);
		part(20000);
		if (r % 10 == 0)
			rest(long_turns);
	}
	return pthread_join(thread, NULL);
}
END
$CC -O2 -g -pthread spins.c -o spins || fail "spins.c does not compile"
"$PATHFDO" record -o app.data -- taskset -c "$(taskset -cp $$ | sed 's/.*[:,-] *//')" ./spins 400 2>recorded ||
	fail "the recording fails: $(tail -n 1 recorded)"
"$PATHFDO" convert -q -b spins app.data -o app.pfdo 2>said || fail "convert fails: $(tail -n 1 said)"
share=$("$PATHFDO" show app.pfdo | awk '$4 == "part" { part = $2 } $4 == "rest" { rest = $2 } END { print part / (part + rest) }')
check_within "the share of what is done behind the waits" "$share" 0 0.15
