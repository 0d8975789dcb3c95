/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that hands to syscall() what is no memory, or may not be written, to learn just that, as libraries do that
 * walk a stack: each call returns the kernel's error, a mask or an action is changed where the kernel changes it, and
 * what lies at the end of a page is read no further.  Hard because a recorder looks at such sets in the kernel's place.
 */
#include "nasty.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

struct action {
	void *handler;
	uint64_t flags;
	void *restorer;
	uint64_t mask;
};

static void *const bad[] = { (void *)8, (void *)0xdeadbeef000, (void *)0x8000000000000000, (void *)-4096 };

static int refuses(long number, long a, const void *b, const void *c, int error)
{
	errno = 0;
	return syscall(number, a, b, c, 8) == -1 && errno == error;
}

/* PAGE may only be read. */
static void masks(const uint64_t *page, const void *none)
{
	uint64_t mask, user = 1ull << (SIGUSR1 - 1);
	for (int how = -1; how < 4; how++) {
		CHECK(refuses(SYS_rt_sigprocmask, how, none, NULL, EFAULT));
		CHECK(how >= 0 && how < 3 ? syscall(SYS_rt_sigprocmask, how, page, NULL, 8) == 0
					  : refuses(SYS_rt_sigprocmask, how, page, NULL, EINVAL));
		CHECK(syscall(SYS_rt_sigprocmask, how, NULL, &mask, 8) == 0 && mask == 0);
		CHECK(refuses(SYS_rt_sigprocmask, how, NULL, none, EFAULT));
		CHECK(refuses(SYS_rt_sigprocmask, how, NULL, page, EFAULT));
	}
	/* The change comes first. */
	CHECK(refuses(SYS_rt_sigprocmask, SIG_BLOCK, &user, none, EFAULT));
	CHECK(syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &mask, 8) == 0 && mask == user);
	CHECK(syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &mask, &mask, 8) == 0 && mask == user);
	CHECK(syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &mask, 8) == 0 && mask == 0);
}

static void actions(const uint64_t *page, const void *none)
{
	const int signals[] = { SIGUSR1, SIGSEGV, recorder_signal(), 1000 };
	struct action ignored = { (void *)SIG_IGN }, standard = { (void *)SIG_DFL }, now;
	for (int i = 0; i < 4; i++)
		CHECK(refuses(SYS_rt_sigaction, signals[i], none, NULL, EFAULT));
	for (int i = 0; i < 3; i++)
		CHECK(refuses(SYS_rt_sigaction, signals[i], NULL, none, EFAULT) &&
		      refuses(SYS_rt_sigaction, signals[i], NULL, page, EFAULT));
	CHECK(refuses(SYS_rt_sigaction, 1000, page, NULL, EINVAL));
	CHECK(refuses(SYS_rt_sigaction, SIGUSR1, &ignored, none, EFAULT));
	CHECK(syscall(SYS_rt_sigaction, SIGUSR1, NULL, &now, 8) == 0 && now.handler == (void *)SIG_IGN);
	CHECK(syscall(SYS_rt_sigaction, SIGUSR1, &standard, &ignored, 8) == 0 && ignored.handler == (void *)SIG_IGN);
}

static void others(const uint64_t *page, const void *none)
{
	static const struct timespec at_once = { 0, 0 };
	static const int limits[] = { RLIMIT_AS, RLIMIT_DATA, RLIMIT_SIGPENDING, RLIMIT_NOFILE };
	CHECK(refuses(SYS_rt_sigpending, (long)none, (void *)8, NULL, EFAULT));
	CHECK(syscall(SYS_rt_sigtimedwait, none, NULL, &at_once, 8) == -1 && errno == EFAULT);
	CHECK(syscall(SYS_rt_sigtimedwait, NULL, NULL, &at_once, 8) == -1 && errno == EFAULT);
	CHECK(syscall(SYS_rt_sigtimedwait, page, NULL, &at_once, 8) == -1 && errno == EAGAIN);
	CHECK(syscall(SYS_rt_sigtimedwait, page, NULL, none, 8) == -1 && errno == EFAULT);
	for (int i = 0; i < 4; i++) {
		CHECK(refuses(SYS_setrlimit, limits[i], none, NULL, EFAULT));
		errno = 0;
		CHECK(syscall(SYS_prlimit64, 0, limits[i], none, NULL) == -1 && errno == EFAULT);
		errno = 0;
		CHECK(setrlimit(limits[i], none) == -1 && errno == EFAULT);
	}
}

int main(void)
{
	char *memory = mmap(NULL, 3 * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(memory != MAP_FAILED && mprotect(memory + 4096, 4096, PROT_NONE) == 0);
	for (int round = 0; round < 40; round++) {
		masks((void *)(memory + 4096 - 8), bad[round % 4]);
		masks((void *)memory, memory + 4096 - 4);
		busy(1);
		actions((void *)(memory + 4096 - sizeof(struct action)), bad[round % 4]);
		actions((void *)memory, memory + 4096 - 4);
		busy(1);
		others((void *)(memory + 4096 - 8), bad[round % 4]);
		busy(1);
	}
	printf("each was refused\n");
	return 0;
}
