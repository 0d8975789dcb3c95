/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that steps itself by the trap flag and counts the steps, each at its own address, and that meets int3 and
 * int 3 of two bytes on the way.  Hard because the flag sits in a register that a translator saves and restores, and
 * one step too many or too few, or one in code that is not the program's, is seen.  Which is which is told by the
 * address: on a busy virtual machine one step in a million has the code of a breakpoint, without a recorder too. */
/* unrecorded: a thread that has stepped itself may be left alone for good */
#include "nasty.h"

#include <signal.h>
#include <ucontext.h>

uint64_t stepped(uint64_t n);
extern char stepped_begin[], stepped_end[];
__asm__(".text\n.globl stepped\nstepped:\nstepped_begin:\n"
	"	xorl %eax, %eax\n"
	"	pushfq\n	orq $0x100, (%rsp)\n	popfq\n"
	"1:	addq %rdi, %rax\n"
	"	call 2f\n"
	"	decq %rdi\n"
	"	jnz 1b\n"
	"	pushfq\n	andq $~0x100, (%rsp)\n	popfq\n"
	"	ret\n"
	"2:	rolq $3, %rax\n	ret\nstepped_end:\n");

void stops(void);
extern char stops_end[];
__asm__(".globl stops\nstops:\n	int3\n	.byte 0xcd, 3\n	nop\n	int3\n	ret\nstops_end:\n");

static volatile int steps, outside, breaks;
static volatile uint64_t places;

static void on_trap(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;
	uint64_t rip = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
	(void)info;
	if (rip - (uint64_t)stops < (uint64_t)(stops_end - (char *)stops)) {
		breaks++;
		places = places * 31 + rip - (uint64_t)stops;
	} else {
		steps++;
		outside += rip - (uint64_t)stepped_begin >= (uint64_t)(stepped_end - stepped_begin);
		places = places * 31 + rip - (uint64_t)stepped_begin;
	}
}

static void on_usr1(int signal)
{
	work(100);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };
	uint64_t sum = 0, first_places = 0;
	int first_steps = 0;
	sigaction(SIGTRAP, &action, NULL);
	signal(SIGUSR1, on_usr1);
	for (int i = 0; i < 12; i++) {
		places = 0;
		steps = 0;
		sum = sum * 31 + stepped(100);
		for (int k = 0; k < 20; k++)
			stops();
		if (i == 0) {
			first_steps = steps;
			first_places = places;
		}
		CHECK(steps == first_steps && places == first_places && outside == 0);
		raise(SIGUSR1);
		for (int k = 0; k < 600; k++)
			CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
	}
	busy(300);
	printf("steps %d, places %lx, breaks %d, sum %lx\n", first_steps, (unsigned long)first_places, breaks,
	       (unsigned long)sum);
	return 0;
}
