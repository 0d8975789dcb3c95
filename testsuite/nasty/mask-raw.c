/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that blocks all signals by syscall(SYS_rt_sigprocmask), as run-times do, works, and then takes what is
 * there by sigtimedwait, sigwaitinfo, signalfd and sigpending, by libc and by syscall(): there must be what was sent
 * and nothing else.  Hard because a recorder's timer goes on meanwhile, and its signal is then pending like any other.
 */
/* unattached: who asks what is pending, and what is blocked, is not made to wait for the end of a burst */
#include "nasty.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>

static int wait_raw(siginfo_t *info)
{
	uint64_t all = ~0ull;
	struct timespec none = { 0, 0 };
	return (int)syscall(SYS_rt_sigtimedwait, &all, info, &none, 8);
}

static int wait_libc(siginfo_t *info)
{
	sigset_t all;
	struct timespec none = { 0, 0 };
	sigfillset(&all);
	return sigtimedwait(&all, info, &none);
}

static void empty(void)
{
	siginfo_t info;
	sigset_t all, pending;
	struct signalfd_siginfo read_info;
	uint64_t raw = 77;
	busy(4);
	CHECK(sigpending(&pending) == 0 && *(uint64_t *)(void *)&pending == 0);
	CHECK(syscall(SYS_rt_sigpending, &raw, 8) == 0 && raw == 0);
	busy(4);
	CHECK(wait_raw(&info) == -1 && errno == EAGAIN);
	busy(4);
	CHECK(wait_libc(&info) == -1 && errno == EAGAIN);
	sigfillset(&all);
	int fd = signalfd(-1, &all, SFD_NONBLOCK | SFD_CLOEXEC);
	CHECK(fd >= 0);
	busy(4);
	CHECK(read(fd, &read_info, sizeof read_info) == -1 && errno == EAGAIN);
	close(fd);
}

static void *thread(void *argument)
{
	uint64_t all = ~0ull, old, now;
	int rounds = *(int *)argument;
	for (int i = 0; i < rounds; i++) {
		siginfo_t info;
		CHECK(syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &old, 8) == 0);
		empty();
		CHECK(syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &now, 8) == 0);
		CHECK((now | 1ull << (SIGKILL - 1) | 1ull << (SIGSTOP - 1)) == ~0ull);
		pthread_sigqueue(pthread_self(), SIGRTMIN + 5, (union sigval) { .sival_int = 5 });
		pthread_kill(pthread_self(), SIGUSR1);
		CHECK((i % 2 ? wait_raw : wait_libc)(&info) == SIGUSR1);
		CHECK((i % 2 ? wait_libc : wait_raw)(&info) == SIGRTMIN + 5 && info.si_value.sival_int == 5);
		empty();
		CHECK(syscall(SYS_rt_sigprocmask, SIG_SETMASK, &old, NULL, 8) == 0);
		CHECK(syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &now, 8) == 0 && now == old);
		busy(2);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	int rounds = 4;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, thread, &rounds);
	thread(&rounds);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("nothing but what was sent\n");
	return 0;
}
