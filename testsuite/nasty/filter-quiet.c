/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A filter that comes by a bare system call, announced by PR_SET_NO_NEW_PRIVS alone, kills for what a recorder calls
 * and the program does not: while threads end and begin; on an alternate stack; where SIGSEGV is blocked; when a
 * library with a relative name has just been opened; and, in a process that is left behind, when the recorder is gone.
 * Hard because each of these asks a recorder for system calls of its own. */
/* unattached: it forbids itself calls while it is recorded, and nothing tells the recorder */
/* part: so gcc -shared -fPIC */
/* later */
#ifdef PART
int nothing_special(int x)
{
	return x * 3 + 1;
}
#else
#include "nasty.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <libgen.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#ifndef SECCOMP_RET_KILL_PROCESS
#define SECCOMP_RET_KILL_PROCESS 0x80000000u
#endif
#define NONE 0xffffffffu /* no system call has this number */
#define THREADS 3
#define KINDS 4

static char temporary[4096], later[4096], *library;
static int own_pid;
static volatile int stop, started;

/* Kills for what no kind of the program calls, and for FIRST and SECOND. */
static int install(uint32_t first, uint32_t second)
{
#define KILL(number)                                                                                                   \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		KILL(SYS_timer_create),
		KILL(SYS_timer_settime),
		KILL(SYS_timer_delete),
		KILL(SYS_tgkill),
		KILL(SYS_getpid),
		KILL(SYS_gettid),
		KILL(SYS_rt_sigaction),
		KILL(SYS_rt_sigpending),
		KILL(SYS_sigaltstack),
		KILL(SYS_perf_event_open),
		KILL(first),
		KILL(second),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof code / sizeof *code, code };
	return (int)inline_call(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, (long)&program, 0, 0);
}

/* Begins and ends. */
static void *worker(void *forever)
{
	__atomic_fetch_add(&started, 1, __ATOMIC_SEQ_CST);
	do
		CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
	while (forever && !stop);
	busy(5);
	return NULL;
}

static int make_threads(void)
{
	pthread_t ids[THREADS], id;
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_create(&ids[i], NULL, worker, &stop) == 0);
	while (started < THREADS)
		busy(1);
	busy(40);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || install(NONE, NONE) != 0)
		return 77;
	stop = 1;
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_join(ids[i], NULL) == 0);
	for (int i = 0; i < 8; i++)
		CHECK(pthread_create(&id, NULL, worker, NULL) == 0 && pthread_join(id, NULL) == 0);
	busy(20);
	return 0;
}

static char stack[1 << 18];

/* On a stack that is for signals, too. */
static void *use_stack(void *none)
{
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof stack };
	CHECK(sigaltstack(&alternate, NULL) == 0);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || install(NONE, NONE) != 0)
		_exit(77);
	busy(150);
	return none;
}

static int use_alternate_stack(void)
{
	pthread_attr_t attributes;
	pthread_t id;
	busy(40);
	CHECK(pthread_attr_init(&attributes) == 0);
	CHECK(pthread_attr_setstack(&attributes, stack, sizeof stack) == 0);
	CHECK(pthread_create(&id, &attributes, use_stack, NULL) == 0 && pthread_join(id, NULL) == 0);
	return 0;
}

static int block_faults(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGSEGV);
	busy(40);
	CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || install(SYS_rt_sigprocmask, NONE) != 0)
		return 77;
	busy(150);
	return 0;
}

static int open_library(void)
{
	busy(40);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return 77;
	int (*function)(int) = dlsym(dlopen(library, RTLD_NOW), "nothing_special");
	CHECK(function);
	if (install(SYS_openat, SYS_mmap) != 0)
		return 77;
	for (int i = 0; i < 60; i++) {
		busy(2);
		CHECK(function(i) == i * 3 + 1);
	}
	return 0;
}

static int is_empty(const char *path)
{
	DIR *folder = opendir(path);
	int count = 0;
	while (folder && readdir(folder))
		count++;
	if (folder)
		closedir(folder);
	return count <= 2;
}

/* Works on when the recorder is gone, in a process of its own; closes READY when it is under its filter. */
static void stay(int ready)
{
	busy(60);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
		install(SYS_rt_sigprocmask, SYS_rt_sigqueueinfo);
	close(ready);
	for (int i = 0; i < 3000 && !is_empty(temporary); i++) {
		busy(2);
		usleep(20000);
	}
	busy(300);
	int fd = open(later, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	_exit(fd >= 0 && write(fd, "still there\n", 12) == 12 ? 0 : 1);
}

static void leave_behind(void)
{
	int status, ends[2];
	char byte;
	CHECK(pipe(ends) == 0);
	pid_t pid = fork();
	if (pid == 0) {
		CHECK(setsid() > 0);
		pid = fork();
		if (pid != 0)
			_exit(0);
		for (int fd = 0; fd < 3; fd++) {
			close(fd);
			CHECK(open("/dev/null", O_RDWR) == fd);
		}
		stay(ends[1]);
	}
	close(ends[1]);
	CHECK(waitpid(pid, &status, 0) == pid && status == 0 && read(ends[0], &byte, 1) == 0);
}

int main(int argc, char **argv)
{
	static int (*const kinds[KINDS])(void) = { make_threads, use_alternate_stack, block_faults, open_library };
	CHECK(getcwd(later, sizeof later - 16) != NULL);
	strcat(later, "/later");
	snprintf(temporary, sizeof temporary, "%s", getenv("TMPDIR") ? getenv("TMPDIR") : "/nonexistent");
	CHECK(asprintf(&library, "./%s.so", basename(strdup(argv[0]))) > 0);
	CHECK(chdir(dirname(strdup(argv[0]))) == 0);
	busy(60);
	for (int kind = 0; kind < KINDS; kind++) {
		int status;
		pid_t pid = fork();
		if (pid == 0) {
			own_pid = getpid();
			_exit(kinds[kind]());
		}
		CHECK(waitpid(pid, &status, 0) == pid);
		if (status == 77 << 8)
			nasty_skip("no filters of system calls here");
		printf("kind %d: %x\n", kind, status);
	}
	leave_behind();
	busy(20);
	return 0;
}
#endif
