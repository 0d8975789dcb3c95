/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Control flow that a translator can get wrong: setjmp and longjmp, deep recursion, coroutines on small stacks,
 * computed goto, loop and jrcxz, call to the next instruction, ret with a count, string instructions in both
 * directions, flags across everything, compare-and-swap, and code that it generates and changes itself. */
#include <setjmp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

static jmp_buf jump;
static ucontext_t main_context, coroutines[8];
static char stacks[8][32768];
static uint64_t total;

static void __attribute__((noinline)) thrower(int depth, int value)
{
	volatile char room[64];
	room[0] = (char)depth;
	if (depth == 0)
		longjmp(jump, value);
	thrower(depth - 1, value);
	room[1] = room[0];
}

static uint64_t jumps(void)
{
	volatile uint64_t sum = 0;
	for (volatile int i = 1; i < 100000; i++) {
		int got = setjmp(jump);
		if (got)
			sum += (uint64_t)got;
		else
			thrower(i % 20, i);
	}
	return sum;
}

static uint64_t __attribute__((noinline)) deep(uint64_t n)
{
	volatile uint64_t keep = n;
	return n == 0 ? 1 : keep + 3 * deep(n - 1) % 1000003;
}

static void coroutine(int number)
{
	for (int i = 0; i < 20000; i++) {
		total = total * 31 + (uint64_t)number;
		swapcontext(&coroutines[number], &coroutines[(number + 1) % 8]);
	}
}

static uint64_t coroutines_run(void)
{
	for (int i = 0; i < 8; i++) {
		getcontext(&coroutines[i]);
		coroutines[i].uc_stack.ss_sp = stacks[i];
		coroutines[i].uc_stack.ss_size = sizeof stacks[i];
		coroutines[i].uc_link = &main_context;
		makecontext(&coroutines[i], (void (*)(void))coroutine, 1, i);
	}
	swapcontext(&main_context, &coroutines[0]);
	return total;
}

static uint64_t interpreter(void)
{
	static void *const labels[] = { &&add, &&mul, &&shift, &&odd };
	uint64_t a = 1, n = 3000000;
	goto *labels[a & 3];
add:
	a += n;
	goto next;
mul:
	a *= 6364136223846793005u;
	goto next;
shift:
	a ^= a >> 17;
	goto next;
odd:
	a = (a << 3) + 1;
next:
	if (n-- == 0)
		return a;
	goto *labels[(a >> 5) & 3];
}

uint64_t odd_branches(uint64_t rounds);
__asm__(".text\n.globl odd_branches\n.type odd_branches,@function\nodd_branches:\n"
	"	xorl %eax, %eax\n"
	"	movq %rdi, %r8\n"
	"1:	movl $7, %ecx\n"
	"2:	addq %rcx, %rax\n"
	"	loop 2b\n"
	"	jrcxz 3f\n"
	"	ud2\n"
	"3:	call 4f\n"
	"4:	popq %rdx\n"
	"	leaq 5f(%rip), %rsi\n"
	"	subq %rdx, %rsi\n"
	"	addq %rsi, %rax\n"
	"	pushq $11\n"
	"	pushq $22\n"
	"	leaq 6f(%rip), %rsi\n"
	"	pushq %rsi\n"
	"	movq %rax, -8(%rsp)\n" /* red zone */
	"	call *7f(%rip)\n"
	"5:	movq -8(%rsp), %rdx\n"
	"	ret $16\n"
	"6:	stc\n"
	"	movl $3, %ecx\n"
	"8:	adcq $1, %rax\n" /* carry must live through the jump */
	"	decq %rcx\n"
	"	jnz 8b\n"
	"	movl $5, %ecx\n"
	"9:	cmpq %rcx, %r8\n"
	"	loopne 9b\n"
	"	addq %rcx, %rax\n"
	"	movl $1, %ecx\n"
	"	.byte 0x67; jrcxz 10f\n"
	"	decq %r8\n"
	"	jnz 1b\n"
	"10:	ret\n"
	"11:	incq %rax\n"
	"	ret\n"
	".data\n.balign 8\n7:	.quad 11b\n.text\n");

static uint64_t strings(void)
{
	static unsigned char a[5000], b[5000];
	uint64_t sum = 0;
	for (int round = 0; round < 3000; round++) {
		void *to = b, *from = a;
		size_t count = 4000 + (size_t)round % 900;
		a[round] = (unsigned char)round;
		__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
		to = b + 4999;
		count = (size_t)round % 500;
		__asm__ volatile("std\n\trep stosb\n\tcld" : "+D"(to), "+c"(count) : "a"(round) : "memory");
		for (int i = 0; i < 5000; i += 7)
			sum = sum * 31 + b[i];
		from = a;
		to = b;
		count = 5000;
		__asm__ volatile("repe cmpsb" : "+D"(to), "+S"(from), "+c"(count) : : "memory", "cc");
		sum += count;
	}
	return sum;
}

static uint64_t swaps(void)
{
	_Atomic uint64_t cell = 1;
	for (int i = 0; i < 2000000; i++) {
		uint64_t old = atomic_load(&cell);
		while (!atomic_compare_exchange_weak(&cell, &old, old * 5 + 1))
			;
	}
	return cell;
}

static uint64_t generated(void)
{
	uint8_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t sum = 0;
	for (uint32_t i = 0; i < 300000; i++) {
		static const uint8_t text[] = { 0xb8, 0, 0, 0, 0, 0xc3 }; /* mov $imm, %eax; ret */
		memcpy(code, text, sizeof text);
		memcpy(code + 1, &i, 4);
		sum += ((uint32_t(*)(void))(void *)code)() * (sum | 1);
	}
	return sum;
}

int __attribute__((noinline, aligned(4096))) patched(int value)
{
	return value + 1000;
}

/* Text of the file itself, changed while it is in use. */
static uint64_t patches(void)
{
	uint64_t sum = 0;
	uint8_t *text = (uint8_t *)(((uintptr_t)patched) & ~4095ul);
	for (int i = 0; i < 2000000; i++)
		sum += (uint64_t)patched(i);
	mprotect(text, 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
	for (uint8_t *at = text; at < text + 32; at++)
		if (at[0] == 0xe8 && at[1] == 3 && at[2] == 0 && at[3] == 0) {
			at[0] = 7;
			at[1] = 0;
			break;
		}
	for (int i = 0; i < 2000000; i++)
		sum += (uint64_t)patched(i);
	return sum;
}

int main(void)
{
	printf("jumps %lu\n", jumps());
	for (int i = 0; i < 30; i++)
		total = deep(30000);
	printf("deep %lu\n", total);
	printf("coroutines %lu\n", coroutines_run());
	printf("interpreter %lu\n", interpreter());
	printf("odd %lu\n", odd_branches(2000000));
	printf("strings %lu\n", strings());
	printf("swaps %lu\n", swaps());
	printf("generated %lu\n", generated());
	printf("patches %lu\n", patches());
	return 0;
}
