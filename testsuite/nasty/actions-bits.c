/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What sigaction tells of a handler is what the kernel keeps of it: a program asks by a flag that no kernel has whether
 * it knows others, and sets all bits of flags and masks, for signals of faults as for others, by the C library and
 * by syscall().  Hard where somebody answers in the kernel's place. */
#include "nasty.h"

#include <signal.h>
#include <sys/syscall.h>

#define NEVER 0x400u   /* SA_UNSUPPORTED */
#define TAGBITS 0x800u /* SA_EXPOSE_TAGBITS */

struct kernel_action {
	void *handler;
	uint64_t flags;
	void *restorer;
	uint64_t mask;
};

static void handler(int signal)
{
}

static void show(const char *who, int number, uint64_t flags, uint64_t mask)
{
	printf("%s %d: %lx %lx\n", who, number, flags, mask);
}

int main(void)
{
	static const int numbers[] = { SIGUSR1, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, 40, 61 };
	static const uint32_t flags[] = { NEVER | TAGBITS | SA_SIGINFO, 0xf3ffffffu & ~SA_RESETHAND, 0,
					  SA_ONSTACK | NEVER };
	for (int round = 0; round < 8; round++) {
		busy(20);
		for (unsigned int i = 0; i < sizeof numbers / sizeof *numbers; i++) {
			struct sigaction new = { .sa_handler = handler, .sa_flags = (int)flags[round % 4] }, old;
			struct kernel_action bare, again = { (void *)handler, flags[round % 4], NULL, ~0ull };
			sigfillset(&new.sa_mask);
			CHECK(sigaction(numbers[i], &new, NULL) == 0 && sigaction(numbers[i], NULL, &old) == 0);
			show("library", numbers[i], (uint32_t)old.sa_flags & ~0x04000000u,
			     *(uint64_t *)(void *)&old.sa_mask);
			CHECK(syscall(SYS_rt_sigaction, numbers[i], NULL, &bare, 8) == 0);
			show("call", numbers[i], bare.flags & ~0x04000000u, bare.mask);
			again.flags |= bare.flags & 0x04000000u;
			again.restorer = bare.restorer;
			CHECK(syscall(SYS_rt_sigaction, numbers[i], &again, NULL, 8) == 0);
			CHECK(sigaction(numbers[i], NULL, &old) == 0);
			show("after", numbers[i], (uint32_t)old.sa_flags & ~0x04000000u,
			     *(uint64_t *)(void *)&old.sa_mask);
		}
	}
	return 0;
}
