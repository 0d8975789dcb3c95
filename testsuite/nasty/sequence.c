/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Restartable sequences: counters for each processor, incremented without atomics by four threads, with the area that
 * libc registered and, in a child, with one that the program registers itself in its place.  Hard because a sequence
 * that is cut in the middle must begin anew, also when it was running in a code cache. */
/* part: own gcc -lpthread */
#include "nasty.h"

#include <linux/rseq.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define ROUNDS 8000000
static struct {
	int64_t count;
	char pad[56];
} counters[1024];

/* *COUNTER += 1 if the thread is still on CPU; else, or when cut, nothing and 0. */
static int increment(struct rseq *area, int64_t *counter, uint32_t cpu)
{
	__asm__ goto(".pushsection __rseq_cs, \"aw\"\n\t"
		     ".balign 32\n"
		     "3:	.long 0, 0\n\t"
		     ".quad 1f, 2f - 1f, 4f\n\t"
		     ".popsection\n\t"
		     "leaq 3b(%%rip), %%rax\n\t"
		     "movq %%rax, %c[descriptor](%[area])\n"
		     "1:	cmpl %[cpu], %c[id](%[area])\n\t"
		     "jnz 4f\n\t"
		     "movq (%[counter]), %%rcx\n\t"
		     "incq %%rcx\n\t"
		     "movq %%rcx, (%[counter])\n"
		     "2:\n\t"
		     ".pushsection __rseq_failure, \"ax\"\n\t"
		     ".byte 0x0f, 0xb9, 0x3d\n\t"
		     ".long 0x53053053\n"
		     "4:	jmp %l[cut]\n\t"
		     ".popsection"
		     :
		     : [area] "r"(area), [counter] "r"(counter), [cpu] "r"(cpu),
		       [descriptor] "i"(offsetof(struct rseq, rseq_cs)), [id] "i"(offsetof(struct rseq, cpu_id))
		     : "memory", "cc", "rax", "rcx"
		     : cut);
	return 1;
cut:
	return 0;
}

#ifdef PART
static __thread struct rseq own __attribute__((aligned(32))) = { .cpu_id = (uint32_t)-1 };

static struct rseq *area(void)
{
	CHECK(syscall(SYS_rseq, &own, sizeof own, 0, 0x53053053) == 0);
	return &own;
}
#else
extern const ptrdiff_t __rseq_offset;
extern const unsigned int __rseq_size;

static struct rseq *area(void)
{
	return (struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset);
}
#endif

static void *count(void *argument)
{
	struct rseq *mine = area();
	for (int i = 0; i < ROUNDS;) {
		uint32_t cpu = *(volatile uint32_t *)&mine->cpu_id_start;
		i += increment(mine, &counters[cpu % 1024].count, cpu);
	}
	return argument;
}

int main(int argc, char **argv)
{
	pthread_t threads[4];
	int64_t sum = 0;
	busy(100);
#ifndef PART
	if (__rseq_size == 0)
		nasty_skip("libc registers no restartable sequences here");
#endif
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, count, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 1024; i++)
		sum += counters[i].count;
	printf("counted %ld\n", (long)sum);
#ifndef PART
	char command[8192];
	fflush(stdout);
	snprintf(command, sizeof command, "GLIBC_TUNABLES=glibc.pthread.rseq=0 exec '%s.own'", argv[0]);
	CHECK(system(command) == 0);
#endif
	return 0;
}
