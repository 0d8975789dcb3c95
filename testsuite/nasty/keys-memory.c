/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Protection keys: memory that a thread shuts and opens to itself with wrpkru, thousands of times, with faults whose
 * code is SEGV_PKUERR, and with key 0's own rights kept as they are.  Hard because the kernel gives every signal
 * handler the rights of a fresh thread, and whoever goes on with the program inside one has others than the program. */
#include "nasty.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

static sigjmp_buf back;
static volatile int faults, codes;

static void on_segv(int signal, siginfo_t *info, void *context)
{
	faults++;
	codes += info->si_code == 4;
	siglongjmp(back, 1);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_segv, .sa_flags = SA_SIGINFO };
	int key = pkey_alloc(0, 0);
	if (key < 0)
		nasty_skip("the processor has no protection keys");
	volatile uint64_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(pkey_mprotect((void *)page, 4096, PROT_READ | PROT_WRITE, key) == 0);
	sigaction(SIGSEGV, &action, NULL);
	for (volatile uint64_t i = 0; i < 20000; i++) {
		CHECK(pkey_set(key, PKEY_DISABLE_ACCESS) == 0);
		work(100);
		CHECK(pkey_get(key) == PKEY_DISABLE_ACCESS);
		if (i % 20 == 0 && sigsetjmp(back, 1) == 0) {
			*page = 1;
			CHECK(0);
		}
		CHECK(pkey_set(key, PKEY_DISABLE_WRITE) == 0);
		CHECK(*page == i);
		CHECK(pkey_set(key, 0) == 0);
		*page = i + 1;
	}
	printf("faults %d, of the key %d\n", faults, codes);
	return 0;
}
