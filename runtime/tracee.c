/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See tracee.h.  The thread is stopped at the kernel's exit to user space (PTRACE_SEIZE and PTRACE_INTERRUPT: no
 * signal is sent), and stops again there, or at a system call that it is made to do: no trap, whose signal the program
 * could have blocked or ignored, is ever made.  What it is to call runs in one go, however many system calls that
 * makes, to an ignored signal that it sends itself, for which it stops only while it is held: if the recorder dies it
 * goes on. It is let go from a stop of the first kind, since it is there, behind a system call that was interrupted,
 * that the kernel looks at the registers and begins the call again: with the thread's own registers back, it does what
 * it would have done.  The hard case is a call that the kernel does not begin again but returns EINTR from, as if a
 * handler had run (epoll_wait): if it waits for ever it is told to be one of the others; one with an end is better not
 * interrupted (pf_tracee_is_calm), as its time would begin anew. */
#include "runtime/tracee.h"

#include <errno.h>
#include <linux/io_uring.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RESTART_UNLESS_HANDLED (-514) /* the kernel's ERESTARTNOHAND */
#define RESTART_BY_CALL (-516)        /* ...and ERESTART_RESTARTBLOCK */
#define SYSTEM_CALL_STOP (SIGTRAP | 0x80)
#define PLAIN_FLAGS 0x202
#define ROUNDS_A_LOOK 10       /* of 100 us each */
#define MOST_LOOKS 1000        /* a second */
#define MOST_HELD_LOOKS 3000   /* what it is made to do waits for a second itself, where other threads work */
#define MOST_CPU_NS 1000000000 /* what it is made to do takes microseconds */
#define GET_RSEQ 0x420f        /* PTRACE_GET_RSEQ_CONFIGURATION, Linux 5.13 */
#define RSEQ_CS_FIELD 8
#define GET_DISPATCH 0x4211 /* PTRACE_GET_SYSCALL_USER_DISPATCH_CONFIG, Linux 6.4 */

struct rseq_place {
	uint64_t pointer;
	uint32_t size, signature, flags, pad;
};

/* Would return EINTR; *FOREVER: and can be begun again: it waits without an end or, of a socket with a time limit, is
 * better to wait longer. */
static bool is_brittle(int64_t call, const uint64_t arguments[6], bool *forever)
{
	switch (call) {
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
		*forever = (int32_t)arguments[3] < 0;
		return true;
	case SYS_epoll_pwait2:
	case SYS_semtimedop:
		*forever = arguments[3] == 0;
		return true;
	case SYS_rt_sigtimedwait:
		*forever = arguments[2] == 0;
		return true;
	case SYS_io_getevents:
		*forever = arguments[4] == 0;
		return true;
	case SYS_io_uring_enter:
		*forever = !(arguments[3] & IORING_ENTER_EXT_ARG); /* the place of its end */
		return true;
	case SYS_read:
	case SYS_readv:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_recvmmsg:
	case SYS_write:
	case SYS_writev:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_sendmmsg:
	case SYS_sendfile:
	case SYS_splice:
	case SYS_accept:
	case SYS_accept4:
	case SYS_connect:
	case SYS_semop:
		*forever = true;
		return true;
	default:
		return false;
	}
}

/* Would return what it has done so far: less than was asked for, as it seldom does otherwise. */
static bool is_cut_short(int64_t call, const uint64_t arguments[6])
{
	switch (call) {
	case SYS_write:
	case SYS_writev:
	case SYS_sendto:
	case SYS_sendmsg:
		return true;
	case SYS_recvfrom:
		return arguments[3] & MSG_WAITALL;
	case SYS_recvmsg:
		return arguments[2] & MSG_WAITALL;
	case SYS_io_uring_enter:
		return arguments[1] != 0; /* what it has handed in, without what it waits for */
	default:
		return false;
	}
}

bool pf_tracee_is_calm(const struct pf_proc_place *place)
{
	bool forever = false;

	if (place->running)
		return true;
	return !is_cut_short(place->call, place->arguments) &&
	       (!is_brittle(place->call, place->arguments, &forever) || forever);
}

struct dispatch {
	uint64_t mode, selector, offset, size;
};

static int gone(const struct pf_tracee *t, struct pf_error *error)
{
	return pf_fail(error, PF_ENOTFOUND, "%d: the process has ended", t->pid);
}

static int does_not_stop(const struct pf_tracee *t, struct pf_error *error)
{
	return pf_fail(error, PF_EIO,
		       "%d: thread %d does not stop: it waits in the kernel, for a disk or a child of vfork; try again",
		       t->pid, t->tid);
}

/* What has been seen of a thread that is waited for. */
struct patience {
	uint64_t cpu_ns; /* when the wait began */
	int waits;       /* looks at which it waited in the kernel, and would not come to a stop */
};

/* Where other programs have the processors a thread takes any time to come to its stop, and is not stuck: what counts
 * is what it does meanwhile.  One that sleeps is woken to be held; one that has been held comes out of whatever disk it
 * waits for now, but sleeps on in a control group that has been frozen. */
static bool is_stuck(const struct pf_tracee *t, char state, struct patience *patience)
{
	patience->waits += state == (t->held ? 'S' : 'D');
	return patience->waits >= (t->held ? MOST_HELD_LOOKS : MOST_LOOKS) ||
	       pf_procfs_cpu_ns(t->pid, t->tid) > patience->cpu_ns + MOST_CPU_NS;
}

static char state_of(const struct pf_tracee *t)
{
	struct pf_proc_status status;

	return pf_procfs_status(t->pid, t->tid, &status) ? status.state : 0;
}

/* The next stop of the thread, as waitpid gives it.  PF_ENOTFOUND, PF_EIO: there is none. */
static int next_stop(const struct pf_tracee *t, int *status, struct pf_error *error)
{
	static const struct timespec pause = { 0, 100000 };
	struct patience patience = { 0 };

	for (unsigned round = 1;; round++) {
		pid_t got = waitpid(t->tid, status, __WALL | WNOHANG);
		char state;

		if (got < 0 && errno != EINTR)
			return gone(t, error);
		if (got == t->tid)
			return WIFSTOPPED(*status) ? PF_OK : gone(t, error);
		if (round == ROUNDS_A_LOOK)
			patience.cpu_ns = pf_procfs_cpu_ns(t->pid, t->tid);
		state = round % ROUNDS_A_LOOK == 0 ? state_of(t) : 0;
		/* The end of a first thread is not told of before the others of its process have ended. */
		if (state == 'Z' && t->tid == t->pid)
			return gone(t, error);
		if (state && !t->leaving && is_stuck(t, state, &patience))
			return does_not_stop(t, error);
		nanosleep(&pause, NULL);
	}
}

static bool is_plain_stop(int status)
{
	return status >> 16 == PTRACE_EVENT_STOP;
}

/* Runs on until the stop that pf_tracee_release needs, with the signals that come on the way. */
static int interrupt(const struct pf_tracee *t, struct pf_error *error)
{
	int status, failed;

	for (;;) {
		failed = next_stop(t, &status, error);
		if (failed < 0 || is_plain_stop(status))
			return failed;
		if (ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL) != 0 ||
		    ptrace(PTRACE_CONT, t->tid, NULL, WSTOPSIG(status) & 0x80 ? 0l : (long)WSTOPSIG(status)) != 0)
			return gone(t, error);
	}
}

static int refuse(const struct pf_tracee *t, int reason, struct pf_error *error)
{
	struct pf_proc_status status;
	char scope[16] = "";
	FILE *file;

	/* One that is ending is not permitted. */
	if (reason == ESRCH || !pf_procfs_status(t->pid, t->tid, &status) || strchr("ZX", status.state))
		return gone(t, error);
	if (status.tracer == getpid()) /* it was to be held before */
		return does_not_stop(t, error);
	if (status.tracer)
		return pf_fail(error, PF_EUNSUPPORTED,
			       "%d (%s): process %d traces it already (a debugger, strace); end that first", t->pid,
			       status.name, status.tracer);
	file = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	if (file) {
		if (!fgets(scope, sizeof scope, file))
			*scope = 0;
		fclose(file);
	}
	if (*scope > '0' && geteuid() != 0)
		return pf_fail(
		    error, PF_EUNSUPPORTED,
		    "%d: may not be attached to: kernel.yama.ptrace_scope is %.1s; run as root, or 'sudo sysctl "
		    "kernel.yama.ptrace_scope=0'",
		    t->pid, scope);
	return pf_fail(error, PF_EUNSUPPORTED,
		       "%d: may not be attached to: %s; be its user, or root with the capability CAP_SYS_PTRACE",
		       t->pid, strerror(reason));
}

/* Is the held thread, which cannot go now, one of its process? */
static bool belongs(const struct pf_tracee *t)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/task/%d", t->pid, t->tid);
	return access(path, F_OK) == 0;
}

/* A thread that nobody waits for any more, and that has stopped for us, as STATUS says. */
static void let_go(pid_t tid, int status)
{
	if (WIFSTOPPED(status))
		ptrace(PTRACE_DETACH, tid, NULL, is_plain_stop(status) ? 0l : (long)WSTOPSIG(status));
}

/* One that did not stop in time before may have stopped since.  Nothing else is looked at: what has ended may be a
 * child that somebody waits for. */
static bool seize(pid_t pid, pid_t tid)
{
	struct pf_proc_status status;
	int stop;

	if (ptrace(PTRACE_SEIZE, tid, NULL, (long)PTRACE_O_TRACESYSGOOD) == 0)
		return true;
	if (errno == EPERM && pf_procfs_status(pid, tid, &status) && status.tracer == getpid() &&
	    waitpid(tid, &stop, __WALL | WNOHANG) == tid)
		let_go(tid, stop);
	return ptrace(PTRACE_SEIZE, tid, NULL, (long)PTRACE_O_TRACESYSGOOD) == 0;
}

/* Whether the program lets its calls through at present does not matter.  Where the kernel does not tell, who catches
 * the signal that such a call becomes is one of those. */
static bool is_dispatched(const struct pf_tracee *t)
{
	struct dispatch dispatch = { 0 };
	struct pf_proc_status status;

	if (ptrace(GET_DISPATCH, t->tid, sizeof dispatch, &dispatch) == 0)
		return dispatch.mode != 0;
	return pf_procfs_status(t->pid, t->tid, &status) && status.caught >> (SIGSYS - 1) & 1;
}

int pf_tracee_hold(struct pf_tracee *t, pid_t pid, pid_t tid, struct pf_error *error)
{
	int status;

	*t = (struct pf_tracee) { .pid = pid, .tid = tid };
	if (pf_procfs_is_worker(pid, tid))
		return gone(t, error);
	if (!seize(pid, tid))
		return refuse(t, errno, error);
	if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) != 0)
		return gone(t, error);
	status = interrupt(t, error);
	if (status < 0)
		return status;
	t->held = t->plain = true;
	if (ptrace(PTRACE_GETREGS, tid, NULL, &t->before) == 0 &&
	    ptrace(PTRACE_GETSIGMASK, tid, sizeof t->mask, &t->mask) == 0) {
		t->parting_mask = t->mask;
		t->dispatched = is_dispatched(t);
		if (belongs(t))
			return PF_OK;
		pf_tracee_release(t);
	}
	return gone(t, error);
}

bool pf_tracee_is_whole(const struct pf_tracee *t, int memory)
{
	struct rseq_place place = { 0 };
	uint64_t sequence = 0;

	if (ptrace(GET_RSEQ, t->tid, sizeof place, &place) != (long)sizeof place || !place.pointer)
		return true;
	return pread(memory, &sequence, sizeof sequence, (off_t)(place.pointer + RSEQ_CS_FIELD)) ==
		   (ssize_t)sizeof sequence &&
	       sequence == 0;
}

/* Blocks all signals, once: the thread runs nothing but what it is told.  One whose stop has not come is not told
 * anything more: it would be taken to have done one thing when it has done another. */
static int enter(struct pf_tracee *t, struct pf_error *error)
{
	uint64_t all = ~0ull;

	if (t->running)
		return does_not_stop(t, error);
	if (t->entered)
		return PF_OK;
	if (ptrace(PTRACE_SETSIGMASK, t->tid, sizeof all, &all) != 0)
		return gone(t, error);
	t->entered = true;
	return PF_OK;
}

static bool is_fault(int signal)
{
	return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE;
}

/* Goes on to the next stop in front of a system call or behind one or, if LANDED is not 0, to the signal there. */
static int go_on(struct pf_tracee *t, uint64_t landed, struct user_regs_struct *regs, struct pf_error *error)
{
	int status, failed;

	do {
		if (ptrace(landed ? PTRACE_CONT : PTRACE_SYSCALL, t->tid, NULL, NULL) != 0)
			return gone(t, error);
		t->plain = false;
		t->running = true;
		failed = next_stop(t, &status, error);
		if (failed < 0)
			return failed;
		t->running = false;
		t->stop |= WSTOPSIG(status) == SIGSTOP;
		if (is_fault(WSTOPSIG(status)))
			return pf_fail(error, PF_EINTERNAL,
				       "%d: a fault in what the recorder runs there; please report it", t->pid);
		if (ptrace(PTRACE_GETREGS, t->tid, NULL, regs) != 0)
			return gone(t, error);
	} while (landed ? regs->rip != landed || is_plain_stop(status) : WSTOPSIG(status) != SYSTEM_CALL_STOP);
	return PF_OK;
}

int pf_tracee_syscall(struct pf_tracee *t, uint64_t gate, long number, const uint64_t arguments[6], int64_t *result,
		      struct pf_error *error)
{
	struct user_regs_struct regs = t->before;
	int status = enter(t, error);

	regs.rip = gate;
	regs.orig_rax = (unsigned long long)-1;
	regs.rax = (unsigned long long)number;
	regs.rdi = arguments[0];
	regs.rsi = arguments[1];
	regs.rdx = arguments[2];
	regs.r10 = arguments[3];
	regs.r8 = arguments[4];
	regs.r9 = arguments[5];
	regs.eflags = PLAIN_FLAGS;
	if (status == PF_OK && ptrace(PTRACE_SETREGS, t->tid, NULL, &regs) != 0)
		status = gone(t, error);
	for (int stop = 0; status == PF_OK && stop < 2; stop++)
		status = go_on(t, 0, &regs, error);
	*result = (int64_t)regs.rax;
	return status;
}

/* The registers to go on with. */
static struct user_regs_struct unbroken(const struct user_regs_struct *before)
{
	const uint64_t arguments[6] = { before->rdi, before->rsi, before->rdx, before->r10, before->r8, before->r9 };
	struct user_regs_struct regs = *before;
	bool forever = false;

	if ((int64_t)regs.orig_rax >= 0 && (int64_t)regs.rax == -EINTR &&
	    is_brittle((int64_t)regs.orig_rax, arguments, &forever) && forever)
		regs.rax = (unsigned long long)RESTART_UNLESS_HANDLED;
	return regs;
}

/* A signal that is ignored, and that nobody waits for. */
static uint32_t signal_to_land_by(const struct pf_tracee *t)
{
	static const uint32_t candidates[] = { SIGURG, SIGWINCH, SIGCHLD };
	struct pf_proc_status status;

	for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
		if (pf_procfs_status(t->pid, t->tid, &status) &&
		    !((status.caught | status.blocked | t->mask) >> (candidates[i] - 1) & 1))
			return candidates[i];
	}
	return SIGURG;
}

/* What the kernel would make of the registers, and of a system call that is to be begun again. */
static struct pf_attached_parting parting_of(const struct pf_tracee *t)
{
	struct user_regs_struct r = unbroken(&t->before);
	int64_t result = (int64_t)r.rax;

	if ((int64_t)r.orig_rax >= 0 && (result == RESTART_BY_CALL || (result <= -512 && result >= -514))) {
		r.rax = result == RESTART_BY_CALL ? SYS_restart_syscall : r.orig_rax;
		r.rip -= 2;
	}
	return (struct pf_attached_parting) { r.r15, r.r14,    r.r13, r.r12,   r.rbp,
					      r.rbx, r.r11,    r.r10, r.r9,    r.r8,
					      r.rax, r.rcx,    r.rdx, r.rsi,   r.rdi,
					      r.rip, r.eflags, r.rsp, t->mask, signal_to_land_by(t),
					      0 };
}

/* At each moment the recorder can die: before the thread has its registers it goes on as it was, behind that by what it
 * has been left.  So registers come first here, and the mask at the end (pf_tracee_release). */
static int set_out(struct pf_tracee *t, const struct pf_tracee_visit *visit, const struct user_regs_struct *regs,
		   struct pf_error *error)
{
	struct pf_attached_parting parting = parting_of(t);
	uint64_t mask = ~(1ull << (parting.signal - 1));

	if (t->running)
		return does_not_stop(t, error);
	if (visit->parting &&
	    pwrite(visit->memory, &parting, sizeof parting, (off_t)visit->parting) != (ssize_t)sizeof parting)
		return gone(t, error);
	if (ptrace(PTRACE_SETREGS, t->tid, NULL, regs) != 0)
		return gone(t, error);
	t->entered = true;
	return ptrace(PTRACE_SETSIGMASK, t->tid, sizeof mask, &mask) == 0 ? PF_OK : gone(t, error);
}

int pf_tracee_call(struct pf_tracee *t, const struct pf_tracee_visit *visit, uint64_t function, uint64_t argument,
		   int64_t *result, struct pf_error *error)
{
	struct user_regs_struct regs = t->before;
	int status;

	regs.rip = visit->enter;
	regs.orig_rax = (unsigned long long)-1;
	regs.rax = function;
	regs.rdi = argument;
	regs.eflags = PLAIN_FLAGS;
	status = set_out(t, visit, &regs, error);
	if (status == PF_OK)
		status = go_on(t, visit->landed, &regs, error);
	*result = (int64_t)regs.rbx;
	return status;
}

void pf_tracee_release(struct pf_tracee *t)
{
	struct user_regs_struct regs = unbroken(&t->before);

	t->leaving = true;
	if (!t->plain && ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL) == 0) {
		/* One that did not stop in time runs still: CONT could come behind its stop, which would be lost. */
		if (!t->running)
			ptrace(PTRACE_CONT, t->tid, NULL, NULL);
		interrupt(t, NULL);
	}
	if (t->entered || t->parting_mask != t->mask)
		ptrace(PTRACE_SETSIGMASK, t->tid, sizeof t->parting_mask, &t->parting_mask);
	ptrace(PTRACE_SETREGS, t->tid, NULL, &regs);
	ptrace(PTRACE_DETACH, t->tid, NULL, NULL);
	if (t->stop)
		kill(t->pid, SIGSTOP);
}

bool pf_tracee_sweep(void)
{
	int status;
	pid_t tid;

	while ((tid = waitpid(-1, &status, __WALL | WNOHANG)) > 0)
		let_go(tid, status);
	return tid == 0;
}
