/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads that are held and let go, of children that wait in memory that we share.  The hard cases: one that does not
 * come back from what it was made to do, one that waits for its child, one that ends meanwhile, and one of another
 * process. */
#include "runtime/tracee.h"
#include "testsuite/unit/suite.h"

#include <errno.h>
#include <grp.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STATUS 7

struct shared {
	volatile int up, over;
};

static struct shared *share(void)
{
	struct shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(s, MAP_FAILED);
	return s;
}

/* A child that ends with STATUS when it is told to. */
static pid_t start(struct shared *s)
{
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		s->up = 1;
		while (!s->over)
			sched_yield();
		_exit(STATUS);
	}
	while (!s->up)
		sched_yield();
	return pid;
}

static void end(struct shared *s, pid_t pid)
{
	int status;

	s->over = 1;
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), STATUS);
}

/* A system call instruction. */
extern const char gate[];
__asm__(".text\ngate: syscall\n\tret");

static void forever(void)
{
	for (;;)
		__asm__ volatile("pause");
}

START_TEST(stuck)
{
	struct shared *s = share();
	pid_t pid = start(s);
	const struct pf_tracee_visit visit = { .enter = (uint64_t)(uintptr_t)forever, .landed = 1 };
	struct pf_tracee t;
	struct pf_error error;
	int64_t result;

	ck_assert_int_eq(pf_tracee_hold(&t, pid, pid, &error), PF_OK);
	ck_assert_int_eq(pf_tracee_call(&t, &visit, 0, 0, &result, &error), PF_EIO);
	/* It is asked for no more, and its registers stay as they were. */
	ck_assert_int_eq(pf_tracee_syscall(&t, 0, SYS_exit, (const uint64_t[6]) { 0 }, &result, &error), PF_EIO);
	pf_tracee_release(&t);
	end(s, pid);
}
END_TEST

/* Nor does one come back that sleeps, as all do in a frozen control group: it is left as it was found. */
START_TEST(asleep)
{
	struct shared *s = share();
	pid_t pid = start(s);
	struct pf_tracee t;
	struct pf_error error;
	int64_t result;

	ck_assert_int_eq(pf_tracee_hold(&t, pid, pid, &error), PF_OK);
	ck_assert_int_eq(
	    pf_tracee_syscall(&t, (uint64_t)(uintptr_t)gate, SYS_pause, (const uint64_t[6]) { 0 }, &result, &error),
	    PF_EIO);
	pf_tracee_release(&t);
	end(s, pid);
}
END_TEST

static void *leave_first_thread(void *argument)
{
	struct shared *s = argument;

	while (!s->over)
		sched_yield();
	_exit(STATUS);
}

/* A first thread that ends just when it is to be held, while another runs on, is gone. */
START_TEST(ending)
{
	for (int round = 0; round < 100; round++) {
		struct shared *s = share();
		pid_t pid = fork();
		struct pf_tracee t;
		struct pf_error error;
		int status;

		ck_assert_int_ge(pid, 0);
		if (pid == 0) {
			pthread_t thread;

			if (pthread_create(&thread, NULL, leave_first_thread, s) != 0)
				_exit(1);
			s->up = 1;
			syscall(SYS_exit, 0);
		}
		while (!s->up)
			sched_yield();
		for (volatile int wait = 0; wait < round * 100; wait++)
			continue;
		status = pf_tracee_hold(&t, pid, pid, &error);
		ck_assert(status == PF_OK || status == PF_ENOTFOUND);
		if (status == PF_OK)
			pf_tracee_release(&t);
		end(s, pid);
		munmap(s, sizeof *s);
	}
}
END_TEST

/* One that waits for its child of vfork stops once the child is gone, and can be held then. */
START_TEST(waiting)
{
	struct shared *s = share();
	pid_t pid = fork();
	struct pf_tracee t;
	struct pf_error error;
	int status = PF_EIO;

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		if (vfork() == 0) {
			s->up = 1;
			while (!s->over)
				sched_yield();
			_exit(0);
		}
		for (;;)
			pause();
	}
	while (!s->up)
		sched_yield();
	ck_assert_int_eq(pf_tracee_hold(&t, pid, pid, &error), PF_EIO);
	s->over = 1;
	for (int i = 0; i < 10000 && status == PF_EIO; i++) {
		status = pf_tracee_hold(&t, pid, pid, &error);
		usleep(1000);
	}
	ck_assert_msg(status == PF_OK, "%s", error.text);
	pf_tracee_release(&t);
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
}
END_TEST

START_TEST(another)
{
	struct shared *s = share(), *other = share();
	pid_t pid = start(s), stranger = start(other);
	struct pf_tracee t;
	struct pf_error error;

	ck_assert_int_eq(pf_tracee_hold(&t, pid, stranger, &error), PF_ENOTFOUND);
	end(other, stranger);
	ck_assert_int_eq(pf_tracee_hold(&t, pid, pid, &error), PF_OK);
	pf_tracee_release(&t);
	end(s, pid);
}
END_TEST

/* --- Waits without an end: a thread that is held in one and let go waits on, and is not told that it was interrupted.
 */

static bool waits_in_recv(int fd)
{
	struct timeval long_time = { .tv_sec = 10000 };
	char byte;

	return setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &long_time, sizeof long_time) == 0 && recv(fd, &byte, 1, 0) == 1;
}

static bool waits_in_read(int fd)
{
	struct timeval long_time = { .tv_sec = 10000 };
	char byte;

	return setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &long_time, sizeof long_time) == 0 && read(fd, &byte, 1) == 1;
}

static bool waits_in_epoll(int fd)
{
	struct epoll_event event = { .events = EPOLLIN };
	int set = epoll_create1(0);

	return epoll_ctl(set, EPOLL_CTL_ADD, fd, &event) == 0 && epoll_wait(set, &event, 1, -1) == 1;
}

static bool waits_in_poll(int fd)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };

	return poll(&wait, 1, 10000000) == 1;
}

/* A kernel without it is no fault. */
static bool waits_in_events(int fd)
{
	struct iocb block = { .aio_lio_opcode = IOCB_CMD_POLL, .aio_fildes = (uint32_t)fd, .aio_buf = POLLIN },
		    *list[] = { &block };
	struct io_event event;
	aio_context_t context = 0;

	if (syscall(SYS_io_setup, 1, &context) != 0 || syscall(SYS_io_submit, context, 1, list) != 1)
		_exit(STATUS);
	return syscall(SYS_io_getevents, context, 1, 1, &event, NULL) == 1;
}

static bool waits_in_ring(int fd)
{
	struct io_uring_params p = { 0 };
	int ring = (int)syscall(SYS_io_uring_setup, 1, &p);
	size_t size = p.sq_off.array + p.sq_entries * sizeof(unsigned int);
	struct io_uring_sqe *entry;
	char *queue;

	if (ring < 0)
		_exit(STATUS);
	queue = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
	entry = mmap(NULL, sizeof *entry, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQES);
	if (queue == MAP_FAILED || entry == MAP_FAILED)
		return false;
	*entry = (struct io_uring_sqe) { .opcode = IORING_OP_POLL_ADD, .fd = fd, .poll_events = POLLIN };
	*(unsigned int *)(void *)(queue + p.sq_off.array) = 0;
	__atomic_store_n((unsigned int *)(void *)(queue + p.sq_off.tail), 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring, 1, 0, 0, NULL, 0) != 1)
		return false;
	return syscall(SYS_io_uring_enter, ring, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0) == 0;
}

static const struct {
	const char *name;
	long call;
	bool (*wait)(int fd);
} waits[] = { { "recv", SYS_recvfrom, waits_in_recv },
	      { "read", SYS_read, waits_in_read },
	      { "epoll_wait", SYS_epoll_wait, waits_in_epoll },
	      { "poll", SYS_poll, waits_in_poll },
	      { "io_getevents", SYS_io_getevents, waits_in_events },
	      { "io_uring_enter", SYS_io_uring_enter, waits_in_ring } };

/* False: PID has ended. */
static bool comes_to(pid_t pid, long call)
{
	struct pf_proc_place place;
	struct pf_proc_status status;

	for (;;) {
		if (pf_procfs_place(pid, pid, &place) && !place.running &&
		    (place.call == call || place.call == SYS_restart_syscall))
			return true;
		if (!pf_procfs_status(pid, pid, &status) || status.state == 'Z')
			return false;
		sched_yield();
	}
}

START_TEST(wait_without_end)
{
	struct pf_tracee t;
	struct pf_error error;
	int pair[2], status;
	pid_t pid;

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		_exit(waits[_i].wait(pair[0]) ? STATUS : errno);
	for (int i = 0; i < 2 && comes_to(pid, waits[_i].call); i++) {
		ck_assert_int_eq(pf_tracee_hold(&t, pid, pid, &error), PF_OK);
		pf_tracee_release(&t);
	}
	ck_assert_int_eq(write(pair[1], "", 1), 1);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == STATUS, "%s: %s", waits[_i].name,
		      strerror(WEXITSTATUS(status)));
	close(pair[0]);
	close(pair[1]);
}
END_TEST

/* A status file in which the signals stand behind 2,000 groups.  Only root can have so many. */
START_TEST(groups)
{
	gid_t list[2000];
	struct pf_proc_status status;

	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		list[i] = (gid_t)(4000000000u + i);
	if (setgroups(sizeof list / sizeof *list, list) != 0)
		return;
	signal(SIGUSR2, SIG_IGN);
	ck_assert(pf_procfs_status(getpid(), 0, &status));
	ck_assert(status.ignored >> (SIGUSR2 - 1) & 1);
}
END_TEST

START_TEST(a_name_for_a_terminal)
{
	static const char text[] = "Name:\t\033]0;x\007 y\nState:\tS (sleeping)\n";
	struct pf_proc_status status;

	pf_procfs_parse_status(&status, text, sizeof text - 1);
	ck_assert_str_eq(status.name, "?]0;x? y");
	ck_assert_int_eq(status.state, 'S');
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { stuck, asleep, ending, waiting, another, groups, a_name_for_a_terminal };
	TCase *cases = tcase_create("runtime-tracee");

	tcase_set_timeout(cases, 60); /* of what hangs */
	tcase_add_loop_test(cases, wait_without_end, 0, (int)(sizeof waits / sizeof *waits));
	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
		tcase_add_test(cases, tests[i]);
	return run_case("runtime-tracee", cases);
}
