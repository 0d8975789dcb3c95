/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sampler.h.  Hard case: sampling at an even beat meets a program that works to the same beat and sees only one
 * half of it.  The kernel has no random periods, so the period is moved a little by ioctl each time the rings are
 * drained; threads that start later take over the period of that moment.  (For cpu-clock the samples go on naming the
 * period that their thread began with; over a run the two are equal.) */
#include "runtime/sampler.h"

#include "runtime/buildid.h"
#include "support/array.h"
#include "support/filename.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define RING_BYTES (512u << 10)
#define DRAIN_MS 100
#define SECOND 1000000000ull
/* The period is moved by up to an eighth in either direction. */
#define JITTER_SHARE 8
/* What the recorder may cost before its budget is looked at, and how far it may lower its rate, in sixteenths. */
#define GRACE_NS 10000000u
#define MAX_SLOWNESS (16u << 10)
#define OBJECT_BYTES 24 /* device, inode and generation; or length of the build-id, padding, the build-id */

struct pf_sampler {
	struct pf_sampler_options options;
	struct pf_sampler_counts counts;
	struct pf_perf_writer *writer;
	int ring_count;
	struct pf_ring *rings;
	struct pollfd *polls; /* the rings, then the launch's signals */
	PF_ARRAY(int) others; /* events of further threads, which write into the ring of their CPU */
	void *files;          /* tsearch tree of mapped files, struct file, owned */
	uint64_t slowness;    /* the nominal period is multiplied by this and divided by 16 */
	uint64_t random;
	uint64_t began_ns, began_cost_ns;
};

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

void pf_sampler_attr_common(struct perf_event_attr *attr)
{
	attr->size = sizeof *attr;
	attr->sample_type |= PF_SAMPLER_TYPE;
	attr->sample_id_all = 1;
	attr->disabled = 1;
	attr->enable_on_exec = 1;
	attr->inherit = 1;
	attr->exclude_kernel = 1;
	attr->exclude_hv = 1;
	attr->mmap = 1;
	attr->mmap2 = 1;
	attr->build_id = 1;
	attr->comm = 1;
	attr->comm_exec = 1;
	attr->task = 1;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	attr->watermark = 1;
	attr->wakeup_watermark = RING_BYTES / 2;
}

void pf_sampler_attr_clock(struct perf_event_attr *attr, uint32_t frequency)
{
	memset(attr, 0, sizeof *attr);
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_CPU_CLOCK;
	attr->sample_period = SECOND / frequency;
	pf_sampler_attr_common(attr);
}

/* A file that was mapped, as it was then: at the end the process may be gone, and with it its view of the file system.
 * A path can have been that of several files, one after the other or in containers. */
struct file {
	uint8_t object[OBJECT_BYTES]; /* which of them, as the kernel tells; zeros if it does not */
	uint8_t id_size, id[20];
	char path[];
};

static int compare_files(const void *a, const void *b)
{
	const struct file *x = a, *y = b;
	int order = strcmp(x->path, y->path);

	return order ? order : memcmp(x->object, y->object, sizeof x->object);
}

static bool shares_files(pid_t pid)
{
	struct stat own, other;
	char link[64];

	snprintf(link, sizeof link, "/proc/%d/ns/mnt", pid);
	return stat(link, &other) != 0 || stat("/proc/self/ns/mnt", &own) != 0 ||
	       (own.st_ino == other.st_ino && own.st_dev == other.st_dev);
}

/* A path is that of the process's root folder, as the kernel's records have it, or of its mount namespace's, as /proc
 * has it. Another file of the same name, in a namespace that is only ours, is not looked at. */
static void identify(struct file *file, pid_t pid)
{
	char there[PATH_MAX + 32];

	snprintf(there, sizeof there, "/proc/%d/root%s", pid, file->path);
	file->id_size = pf_buildid_read(there, file->id);
	if (!file->id_size && shares_files(pid))
		file->id_size = pf_buildid_read(file->path, file->id);
}

/* OBJECT is what the kernel tells of the file: its build-id if HAS_ID, its inode otherwise; NULL for nothing. */
static int remember_file(struct pf_sampler *s, pid_t pid, const char *path, const uint8_t *object, bool has_id,
			 struct pf_error *error)
{
	size_t size = strlen(path) + 1;
	struct file *file;
	void *node;

	if (*path != '/')
		return PF_OK;
	file = calloc(1, sizeof *file + size);
	if (!file)
		return pf_fail(error, PF_ENOMEM, "out of memory while recording");
	memcpy(file->path, path, size);
	/* A mapping without a name has a number of its own each time. */
	if (object && pf_filename_length(path) == size - 1)
		memcpy(file->object, object, sizeof file->object);
	node = tsearch(file, &s->files, compare_files);
	if (node && *(struct file **)node == file) {
		if (has_id && object[0] <= sizeof file->id)
			memcpy(file->id, object + 4, file->id_size = object[0]);
		else
			identify(file, pid);
		return PF_OK;
	}
	free(file);
	return node ? PF_OK : pf_fail(error, PF_ENOMEM, "out of memory while recording");
}

/* The branch count of a sample lies behind the fields of PF_SAMPLER_TYPE: ip, pid and tid, time, cpu, period. */
#define BRANCH_COUNT_AT (sizeof(struct perf_event_header) + 5 * 8)
/* The path in an MMAP2 record: pid, tid, address, length, offset, device and inode or build-id, protection, flags. */
#define MMAP2_OBJECT_AT (sizeof(struct perf_event_header) + 32)
#define MMAP2_PATH_AT (sizeof(struct perf_event_header) + 64)
#define MMAP2_PID_AT sizeof(struct perf_event_header)
/* A LOST record: id, number lost; a LOST_SAMPLES record: number lost. */
#define LOST_COUNT_AT (sizeof(struct perf_event_header) + 8)
#define LOST_SAMPLES_AT sizeof(struct perf_event_header)

static uint64_t field(const char *record, size_t size, size_t at)
{
	uint64_t value = 0;

	if (at + sizeof value <= size)
		memcpy(&value, record + at, sizeof value);
	return value;
}

static int note_record(struct pf_sampler *s, const char *record, const struct perf_event_header *header,
		       struct pf_error *error)
{
	switch (header->type) {
	case PERF_RECORD_SAMPLE:
		s->counts.samples++;
		if (s->options.attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
			s->counts.branches += field(record, header->size, BRANCH_COUNT_AT);
		break;
	case PERF_RECORD_LOST:
		s->counts.lost += field(record, header->size, LOST_COUNT_AT);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		s->counts.lost += field(record, header->size, LOST_SAMPLES_AT);
		break;
	case PERF_RECORD_THROTTLE:
		s->counts.throttled++;
		break;
	case PERF_RECORD_MMAP2:
		if (header->size > MMAP2_PATH_AT && memchr(record + MMAP2_PATH_AT, 0, header->size - MMAP2_PATH_AT))
			return remember_file(s, (pid_t)(uint32_t)field(record, header->size, MMAP2_PID_AT),
					     record + MMAP2_PATH_AT, (const uint8_t *)record + MMAP2_OBJECT_AT,
					     header->misc & PERF_RECORD_MISC_MMAP_BUILD_ID, error);
		break;
	}
	return PF_OK;
}

static int take_records(void *context, const void *records, size_t size, struct pf_error *error)
{
	struct pf_sampler *s = context;
	int status = PF_OK;

	for (size_t at = 0; status == PF_OK && at < size;) {
		struct perf_event_header header;

		/* pf_ring_drain has checked the sizes. */
		memcpy(&header, (const char *)records + at, sizeof header);
		status = note_record(s, (const char *)records + at, &header, error);
		at += header.size;
	}
	if (status == PF_OK)
		status = pf_perf_write_raw(s->writer, records, size, error);
	s->counts.bytes += size;
	return status;
}

static int open_ring(struct pf_sampler *s, pid_t pid, int cpu, struct pf_error *error)
{
	struct pf_ring *ring = &s->rings[s->ring_count];
	int status = pf_ring_open(ring, &s->options.attr, pid, cpu, error);

	/* A CPU that is configured but offline; CPU 0 never is. */
	if (status == PF_ENOTFOUND && cpu > 0)
		return PF_OK;
	if (status == PF_OK) {
		status = pf_ring_map(ring, RING_BYTES, error);
		s->polls[s->ring_count++] = (struct pollfd) { .fd = ring->fd, .events = POLLIN };
	}
	return status;
}

/* Each thread wants a descriptor for each CPU. */
static void raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static int add_other(struct pf_sampler *s, const struct pf_ring *ring, pid_t tid, struct pf_error *error)
{
	struct pf_ring event;
	int status = pf_ring_open(&event, &s->options.attr, tid, ring->cpu, error), *place;

	if (status < 0)
		return status;
	place = pf_array_push(&s->others);
	if (!place) {
		pf_ring_close(&event);
		return pf_fail(error, PF_ENOMEM, "out of memory for the events");
	}
	*place = event.fd;
	if (ioctl(event.fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) != 0)
		return pf_fail(error, PF_EIO, "the events of thread %d cannot share a ring: %s", tid, strerror(errno));
	return PF_OK;
}

int pf_sampler_add_thread(struct pf_sampler *s, pid_t tid, struct pf_error *error)
{
	int status = PF_OK;

	for (int i = 0; status == PF_OK && i < s->ring_count; i++)
		status = add_other(s, &s->rings[i], tid, error);
	return status;
}

int pf_sampler_add_event(struct pf_sampler *s, const struct pf_event *event, struct pf_error *error)
{
	int status = event->kind == PF_EVENT_MMAP
			 ? remember_file(s, (pid_t)event->pid, event->filename, NULL, false, error)
			 : PF_OK;

	return status == PF_OK ? pf_perf_write(s->writer, event, error) : status;
}

int pf_sampler_alloc(struct pf_sampler **sampler, const struct pf_sampler_options *options, pid_t pid,
		     struct pf_perf_writer *writer, struct pf_error *error)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	struct pf_sampler *s = calloc(1, sizeof *s);
	int status = PF_OK;

	*sampler = NULL;
	if (!s || cpus < 1)
		goto no_memory;
	s->options = *options;
	s->writer = writer;
	s->slowness = 16;
	s->random = now(CLOCK_MONOTONIC) | 1;
	s->rings = calloc((size_t)cpus, sizeof *s->rings);
	s->polls = calloc((size_t)cpus + 1, sizeof *s->polls);
	if (!s->rings || !s->polls)
		goto no_memory;
	for (long cpu = 0; status == PF_OK && cpu < cpus; cpu++)
		status = open_ring(s, pid, (int)cpu, error);
	raise_limit();
	if (status < 0)
		pf_sampler_free(s);
	else
		*sampler = s;
	return status;
no_memory:
	pf_sampler_free(s);
	return pf_fail(error, PF_ENOMEM, "out of memory for the ring buffers");
}

void pf_sampler_free(struct pf_sampler *s)
{
	if (!s)
		return;
	for (int i = 0; i < s->ring_count; i++)
		pf_ring_close(&s->rings[i]);
	for (size_t i = 0; i < s->others.count; i++)
		close(s->others.at[i]);
	tdestroy(s->files, free);
	pf_array_fini(&s->others);
	free(s->rings);
	free(s->polls);
	free(s);
}

/* A period within an eighth of the one asked for, times the slowness that the budget has brought. */
static uint64_t next_period(struct pf_sampler *s)
{
	uint64_t nominal = s->options.attr.sample_period * s->slowness / 16;
	uint64_t span = s->options.fixed ? 0 : nominal / JITTER_SHARE;

	/* xorshift64 */
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return span ? nominal - span + s->random % (2 * span + 1) : nominal;
}

/* Lowers the rate once the recorder has cost more than its budget; true if it did. */
static bool slow_down(struct pf_sampler *s)
{
	/* Wall time stands for the program's CPU time: it is less where there are threads, and then we are stricter. */
	uint64_t budget = (now(CLOCK_MONOTONIC) - s->began_ns) / 1000000 * s->options.budget_ppm + GRACE_NS;

	s->counts.cost_ns = now(CLOCK_PROCESS_CPUTIME_ID) - s->began_cost_ns;
	if (s->counts.cost_ns <= budget || s->slowness >= MAX_SLOWNESS)
		return false;
	s->slowness += s->slowness / 2;
	s->counts.slowed = true;
	return true;
}

/* Asks the kernel something for all events. */
static void control(const struct pf_sampler *s, unsigned long request, void *argument)
{
	for (int i = 0; i < s->ring_count; i++)
		ioctl(s->rings[i].fd, request, argument);
	for (size_t i = 0; i < s->others.count; i++)
		ioctl(s->others.at[i], request, argument);
}

static void steer(struct pf_sampler *s)
{
	bool slowed = slow_down(s);
	uint64_t period;

	/* In frequency mode the kernel moves the period by itself; only the budget speaks there. */
	if (!s->options.attr.freq)
		period = next_period(s);
	else if (slowed)
		period = s->options.attr.sample_freq * 16 / s->slowness;
	else
		return;
	if (period)
		control(s, PERF_EVENT_IOC_PERIOD, &period);
}

/* perf's own record type, of no use but to tell perf that what came before the last round may be sorted and let go. */
#define FINISHED_ROUND 68

static int drain(struct pf_sampler *s, struct pf_error *error)
{
	const struct perf_event_header round = { .type = FINISHED_ROUND, .size = sizeof round };
	uint64_t before = s->counts.bytes;
	int status = PF_OK;

	for (int i = 0; status == PF_OK && i < s->ring_count; i++)
		status = pf_ring_drain(&s->rings[i], take_records, s, error);
	if (status == PF_OK && s->counts.bytes > before)
		status = pf_perf_write_raw(s->writer, &round, sizeof round, error);
	if (s->counts.bytes > s->options.limit && !s->counts.limited) {
		s->counts.limited = true;
		control(s, PERF_EVENT_IOC_DISABLE, NULL);
	}
	return status;
}

void pf_sampler_begin(struct pf_sampler *s, int wake)
{
	s->polls[s->ring_count] = (struct pollfd) { .fd = wake, .events = POLLIN };
	s->began_ns = now(CLOCK_MONOTONIC);
	s->began_cost_ns = now(CLOCK_PROCESS_CPUTIME_ID);
	if (!s->options.attr.enable_on_exec)
		control(s, PERF_EVENT_IOC_ENABLE, NULL);
}

int pf_sampler_step(struct pf_sampler *s, struct pf_error *error)
{
	int status;

	poll(s->polls, (nfds_t)s->ring_count + 1, DRAIN_MS);
	status = drain(s, error);
	steer(s);
	/* A hung-up event (the program's last thread is gone) would wake us again at once. */
	for (int i = 0; i < s->ring_count; i++) {
		if (s->polls[i].revents & (POLLHUP | POLLERR))
			s->polls[i].fd = -1;
	}
	return status;
}

int pf_sampler_end(struct pf_sampler *s, struct pf_error *error)
{
	control(s, PERF_EVENT_IOC_DISABLE, NULL);
	return drain(s, error);
}

int pf_sampler_run(struct pf_sampler *s, struct pf_launch *launch, struct pf_error *error)
{
	int status = PF_OK;

	pf_sampler_begin(s, launch->signals);
	while (status == PF_OK && !launch->ended) {
		status = pf_sampler_step(s, error);
		pf_launch_attend(launch);
	}
	return status == PF_OK ? pf_sampler_end(s, error) : status;
}

const struct pf_sampler_counts *pf_sampler_counts(const struct pf_sampler *s)
{
	return &s->counts;
}

/* What the walk over the tree of files carries along. */
struct id_walk {
	struct pf_perf_writer *writer;
	struct pf_error *error;
	const struct file *last;
	int status;
};

static bool is_same(const struct file *a, const struct file *b)
{
	return strcmp(a->path, b->path) == 0 && a->id_size == b->id_size && memcmp(a->id, b->id, a->id_size) == 0;
}

static void add_build_id(const void *node, VISIT visit, void *context)
{
	struct id_walk *walk = context;
	struct pf_build_id id = { .pid = UINT32_MAX, .misc = PERF_RECORD_MISC_USER };
	const struct file *file = *(struct file *const *)node;

	if (walk->status < 0 || (visit != postorder && visit != leaf))
		return;
	id.path = file->path;
	id.size = file->id_size;
	memcpy(id.id, file->id, sizeof file->id);
	if (id.size && !(walk->last && is_same(walk->last, file)))
		walk->status = pf_perf_add_build_id(walk->writer, &id, walk->error);
	walk->last = file;
}

int pf_sampler_add_build_ids(struct pf_sampler *s, struct pf_error *error)
{
	struct id_walk walk = { .writer = s->writer, .error = error };

	twalk_r(s->files, add_build_id, &walk);
	return walk.status;
}
