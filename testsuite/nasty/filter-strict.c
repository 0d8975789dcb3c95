/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Strict mode, in which a thread may only read, write, exit and return from signals: entered by prctl and by syscall(),
 * in a process of one thread and in one thread of several, whose others go on calling what they like.  Hard because the
 * timers belong to the process, the mode to the thread.  (Entered by a `syscall` instruction of the program's own it is
 * what doc/recorder-safety.md calls impossible to see coming.) */
#include "nasty.h"

#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static void enter(int kind)
{
	if (kind == 0)
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0);
	else
		syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0);
}

static volatile int inside, done;

static void strict(int kind)
{
	enter(kind);
	inside = 1;
	for (int i = 0; i < 800; i++)
		if (work(NASTY_ROUNDS) != NASTY_RESULT)
			inline_call(SYS_exit, 9, 0, 0, 0, 0);
	inline_call(SYS_write, 1, (long)"strict, still there\n", 20, 0, 0);
	done = 1;
}

static void *thread(void *argument)
{
	busy(5);
	strict((int)(intptr_t)argument);
	for (;;)
		work(1000);
	return NULL;
}

int main(void)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	busy(60);
	for (int kind = 0; kind < 4; kind++) {
		int status;
		pid_t pid = fork();
		if (pid == 0 && kind < 2) {
			strict(kind);
			inline_call(SYS_exit, 40 + kind, 0, 0, 0, 0);
		} else if (pid == 0) {
			pthread_t id;
			pthread_create(&id, NULL, thread, (void *)(intptr_t)(kind - 2));
			while (!done) {
				busy(2);
				usleep(10);
			}
			_exit(40 + kind);
		}
		CHECK(waitpid(pid, &status, 0) == pid);
		printf("kind %d: %x\n", kind, status);
	}
	return 0;
}
