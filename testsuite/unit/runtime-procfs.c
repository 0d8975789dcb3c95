/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the kernel's texts about processes say, by hand; which waits can be interrupted; and threads that are held in
 * waits: what they wait for is what ends them, after the time that they asked for. */
#include "runtime/procfs.h"
#include "runtime/tracee.h"
#include "testsuite/unit/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

START_TEST(a_status_is_read)
{
	static const char text[] = "Name:\tPid:\t7 \\x\n"
				   "State:\tS (sleeping)\n"
				   "Tgid:\t40\n"
				   "PPid:\t41\n"
				   "TracerPid:\t43\n"
				   "NSpid:\t12345\t77\t9\n"
				   "VmLck:\t       8 kB\n"
				   "SigPnd:\t0000000000000001\n"
				   "ShdPnd:\t1000000000000000\n"
				   "SigBlk:\t0000000000000004\n"
				   "SigIgn:\t0000000000000008\n"
				   "SigCgt:\t1000000100000000\n"
				   "Seccomp:\t2\n"
				   "Seccomp_filters:\t3\n"
				   "x86_Thread_features:\tshstk wrss\n";
	struct pf_proc_status status;

	pf_procfs_parse_status(&status, text, sizeof text - 1);
	ck_assert_str_eq(status.name, "Pid:?7 \\x");
	ck_assert_int_eq(status.state, 'S');
	ck_assert_int_eq(status.process, 40);
	ck_assert_int_eq(status.parent, 41);
	ck_assert_int_eq(status.tracer, 43);
	ck_assert_int_eq(status.inner, 9);
	ck_assert(status.locked);
	ck_assert_uint_eq(status.pending, 1ull | 1ull << 60);
	ck_assert_uint_eq(status.blocked, 4);
	ck_assert_uint_eq(status.ignored, 8);
	ck_assert_uint_eq(status.caught, 1ull << 60 | 1ull << 32);
	ck_assert_uint_eq(status.seccomp, 2);
	ck_assert_uint_eq(status.filters, 3);
	ck_assert(status.shadow_stack);
	/* Cut anywhere, it is read as far as it goes. */
	for (size_t size = 0; size < sizeof text - 1; size++)
		pf_procfs_parse_status(&status, text, size);
	ck_assert_uint_eq(status.filters, 3);
}
END_TEST

START_TEST(a_place_is_read)
{
	struct pf_proc_place place;

	ck_assert(pf_procfs_parse_place(&place, "running\n"));
	ck_assert(place.running);
	ck_assert(pf_procfs_parse_place(&place, "-1 0x7ffc10 0x401234\n"));
	ck_assert(!place.running);
	ck_assert_int_eq(place.call, -1);
	ck_assert_uint_eq(place.sp, 0x7ffc10);
	ck_assert_uint_eq(place.pc, 0x401234);
	ck_assert(pf_procfs_parse_place(&place, "232 0x5 0x7f00 0x1 0xffffffff 0x0 0x8 0x7ffc20 0x7fee\n"));
	ck_assert_int_eq(place.call, 232);
	ck_assert_uint_eq(place.arguments[0], 5);
	ck_assert_uint_eq(place.arguments[3], 0xffffffff);
	ck_assert_uint_eq(place.pc, 0x7fee);
	ck_assert(!pf_procfs_parse_place(&place, ""));
}
END_TEST

START_TEST(a_mapping_is_read)
{
	char line[] = "7f10-7f30 r-xp 00002000 08:01 1234        /opt/a b (deleted)\n",
	     plain[] = "10-30 rw-p 0 0:0 0\n", wrong[] = "30-10 r--p 0 0:0 0 /x\n";
	uint64_t start, length, offset;
	uint32_t protection;
	const char *path;

	ck_assert(pf_procfs_parse_mapping(line, &start, &length, &offset, &protection, &path));
	ck_assert_uint_eq(start, 0x7f10);
	ck_assert_uint_eq(length, 0x20);
	ck_assert_uint_eq(offset, 0x2000);
	ck_assert_uint_eq(protection, PROT_READ | PROT_EXEC);
	ck_assert_str_eq(path, "/opt/a b");
	ck_assert(pf_procfs_parse_mapping(plain, &start, &length, &offset, &protection, &path));
	ck_assert_str_eq(path, "");
	ck_assert(!pf_procfs_parse_mapping(wrong, &start, &length, &offset, &protection, &path));
}
END_TEST

/* By the flags of <linux/sched.h>: of Linux 6.18, and of 5.15.0, where PF_USED_ASYNC (0x4000) is in the flags of every
 * program. */
START_TEST(workers_of_the_kernel_are_told_from_threads)
{
	static const char thread[] = "81 (a) 7 (b) S 1 81 81 0 -1 4194304 541 0 0",
			  io[] = "83 (iou-wrk-81) S 1 81 81 0 -1 4194384 0 0 0",
			  vhost[] = "84 (vhost-81) S 1 81 81 0 -1 4210752 0 0 0",
			  old_thread[] = "81 (main) S 1 81 81 0 -1 4210688 541 0 0",
			  old_io[] = "83 (iou-wrk-81) S 1 81 81 0 -1 4210768 0 0 0";

	ck_assert(!pf_procfs_parse_worker(thread, thread));
	ck_assert(pf_procfs_parse_worker(io, thread));
	ck_assert(pf_procfs_parse_worker(vhost, thread));
	ck_assert(!pf_procfs_parse_worker(old_thread, old_thread));
	ck_assert(pf_procfs_parse_worker(old_io, old_thread));
}
END_TEST

START_TEST(a_wait_with_an_end_is_not_interrupted)
{
	struct pf_proc_place place = { .call = SYS_epoll_wait, .arguments = { 3, 0, 8, 1000 } };

	ck_assert(!pf_tracee_is_calm(&place));
	place.arguments[3] = 0xffffffff;
	ck_assert(pf_tracee_is_calm(&place));
	place = (struct pf_proc_place) { .call = SYS_poll, .arguments = { 0, 1, 1000 } };
	ck_assert(pf_tracee_is_calm(&place));
	place = (struct pf_proc_place) { .call = SYS_rt_sigtimedwait, .arguments = { 1, 2, 3, 8 } };
	ck_assert(!pf_tracee_is_calm(&place));
	place.arguments[2] = 0;
	ck_assert(pf_tracee_is_calm(&place));
	place = (struct pf_proc_place) { .running = true };
	ck_assert(pf_tracee_is_calm(&place));
}
END_TEST

/* A write into a full pipe would return short, io_uring_enter with what it has handed in. */
START_TEST(a_call_that_may_have_done_a_part_is_not_interrupted)
{
	struct pf_proc_place place = { .call = SYS_write, .arguments = { 1, 2, 1 << 20 } };

	ck_assert(!pf_tracee_is_calm(&place));
	place = (struct pf_proc_place) { .call = SYS_sendmsg, .arguments = { 1, 2, 0 } };
	ck_assert(!pf_tracee_is_calm(&place));
	place = (struct pf_proc_place) { .call = SYS_read, .arguments = { 1, 2, 1 << 20 } };
	ck_assert(pf_tracee_is_calm(&place));
	place = (struct pf_proc_place) { .call = SYS_recvfrom, .arguments = { 1, 2, 8, 0 } };
	ck_assert(pf_tracee_is_calm(&place));
	place.arguments[3] = MSG_WAITALL;
	ck_assert(!pf_tracee_is_calm(&place));
	place = (struct pf_proc_place) { .call = SYS_recvmsg, .arguments = { 1, 2, MSG_WAITALL } };
	ck_assert(!pf_tracee_is_calm(&place));
	place = (struct pf_proc_place) { .call = SYS_io_uring_enter, .arguments = { 3, 0, 1, 1 } };
	ck_assert(pf_tracee_is_calm(&place));
	place.arguments[1] = 1;
	ck_assert(!pf_tracee_is_calm(&place));
}
END_TEST

/* In the child: waits for the pipe's byte, or its end of time.  0: as it should be. */
static int wait_in(int call, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	struct timespec begin, end, span = { 1, 500000000 };
	int set, got;
	char byte;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	switch (call) {
	case SYS_epoll_wait:
		set = epoll_create1(0);
		epoll_ctl(set, EPOLL_CTL_ADD, fd, &event);
		got = epoll_wait(set, &event, 1, -1);
		break;
	case SYS_poll:
		got = poll(&wait, 1, 60000);
		break;
	case SYS_read:
		got = (int)read(fd, &byte, 1);
		break;
	default:
		if (nanosleep(&span, NULL) != 0)
			return 2;
		clock_gettime(CLOCK_MONOTONIC, &end);
		return end.tv_sec * 1000 + end.tv_nsec / 1000000 - begin.tv_sec * 1000 - begin.tv_nsec / 1000000 < 1500;
	}
	return got == 1 ? 0 : errno;
}

/* A syscall instruction, at the same address in the child. */
extern const char gate[] __attribute__((visibility("hidden")));
__asm__(".text\ngate: syscall\n ud2\n");

static void hold_in(int call)
{
	struct pf_proc_place place = { .running = true };
	struct pf_tracee tracee;
	struct pf_error error;
	int ends[2], status;
	int64_t result;
	pid_t child;

	ck_assert_int_eq(pipe(ends), 0);
	child = fork();
	if (child == 0)
		_exit(wait_in(call, ends[0]));
	while (place.running || (place.call != call && place.call != SYS_clock_nanosleep))
		ck_assert(pf_procfs_place(child, child, &place));
	for (int i = 0; i < 3; i++) {
		status = pf_tracee_hold(&tracee, child, child, &error);
		ck_assert_msg(status == PF_OK, "%s", error.text);
		ck_assert_int_eq(
		    pf_tracee_syscall(&tracee, (uint64_t)gate, SYS_getpid, (const uint64_t[6]) { 0 }, &result, &error),
		    PF_OK);
		ck_assert_int_eq(result, child);
		ck_assert_int_eq(
		    pf_tracee_syscall(&tracee, (uint64_t)gate, SYS_close, (const uint64_t[6]) { 999 }, &result, &error),
		    PF_OK);
		ck_assert_int_eq(result, -EBADF);
		pf_tracee_release(&tracee);
	}
	ck_assert_int_eq(write(ends[1], "", 1), 1);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "call %d: wait status %#x", call,
		      (unsigned)status);
	close(ends[0]);
	close(ends[1]);
}

START_TEST(a_call_that_was_interrupted_goes_on)
{
	hold_in(SYS_read);
	hold_in(SYS_poll);
	hold_in(SYS_epoll_wait);
	hold_in(SYS_nanosleep);
}
END_TEST

/* Waits until the other end of a pipe that is closed by exec is closed. */
static void await_exec(int end)
{
	char byte;

	ck_assert_int_eq(read(end, &byte, 1), 0);
	close(end);
}

/* A child that has its parent's program first, then, for each byte that it is sent, a shell's. */
START_TEST(a_program_has_its_mark)
{
	uint64_t own = pf_procfs_image(getpid()), first, second = 0;
	int executed[2], orders[2];
	pid_t child;

	ck_assert_uint_ne(own, 0);
	ck_assert_uint_eq(pf_procfs_image(getpid()), own);
	ck_assert_int_eq(pipe2(executed, O_CLOEXEC), 0);
	ck_assert_int_eq(pipe(orders), 0);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		char byte;

		dup2(orders[0], 0);
		close(orders[1]);
		if (read(0, &byte, 1) == 1)
			execl("/bin/sh", "sh", "-c", "read x; exec sh -c 'read x; exit 3'", (char *)0);
		_exit(1);
	}
	close(executed[1]);
	close(orders[0]);
	ck_assert_uint_eq(pf_procfs_image(child), own);
	ck_assert_int_eq(write(orders[1], "x", 1), 1);
	await_exec(executed[0]);
	first = pf_procfs_image(child);
	ck_assert_uint_ne(first, 0);
	ck_assert_uint_ne(first, own);
	ck_assert_uint_eq(pf_procfs_image(child), first);
	ck_assert_int_eq(write(orders[1], "\n", 1), 1);
	do
		second = pf_procfs_image(child);
	while (second == first);
	ck_assert_uint_ne(second, 0);
	ck_assert_uint_ne(second, own);
	close(orders[1]);
	ck_assert_int_eq(waitid(P_PID, (id_t)child, &(siginfo_t) { 0 }, WEXITED | WNOWAIT), 0);
	ck_assert_uint_eq(pf_procfs_image(child), 0);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	ck_assert_uint_eq(pf_procfs_image(child), 0);
}
END_TEST

START_TEST(who_is_gone_is_told)
{
	struct pf_proc_status state;
	struct pf_tracee tracee;
	struct pf_error error;
	int status;
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	while (!pf_procfs_status(child, child, &state) || state.state != 'Z')
		continue;
	ck_assert_int_eq(pf_tracee_hold(&tracee, child, child, &error), PF_ENOTFOUND);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(pf_tracee_hold(&tracee, child, child, &error), PF_ENOTFOUND);
	ck_assert_ptr_nonnull(strstr(error.text, "has ended"));
}
END_TEST

int main(void)
{
	return RUN_SUITE("runtime-procfs", a_status_is_read, a_place_is_read, a_mapping_is_read,
			 workers_of_the_kernel_are_told_from_threads, a_wait_with_an_end_is_not_interrupted,
			 a_call_that_may_have_done_a_part_is_not_interrupted, a_call_that_was_interrupted_goes_on,
			 a_program_has_its_mark, who_is_gone_is_told);
}
