/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stands in for a kernel and a processor with counters that programs read by themselves: preloaded, it opens an event
 * as a page that says so, and does what rdpmc would where the processor refuses it.  Each thread has a counter, which
 * counts what the program says by fake_count(); it is 40 bits wide and goes from below zero to above in its first
 * thousand, and the page's offset makes up for that.
 *
 * FAKE_RDPMC is a number of <errno.h>, and every open fails so; or "refused", and the page says that nobody may read.
 * FAKE_RDPMC_OPENED, a file, gets a line for each event: its type and code. */
#include "testsuite/fakes/raw-syscall.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { WIDTH = 40, COUNTER = 3, BELOW = 1000 };

static _Thread_local uint64_t counted, opened_at;

void fake_count(uint64_t more);

void fake_count(uint64_t more)
{
	counted += more;
}

/* rdpmc is 0f 33. */
static void emulate(int number, siginfo_t *info, void *of)
{
	greg_t *registers = ((ucontext_t *)of)->uc_mcontext.gregs;
	const unsigned char *at = (const unsigned char *)registers[REG_RIP];
	uint64_t value = (counted - opened_at - BELOW) & ((UINT64_C(1) << WIDTH) - 1);

	(void)info;
	if (at[0] != 0x0f || at[1] != 0x33 || registers[REG_RCX] != COUNTER) {
		signal(number, SIG_DFL);
		return;
	}
	registers[REG_RAX] = (greg_t)(value & UINT32_MAX);
	registers[REG_RDX] = (greg_t)(value >> 32);
	registers[REG_RIP] += 2;
}

static void note(const struct perf_event_attr *attr)
{
	const char *log = getenv("FAKE_RDPMC_OPENED");
	int file = log ? open(log, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;

	if (file < 0)
		return;
	dprintf(file, "%u %llx\n", attr->type, (unsigned long long)attr->config);
	close(file);
}

static long open_event(const struct perf_event_attr *attr)
{
	const char *setting = getenv("FAKE_RDPMC");
	struct sigaction action = { .sa_sigaction = emulate, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	struct perf_event_mmap_page page = { .index = COUNTER + 1, .offset = BELOW, .pmc_width = WIDTH };
	int refused = setting && strcmp(setting, "refused") == 0, file;

	if (setting && !refused) {
		errno = atoi(setting);
		return -1;
	}
	note(attr);
	page.cap_user_rdpmc = !refused;
	sigaction(SIGSEGV, &action, NULL);
	opened_at = counted;
	file = memfd_create("fake-rdpmc", MFD_CLOEXEC);
	return ftruncate(file, 4096) == 0 && pwrite(file, &page, sizeof page, 0) == sizeof page ? file : -1;
}

long syscall(long call, ...)
{
	long a[6];
	va_list arguments;

	va_start(arguments, call);
	take_arguments(call, arguments, a);
	va_end(arguments);
	if (call == SYS_perf_event_open)
		return open_event((const struct perf_event_attr *)a[0]);
	return raw(call, a[0], a[1], a[2], a[3], a[4], a[5]);
}
