/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that puts the FS base elsewhere for a while, to zero, to a page without access, to a thread block of its
 * own, as emulators do that run other code with its own thread pointer, and calls nothing of libc meanwhile.  Hard
 * because a signal handler that uses a thread-local variable, errno for one, reads it through FS. */
#include "nasty.h"

#include <asm/prctl.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static bool by_instruction;

static inline uint64_t get(void)
{
	uint64_t base;
	if (by_instruction)
		__asm__ volatile("rdfsbase %0" : "=r"(base));
	else
		inline_call(SYS_arch_prctl, ARCH_GET_FS, (long)&base, 0, 0, 0);
	return base;
}

static inline void set(uint64_t base)
{
	if (by_instruction)
		__asm__ volatile("wrfsbase %0" : : "r"(base) : "memory");
	else
		inline_call(SYS_arch_prctl, ARCH_SET_FS, (long)base, 0, 0, 0);
}

static inline uint64_t load(uint64_t offset)
{
	uint64_t value;
	__asm__ volatile("movq %%fs:(%1), %0" : "=r"(value) : "r"(offset) : "memory");
	return value;
}

static __thread uint64_t local = 77;

/* No call of libc, no thread-local variable, no stack protector from set to set. */
static __attribute__((noinline)) int elsewhere(uint64_t base, const uint64_t *area)
{
	uint64_t own = get();
	int wrong = 0;
	set(base);
	for (int i = 0; i < 20; i++) {
		wrong += work(NASTY_ROUNDS) != NASTY_RESULT;
		wrong += get() != base;
		if (area)
			wrong += load((uint64_t)i * 8) != area[i];
	}
	set(own);
	return wrong;
}

static void *thread(void *argument)
{
	static uint64_t area[64];
	uint64_t none = (uint64_t)mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) + 4096;
	for (int i = 0; i < 64; i++)
		area[i] = (uint64_t)i * 1001;
	for (int i = 0; i < 60; i++) {
		CHECK(elsewhere(0, NULL) == 0);
		CHECK(elsewhere(none, NULL) == 0);
		CHECK(elsewhere((uint64_t)area, area) == 0);
		CHECK(local == 77);
		busy(1);
	}
	return argument;
}

int main(void)
{
	pthread_t threads[2];
	by_instruction = getauxval(AT_HWCAP2) & 2;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, thread, NULL);
	thread(NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("FS as it should be\n");
	return 0;
}
