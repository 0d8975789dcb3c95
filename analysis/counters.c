/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See counters.h.  The hard case is what is no refusal: a virtual machine whose counters can be opened and stand still,
 * and a processor with fewer counters than are asked for, where the kernel lets them take turns.  So a counter that
 * never ran has no value, and each event is opened by itself: inherited groups cannot be read. */
#include "analysis/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define L1I_READ_MISS                                                                                                  \
	(PERF_COUNT_HW_CACHE_L1I | PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16)

const char *const pf_counter_names[PF_COUNTERS] = {
	[PF_COUNTER_CYCLES] = "cycles",
	[PF_COUNTER_INSTRUCTIONS] = "instructions",
	[PF_COUNTER_BRANCH_MISSES] = "branch_misses",
	[PF_COUNTER_ICACHE_MISSES] = "icache_misses",
};

const char *const pf_counter_words[PF_COUNTERS] = {
	[PF_COUNTER_CYCLES] = "cycles",
	[PF_COUNTER_INSTRUCTIONS] = "instructions",
	[PF_COUNTER_BRANCH_MISSES] = "branch misses",
	[PF_COUNTER_ICACHE_MISSES] = "I-cache misses",
};

static const struct {
	uint32_t type;
	uint64_t config;
} events[PF_COUNTERS] = {
	[PF_COUNTER_CYCLES] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	[PF_COUNTER_INSTRUCTIONS] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	[PF_COUNTER_BRANCH_MISSES] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	[PF_COUNTER_ICACHE_MISSES] = { PERF_TYPE_HW_CACHE, L1I_READ_MISS },
};

struct pf_counter_sums pf_counter_sums_none(void)
{
	struct pf_counter_sums none = { .share = 1 };

	for (int i = 0; i < PF_COUNTERS; i++)
		none.events[i] = -1;
	return none;
}

static int open_event(int which)
{
	struct perf_event_attr attr = {
		.type = events[which].type,
		.size = sizeof attr,
		.config = events[which].config,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.disabled = 1,
		.inherit = 1,
		.enable_on_exec = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

void pf_counters_open(struct pf_counters *counters)
{
	for (int i = 0; i < PF_COUNTERS; i++)
		counters->fds[i] = open_event(i);
}

struct pf_counter_sums pf_counters_read(const struct pf_counters *counters)
{
	struct pf_counter_sums counted = pf_counter_sums_none();

	for (int i = 0; i < PF_COUNTERS; i++) {
		struct {
			uint64_t count, enabled, running;
		} is;
		double share;

		if (counters->fds[i] < 0 || read(counters->fds[i], &is, sizeof is) != sizeof is || is.running == 0)
			continue;
		share = is.running < is.enabled ? (double)is.running / (double)is.enabled : 1;
		counted.events[i] = (double)is.count / share;
		counted.share = share < counted.share ? share : counted.share;
	}
	return counted;
}

/* What the administrator lets everybody do; -1 if it cannot be read. */
static int paranoid(void)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int level = -1;

	if (file && fscanf(file, "%d", &level) != 1)
		level = -1;
	if (file)
		fclose(file);
	return level;
}

void pf_counters_explain(char *text, size_t size)
{
	int fd = open_event(PF_COUNTER_CYCLES), number = errno;

	if (fd >= 0) {
		close(fd);
		snprintf(text, size, "the machine's counters can be opened, but stand still");
	} else if (number == ENOENT || number == EOPNOTSUPP || number == ENODEV) {
		snprintf(text, size, "the machine shows no hardware counters, as most virtual machines do not");
	} else if (number == EACCES || number == EPERM) {
		snprintf(text, size, "the kernel forbids it: kernel.perf_event_paranoid is %d, and must be 2 or less",
			 paranoid());
	} else {
		snprintf(text, size, "perf_event_open failed: %s", strerror(number));
	}
}
