/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For loads and stores at a recorder's steps: threads that take turns, each of whose turns begins with an instruction
 * that the processor runs itself, and system calls with a load, a store, or both right behind them. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>

#define THREADS 4
#define CALLS 1000
#define TURNS 40000

uint64_t behind[3] = { 5, 0, 0 };

/* What is behind the call loads 5, stores rbx, adds rbx, or returns. */
uint64_t calls(uint64_t turns);
__asm__(".globl calls\n"
	".type calls, @function\n"
	"calls:	push %rbx\n"
	"	push %r12\n"
	"	mov %rdi, %rbx\n"
	"	lea behind(%rip), %rdi\n"
	"1:	mov $102, %eax\n" /* getuid(2) */
	"	syscall\n"
	"	mov (%rdi), %r12\n"
	"	mov $102, %eax\n"
	"	syscall\n"
	"	mov %rbx, 8(%rdi)\n"
	"	mov $102, %eax\n"
	"	syscall\n"
	"	add %r12, 16(%rdi)\n"
	"	call 2f\n"
	"	dec %rbx\n"
	"	jnz 1b\n"
	"	mov 16(%rdi), %rax\n"
	"	pop %r12\n"
	"	pop %rbx\n"
	"	ret\n"
	"2:	mov $102, %eax\n"
	"	syscall\n"
	"	ret\n"
	".size calls, .-calls\n");

__attribute__((noinline, noclone)) static uint64_t sum(const volatile uint64_t *table, uint64_t turns)
{
	uint64_t total = 0;

	for (uint64_t i = 0; i < turns; i++)
		total += table[i % 8];
	return total;
}

static void *work(void *number)
{
	volatile uint64_t table[8];

	for (uint64_t i = 0; i < 8; i++)
		table[i] = (uintptr_t)number + i;
	return (void *)(uintptr_t)sum(table, TURNS);
}

int main(void)
{
	pthread_t threads[THREADS];
	uint64_t total = calls(CALLS);

	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, (void *)i))
			abort();
	for (int i = 0; i < THREADS; i++) {
		void *one;

		pthread_join(threads[i], &one);
		total += (uintptr_t)one;
	}
	printf("%llu\n", (unsigned long long)total);
	return 0;
}
