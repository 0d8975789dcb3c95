/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recorder among many threads, in a child of the test: what it costs to record them and to leave them, in calls of
 * ptrace, which are counted here; that the end of the recording ends a look at them; and that the child's agent hears
 * of the recorder in the midst of one.  How fast anything is does not matter. */
#include "runtime/attach.h"
#include "runtime/inject.h"
#include "runtime/keeper.h"
#include "runtime/procfs.h"
#include "testsuite/unit/suite.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FEW 6
#define MANY 240
#define NEVER (-1)

static struct {
	pthread_barrier_t meeting; /* of the child's threads and the test */
	volatile bool block;       /* are they to block all signals behind it, or none? */
	volatile bool make;        /* or to leave them as they are, and make a thread each? */
	volatile bool turn;        /* or to block all for moments, and have the mask again that they had? */
} * shared;
static char folder[64], path[96], pid_text[16];
static int file;
static pid_t child;
static size_t threads;
static struct pf_attach *attach;
static const struct pf_selection selection = { .pids = pid_text };

static unsigned int stops, seizures; /* calls of ptrace, and those that come for a thread */
static unsigned int dies_in;         /* so many, of those for all but the first thread; 0: it does not */

long ptrace(enum __ptrace_request request, ...)
{
	va_list list;
	pid_t pid;
	void *address, *data;

	va_start(list, request);
	pid = va_arg(list, pid_t);
	address = va_arg(list, void *);
	data = va_arg(list, void *);
	va_end(list);
	if (dies_in && seizures > 1 && --dies_in == 0)
		kill(getpid(), SIGKILL);
	stops++;
	seizures += request == PTRACE_SEIZE;
	return syscall(SYS_ptrace, request, pid, address, data);
}

static void *sleep_on(void *nothing)
{
	for (;;)
		pause();
	return nothing;
}

static void *work(void *nothing)
{
	pthread_t thread;
	sigset_t mask;

	for (;;) {
		pthread_barrier_wait(&shared->meeting);
		if (shared->make) {
			if (pthread_create(&thread, NULL, sleep_on, NULL) != 0)
				_exit(1);
			continue;
		}
		if (shared->turn) {
			sigset_t all;

			sigfillset(&all);
			while (shared->turn) {
				pthread_sigmask(SIG_SETMASK, &all, &mask);
				pthread_sigmask(SIG_SETMASK, &mask, NULL);
			}
			continue;
		}
		sigemptyset(&mask);
		if (shared->block)
			sigfillset(&mask);
		pthread_sigmask(SIG_SETMASK, &mask, NULL);
	}
	return nothing;
}

static void live(void)
{
	pthread_t thread;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	for (size_t i = 0; i < threads; i++) {
		if (pthread_create(&thread, NULL, work, NULL) != 0)
			_exit(1);
	}
	sleep_on(NULL);
}

static void await_sleep(void)
{
	pid_t *list;
	size_t count = pf_procfs_threads(child, &list);
	struct pf_proc_place place;

	for (size_t i = 0; i < count; i++) {
		while (!pf_procfs_place(child, list[i], &place) || place.running)
			sched_yield();
	}
	free(list);
}

/* All threads of the child but its first use some CPU time, which the kernel has counted where it has put them to
 * sleep.  Who has come to the second meeting has run since the first. */
static void have_all_run(void)
{
	pthread_barrier_wait(&shared->meeting);
	pthread_barrier_wait(&shared->meeting);
	await_sleep();
}

static void begin(size_t count)
{
	struct pf_keeper_settings settings = {
		.frequency = 100, .branches = 1024, .budget_ppm = 10000, .recorder_pid = 1, .limit = 1 << 20
	};
	pthread_barrierattr_t between;
	struct pf_error error;

	strcpy(folder, "/tmp/runtime-attach.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/" PF_WIRE_FILE, folder);
	file = pf_keeper_make(folder, &settings, &error);
	ck_assert_msg(file >= 0, "%s", error.text);
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(shared, MAP_FAILED);
	pthread_barrierattr_init(&between);
	pthread_barrierattr_setpshared(&between, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&shared->meeting, &between, (unsigned int)count + 1);
	threads = count;
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0)
		live();
	have_all_run();
	snprintf(pid_text, sizeof pid_text, "%d", child);
	ck_assert_msg(pf_attach_alloc(&attach, &selection, file, &error) == PF_OK, "%s", error.text);
}

static void end(void)
{
	pf_attach_free(attach);
	ck_assert_int_eq(kill(child, SIGKILL), 0);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	munmap(shared, sizeof *shared);
	close(file);
	remove(path);
	rmdir(folder);
}

static int asked, end_at; /* how often it was asked for the end; when that is there */

static bool is_there(const void *context)
{
	const struct timespec *pause = context;

	if (pause)
		nanosleep(pause, NULL);
	return ++asked == end_at;
}

static void look(int at, const struct timespec *pause)
{
	struct pf_attach_end when = { is_there, pause };
	struct pf_error error;

	asked = 0;
	end_at = at;
	ck_assert_msg(pf_attach_look(attach, &when, &error) == PF_OK, "%s", error.text);
}

/* Records all threads, and returns what that cost. */
static unsigned int record_all(void)
{
	unsigned int before = 0;

	look(NEVER, NULL);
	have_all_run();
	for (stops = seizures = 0; seizures == 0 || seizures > before;) {
		before = seizures;
		look(NEVER, NULL);
	}
	ck_assert_uint_ge(seizures, (unsigned int)threads);
	return stops;
}

static unsigned int leave_all(void)
{
	await_sleep();
	stops = 0;
	pf_attach_withdraw(attach);
	ck_assert_int_eq(pf_attach_counts(attach)->stuck, 0);
	return stops;
}

/* Each thread costs as much as any other, and none is touched to leave it. */
START_TEST(costs)
{
	unsigned int few, many;

	begin(FEW);
	few = record_all();
	leave_all();
	end();
	begin(MANY);
	many = record_all();
	ck_assert_msg(many / MANY <= 2 * few / FEW, "%u calls for %d threads, %u for %d", few, FEW, many, MANY);
	ck_assert_msg(many < 30 * MANY, "%u calls for %d threads", many, MANY);
	many = leave_all();
	ck_assert_msg(many < MANY, "%u calls to leave %d threads that sleep", many, MANY);
	end();
}
END_TEST

/* Threads of the child in which the recorder's signal is blocked. */
static size_t blocking(void)
{
	pid_t *list;
	size_t count = pf_procfs_threads(child, &list), found = 0;
	struct pf_proc_status status;

	for (size_t i = 0; i < count; i++)
		found += pf_procfs_status(child, list[i], &status) && status.blocked & PF_INJECT_SIGNAL_BIT;
	free(list);
	return found;
}

/* The signal is blocked again where the thread has not chosen another mask since. */
START_TEST(masks)
{
	for (int chosen = 0; chosen < 2; chosen++) {
		begin(FEW);
		shared->block = true;
		record_all();
		ck_assert_uint_eq(blocking(), 0);
		shared->block = false;
		if (chosen)
			have_all_run();
		leave_all();
		ck_assert_uint_eq(blocking(), chosen ? 0 : FEW);
		end();
	}
}
END_TEST

/* Threads that were made meanwhile have begun with the mask of who made them. */
START_TEST(masks_of_new_threads)
{
	pid_t *list;

	begin(FEW);
	shared->block = true;
	record_all();
	ck_assert_uint_eq(blocking(), 0);
	shared->make = true;
	pthread_barrier_wait(&shared->meeting);
	while (pf_procfs_threads(child, &list) < 2 * FEW + 1)
		free(list);
	free(list);
	leave_all();
	ck_assert_uint_eq(blocking(), 2 * FEW);
	end();
}
END_TEST

/* As the C library does where a thread or a process is made. */
START_TEST(masks_for_moments)
{
	begin(FEW);
	shared->block = true;
	record_all();
	ck_assert_uint_eq(blocking(), 0);
	shared->turn = true;
	pthread_barrier_wait(&shared->meeting);
	while (blocking() == 0)
		sched_yield();
	pf_attach_withdraw(attach);
	ck_assert_int_eq(pf_attach_counts(attach)->stuck, 0);
	shared->turn = false;
	await_sleep();
	ck_assert_uint_eq(blocking(), FEW);
	end();
}
END_TEST

START_TEST(the_end_ends_a_look)
{
	begin(FEW);
	look(NEVER, NULL);
	have_all_run();
	seizures = 0;
	look(3, NULL);
	ck_assert_int_eq(asked, 3);
	ck_assert_uint_le(seizures, 2);
	leave_all();
	end();
}
END_TEST

/* Whatever a recorder is about to do with a thread when it is killed, the thread goes on. */
START_TEST(a_recorder_is_killed)
{
	pid_t recorder;
	int status;

	begin(FEW);
	recorder = fork();
	ck_assert_int_ge(recorder, 0);
	if (recorder == 0) {
		dies_in = (unsigned int)_i + 1;
		record_all();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(recorder, &status, 0), recorder);
	ck_assert_msg(WIFSIGNALED(status), "%#x", (unsigned)status);
	have_all_run();
	ck_assert_uint_eq(blocking(), 0);
	end();
}
END_TEST

/* In its parent's memory, which stays when it executes a program: here one that stays as long as its input, and has no
 * restartable sequences, whose place in the other memory would be missed. */
static pid_t make_by_vfork(const int orders[2], const int input[2])
{
	pid_t maker, *made = mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), pid;

	ck_assert_ptr_ne(made, MAP_FAILED);
	maker = fork();
	ck_assert_int_ge(maker, 0);
	if (maker == 0) {
		prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
		dup2(input[0], 0);
		close(input[1]);
		close(orders[1]);
		setenv("GLIBC_TUNABLES", "glibc.pthread.rseq=0", 1);
		if (vfork() == 0) {
			char byte;

			__atomic_store_n(made, getpid(), __ATOMIC_RELEASE);
			if (read(orders[0], &byte, 1) == 1)
				execlp("cat", "cat", (char *)0);
			_exit(1);
		}
		sleep_on(NULL);
	}
	child = maker;
	while (!(pid = __atomic_load_n(made, __ATOMIC_ACQUIRE)))
		sched_yield();
	munmap(made, sizeof *made);
	return pid;
}

static void await_program(pid_t pid, const char *name)
{
	char text[64] = "";

	while (strncmp(text, name, strlen(name)) != 0)
		ck_assert_int_gt(pf_procfs_read(pid, 0, "comm", text, sizeof text), 0);
}

/* What was opened is of another program than what is held: that is let be. */
START_TEST(a_program_is_executed_before_it_is_held)
{
	int orders[2], input[2];
	struct pf_injection injection;
	struct pf_proc_status status;
	enum pf_refusal refusal;
	struct pf_error error;
	uint64_t blocked;
	pid_t pid;

	ck_assert_int_eq(pipe(orders), 0);
	ck_assert_int_eq(pipe(input), 0);
	pid = make_by_vfork(orders, input);
	ck_assert_msg(pf_inject_open(&injection, pid, &error) == PF_OK, "%s", error.text);
	ck_assert(pf_inject_is_current(&injection));
	ck_assert_int_eq(write(orders[1], "x", 1), 1);
	await_program(pid, "cat");
	ck_assert(!pf_inject_is_current(&injection));
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(pf_inject_adopt(&injection, pid, -1, "", &refusal, &blocked, &error), PF_EINVAL);
	ck_assert(!injection.there);
	ck_assert(pf_procfs_status(pid, pid, &status));
	ck_assert_msg(strchr("RSD", status.state), "%c", status.state);
	pf_inject_close(&injection);
	ck_assert_int_eq(kill(child, SIGKILL), 0);
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
}
END_TEST

/* A program of which nothing but the kernel has run. */
START_TEST(a_loader_has_not_begun)
{
	struct pf_injection injection;
	struct pf_error error;
	int status;

	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execlp("cat", "cat", (char *)0);
		_exit(1);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFSTOPPED(status));
	ck_assert_int_eq(pf_inject_open(&injection, child, &error), PF_EINVAL);
	pf_inject_close(&injection);
	ck_assert_int_eq(kill(child, SIGKILL), 0);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
}
END_TEST

static uint32_t heartbeat(void)
{
	uint32_t value;

	ck_assert_int_eq(pread(file, &value, sizeof value, offsetof(struct pf_control, heartbeat)),
			 (ssize_t)sizeof value);
	return value;
}

/* One for each two threads, where each takes so long or longer. */
START_TEST(a_look_has_heartbeats)
{
	static const struct timespec pause = { 0, 600000000 };
	uint32_t first;

	begin(FEW);
	look(NEVER, NULL);
	first = heartbeat();
	look(NEVER, &pause);
	ck_assert_int_ge(asked, FEW);
	ck_assert_uint_ge(heartbeat() - first, FEW / 2 - 1);
	leave_all();
	end();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { costs,
				       masks,
				       masks_of_new_threads,
				       masks_for_moments,
				       the_end_ends_a_look,
				       a_look_has_heartbeats,
				       a_program_is_executed_before_it_is_held,
				       a_loader_has_not_begun };
	TCase *cases = tcase_create("runtime-attach");

	tcase_add_loop_test(cases, a_recorder_is_killed, 0, 26); /* calls of ptrace, of two threads */
	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
		tcase_add_test(cases, tests[i]);
	return run_case("runtime-attach", cases);
}
