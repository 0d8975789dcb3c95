/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code made writable, changed and protected again each time, by an inline `syscall` of mprotect and by libc's mprotect
 * from another thread; also made writable by libc's for good, and then changed by plain stores with calls in between.
 * Hard because nothing is interposed, and a store and the call of what it changed may be in one burst.  (Both at once,
 * an inline call for good, is what doc/recorder-safety.md calls impossible to see.) */
/* unattached: no call of mprotect is seen by a recorder that came later */
#include "selfmod.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>

SELFMOD_FUNCTION(stored, ".text");
SELFMOD_FUNCTION(flipped, ".text");
SELFMOD_FUNCTION(shared, ".text");

static long inline_mprotect(void *address, long size, long protection)
{
	return inline_call(SYS_mprotect, (long)address, size, protection, 0, 0);
}

static volatile uint32_t wanted;

static void *other(void *argument)
{
	CHECK(mprotect((void *)shared, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
	*(volatile uint32_t *)shared_constant = *(uint32_t *)argument;
	CHECK(mprotect((void *)shared, 4096, PROT_READ | PROT_EXEC) == 0);
	return NULL;
}

int main(void)
{
	selfmod_check(stored, SELFMOD_FIRST, 1000000);
	selfmod_check(flipped, SELFMOD_FIRST, 1000000);
	selfmod_check(shared, SELFMOD_FIRST, 1000000);
	for (uint32_t i = 0; i < 100; i++) {
		CHECK(inline_mprotect((void *)flipped, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
		*(volatile uint32_t *)flipped_constant = i * 0x30201;
		CHECK(inline_mprotect((void *)flipped, 4096, PROT_READ | PROT_EXEC) == 0);
		selfmod_check(flipped, i * 0x30201, 50000);
	}
	for (uint32_t i = 0; i < 30; i++) {
		uint32_t value = i * 0x51234;
		pthread_t thread;
		pthread_create(&thread, NULL, other, &value);
		pthread_join(thread, NULL);
		selfmod_check(shared, value, 50000);
	}
	CHECK(mprotect((void *)stored, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
	for (uint32_t i = 0; i < 30000; i++) {
		*(volatile uint32_t *)stored_constant = i * 0x10203;
		selfmod_check(stored, i * 0x10203, 20);
	}
	printf("changed\n");
	return 0;
}
