/* SPDX-License-Identifier: GPL-3.0-or-later */
/* As actions-reset, but by `syscall` instructions in the program's own code: every signal to its default, then a
 * handler for every signal; each must be called for what is sent to the program and for nothing else.  Hard because
 * nothing of it can be interposed, and the recorder's handlers for faults are gone without notice.  The recorder's own
 * signal is left out: that it ends the program then is what doc/recorder-safety.md calls impossible to avoid. */
#include "nasty.h"

#include <signal.h>
#include <sys/syscall.h>

struct raw {
	void *handler;
	unsigned long flags;
	void *restorer;
	uint64_t mask;
};

static long action(int number, const struct raw *new)
{
	return inline_call(SYS_rt_sigaction, number, (long)new, 0, 8, 0);
}

void restorer(void);
__asm__(".text\nrestorer:\n	movl $15, %eax\n	syscall\n");

static volatile int calls[65];

static void handler(int number)
{
	calls[number]++;
}

int main(void)
{
	struct raw standard = { (void *)SIG_DFL, 0, NULL, 0 };
	struct raw handled = { (void *)handler, 0x04000000 | SA_RESTART, (void *)restorer, 0 };
	int wrong = 0;
	busy(50);
	for (int i = 0; i < 10; i++) {
		for (int number = 1; number <= 64; number++)
			number == recorder_signal() || action(number, &standard);
		busy(10);
		for (int number = 34; number <= 64; number++)
			number == recorder_signal() || action(number, &handled);
		busy(10);
		for (int number = 34; number <= 64; number++)
			number == recorder_signal() || raise(number);
		busy(10);
	}
	for (int number = 34; number <= 64; number++)
		wrong += number != recorder_signal() && calls[number] != 10;
	printf("signals that came too often or not: %d\n", wrong);
	return 0;
}
