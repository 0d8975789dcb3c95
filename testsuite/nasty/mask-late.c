/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads that are made when no recorder would take them any more, as the program has limited its address space: they
 * begin with their creator's mask, the recorder's own signal in it or not, and see each change of it.  Hard because
 * their creator was recorded, and has a mask that only it believes in. */
#include "nasty.h"

#include <pthread.h>
#include <sys/resource.h>

static int is_blocked(void)
{
	sigset_t now;
	CHECK(pthread_sigmask(SIG_BLOCK, NULL, &now) == 0);
	return sigismember(&now, recorder_signal());
}

static void *thread(void *blocked)
{
	sigset_t own;
	sigemptyset(&own);
	sigaddset(&own, recorder_signal());
	CHECK(is_blocked() == (blocked != NULL));
	CHECK(pthread_sigmask(blocked ? SIG_UNBLOCK : SIG_BLOCK, &own, NULL) == 0);
	CHECK(is_blocked() == (blocked == NULL));
	busy(2);
	CHECK(pthread_sigmask(blocked ? SIG_BLOCK : SIG_UNBLOCK, &own, NULL) == 0);
	CHECK(is_blocked() == (blocked != NULL));
	if (blocked) {
		siginfo_t info;
		CHECK(pthread_kill(pthread_self(), recorder_signal()) == 0);
		CHECK(sigwaitinfo(&own, &info) == recorder_signal());
	}
	return NULL;
}

int main(void)
{
	struct rlimit limit = { 1ull << 32, RLIM_INFINITY };
	sigset_t own;
	sigemptyset(&own);
	sigaddset(&own, recorder_signal());
	busy(60);
	CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
	for (int i = 0; i < 6; i++) {
		pthread_t id;
		CHECK(pthread_sigmask(i % 2 ? SIG_BLOCK : SIG_UNBLOCK, &own, NULL) == 0);
		CHECK(pthread_create(&id, NULL, thread, (void *)(intptr_t)(i % 2)) == 0);
		CHECK(pthread_join(id, NULL) == 0 && is_blocked() == i % 2);
	}
	printf("as their creator's\n");
	return 0;
}
