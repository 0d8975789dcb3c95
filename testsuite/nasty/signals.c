/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signals under the recorder: handlers with a stack of their own, nested; a SIGSEGV handler that recovers by longjmp
 * and one that repairs the page and goes on; a division by zero; masks, sigwait and the program's own use of the very
 * signal that the recorder uses. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

static sigjmp_buf back;
static char *page;
static volatile sig_atomic_t nested, alarms, stkflt;

static unsigned int work(unsigned int n)
{
	unsigned int h = n;
	for (unsigned int i = 0; i < 200; i++)
		h = (h & 1) ? h * 33 + i : h / 2 + 7 * i;
	return h;
}

static void on_segv(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	if ((char *)info->si_addr >= page && (char *)info->si_addr < page + 4096) {
		mprotect(page, 4096, PROT_READ | PROT_WRITE);
		return;
	}
	siglongjmp(back, 1);
}

static void on_fpe(int number, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	(void)number;
	if (info->si_code != FPE_INTDIV)
		abort();
	uc->uc_mcontext.gregs[REG_RCX] = 1; /* divide by one instead */
}

static void on_usr1(int number)
{
	(void)number;
	nested += work(3) != 0;
	if (nested < 1000000)
		raise(SIGUSR2);
}

static void on_usr2(int number)
{
	(void)number;
	nested += work(5) != 0;
}

static void on_alarm(int number)
{
	(void)number;
	alarms++;
	work((unsigned int)alarms);
}

static void on_stkflt(int number)
{
	stkflt += number == (SIGRTMAX - 3);
}

static void install(int number, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };
	sigfillset(&action.sa_mask);
	sigdelset(&action.sa_mask, SIGUSR2);
	sigaction(number, &action, NULL);
}

static void faults(void)
{
	unsigned int sum = 0;
	struct sigaction action = { .sa_sigaction = on_segv, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	sigaction(SIGSEGV, &action, NULL);
	action.sa_sigaction = on_fpe;
	sigaction(SIGFPE, &action, NULL);
	page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (unsigned int i = 0; i < 12000; i++) {
		volatile unsigned int local = i;
		if (sigsetjmp(back, 1) == 0) {
			sum += work(i);
			*(volatile char *)8 = 1;
			sum += 1u << 31;
		}
		sum += local;
		mprotect(page, 4096, PROT_READ);
		page[i % 4096] = (char)i;
		sum += (unsigned char)page[i % 4096];
		unsigned int quotient = sum, rest = 0;
		__asm__("xorl %%ecx, %%ecx\n\tdivl %%ecx" : "+a"(quotient), "+d"(rest) : : "rcx", "cc");
		sum += quotient;
	}
	printf("faults %u\n", sum);
}

static void own_stack(void)
{
	static char stack[65536];
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof stack }, seen;
	sigaltstack(&alternate, NULL);
	sigaltstack(NULL, &seen);
	printf("stack %d %zu\n", seen.ss_sp == stack, seen.ss_size);
	install(SIGUSR1, on_usr1, SA_ONSTACK);
	install(SIGUSR2, on_usr2, SA_ONSTACK);
	for (int i = 0; i < 20000; i++)
		raise(SIGUSR1);
	printf("nested %d\n", (int)nested);
}

static void masks(void)
{
	sigset_t all, old, now;
	int number;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	printf("blocked before %d", sigismember(&old, (SIGRTMAX - 3)));
	sigprocmask(SIG_BLOCK, NULL, &now);
	printf(" now %d usr1 %d\n", sigismember(&now, (SIGRTMAX - 3)), sigismember(&now, SIGUSR1));
	for (int i = 0; i < 4000; i++) {
		work((unsigned int)i);
		raise(SIGUSR1);
		if (sigwait(&all, &number) || number != SIGUSR1) {
			printf("sigwait %d\n", number);
			exit(1);
		}
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	signal((SIGRTMAX - 3), on_stkflt);
	for (int i = 0; i < 1000; i++)
		raise((SIGRTMAX - 3));
	printf("stkflt %d same %d\n", (int)stkflt, signal((SIGRTMAX - 3), SIG_IGN) == on_stkflt);
	raise((SIGRTMAX - 3));
}

static void alarms_arrive(void)
{
	struct itimerval every = { { 0, 1000 }, { 0, 1000 } }, none = { { 0, 0 }, { 0, 0 } };
	unsigned int sum = 0;
	install(SIGALRM, on_alarm, SA_RESTART);
	setitimer(ITIMER_REAL, &every, NULL);
	for (unsigned int i = 0; i < 120000; i++)
		sum += work(i);
	setitimer(ITIMER_REAL, &none, NULL);
	printf("work %u alarms %d\n", sum, alarms > 3);
}

static void killed_by_kill(void)
{
	static volatile sig_atomic_t got;
	struct sigaction action = { .sa_sigaction = on_segv, .sa_flags = SA_SIGINFO };
	(void)got;
	sigaction(SIGSEGV, &action, NULL);
	unsigned int sum = 0, back_count = 0;
	for (unsigned int i = 0; i < 2000; i++) {
		if (sigsetjmp(back, 1) == 0) {
			sum += work(i);
			kill(getpid(), SIGSEGV);
		} else {
			back_count++;
		}
	}
	printf("sent %u %u\n", sum, back_count);
}

int main(void)
{
	own_stack();
	faults();
	masks();
	alarms_arrive();
	killed_by_kill();
	return 0;
}
