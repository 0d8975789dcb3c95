/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pager in user mode: a thread's access waits in the kernel until another thread has filled the page, which forks,
 * closes a library, sets handlers, starts a thread and protects memory before it does.  Hard because a thread that
 * waits so in a burst holds whatever a burst holds, and all of those calls would like to have it. */
/* part: library.so gcc -shared -fPIC */
#include "nasty.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#ifdef PART
int answer(void)
{
	return 42;
}
#else
#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif
#define PAGES 600

static int uffd;
static char *area, library[4096];
static volatile int served;

static void handler(int signal)
{
}

static void *nothing(void *argument)
{
	return argument;
}

static void meanwhile(int turn)
{
	struct sigaction action = { .sa_handler = handler };
	pthread_t thread;
	void *handle;
	int status;
	pid_t pid;
	switch (turn % 6) {
	case 0:
		pid = fork();
		if (pid == 0)
			_exit(work(NASTY_ROUNDS) == NASTY_RESULT ? 5 : 6);
		CHECK(waitpid(pid, &status, 0) == pid && status == 5 << 8);
		break;
	case 1:
		CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
		CHECK(sigaction(SIGFPE, &action, NULL) == 0);
		break;
	case 2:
		handle = dlopen(library, RTLD_NOW);
		CHECK(handle && ((int (*)(void))dlsym(handle, "answer"))() == 42 && dlclose(handle) == 0);
		break;
	case 3:
		CHECK(pthread_create(&thread, NULL, nothing, NULL) == 0 && pthread_join(thread, NULL) == 0);
		break;
	case 4:
		CHECK(mprotect((void *)((uintptr_t)handler & ~4095ul), 4096, PROT_READ | PROT_EXEC) == 0);
		break;
	default:
		CHECK(signal(SIGBUS, SIG_DFL) != SIG_ERR);
	}
}

static void *pager(void *argument)
{
	static char page[4096] __attribute__((aligned(4096)));
	while (served < PAGES) {
		struct uffd_msg message;
		if (read(uffd, &message, sizeof message) != sizeof message) {
			CHECK(errno == EINTR);
			continue;
		}
		CHECK(message.event == UFFD_EVENT_PAGEFAULT);
		meanwhile(served);
		memset(page, served % 100 + 1, sizeof page);
		struct uffdio_copy copy = { message.arg.pagefault.address & ~4095ull, (uintptr_t)page, 4096, 0, 0 };
		int result;
		do { /* EAGAIN: the address space was just being copied; EEXIST: a second message about a page, which is
		      * what a pager gets where a thread that waits takes a signal */
			copy.copy = 0;
			result = ioctl(uffd, UFFDIO_COPY, &copy);
		} while (result != 0 && errno == EAGAIN);
		if (result != 0)
			CHECK(errno == EEXIST &&
			      ioctl(uffd, UFFDIO_WAKE, &(struct uffdio_range) { copy.dst, 4096 }) == 0);
		else
			served++;
	}
	return argument;
}

int main(int argc, char **argv)
{
	struct uffdio_api api = { .api = UFFD_API };
	pthread_t thread;
	uint64_t sum = 0;
	snprintf(library, sizeof library, "%s.library.so", argv[0]);
	uffd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
	if (uffd < 0)
		nasty_skip("no userfaultfd here");
	CHECK(ioctl(uffd, UFFDIO_API, &api) == 0);
	area = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_register range = { { (uintptr_t)area, PAGES * 4096 }, UFFDIO_REGISTER_MODE_MISSING, 0 };
	CHECK(ioctl(uffd, UFFDIO_REGISTER, &range) == 0);
	pthread_create(&thread, NULL, pager, NULL);
	for (int i = 0; i < PAGES; i++) {
		CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
		sum = sum * 31 + (unsigned char)area[i * 4096 + i];
	}
	pthread_join(thread, NULL);
	busy(100);
	printf("served %d, sum %lx\n", served, sum);
	return 0;
}
#endif
