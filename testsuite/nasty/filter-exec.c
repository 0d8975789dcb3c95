/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs started under a filter or a policy that is there already: one that kills for timer_create, one that kills
 * for anything to do with writable code, one that refuses everything that creates files, one that forbids code from
 * being made writable; by root also with so many groups that /proc tells of a filter far behind them.  Hard because the
 * recorder starts before the program and does not know what is forbidden. */
#include "nasty.h"

#include <errno.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#endif
#define ARGUMENT(n) offsetof(struct seccomp_data, args[n])
#define NUMBER offsetof(struct seccomp_data, nr)
#define LOAD(what) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, what)
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, what)
#define SKIP_UNLESS(value, count) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count)

static struct sock_filter no_timers[] = {
	LOAD(NUMBER),
	SKIP_UNLESS(SYS_timer_create, 1),
	RETURN(SECCOMP_RET_KILL_PROCESS),
	SKIP_UNLESS(SYS_timer_settime, 1),
	RETURN(SECCOMP_RET_KILL_PROCESS),
	SKIP_UNLESS(SYS_timer_delete, 1),
	RETURN(SECCOMP_RET_KILL_PROCESS),
	RETURN(SECCOMP_RET_ALLOW),
};
static struct sock_filter no_writable_code[] = {
	LOAD(NUMBER),
	SKIP_UNLESS(SYS_mmap, 4),
	LOAD(ARGUMENT(2)),
	BPF_STMT(BPF_ALU | BPF_AND | BPF_K, PROT_WRITE | PROT_EXEC),
	SKIP_UNLESS(PROT_WRITE | PROT_EXEC, 1),
	RETURN(SECCOMP_RET_KILL_PROCESS),
	LOAD(NUMBER),
	SKIP_UNLESS(SYS_mprotect, 4),
	LOAD(ARGUMENT(2)),
	BPF_STMT(BPF_ALU | BPF_AND | BPF_K, PROT_WRITE | PROT_EXEC),
	SKIP_UNLESS(PROT_WRITE | PROT_EXEC, 1),
	RETURN(SECCOMP_RET_KILL_PROCESS),
	LOAD(NUMBER),
	SKIP_UNLESS(SYS_memfd_create, 1),
	RETURN(SECCOMP_RET_KILL_PROCESS),
	RETURN(SECCOMP_RET_ALLOW),
};
static struct sock_filter no_signals[] = {
	LOAD(NUMBER),
	SKIP_UNLESS(SYS_rt_sigaction, 1),
	RETURN(SECCOMP_RET_ERRNO | EPERM),
	SKIP_UNLESS(SYS_timer_create, 1),
	RETURN(SECCOMP_RET_ERRNO | EPERM),
	SKIP_UNLESS(SYS_ftruncate, 1),
	RETURN(SECCOMP_RET_KILL_PROCESS),
	SKIP_UNLESS(SYS_sigaltstack, 1),
	RETURN(SECCOMP_RET_KILL_PROCESS),
	RETURN(SECCOMP_RET_ALLOW),
};

#define FILTER(code)                                                                                                   \
	{                                                                                                              \
		sizeof code / sizeof *code, code                                                                       \
	}
/* A line of 20 kB. */
static void join_groups(void)
{
	static gid_t groups[2000];
	for (int i = 0; i < 2000; i++)
		groups[i] = 100000000u + (gid_t)i;
	setgroups(2000, groups);
}

static struct sock_fprog filters[] = { FILTER(no_timers), FILTER(no_writable_code), FILTER(no_signals) };

int main(int argc, char **argv)
{
	if (argc > 1) {
		for (int i = 0; i < 500; i++)
			CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
		printf("still there\n");
		return 33;
	}
	busy(100);
	for (int kind = 0; kind < 4; kind++)
		for (int i = 0; i < 2; i++) {
			int status;
			pid_t pid = fork();
			if (pid == 0) {
				if (i)
					join_groups();
				prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
				if (kind == 3)
					prctl(PR_SET_MDWE, 1, 0, 0, 0);
				else if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filters[kind], 0, 0) != 0)
					_exit(1);
				execl(argv[0], argv[0], "child", NULL);
				_exit(2);
			}
			CHECK(waitpid(pid, &status, 0) == pid);
			printf("kind %d: %x\n", kind, status);
		}
	return 0;
}
