/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that hands to library calls what is no memory: each that libc leaves to the kernel returns EFAULT, or does
 * what it can do before, and reads no further than the kernel does what lies at the end of a page.  Hard because a
 * recorder that stands in for such a call looks at what it is given before the kernel does.  What libc itself reads or
 * writes is left out. */
/* build: -fno-delete-null-pointer-checks */
#include "nasty.h"

#include <errno.h>
#include <poll.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <ucontext.h>

#define REFUSES(call) (errno = 0, (call) == -1 && errno == EFAULT)

extern char **environ;
static const struct timespec at_once = { 0, 0 };

/* SET is what the call is handed, of which each but NULL is told of. */
static void waits(const sigset_t *set)
{
	struct epoll_event event;
	struct pollfd fd = { -1, 0, 0 };
	int epoll = epoll_create1(EPOLL_CLOEXEC), signal;
	CHECK(epoll >= 0);
	CHECK(REFUSES(sigwaitinfo(set, NULL)) && REFUSES(sigtimedwait(set, NULL, &at_once)));
	CHECK(sigwait(set, &signal) == EFAULT);
	CHECK(REFUSES(sigsuspend(set)) && REFUSES(signalfd(-1, set, 0)));
	if (set) {
		CHECK(REFUSES(ppoll(&fd, 1, &at_once, set)) && REFUSES(sigpending((sigset_t *)set)));
		CHECK(REFUSES(pselect(0, NULL, NULL, NULL, &at_once, set)));
		CHECK(REFUSES(epoll_pwait(epoll, &event, 1, 0, set)));
		CHECK(REFUSES(epoll_pwait2(epoll, &event, 1, &at_once, set)) || errno == ENOSYS);
	}
	close(epoll);
}

/* SET has eight bytes, and the page ends. */
static void short_sets(sigset_t *set)
{
	struct epoll_event event;
	int epoll = epoll_create1(EPOLL_CLOEXEC), fd;
	CHECK(sigprocmask(SIG_BLOCK, NULL, set) == 0 && pthread_sigmask(SIG_BLOCK, NULL, set) == 0);
	CHECK(sigpending(set) == 0);
	memset(set, 0, 8);
	CHECK(sigtimedwait(set, NULL, &at_once) == -1 && errno == EAGAIN);
	fd = signalfd(-1, set, SFD_CLOEXEC);
	CHECK(fd >= 0 && ppoll(NULL, 0, &at_once, set) == 0 && pselect(0, NULL, NULL, NULL, &at_once, set) == 0);
	CHECK(epoll_pwait(epoll, &event, 1, 0, set) == 0);
	close(fd);
	close(epoll);
}

static void masks(void *none)
{
	sigset_t user, now;
	sigemptyset(&user);
	sigaddset(&user, SIGUSR1);
	sigaddset(&user, recorder_signal());
	CHECK(REFUSES(sigprocmask(SIG_BLOCK, NULL, none)) && pthread_sigmask(SIG_BLOCK, NULL, none) == EFAULT);
	/* The change comes first. */
	CHECK(REFUSES(sigprocmask(SIG_BLOCK, &user, none)) && sigprocmask(SIG_BLOCK, NULL, &now) == 0);
	CHECK(sigismember(&now, SIGUSR1) && sigismember(&now, recorder_signal()));
	CHECK(pthread_sigmask(SIG_UNBLOCK, &user, none) == EFAULT && sigprocmask(SIG_BLOCK, NULL, &now) == 0);
	CHECK(!sigismember(&now, SIGUSR1) && !sigismember(&now, recorder_signal()));
	errno = 0;
	CHECK(sigaction(0, none, NULL) == -1 && sigaction(32, none, none) == -1 && errno == EINVAL);
}

/* glibc's loses a register where it is refused. */
static __attribute__((noinline)) int swap(const ucontext_t *to)
{
	ucontext_t here;
	int result = swapcontext(&here, to);
	__asm__ volatile("" : : : "rbx", "r12", "r13", "r14", "r15");
	return result;
}

static void contexts(void *none)
{
	CHECK(REFUSES(setcontext(NULL)) && REFUSES(setcontext(none)));
	CHECK(REFUSES(swap(NULL)) && REFUSES(swap(none)));
}

/* TEXT is one at the end of a page. */
static void programs(void *none, char *text)
{
	char *good[] = { "true", NULL }, *bad[] = { "true", none, NULL };
	char **cut = (char **)(text - 16);
	pid_t pid;
	int status;
	CHECK(REFUSES(execve(none, good, environ)) && REFUSES(execve(NULL, good, environ)));
	CHECK(REFUSES(execve("/bin/true", none, environ)) && REFUSES(execve("/bin/true", bad, environ)));
	CHECK(REFUSES(execve("/bin/true", good, none)) && REFUSES(execve("/bin/true", good, bad)));
	CHECK(REFUSES(execv(none, good)) && REFUSES(execveat(AT_FDCWD, none, good, environ, 0)));
	CHECK(posix_spawn(&pid, none, NULL, NULL, good, environ) == EFAULT);
	CHECK(posix_spawn(&pid, "/bin/true", NULL, NULL, good, none) == EFAULT);
	CHECK(posix_spawn(&pid, text, NULL, NULL, good, environ) == 0 && waitpid(pid, &status, 0) == pid && !status);
	cut[0] = cut[1] = text; /* a list without end, and a text without */
	CHECK(REFUSES(execve("/bin/true", cut, environ)));
	memset(text, 'x', 16);
	CHECK(REFUSES(execve(text, good, environ)));
	strcpy(text, "/bin/true");
}

int main(void)
{
	static void *const bad[] = { (void *)8, (void *)0xdeadbeef000, (void *)0x8000000000000000, (void *)-4096 };
	char *memory = mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(memory != MAP_FAILED && mprotect(memory + 4096, 4096, PROT_NONE) == 0);
	waits(NULL);
	for (int round = 0; round < 40; round++) {
		void *none = round % 5 == 4 ? memory + 4096 - 4 : bad[round % 5];
		waits(none);
		masks(none);
		short_sets((void *)(memory + 4096 - 8));
		busy(1);
		CHECK(REFUSES(sigaltstack(none, NULL)) && REFUSES(sigaltstack(NULL, none)));
		contexts(bad[round % 4]);
		busy(1);
		if (round % 8 == 0)
			programs(bad[round % 4], strcpy(memory + 4096 - 16, "/bin/true"));
	}
	printf("each was refused\n");
	return 0;
}
