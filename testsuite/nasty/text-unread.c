/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A page of code that is called all the time, directly and through a pointer, is taken away for a while by an inline
 * `syscall` of mprotect in another thread: the fault is the program's, at the function, with the registers and flags of
 * the call.  Hard because the recorder knows the way there, but compares the code with its translation before it goes
 * on, and faults first. */
#include "nasty.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>

#define CARRY_AND_SIGN 0x81

extern uint8_t far_page[];
extern uint64_t far_call(uint64_t (*function)(uint64_t), uint64_t value), far_direct(uint64_t value);
extern uint64_t far(uint64_t value);

/* Both go there with known values in the registers, and with carry and sign set. */
__asm__(".text\n.balign 4096\nfar_page:	.skip 40\nfar:	adcq $40, %rdi\n	leaq (%rdi,%rsi), %rax\n"
	"	addq %rcx, %rax\n	addq %rdx, %rax\n	addq %r8, %rax\n	ret\n.balign 4096\n"
	".macro values\n	movl $1, %eax\n	movl $2, %esi\n	movl $4, %ecx\n	movl $8, %edx\n"
	"	xorl %r9d, %r9d\n	subq $1, %r9\n	movl $16, %r8d\n.endm\n"
	"far_direct:	values\n	call far\n	ret\n"
	"far_call:	movq %rdi, %r10\n	movq %rsi, %rdi\n	values\n	call *%r10\n	ret\n");

static volatile uint64_t turn;
static _Atomic int faults, back;
static _Atomic bool over;

static long protect(int protection)
{
	return inline_call(SYS_mprotect, (long)far_page, 4096, protection, 0, 0);
}

/* It comes where the function is left in the middle, too. */
static void on_fault(int signal, siginfo_t *info, void *context)
{
	const greg_t *gregs = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)signal;
	CHECK(gregs[REG_RIP] == (greg_t)info->si_addr && (uint64_t)(gregs[REG_RIP] - (greg_t)far) < 4096 - 40);
	CHECK(gregs[REG_RSI] == 2 && gregs[REG_RCX] == 4 && gregs[REG_RDX] == 8 && gregs[REG_R8] == 16);
	CHECK(gregs[REG_RIP] != (greg_t)far ||
	      ((uint64_t)gregs[REG_RDI] == turn && gregs[REG_RAX] == 1 &&
	       (gregs[REG_EFL] & CARRY_AND_SIGN) == CARRY_AND_SIGN));
	for (int mine = ++faults; back < mine;)
		sched_yield();
}

static void *other(void *argument)
{
	(void)argument;
	for (int i = 1; i <= 300; i++) {
		usleep(200);
		CHECK(protect(PROT_NONE) == 0);
		while (faults < i)
			sched_yield();
		CHECK(protect(PROT_READ | PROT_EXEC) == 0);
		back = i;
	}
	over = true;
	return NULL;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	pthread_t thread;

	CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
	CHECK(pthread_create(&thread, NULL, other, NULL) == 0);
	while (!over) {
		CHECK(far_direct(turn) == turn + 71 && far_call(far, turn) == turn + 71);
		turn++;
	}
	CHECK(pthread_join(thread, NULL) == 0);
	CHECK(faults == 300);
	puts("ok");
	return 0;
}
