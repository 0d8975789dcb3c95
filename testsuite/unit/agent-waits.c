/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each moment of threads' time has its share of what bursts stand for, from the first on: simulated threads, whose
 * timers expire at the ticks of a kernel that is anywhere in its tick when a thread begins. */
#include "runtime/agent/waits.c" /* the file itself: the agent is no library */
#include "testsuite/unit/suite.h"

#include <stdbool.h>

#define THREADS 300000
#define MS 1000000u
#define BINS 20
#define BIN_NS (2 * MS)

struct thread {
	struct pf_waits waits;
	uint64_t kernel_ns, random, due, ticks, wait;
	int64_t owed;
	bool began;
};

/* COUNT expiries at NOW: what a burst there stands for, 0 if there is none. */
static int64_t tick(struct thread *t, uint64_t count)
{
	uint64_t mean = pf_waits_mean(&t->waits);
	int64_t stands;

	if (t->began)
		t->owed += (int64_t)(count * t->waits.tick_ns);
	else
		t->owed = (int64_t)mean;
	t->began = true;
	t->ticks += count;
	if (t->ticks < t->wait)
		return 0;
	stands = t->owed;
	t->ticks = 0;
	t->wait = pf_waits_draw(&t->waits, &t->random);
	t->owed = (int64_t)mean - (int64_t)(t->wait * t->waits.tick_ns);
	return stands;
}

/* Adds what the bursts of one thread stand for to the bins that they are in. */
static void run(struct thread *t, uint64_t phase, double bins[BINS])
{
	uint64_t step = t->kernel_ns ? t->kernel_ns : MS / 100;

	t->began = false;
	t->ticks = t->wait = 0;
	t->due = pf_waits_first(&t->waits, t->kernel_ns, &t->random);
	for (uint64_t now = phase; now < BINS * BIN_NS; now += step) {
		uint64_t count = 0;

		for (; t->due <= now; t->due += t->waits.tick_ns)
			count++;
		if (count)
			bins[now / BIN_NS] += (double)tick(t, count);
	}
}

static void check(uint64_t mean_ns, uint64_t least_ns, uint64_t floor_ns, uint64_t kernel_ns, int threads,
		  double tolerance)
{
	uint64_t tick_ns = pf_waits_tick(mean_ns, least_ns, kernel_ns);
	struct thread t = { .waits = pf_waits_of(tick_ns, mean_ns, floor_ns, false),
			    .kernel_ns = kernel_ns,
			    .random = 88172645463325252u };
	double bins[BINS] = { 0 };

	for (int i = 0; i < threads; i++)
		run(&t, pf_waits_random(&t.random) % (kernel_ns ? kernel_ns : MS / 100), bins);
	for (int i = 0; i < BINS; i++) {
		double share = bins[i] / ((double)threads * BIN_NS);

		ck_assert_msg(share > 1 - tolerance && share < 1 + tolerance,
			      "bin %d of ticks of %.1f, mean %.1f, floor %.1f, kernel's %.1f ms: %.3f", i,
			      (double)tick_ns / MS, (double)mean_ns / MS, (double)floor_ns / MS, (double)kernel_ns / MS,
			      share);
	}
}

START_TEST(every_moment_has_its_share)
{
	check(10 * MS, MS, 0, 4 * MS, THREADS, .03);
	check(10 * MS, MS, 0, 1 * MS, THREADS, .03);
	check(10 * MS, MS, 0, 10 * MS, THREADS, .03);
	check(10 * MS, MS, 0, 0, THREADS / 10, .1);
	check(5 * MS, MS, 0, 4 * MS, THREADS, .03);
	check(MS, MS, 0, 4 * MS, THREADS, .03); /* more often than the kernel ticks */
	check(50 * MS, MS, 0, 4 * MS, THREADS, .03);
	check(10 * MS, MS, 22 * MS, 4 * MS, THREADS, .03);
	check(10 * MS, 21 * MS, 0, 4 * MS, THREADS, .03); /* a small budget has ticks that are longer than the mean */
}
END_TEST

START_TEST(means_are_those_of_what_is_drawn)
{
	static const uint64_t floors[] = { 0, 3 * MS, 7 * MS, 10 * MS, 12 * MS, 22 * MS, 140 * MS, 1001 * MS };
	uint64_t random = 1;

	for (size_t i = 0; i < sizeof floors / sizeof *floors; i++) {
		struct pf_waits waits = pf_waits_of(5 * MS, 10 * MS, floors[i], false);
		double sum = 0;

		for (int n = 0; n < 1000000; n++) {
			uint64_t wait = pf_waits_draw(&waits, &random);

			ck_assert_uint_ge(wait, 1);
			ck_assert_uint_ge(wait * 5 * MS, floors[i]);
			sum += (double)(wait * 5 * MS);
		}
		ck_assert_double_eq_tol(sum / 1e6 / (double)pf_waits_mean(&waits), 1, .005);
	}
}
END_TEST

/* The last is when the first burst is due, but for what the thread's start takes. */
START_TEST(fixed_waits_are_the_ticks_nearest_to_the_mean)
{
	static const uint64_t cases[][5] = {
		/* tick, mean, floor, kernel's tick: first */
		{ 4 * MS, 8 * MS, 0, 4 * MS, 4 * MS },	    { 4 * MS, 9 * MS, 0, 4 * MS, 4 * MS },
		{ 4 * MS, 10 * MS, 0, 4 * MS, 8 * MS },	    { 4 * MS, MS, 0, 4 * MS, 0 },
		{ 5 * MS, 10 * MS, 0, 0, 10 * MS },	    { 4 * MS, 8 * MS, 17 * MS, 4 * MS, 16 * MS },
		{ 20 * MS, 40 * MS, 0, 4 * MS, 36 * MS },
	};
	uint64_t random = 1;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct pf_waits waits = pf_waits_of(cases[i][0], cases[i][1], cases[i][2], true);
		uint64_t wait = cases[i][3] + cases[i][4];

		ck_assert_uint_eq(pf_waits_mean(&waits), wait);
		for (int n = 0; n < 1000; n++) {
			ck_assert_uint_eq(pf_waits_draw(&waits, &random) * cases[i][0], wait);
			ck_assert_uint_eq(pf_waits_first(&waits, cases[i][3], &random) / MS, cases[i][4] / MS);
		}
	}
}
END_TEST

int main(void)
{
	return RUN_SUITE("agent-waits", every_moment_has_its_share, means_are_those_of_what_is_drawn,
			 fixed_waits_are_the_ticks_nearest_to_the_mean);
}
