/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stands in for the kernel's perf_event_open on a machine whose processor counts: preloaded, it opens software events
 * in the place of the hardware's, which the kernel counts and hands down to children as it does those: cycles are
 * nanoseconds of processor time, instructions are page faults; branch misses never come, and I-cache misses are an
 * event that this machine lacks.
 *
 * FAKE_COUNTERS is a number of <errno.h>, and every open fails so; or "COUNT/ENABLED/RUNNING", and every event reads
 * so, a counter that had to take turns. */
#include "testsuite/fakes/raw-syscall.h"

#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* The software event that stands for ATTR's; -1: there is none. */
static int stand_in(const struct perf_event_attr *attr)
{
	if (attr->type != PERF_TYPE_HARDWARE)
		return -1;
	return attr->config == PERF_COUNT_HW_CPU_CYCLES      ? PERF_COUNT_SW_TASK_CLOCK
	       : attr->config == PERF_COUNT_HW_INSTRUCTIONS  ? PERF_COUNT_SW_PAGE_FAULTS
	       : attr->config == PERF_COUNT_HW_BRANCH_MISSES ? PERF_COUNT_SW_EMULATION_FAULTS
							     : -1;
}

static long open_fixed(const uint64_t words[3])
{
	int fd = memfd_create("fake-counters", MFD_CLOEXEC);

	return fd >= 0 && pwrite(fd, words, 24, 0) == 24 ? fd : -1;
}

static long open_event(const struct perf_event_attr *attr, long pid, long cpu, long group, long flags)
{
	const char *setting = getenv("FAKE_COUNTERS");
	struct perf_event_attr software = *attr;
	uint64_t words[3];

	if (setting && sscanf(setting, "%lu/%lu/%lu", &words[0], &words[1], &words[2]) == 3)
		return open_fixed(words);
	errno = setting && *setting ? atoi(setting) : ENOENT;
	if ((setting && *setting) || stand_in(attr) < 0)
		return -1;
	software.type = PERF_TYPE_SOFTWARE;
	software.config = (uint64_t)stand_in(attr);
	return raw(SYS_perf_event_open, (long)&software, pid, cpu, group, flags, 0);
}

long syscall(long call, ...)
{
	long a[6];
	va_list arguments;

	va_start(arguments, call);
	take_arguments(call, arguments, a);
	va_end(arguments);
	if (call == SYS_perf_event_open)
		return open_event((const struct perf_event_attr *)a[0], a[1], a[2], a[3], a[4]);
	return raw(call, a[0], a[1], a[2], a[3], a[4], a[5]);
}
