/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that has forbidden itself the processor's time stamp, as recorders of deterministic runs do, and makes up
 * the time in its handler of SIGSEGV; so have its later threads and its children, while an older thread has not.
 * Hard because a recorder's own clock then kills, or is taken for the program's. */
#include "nasty.h"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>

static volatile uint64_t made_up;

extern const char program_stamp[];

/* Only the program's own rdtsc may come here. */
static void handler(int signal, siginfo_t *info, void *context)
{
	greg_t *gregs = ((ucontext_t *)context)->uc_mcontext.gregs;
	CHECK((uint64_t)gregs[REG_RIP] == (uint64_t)program_stamp);
	gregs[REG_RAX] = (greg_t)++made_up;
	gregs[REG_RDX] = 0;
	gregs[REG_RIP] += 2;
}

static __attribute__((noinline)) uint64_t stamp(void)
{
	uint32_t low, high;
	__asm__ volatile(".globl program_stamp\nprogram_stamp: rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

/* Some virtual machines' processors go on telling. */
static void forbid(void)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
	if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) != 0)
		nasty_skip("the kernel does not forbid the time stamp");
	stamp();
	if (!made_up)
		nasty_skip("the processor tells the time stamp although the kernel forbids it");
}

static void use(void)
{
	for (int i = 0; i < 20; i++) {
		uint64_t before = made_up;
		for (int k = 0; k < 40; k++)
			CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
		CHECK(stamp() == before + 1 && made_up == before + 1);
	}
}

static void *thread(void *argument)
{
	use();
	return argument;
}

/* Of a thread that was there before. */
static void *older(void *argument)
{
	busy(80);
	return argument;
}

static int status_of(pid_t pid)
{
	int status;
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
	return status;
}

int main(void)
{
	pthread_t id, old;
	for (int i = 0; i < 4; i++) {
		pid_t pid = fork();
		if (pid == 0) {
			busy(60);
			if (i == 3)
				CHECK(pthread_create(&old, NULL, older, NULL) == 0);
			forbid();
			use();
			if (i == 1 || i == 3) {
				CHECK(pthread_create(&id, NULL, thread, NULL) == 0 && pthread_join(id, NULL) == 0);
				CHECK(prctl(PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0) == 0);
				busy(20);
				CHECK(i != 3 || pthread_join(old, NULL) == 0);
			} else if (i == 2) {
				if ((pid = fork()) == 0) {
					use();
					_exit(21);
				}
				_exit(status_of(pid) == 21 << 8 ? 21 : 22);
			}
			_exit(21);
		}
		int status = status_of(pid);
		if (status == 77 << 8)
			return 77;
		CHECK(status == 21 << 8);
	}
	puts("made up");
	return 0;
}
