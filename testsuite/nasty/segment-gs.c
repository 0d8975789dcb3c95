/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The GS segment is the program's: its base reads as zero until the program sets it, by wrgsbase (where there is such),
 * by arch_prctl or inline, on one thread and not on others, back and forth; with base zero an access through GS faults
 * at the small address that it names.  Hard because a recorder likes to keep its own state there, and no fault tells of
 * a read that should have. */
#include "nasty.h"

#include <asm/prctl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

static __thread sigjmp_buf back;
static __thread volatile uintptr_t faulted;

static void on_segv(int signal, siginfo_t *info, void *context)
{
	faulted = (uintptr_t)info->si_addr;
	siglongjmp(back, 1);
}

static bool by_instruction;

static inline uint64_t get(void)
{
	uint64_t base;
	if (by_instruction)
		__asm__ volatile("rdgsbase %0" : "=r"(base));
	else
		inline_call(SYS_arch_prctl, ARCH_GET_GS, (long)&base, 0, 0, 0);
	return base;
}

static inline void set(uint64_t base)
{
	if (by_instruction)
		__asm__ volatile("wrgsbase %0" : : "r"(base) : "memory");
	else
		inline_call(SYS_arch_prctl, ARCH_SET_GS, (long)base, 0, 0, 0);
}

static inline uint64_t load(uint64_t offset)
{
	uint64_t value;
	__asm__ volatile("movq %%gs:(%1), %0" : "=r"(value) : "r"(offset) : "memory");
	return value;
}

static inline void store(uint64_t offset, uint64_t value)
{
	__asm__ volatile("movq %1, %%gs:(%0)" : : "r"(offset), "r"(value) : "memory");
}

static void null_base(int rounds)
{
	uint64_t cell = 5;
	for (int i = 0; i < rounds; i++) {
		CHECK(get() == 0);
		work(50);
		store((uint64_t)&cell, (uint64_t)i); /* through base zero: a plain address */
		CHECK(cell == (uint64_t)i && load((uint64_t)&cell) == (uint64_t)i);
		if (i % 10 == 0) {
			faulted = 0;
			if (sigsetjmp(back, 1) == 0)
				load(0x10 + (uint64_t)(i % 64) * 8);
			CHECK(faulted == 0x10 + (uint64_t)(i % 64) * 8);
		}
	}
}

static void own_base(int rounds)
{
	uint64_t area[64] = { 0 }, base;
	for (int i = 0; i < rounds; i++) {
		if (i % 100 == 0) {
			if (i % 300 == 0)
				set((uint64_t)area);
			else
				CHECK(syscall(SYS_arch_prctl, ARCH_SET_GS, area) == 0);
		}
		store((uint64_t)(i % 64) * 8, (uint64_t)i);
		work(50);
		CHECK(area[i % 64] == (uint64_t)i && load((uint64_t)(i % 64) * 8) == (uint64_t)i);
		CHECK(get() == (uint64_t)area);
		if (i % 100 == 50)
			CHECK(syscall(SYS_arch_prctl, ARCH_GET_GS, &base) == 0 && base == (uint64_t)area);
		if (i % 100 == 99)
			set(0);
	}
	set(0);
}

static void *thread(void *argument)
{
	int which = *(int *)argument;
	for (int i = 0; i < 20; i++) {
		if (which != 1)
			null_base(2000);
		if (which != 0)
			own_base(2000);
	}
	return NULL;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_segv, .sa_flags = SA_SIGINFO };
	pthread_t threads[3];
	int which[3] = { 0, 1, 2 };
	by_instruction = getauxval(AT_HWCAP2) & 2;
	sigaction(SIGSEGV, &action, NULL);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, thread, &which[i]);
	busy(50);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("GS as it should be\n");
	return 0;
}
