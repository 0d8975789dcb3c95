/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that profiles itself with setitimer(ITIMER_PROF and ITIMER_VIRTUAL) and with timers of its own on thread
 * clocks: every sample is an address in a file that is loaded, backtrace works there, getitimer tells of its own
 * timers.  Hard because two profilers share one thread, and code in a code cache has no file. */
/* build: -rdynamic */
#include "nasty.h"

#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <ucontext.h>

static struct range {
	uintptr_t start, end;
} ranges[256];
static int range_count;
static volatile int samples, outside, short_traces;

static int note(struct dl_phdr_info *info, size_t size, void *argument)
{
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X && range_count < 256) {
			ranges[range_count].start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
			ranges[range_count].end = ranges[range_count].start + info->dlpi_phdr[i].p_memsz;
			range_count++;
		}
	return 0;
}

static void handler(int signal, siginfo_t *info, void *context)
{
	uintptr_t rip = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
	void *frames[64];
	int known = 0, before = errno;
	for (int i = 0; i < range_count; i++)
		known |= rip >= ranges[i].start && rip < ranges[i].end;
	outside += !known;
	short_traces += backtrace(frames, 64) < 4;
	samples++;
	errno = before;
}

static void *thread(void *argument)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN + 7 };
	struct itimerspec every = { { 0, 1000000 }, { 0, 1000000 } };
	timer_t timer;
	event._sigev_un._tid = gettid();
	CHECK(timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) == 0);
	CHECK(timer_settime(timer, 0, &every, NULL) == 0);
	busy(100);
	CHECK(timer_delete(timer) == 0);
	return argument;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct itimerval every = { { 0, 3000 }, { 0, 3000 } }, none = { { 0, 0 }, { 0, 0 } }, now;
	pthread_t ids[2];
	void *frames[4];
	backtrace(frames, 4);
	dl_iterate_phdr(note, NULL);
	sigaction(SIGPROF, &action, NULL);
	sigaction(SIGVTALRM, &action, NULL);
	sigaction(SIGRTMIN + 7, &action, NULL);
	CHECK(getitimer(ITIMER_PROF, &now) == 0 && now.it_value.tv_sec == 0 && now.it_value.tv_usec == 0);
	CHECK(setitimer(ITIMER_PROF, &every, NULL) == 0 && setitimer(ITIMER_VIRTUAL, &every, NULL) == 0);
	for (int i = 0; i < 2; i++)
		pthread_create(&ids[i], NULL, thread, NULL);
	busy(100);
	CHECK(getitimer(ITIMER_PROF, &now) == 0 && now.it_interval.tv_usec > 0 && now.it_interval.tv_usec < 20000);
	for (int i = 0; i < 2; i++)
		pthread_join(ids[i], NULL);
	CHECK(setitimer(ITIMER_PROF, &none, NULL) == 0 && setitimer(ITIMER_VIRTUAL, &none, NULL) == 0);
	CHECK(samples > 10);
	printf("outside %d, short traces %d\n", outside, short_traces);
	return 0;
}
