/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stands in for the kernel's perf_event_open on a machine with branch stacks: preloaded into pathfdo, it answers the
 * system call with a memory file, lays the ring buffer into that when it is mapped, and fills it a batch at each poll()
 * as a kernel would, with data_head and data_tail.
 *
 * FAKE_PERF holds settings: "samples=N" for each CPU (3000), "cpus=N" (4; the last of them is offline), "errno=N"
 * (every open fails so), "brs" (only Zen 3's event with a fixed period opens), "mlock=BYTES" (largest ring that may be
 * mapped). FAKE_PERF_LOG names a file that receives what was served, a sample a line: "ip from/to from/to ...", newest
 * first.
 *
 * FAKE_PERF_STACKS names a file with stacks to serve, one a line, each by one CPU only: "from/to from/to ...",
 * hexadecimal, newest first, an M behind a branch that was predicted wrongly; FAKE_PERF_MAPS one with lines
 * "START LENGTH OFFSET PATH" of what is mapped where.  Stacks that the ring has no room for are lost.
 *
 * Each ring begins with COMM and MMAP2; LOST (17) comes before sample 100, THROTTLE before sample 200.  The number of
 * entries changes from sample to sample, so that records lie across the ring's end at every offset. */
#include "testsuite/fakes/raw-syscall.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_EVENTS 16
#define PAGE 4096u
#define BATCH 500
#define TEXT 0x400000ull
#define MOST_ENTRIES 33
#define BRS_EVENT 0xc4

struct event {
	int fd, cpu;
	struct perf_event_attr attr;
	struct perf_event_mmap_page *control;
	char *data;
	uint64_t size, served;
};

static struct event events[MAX_EVENTS];
static int event_count;
static FILE *log_file, *stacks;

static const char *setting(const char *name)
{
	const char *all = getenv("FAKE_PERF");

	all = all ? strstr(all, name) : NULL;
	return all ? all + strlen(name) : NULL;
}

static uint64_t number(const char *name, uint64_t usual)
{
	const char *text = setting(name);

	return text ? strtoull(text, NULL, 10) : usual;
}

static struct event *find(int fd)
{
	for (int i = 0; i < event_count; i++) {
		if (events[i].fd == fd)
			return &events[i];
	}
	return NULL;
}

static long refuse(int code)
{
	errno = code;
	return -1;
}

static long open_event(const struct perf_event_attr *attr, int cpu)
{
	long fd;

	if (setting("errno="))
		return refuse((int)number("errno=", EIO));
	if (attr->size < PERF_ATTR_SIZE_VER5 || !attr->exclude_kernel)
		return refuse(EINVAL);
	if (setting("brs") && (attr->type != PERF_TYPE_RAW || attr->config != BRS_EVENT || attr->freq))
		return refuse(EINVAL);
	if (cpu >= (int)number("cpus=", 4) - 1)
		return refuse(ENODEV);
	if (event_count == MAX_EVENTS)
		return refuse(EMFILE);
	fd = raw(SYS_memfd_create, (long)"fake-perf", MFD_CLOEXEC, 0, 0, 0, 0);
	if (fd >= 0)
		events[event_count++] = (struct event) { .fd = (int)fd, .cpu = cpu, .attr = *attr };
	return fd;
}

long syscall(long call, ...)
{
	long a[6];
	va_list arguments;

	va_start(arguments, call);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(arguments, long);
	va_end(arguments);
	if (call == SYS_perf_event_open)
		return open_event((const struct perf_event_attr *)a[0], (int)a[2]);
	return raw(call, a[0], a[1], a[2], a[3], a[4], a[5]);
}

long sysconf(int name)
{
	static long (*real)(int);

	if (name == _SC_NPROCESSORS_CONF && getenv("FAKE_PERF"))
		return (long)number("cpus=", 4);
	if (!real)
		real = (long (*)(int))dlsym(RTLD_NEXT, "sysconf");
	return real(name);
}

void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
	struct event *event = fd >= 0 ? find(fd) : NULL;

	if (event && !event->control) {
		if (size - PAGE > number("mlock=", UINT64_MAX)) {
			errno = EPERM;
			return MAP_FAILED;
		}
		if (ftruncate(fd, (off_t)size) != 0)
			abort();
		event->control = (void *)raw(SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		event->data = (char *)event->control + PAGE;
		event->size = size - PAGE;
	}
	return (void *)raw(SYS_mmap, (long)address, (long)size, protection, flags, fd, offset);
}

static void log_period(uint64_t period)
{
	FILE *file = fopen(getenv("FAKE_PERF_PERIODS"), "ae");

	if (!file)
		abort();
	fprintf(file, "%llu\n", (unsigned long long)period);
	fclose(file);
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list arguments;
	long argument;

	va_start(arguments, request);
	argument = va_arg(arguments, long);
	va_end(arguments);
	if (find(fd) && request == PERF_EVENT_IOC_PERIOD && getenv("FAKE_PERF_PERIODS"))
		log_period(*(const uint64_t *)argument);
	return find(fd) ? 0 : (int)raw(SYS_ioctl, fd, (long)request, argument, 0, 0, 0);
}

/* Copies a record into the ring, across its end where it has to; false if there is no room. */
static bool put(struct event *event, const void *record, size_t size)
{
	uint64_t head = event->control->data_head, tail = __atomic_load_n(&event->control->data_tail, __ATOMIC_ACQUIRE);

	if (size > event->size - (head - tail))
		return false;
	for (size_t i = 0; i < size; i++)
		event->data[(head + i) % event->size] = ((const char *)record)[i];
	__atomic_store_n(&event->control->data_head, head + size, __ATOMIC_RELEASE);
	return true;
}

/* Appends the fields that every record but a sample ends with: pid, tid, time, cpu. */
static size_t end_record(const struct event *event, uint64_t *record, size_t words, uint32_t type, uint16_t misc)
{
	struct perf_event_header header = { .type = type, .misc = misc, .size = (uint16_t)(8 * (words + 3)) };

	memcpy(record, &header, sizeof header);
	record[words] = (uint64_t)getpid() << 32 | (uint64_t)getpid();
	record[words + 1] = 1000000 * (event->served + 1);
	record[words + 2] = (uint64_t)event->cpu;
	return header.size;
}

static bool put_map(struct event *event, uint64_t start, uint64_t length, uint64_t offset, const char *name)
{
	uint64_t ids = (uint64_t)getpid() << 32 | (uint64_t)getpid();
	uint64_t map[16 + PATH_MAX / 8] = { 0, ids, start, length, offset, 0, 0, 0, 5 | 2ull << 32 };

	strcpy((char *)(map + 9), name);
	return put(event, map,
		   end_record(event, map, 9 + strlen(name) / 8 + 1, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER));
}

static bool put_maps(struct event *event, const char *list)
{
	uint64_t start, length, offset;
	char name[PATH_MAX];
	FILE *file = fopen(list, "re");
	bool whole = file;

	while (whole && fscanf(file, "%" SCNx64 " %" SCNx64 " %" SCNx64 " %4000s", &start, &length, &offset, name) == 4)
		whole = put_map(event, start, length, offset, name);
	if (file)
		fclose(file);
	return whole;
}

static bool begin(struct event *event)
{
	uint64_t ids = (uint64_t)getpid() << 32 | (uint64_t)getpid();
	uint64_t comm[8] = { 0, ids };
	const char *list = getenv("FAKE_PERF_MAPS");

	strcpy((char *)(comm + 2), "faked");
	if (!put(event, comm, end_record(event, comm, 3, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC)))
		return false;
	return list ? put_maps(event, list) : put_map(event, TEXT, 0x100000, 0, "/bin/true");
}

static void oddities(struct event *event)
{
	uint64_t lost[8] = { 0, 0, 17 }, throttle[8] = { 0, 1, 0, 0 };

	if (event->served == 100)
		put(event, lost, end_record(event, lost, 3, PERF_RECORD_LOST, 0));
	if (event->served == 200)
		put(event, throttle, end_record(event, throttle, 4, PERF_RECORD_THROTTLE, 0));
}

/* Writes a stack as the kernel does, 3 words an entry, and returns the number of entries. */
static uint64_t invent(const struct event *event, uint64_t *at)
{
	uint64_t entries = event->served % MOST_ENTRIES,
		 start = TEXT + 0x1000 * (uint64_t)event->cpu + 8 * (event->served % 256);

	for (uint64_t i = 0; i < entries; i++) {
		*at++ = start + 64 * i + 4;
		*at++ = start + 64 * i;
		*at++ = 2; /* predicted */
	}
	return entries;
}

/* The same with the next line of FAKE_PERF_STACKS; 0 behind the last. */
static uint64_t recall(uint64_t *at)
{
	static char *line;
	static size_t room;
	uint64_t entries = 0;
	char *next;

	if (getline(&line, &room, stacks) < 0)
		return 0;
	for (char *word = strtok_r(line, " \n", &next); word && entries < MOST_ENTRIES;
	     word = strtok_r(NULL, " \n", &next)) {
		char *slash;

		*at++ = strtoull(word, &slash, 16);
		*at++ = strtoull(slash + (*slash == '/'), &slash, 16);
		*at++ = *slash == 'M' ? 1 : 2;
		entries++;
	}
	return entries;
}

static void log_sample(const uint64_t *record)
{
	fprintf(log_file, "%llx", (unsigned long long)record[1]);
	for (uint64_t i = 0; i < record[6]; i++)
		fprintf(log_file, " %#llx/%#llx", (unsigned long long)record[7 + 3 * i],
			(unsigned long long)record[8 + 3 * i]);
	fputc('\n', log_file);
}

static bool sample(struct event *event)
{
	uint64_t record[8 + 3 * MOST_ENTRIES] = { 0 },
				entries = stacks ? recall(record + 7) : invent(event, record + 7);
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE,
					    .misc = PERF_RECORD_MISC_USER,
					    .size = (uint16_t)(8 * (7 + 3 * entries)) };

	if (stacks && !entries)
		return false;
	memcpy(record, &header, sizeof header);
	record[1] = stacks ? record[8] : TEXT + 0x1000 * (uint64_t)event->cpu + 8 * (event->served % 256);
	record[2] = (uint64_t)getpid() << 32 | (uint64_t)getpid();
	record[3] = 1000000 * (event->served + 1) + 1;
	record[4] = (uint64_t)event->cpu;
	record[5] = 500009;
	record[6] = entries;
	if (!put(event, record, header.size))
		return false;
	log_sample(record);
	return true;
}

/* A batch for EVENT; true if there was one. */
static bool produce(struct event *event)
{
	uint64_t wanted = number("samples=", 3000), before = event->served;

	if (!(event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK) || (event->served == 0 && !begin(event)))
		return false;
	while (event->served < wanted && event->served < before + BATCH) {
		oddities(event);
		if (!sample(event))
			break;
		event->served++;
	}
	return event->served > before;
}

int poll(struct pollfd *polls, nfds_t count, int timeout)
{
	bool any = false;

	if (!log_file)
		log_file = fopen(getenv("FAKE_PERF_LOG") ? getenv("FAKE_PERF_LOG") : "/dev/null", "we");
	if (!stacks && getenv("FAKE_PERF_STACKS"))
		stacks = fopen(getenv("FAKE_PERF_STACKS"), "re");
	for (nfds_t i = 0; i < count; i++) {
		struct event *event = find(polls[i].fd);

		if (event && event->control)
			any |= produce(event);
	}
	fflush(log_file);
	/* The memory files are always readable, so only the last one, the signals, is really waited for. */
	return (int)raw(SYS_poll, (long)(polls + count - 1), 1, any ? 0 : timeout < 0 ? 100 : timeout, 0, 0, 0);
}
