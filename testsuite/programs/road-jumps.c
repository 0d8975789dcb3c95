/* SPDX-License-Identifier: GPL-3.0-or-later */
/* setjmp out of nested calls, a signal handler on a stack of its own that interrupts the work all the time, function
 * pointers, a large switch.  The signals' number depends on time, so only what they cannot change is printed. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

static volatile sig_atomic_t ticks;
static jmp_buf out;
static char stack[65536];

static void on_tick(int signal)
{
	char local[512];

	(void)signal;
	memset(local, ticks, sizeof local);
	ticks += 1 + (local[7] - local[8]);
}

static unsigned step(unsigned op, unsigned v)
{
	switch (op & 15) {
	case 0:
	case 1:
	case 2:
	case 3:
	case 4:
	case 5:
	case 6:
		return v * 3 + op;
	case 7:
		return v ^ (v << 3);
	case 8:
		return v >> 1;
	case 9:
		return v - op;
	case 10:
		return v | 0x101;
	case 11:
		return v + (v & 15 ? 2 : 5);
	case 12:
		return ~v;
	case 13:
		return v % 1021;
	case 14:
		return v * v;
	default:
		return 7;
	}
}

static void descend(unsigned depth, unsigned v)
{
	if (depth == 0)
		longjmp(out, (int)(v % 100) + 1);
	if (v % 17 == 0)
		longjmp(out, 200);
	descend(depth - 1, step(depth, v));
}

static unsigned twice(unsigned v)
{
	return v * 2;
}

static unsigned odd(unsigned v)
{
	return v | 1;
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 100;
	unsigned (*const calls[8])(unsigned) = { twice, twice, twice, twice, odd, twice, twice, twice };
	struct itimerval often = { { 0, 2000 }, { 0, 2000 } };
	struct sigaction action = { .sa_handler = on_tick, .sa_flags = SA_ONSTACK | SA_RESTART };
	stack_t own = { .ss_sp = stack, .ss_size = sizeof stack };
	volatile unsigned hash = 1, landed = 0;

	sigaltstack(&own, NULL);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (volatile unsigned r = 0; r < rounds; r++) {
		int code = setjmp(out);

		if (code == 0)
			descend(8 + r % 5, r * 2654435761u);
		landed += (unsigned)code;
		for (unsigned i = 0; i < 40; i++)
			hash = step(i % 8 ? 3 : r + i, calls[i & 7](hash) + i);
	}
	signal(SIGALRM, SIG_IGN);
	printf("%u %u %s\n", hash, landed, ticks >= 0 ? "ticked" : "");
	return 0;
}
