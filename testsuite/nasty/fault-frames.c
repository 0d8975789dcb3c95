/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Handlers of true faults (SIGSEGV, SIGBUS, SIGFPE, SIGILL) in every way that they can be set: on the alternate stack
 * or not, with and without there being one, reset after the first, deferred or not, with a mask, with one argument or
 * three; where their frame lies, what they see blocked and what comes back.  Hard for a recorder that stands in for
 * these handlers: it must call them as the kernel would have. */
#include "nasty.h"

#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <ucontext.h>

#define SIZE 65536
static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL };
static __thread char *alternate;
static __thread volatile int handled, depth;
static __thread volatile int flags, which;
static char *bus_page;

static uint64_t bits(const sigset_t *set)
{
	return *(const uint64_t *)(const void *)set;
}

static void __attribute__((noinline)) fault(int kind)
{
	switch (kind) {
	case 0:
		__asm__ volatile("movl $16, %%eax\n	movl (%%rax), %%eax" : : : "rax", "memory");
		break;
	case 1:
		__asm__ volatile("movq %0, %%rax\n	nop\n	movl (%%rax), %%eax"
				 :
				 : "r"(bus_page)
				 : "rax", "memory");
		break;
	case 2:
		__asm__ volatile("xorl %%ecx, %%ecx\n	xorl %%edx, %%edx\n	divl %%ecx" : : : "rax", "rcx", "rdx");
		break;
	default:
		__asm__ volatile("ud2");
	}
}

static void look(int signal)
{
	char here;
	stack_t stack;
	sigset_t now;
	int on_it = alternate && (uintptr_t)&here - (uintptr_t)alternate < SIZE;
	uint64_t want = 1ull << (SIGUSR2 - 1);
	CHECK(signal == signals[which]);
	CHECK(on_it == (alternate && flags & SA_ONSTACK));
	CHECK(sigaltstack(NULL, &stack) == 0);
	CHECK(stack.ss_flags == (!alternate ? SS_DISABLE : on_it ? SS_ONSTACK : 0));
	if (!(flags & SA_NODEFER))
		want |= 1ull << (signal - 1);
	CHECK(pthread_sigmask(SIG_BLOCK, NULL, &now) == 0 && bits(&now) == want);
	CHECK(work(200) == work(200));
	handled++;
	if (flags & SA_NODEFER && depth++ < 3) {
		fault(which);
		depth--;
	}
}

/* Each faulting instruction is two bytes long. */
static void with_info(int signal, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	CHECK(info->si_signo == signal && info->si_code > 0);
	CHECK(bits(&uc->uc_sigmask) == 0 || flags & SA_NODEFER);
	uc->uc_mcontext.gregs[REG_RIP] += 2;
	look(signal);
}

static void set(int kind, int with)
{
	struct sigaction action = { .sa_sigaction = with_info, .sa_flags = with | SA_SIGINFO }, old;
	sigaddset(&action.sa_mask, SIGUSR2);
	which = kind;
	flags = with;
	CHECK(sigaction(signals[kind], &action, NULL) == 0);
	CHECK(sigaction(signals[kind], NULL, &old) == 0 && old.sa_sigaction == with_info);
}

static void all(int rounds)
{
	static const int ways[] = { 0, SA_ONSTACK, SA_NODEFER, SA_NODEFER | SA_ONSTACK, SA_RESTART };
	for (int i = 0; i < rounds; i++)
		for (int kind = 0; kind < 4; kind++)
			for (int way = 0; way < 5; way++) {
				set(kind, ways[way]);
				handled = depth = 0;
				work(1000);
				fault(kind);
				CHECK(handled == (ways[way] & SA_NODEFER ? 4 : 1));
			}
}

static void both(int rounds)
{
	stack_t stack, none = { NULL, SS_DISABLE, 0 };
	all(rounds);
	stack = (stack_t) { malloc(SIZE), 0, SIZE };
	CHECK(sigaltstack(&stack, NULL) == 0);
	alternate = stack.ss_sp;
	all(rounds);
	CHECK(sigaltstack(&none, NULL) == 0);
	alternate = NULL;
	all(rounds / 2);
}

static volatile int stop;

static void *worker(void *argument)
{
	while (!stop)
		CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
	return argument;
}

static void fault_again(int signal)
{
	fault(which);
}

static void overflow(int signal)
{
	_exit(50); /* not reached: there is no stack for it */
}

static uint64_t __attribute__((noinline)) dive(uint64_t n)
{
	volatile uint64_t room[512];
	room[0] = n;
	return n == UINT64_MAX ? 0 : dive(n + 1) + room[0];
}

/* What ends a process: a fault in the handler of the same, the second after SA_RESETHAND, no stack for the handler. */
static void child(int kind)
{
	struct sigaction action = { .sa_handler = fault_again };
	busy(1);
	if (kind < 4) {
		which = kind;
		sigaction(signals[kind], &action, NULL);
		fault(kind);
	} else if (kind < 8) {
		set(kind - 4, (int)SA_RESETHAND);
		fault(kind - 4);
		fault(kind - 4);
	} else {
		stack_t stack = { malloc(SIZE), 0, SIZE };
		sigaltstack(&stack, NULL);
		signal(SIGSEGV, overflow);
		dive(0);
	}
	_exit(51);
}

int main(void)
{
	struct rlimit none = { 0, 0 };
	pthread_t id;
	FILE *file = tmpfile();
	setrlimit(RLIMIT_CORE, &none);
	bus_page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(file), 0);
	pthread_create(&id, NULL, worker, NULL);
	both(60);
	for (int kind = 0; kind < 9; kind++) {
		int status;
		pid_t pid = fork();
		if (pid == 0)
			child(kind);
		CHECK(waitpid(pid, &status, 0) == pid);
		printf("end %d: %x\n", kind, status);
	}
	stop = 1;
	pthread_join(id, NULL);
	busy(100);
	printf("as the kernel would have called them\n");
	return 0;
}
