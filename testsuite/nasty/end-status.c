/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How processes end: by every signal whose default is deadly, sent by others, by themselves and raised by true faults,
 * in the first thread and in another, with the handler reset or the signal blocked; by abort, a failed canary, all exit
 * statuses.  Hard because a recorder handles four of these signals itself and has one more whose default must stay what
 * it was. */
#include "nasty.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

static void fault(int kind)
{
	volatile int zero = 0;
	switch (kind) {
	case 0:
		*(volatile int *)16 = 1;
		break;
	case 1:
		zero = 5 / zero;
		break;
	case 2:
		__asm__ volatile("ud2");
		break;
	case 3: {
		FILE *file = tmpfile();
		*(volatile char *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0) = 1;
		break;
	}
	case 4:
		__asm__ volatile("int3");
		break;
	case 5:
		abort();
	case 6:
		__asm__ volatile("hlt");
		break;
	default:
		((void (*)(void))0x1234567800000000)();
	}
}

static void *thread(void *argument)
{
	busy(2);
	fault((int)(intptr_t)argument);
	return NULL;
}

static void child(int kind)
{
	static const int blocked[] = { SIGSEGV, SIGFPE, SIGILL, SIGBUS };
	pthread_t id;
	sigset_t set;
	sigemptyset(&set);
	if (kind < 64) {
		busy(1);
		raise(kind + 1);
		_exit(200);
	} else if (kind < 72) {
		busy(2);
		fault(kind - 64);
	} else if (kind < 80) {
		pthread_create(&id, NULL, thread, (void *)(intptr_t)(kind - 72));
		busy(100);
	} else if (kind < 84) { /* a fault that is blocked or ignored kills all the same */
		sigaddset(&set, blocked[kind - 80]);
		pthread_sigmask(SIG_BLOCK, &set, NULL);
		busy(2);
		fault(kind - 80);
	} else if (kind < 88) {
		signal(blocked[kind - 84], SIG_IGN);
		busy(2);
		fault(kind - 84);
	} else if (kind < 92) {
		signal(blocked[kind - 88], SIG_IGN);
		raise(blocked[kind - 88]);
		busy(1);
		_exit(201);
	}
	_exit(kind);
}

int main(void)
{
	struct rlimit none = { 0, 0 };
	setrlimit(RLIMIT_CORE, &none);
	busy(100);
	for (int kind = 0; kind < 110; kind++) {
		int status;
		pid_t pid;
		if (kind + 1 == SIGSTOP || kind + 1 == SIGTSTP || kind + 1 == SIGTTIN || kind + 1 == SIGTTOU ||
		    kind + 1 == 32 || kind + 1 == 33 || kind + 1 == SIGPIPE)
			continue;
		pid = fork();
		if (pid == 0)
			child(kind);
		CHECK(waitpid(pid, &status, 0) == pid);
		printf("%d: %x\n", kind, status);
	}
	return 0;
}
