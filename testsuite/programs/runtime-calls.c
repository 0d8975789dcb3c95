/* SPDX-License-Identifier: GPL-3.0-or-later */
/* runtime-calls work: says its number and works without a system call until it is killed.
 * runtime-calls watch PID COUNT: as a tracer, the system calls between each arrival of the recorder's signal and its
 * return, numbers in their order, a line each, for so many bursts; a return alone is a tick without a burst.
 * The hard case is a recorder that does not go where a tracer is: this one comes later. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int do_work(void)
{
	volatile unsigned long keep = 1;

	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	printf("%d\n", (int)getpid());
	fflush(stdout);
	for (unsigned long i = 0;; i++)
		keep = keep & 1 ? keep * 33 + i : keep / 2 + 7 * i;
}

/* The number of the system call that PID is about to make; -1: it has just been made. */
static long call_of(int pid)
{
	struct __ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) <= 0 || info.op != PTRACE_SYSCALL_INFO_ENTRY)
		return -1;
	return (long)info.entry.nr;
}

static int watch(int pid, int count)
{
	char line[4096] = "";
	int status, calls = 0, inside = 0;

	if (ptrace(PTRACE_SEIZE, pid, 0, PTRACE_O_TRACESYSGOOD) != 0 || ptrace(PTRACE_INTERRUPT, pid, 0, 0) != 0)
		return 1;
	while (count > 0 && waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		int signal = WSTOPSIG(status);
		long call = signal == (SIGTRAP | 0x80) ? call_of(pid) : -1;

		if (inside && call >= 0) {
			snprintf(line + strlen(line), sizeof line - strlen(line), "%ld ", call);
			calls++;
			if (call == SYS_rt_sigreturn && calls > 1 && count--)
				puts(line);
			inside = call != SYS_rt_sigreturn;
		}
		if (signal == SIGRTMAX - 3) {
			line[0] = 0;
			calls = 0;
			inside = 1;
		}
		ptrace(PTRACE_SYSCALL, pid, 0, signal == SIGRTMAX - 3 ? signal : 0);
	}
	return count > 0;
}

int main(int argc, char **argv)
{
	return argc > 3 ? watch(atoi(argv[2]), atoi(argv[3])) : do_work();
}
