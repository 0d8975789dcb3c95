/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that is not position-independent lets its heap grow by sbrk to 1.5 GB, and reserves the low addresses that
 * it knows to be free, as run-times with 32-bit pointers do; also without randomised addresses and with the old layout
 * of an unlimited stack, and with a stack of 48 MB in use.  Hard because a code cache wants to be near the code: just
 * there. */
/* build: -no-pie */
#include "nasty.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/wait.h>

static uint64_t __attribute__((noinline)) dive(uint64_t n)
{
	volatile char room[4096];
	room[0] = (char)n;
	return n ? dive(n - 1) + (uint64_t)(room[0] == (char)n) : 0;
}

static int heap(void)
{
	char *begin = sbrk(0);
	for (int i = 0; i < 96; i++) {
		char *got = sbrk(16 << 20);
		if (got == (void *)-1 || got != begin + ((size_t)i << 24))
			return 30 + i / 10;
		got[i] = 1;
	}
	busy(20);
	CHECK(brk(begin) == 0);
	return 0;
}

static int low(void)
{
	for (uintptr_t at = 0x60000000; at < 0xe0000000; at += 0x10000000) {
		void *got = mmap((void *)at, 0x10000000, PROT_NONE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
		if (got != (void *)at)
			return 50;
		munmap(got, 0x10000000);
	}
	return 0;
}

static int child(const char *kind)
{
	int result;
	busy(5);
	if (kind[0] == 'h')
		result = heap();
	else if (kind[0] == 'l')
		result = low();
	else
		result = dive(48 << 8) == 48 << 8 ? 0 : 60;
	return result ? result : 20;
}

int main(int argc, char **argv)
{
	static const char *const kinds[] = { "heap", "low", "stack" };
	if (argc > 1)
		return child(argv[1]);
	busy(60);
	for (int i = 0; i < 9; i++) {
		int status;
		pid_t pid = fork();
		if (pid == 0) {
			struct rlimit limit;
			CHECK(getrlimit(RLIMIT_STACK, &limit) == 0);
			if (i / 3 == 1)
				personality(ADDR_NO_RANDOMIZE);
			limit.rlim_cur = i / 3 == 2 ? limit.rlim_max : 64 << 20;
			CHECK(setrlimit(RLIMIT_STACK, &limit) == 0);
			execl(argv[0], argv[0], kinds[i % 3], NULL);
			_exit(1);
		}
		CHECK(waitpid(pid, &status, 0) == pid);
		printf("%s %d: %x\n", kinds[i % 3], i / 3, status);
	}
	return 0;
}
