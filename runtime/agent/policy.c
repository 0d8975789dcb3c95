/* SPDX-License-Identifier: GPL-3.0-or-later */
/* May the recorder run here?  The one place where that is decided, for a process and for a burst; every no has a reason
 * that is counted.  The hard case is a system-call filter: a container's allows what the recorder needs and has been
 * there before it, one that the program (or its parent) put on may kill for any call that it did not expect.  So what
 * counts is whether there are more filters than the recorder itself has.  To find out, only system calls are made that
 * the loader has just made itself. */
#include "runtime/agent/counter.h"
#include "runtime/agent/engine.h"
#include "runtime/agent/next.h"
#include "runtime/agent/process.h"
#include "runtime/agent/segments.h"
#include "runtime/agent/signals.h"
#include "runtime/agent/thread.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <ucontext.h>

#define TRAP_FLAG 0x100u
#define CODE_SEGMENT_64 0x33 /* the selector of 64-bit code; a program may run 32-bit code beside it */
#define STATUS_SIZE 4096

struct status {
	uint64_t tracer, filter_mode, filters;
};

/* The number behind KEY in the text of /proc/self/status; 0 if it is not there. */
static uint64_t field(const char *text, long size, const char *key)
{
	long length = (long)__builtin_strlen(key);
	for (long i = 0; i + length < size; i++) {
		uint64_t value = 0;
		if ((i > 0 && text[i - 1] != '\n') || __builtin_memcmp(text + i, key, (size_t)length) != 0)
			continue;
		for (i += length; i < size && (text[i] == '\t' || text[i] == ' '); i++)
			continue;
		for (; i < size && text[i] >= '0' && text[i] <= '9'; i++)
			value = value * 10 + (uint64_t)(text[i] - '0');
		return value;
	}
	return 0;
}

/* Adds what is in the whole lines of TEXT; returns where the last one, which is not whole, begins. */
static long read_lines(const char *text, long size, struct status *status)
{
	while (size > 0 && text[size - 1] != '\n')
		size--;
	status->tracer += field(text, size, "TracerPid:");
	status->filter_mode += field(text, size, "Seccomp:");
	status->filters += field(text, size, "Seccomp_filters:");
	return size;
}

/* The numbers of a user's groups, all on one line in front of the last two, can be longer than any room for them. */
static struct status read_status(void)
{
	struct status status = { 0, 0, 0 };
	char text[STATUS_SIZE];
	long fd = PF_SYS4(SYS_openat, AT_FDCWD, "/proc/self/status", O_RDONLY | O_CLOEXEC, 0), kept = 0, got;
	while (fd >= 0 && (got = PF_SYS3(SYS_read, fd, text + kept, STATUS_SIZE - kept)) > 0) {
		long size = kept + got, line = read_lines(text, size, &status);
		kept = size - line < STATUS_SIZE ? size - line : 0;
		for (long i = 0; i < kept; i++)
			text[i] = text[line + i];
	}
	if (fd >= 0)
		PF_SYS1(SYS_close, fd);
	return status;
}

/* mmap fails, and a program that counts on its limits would not find the room that it has without us. */
static bool is_roomy(void)
{
	struct rlimit limit;
	static const int which[] = { RLIMIT_AS, RLIMIT_DATA };
	for (int i = 0; i < 2; i++)
		if (PF_SYS4(SYS_prlimit64, 0, which[i], NULL, &limit) != 0 || limit.rlim_cur < PF_LEAST_ADDRESS_SPACE)
			return false;
	return true;
}

/* Each timer takes the place of a signal, and a program with so few counts on all of them.  An event's signal needs no
 * place, so where bursts begin by one, it is only the threads without a counter that are not recorded. */
static enum pf_refusal ask_for_signals(void)
{
	struct rlimit limit = { 0 };
	pf_process_crowded |=
	    PF_SYS4(SYS_prlimit64, 0, RLIMIT_SIGPENDING, NULL, &limit) != 0 || limit.rlim_cur < PF_LEAST_PENDING;
	pf_process_places = limit.rlim_cur / PF_SHARE_OF_PENDING;
	return pf_process_crowded && !pf_counter_is_wanted() ? PF_REFUSE_TIMER : PF_REFUSE_NONE;
}

/* Valgrind translates the program itself, for a processor with fewer instructions than the one that is there.  It knows
 * its clients' requests by these five instructions, which change nothing; what they leave in %rdx is how many of it are
 * around us (valgrind.h, RUNNING_ON_VALGRIND). */
static bool is_in_valgrind(void)
{
	const uint64_t request[6] = { 0x1001 };
	uint64_t answer = 0;
	__asm__ volatile("rolq $3, %%rdi\n\trolq $13, %%rdi\n\trolq $61, %%rdi\n\trolq $51, %%rdi\n\t"
			 "xchgq %%rbx, %%rbx"
			 : "+d"(answer)
			 : "a"(request)
			 : "cc", "memory");
	return answer != 0;
}

enum pf_refusal pf_policy_process(const struct pf_control *control)
{
	if (is_in_valgrind())
		return PF_REFUSE_VALGRIND;
	struct status status = read_status();
	if (status.filter_mode != control->seccomp_mode || status.filters > control->seccomp_filters)
		return PF_REFUSE_FILTER;
	/* A debugger would stop at each of the recorder's signals. */
	if (status.tracer)
		return PF_REFUSE_TRACED;
	enum pf_refusal refusal = pf_policy_setup();
	if (refusal != PF_REFUSE_NONE)
		return refusal;
	/* It would lose sight of the handlers that the recorder stands in front of. */
	return pf_next_is_libc((const void *)PF_NEXT(sigaction)) ? PF_REFUSE_NONE : PF_REFUSE_INTERPOSED;
}

enum pf_refusal pf_policy_setup(void)
{
	pf_vectors_start(pf_settings.xsave);
	if (!pf_segments_start(pf_settings.fsgsbase))
		return PF_REFUSE_SEGMENTS;
	return is_roomy() ? ask_for_signals() : PF_REFUSE_ADDRESS_SPACE;
}

static uint64_t read_shadow_stack(void)
{
	uint64_t pointer = 0;
	__asm__ volatile("rdsspq %0" : "+r"(pointer)); /* does nothing where there is none */
	return pointer;
}

enum pf_refusal pf_policy_burst(const ucontext_t *context)
{
	if (pf_segments_gs() != 0)
		return PF_REFUSE_GS_USED;
	if (read_shadow_stack() != 0)
		return PF_REFUSE_SHADOW_STACK;
	if ((context->uc_mcontext.gregs[REG_CSGSFS] & 0xffff) != CODE_SEGMENT_64)
		return PF_REFUSE_SIGNAL;
	return context->uc_mcontext.gregs[REG_EFL] & TRAP_FLAG ? PF_REFUSE_SIGNAL : PF_REFUSE_NONE;
}
