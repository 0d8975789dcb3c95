/* SPDX-License-Identifier: GPL-3.0-or-later */
/* As mask-raw, but with `syscall` instructions in the program's own code, as Go and other run-times without libc have
 * them: all signals blocked, work, sigtimedwait and sigpending; then exec with all of them blocked into a program that
 * unblocks them.  Hard because nothing of it can be interposed. */
#include "nasty.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* The recorder's signal stays out of it: doc/recorder-safety.md says why a bare system call can see it. */
static void rounds(int count)
{
	uint64_t all = ~(1ull << (recorder_signal() - 1)), old, pending;
	struct timespec none = { 0, 0 };
	siginfo_t info;
	for (int i = 0; i < count; i++) {
		CHECK(inline_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&old, 8, 0) == 0);
		busy(5);
		CHECK(inline_call(SYS_rt_sigtimedwait, (long)&all, (long)&info, (long)&none, 8, 0) == -EAGAIN);
		busy(5);
		CHECK(inline_call(SYS_rt_sigpending, (long)&pending, 8, 0, 0, 0) == 0 && pending == 0);
		CHECK(inline_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&old, 0, 8, 0) == 0);
		busy(5);
	}
}

int main(int argc, char **argv)
{
	uint64_t all = ~0ull, none = 0;
	if (argc > 1) {
		CHECK(inline_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&none, 0, 8, 0) == 0);
		busy(5);
		return 21;
	}
	for (int i = 0; i < 15; i++) {
		int status;
		pid_t pid = fork();
		if (pid == 0) {
			inline_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, 0, 8, 0);
			busy(5);
			execl(argv[0], argv[0], "child", NULL);
			_exit(1);
		}
		CHECK(waitpid(pid, &status, 0) == pid);
		CHECK(status == 21 << 8);
	}
	rounds(15);
	printf("nothing but what was sent\n");
	return 0;
}
