/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See metric.h.  Each thread has a counter of its own, which the kernel saves and restores with the thread, and shows
 * in a page by which it is read without a call (perf_event_open(2), rdpmc).  The descriptor is closed at once: the page
 * keeps the counter, and the program's descriptors are left alone.
 *
 * The hard case is a child of fork, which does not have that page and whose counter is not its parent's, but whose
 * functions began in the parent.  A page of our own, which the kernel empties in each child, says that there is none
 * yet; the child opens its own and goes on from the value that was read last.
 *
 * It runs in other people's programs: no heap, no stdio but for one line, no lock. */
#include "runtime/paths/metric.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DEFAULT "instructions"
#define PAGE 4096

#define CACHE(which, what)                                                                                             \
	(PERF_COUNT_HW_CACHE_##which | PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_##what << 16)

/* As perf spells them. */
static const struct event {
	const char *name;
	uint32_t type;
	uint64_t config;
} events[] = {
	{ "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ DEFAULT, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "L1-dcache-loads", PERF_TYPE_HW_CACHE, CACHE(L1D, ACCESS) },
	{ "L1-dcache-load-misses", PERF_TYPE_HW_CACHE, CACHE(L1D, MISS) },
	{ "L1-icache-load-misses", PERF_TYPE_HW_CACHE, CACHE(L1I, MISS) },
	{ "LLC-load-misses", PERF_TYPE_HW_CACHE, CACHE(LL, MISS) },
	{ "dTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE(DTLB, MISS) },
	{ "iTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE(ITLB, MISS) },
};

/* Of a thread; all zero in a child of fork. */
struct counter {
	const volatile struct perf_event_mmap_page *page;
	uint64_t base; /* what the page's beginning counts as */
	bool opening;  /* a signal's handler comes here in between */
};

static _Thread_local struct counter *own;
static _Thread_local uint64_t last;
static pthread_key_t key;
static bool has_key;
static char name[32]; /* of the event, when it is known and is counted */
static _Atomic bool failed;
static _Atomic unsigned noted; /* a bit for each metric */

/* Nothing is counted from now on; the first one to know says why. */
static void give_up(const char *event, const char *why)
{
	if (!atomic_exchange(&failed, true))
		dprintf(2, "pathfdo: PATHFDO_COUNTER=%.100s is not counted, only executions are: %s\n", event, why);
}

/* The event that PATHFDO_COUNTER names; "" if it names none. */
static struct event find_event(void)
{
	const char *wanted = secure_getenv("PATHFDO_COUNTER");
	struct event raw = { .name = wanted && *wanted ? wanted : DEFAULT, .type = PERF_TYPE_RAW };
	char *end;

	for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
		if (strcmp(raw.name, events[i].name) == 0)
			return events[i];
	}
	raw.config = strtoull(raw.name + 1, &end, 16);
	if (raw.name[0] != 'r' || !raw.name[1] || *end || strlen(raw.name) >= sizeof name) {
		give_up(raw.name, "PATHFDO_COUNTER names an event as perf does: instructions, branch-misses, "
				  "L1-dcache-load-misses and so on, or r and its code in hexadecimal digits");
		raw.name = "";
	}
	return raw;
}

/* The page of a new counter of this thread; NULL, said, if there is none. */
static const volatile struct perf_event_mmap_page *open_page(const struct event *event)
{
	struct perf_event_attr attr = { .type = event->type, .size = sizeof attr, .config = event->config };
	const volatile struct perf_event_mmap_page *page;
	int file;

	attr.exclude_kernel = attr.exclude_hv = attr.pinned = 1;
	file = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (file < 0) {
		give_up(event->name,
			errno == ENOENT || errno == ENODEV || errno == EOPNOTSUPP ? "this machine has no counter of it"
			: errno == EACCES || errno == EPERM ? "the kernel forbids it (kernel.perf_event_paranoid)"
							    : strerrordesc_np(errno));
		return NULL;
	}
	page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, file, 0);
	close(file);
	if (page == MAP_FAILED) {
		give_up(event->name, strerrordesc_np(errno));
		return NULL;
	}
	if (page->cap_user_rdpmc && page->index)
		return page;
	munmap((void *)page, PAGE);
	give_up(event->name, "the kernel lets no program read it (/sys/bus/event_source/devices/cpu/rdpmc), or all "
			     "counters are in use");
	return NULL;
}

static void end_thread(void *of)
{
	struct counter *c = of;

	own = NULL;
	if (c->page)
		munmap((void *)c->page, PAGE);
	munmap(c, PAGE);
}

/* The thread's own page. */
static struct counter *make_counter(void)
{
	struct counter *c = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (c == MAP_FAILED)
		return NULL;
	madvise(c, PAGE, MADV_WIPEONFORK);
	if (has_key)
		pthread_setspecific(key, c);
	return c;
}

static uint64_t read_page(const struct counter *c)
{
	const volatile struct perf_event_mmap_page *page = c->page;
	uint64_t count;
	uint32_t sequence;

	do {
		uint32_t index, low, high;

		sequence = page->lock;
		atomic_signal_fence(memory_order_seq_cst);
		index = page->index;
		if (!index)
			return last; /* the kernel has taken it from us */
		count = (uint64_t)page->offset;
		__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index - 1));
		/* The register has fewer bits than a word, and a sign. */
		count += (uint64_t)((int64_t)(((uint64_t)high << 32 | low) << (64 - page->pmc_width)) >>
				    (64 - page->pmc_width));
		atomic_signal_fence(memory_order_seq_cst);
	} while (page->lock != sequence);
	return c->base + count;
}

/* Opens this thread's counter. */
static void open_counter(void)
{
	struct event event = find_event();
	int kept = errno;

	if (!own)
		own = make_counter();
	if (!own) {
		give_up(event.name, "out of memory");
	} else if (*event.name && !own->opening) {
		own->opening = true;
		own->page = open_page(&event);
		if (own->page) {
			own->base = 0;
			own->base = last - read_page(own);
			memcpy(name, event.name, strlen(event.name) + 1);
		}
		own->opening = false;
	}
	errno = kept;
}

uint64_t PF_COUNTING_NAME(counter)(void)
{
	if (!own || !own->page) {
		if (failed || (own && own->opening))
			return last;
		open_counter();
		if (!own || !own->page)
			return last;
	}
	return last = read_page(own);
}

void pf_metric_note(uint64_t metric)
{
	noted |= 1u << metric;
}

const char *pf_metric_name(void)
{
	static _Atomic bool said;
	bool cycles = noted & 1u << PF_COUNTING_CYCLES, counter = noted & 1u << PF_COUNTING_COUNTER;

	if (cycles && counter && !atomic_exchange(&said, true))
		dprintf(2, "pathfdo: some of the code was compiled to count cycles and some to count an event: only "
			   "executions are saved; compile all with one --instrument\n");
	return cycles && counter ? "" : cycles ? "cycles" : counter && !failed ? name : "";
}

/* Not only when it is asked for, so that nothing is missed before. */
static void in_child(void)
{
	if (own)
		PF_COUNTING_NAME(counter)();
}

__attribute__((constructor(101))) static void begin(void)
{
	pthread_atfork(NULL, NULL, in_child);
	has_key = pthread_key_create(&key, end_thread) == 0;
	if (has_key && own)
		pthread_setspecific(key, own);
}

/* A thread that ends later must not come back to a module that is gone. */
__attribute__((destructor(101))) static void finish(void)
{
	if (has_key)
		pthread_key_delete(key);
	has_key = false;
}
