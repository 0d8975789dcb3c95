/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hundreds of coroutines on stacks of 8 KB between pages without access, which they use to the last half KB, in threads
 * that have an alternate stack; and code whose stack pointer points into memory that cannot be written.  Hard because
 * any frame that is pushed to the stack in use ends in the guard page or in somebody's data. */
#include "nasty.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#define COUNT 64
#define SIZE 8192

struct fiber {
	ucontext_t context;
	ucontext_t *caller;
	uint64_t sum;
};

/* Goes down to 512 bytes above the end of its stack. */
static uint64_t __attribute__((noinline)) fill(uintptr_t end, uint64_t seed)
{
	volatile uint64_t room[16];
	for (unsigned int i = 0; i < 16; i++)
		room[i] = seed + i;
	uint64_t sum = (uintptr_t)room - end > 1024 ? fill(end, seed * 3 + 1) : work(3000);
	for (unsigned int i = 0; i < 16; i++)
		if (room[i] != seed + i)
			abort();
	return sum * 31 + seed;
}

static void body(unsigned int low, unsigned int high)
{
	struct fiber *fiber = (struct fiber *)((uintptr_t)high << 32 | low);
	uintptr_t end = (uintptr_t)fiber->context.uc_stack.ss_sp;
	for (;;) {
		fiber->sum += fill(end, fiber->sum | 1);
		swapcontext(&fiber->context, fiber->caller);
	}
}

/* rsp in a page without write access for as long as the loop lasts. */
uint64_t borrowed(uint64_t rounds, void *stack);
__asm__(
    ".text\nborrowed:\n	movq %rsp, %rdx\n	movq %rsi, %rsp\n	xorl %eax, %eax\n"
    "1:	leaq (%rax,%rdi,2), %rax\n	rolq $5, %rax\n	testb $3, %al\n	jz 2f\n	addq (%rsp), %rax\n2:	decq %rdi\n"
    "	jnz 1b\n	movq %rdx, %rsp\n	ret\n");

static void *thread(void *argument)
{
	struct fiber *fibers = calloc(COUNT, sizeof *fibers);
	ucontext_t caller;
	stack_t alternate = { malloc(65536), 0, 65536 };
	uint64_t sum = 0;
	char *fixed = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(sigaltstack(&alternate, NULL) == 0);
	for (int i = 0; i < COUNT; i++) {
		char *area = mmap(NULL, 4096 + SIZE + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		CHECK(area != MAP_FAILED && mprotect(area, 4096, PROT_NONE) == 0 &&
		      mprotect(area + 4096 + SIZE, 4096, PROT_NONE) == 0);
		getcontext(&fibers[i].context);
		fibers[i].context.uc_stack.ss_sp = area + 4096;
		fibers[i].context.uc_stack.ss_size = SIZE;
		fibers[i].caller = &caller;
		fibers[i].sum = (uint64_t)i;
		makecontext(&fibers[i].context, (void (*)(void))body, 2, (unsigned int)(uintptr_t)&fibers[i],
			    (unsigned int)((uintptr_t)&fibers[i] >> 32));
	}
	for (int round = 0; round < 120; round++) {
		for (int i = 0; i < COUNT; i++)
			swapcontext(&caller, &fibers[i].context);
		sum += borrowed(100000, fixed + 4096);
	}
	for (int i = 0; i < COUNT; i++)
		sum = sum * 31 + fibers[i].sum;
	return (void *)(uintptr_t)sum;
}

int main(void)
{
	pthread_t id;
	void *sum;
	pthread_create(&id, NULL, thread, NULL);
	printf("%lx", (unsigned long)(uintptr_t)thread(NULL));
	pthread_join(id, &sum);
	printf(" %lx\n", (unsigned long)(uintptr_t)sum);
	return 0;
}
