/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A thread that blocks all signals by the old calls (sigblock, sigsetmask, sighold) can be cancelled all the same, as
 * the C library keeps its own signals out of masks, and the masks that they return do not have them.  Hard because a
 * recorder that stands in for these calls changes the mask itself. */
/* build: -Wno-deprecated-declarations */
#include "nasty.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#define INTERNAL (3ull << 31)

static atomic_int blocked;

static uint64_t kernel_mask(void)
{
	uint64_t mask;
	CHECK(inline_call(SYS_rt_sigprocmask, SIG_BLOCK, 0, (long)&mask, 8, 0) == 0);
	return mask;
}

static void *wait_blocked(void *kind)
{
	switch ((int)(intptr_t)kind) {
	case 0:
		sigblock(-1);
		break;
	case 1:
		sigsetmask(-1);
		break;
	default:
		for (int number = 1; number <= 64; number++) {
			int refused = number == 32 || number == 33;
			errno = 0;
			CHECK(sighold(number) == -refused && (!refused || errno == EINVAL));
		}
	}
	CHECK(!(kernel_mask() & INTERNAL) && !(sigblock(0) & 1 << 31));
	blocked = 1;
	for (;;)
		pause();
}

int main(void)
{
	alarm(60); /* to end one that waits for a thread that is not cancelled */
	for (int kind = 0; kind < 3; kind++) {
		pthread_t id;
		void *result;
		busy(10);
		blocked = 0;
		CHECK(pthread_create(&id, NULL, wait_blocked, (void *)(intptr_t)kind) == 0);
		while (!blocked)
			usleep(1000);
		CHECK(pthread_cancel(id) == 0 && pthread_join(id, &result) == 0 && result == PTHREAD_CANCELED);
	}
	CHECK(sigsetmask(0) == 0 && sigrelse(32) == -1 && errno == EINVAL);
	printf("all were cancelled\n");
	return 0;
}
