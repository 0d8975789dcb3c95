/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See ring.h.  Hard case: the record that lies across the end of the ring.  It alone is copied, to be whole; all others
 * are handed over where the kernel wrote them, and data_tail is moved once they are used. */
#include "runtime/ring.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int pf_ring_paranoid(void)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int level = INT_MIN;

	if (file) {
		if (fscanf(file, "%d", &level) != 1)
			level = INT_MIN;
		fclose(file);
	}
	return level;
}

/* The sentence for a refusal by the kernel. */
static int explain(const struct perf_event_attr *attr, int number, struct pf_error *error)
{
	int level = pf_ring_paranoid(), wanted = attr->exclude_kernel ? 2 : 1;

	switch (number) {
	case EACCES:
	case EPERM:
		if (level > wanted)
			return pf_fail(error, PF_EUNSUPPORTED,
				       "kernel.perf_event_paranoid is %d, which forbids it: run 'sudo sysctl "
				       "kernel.perf_event_paranoid=%d'",
				       level, wanted);
		return pf_fail(
		    error, PF_EUNSUPPORTED,
		    "perf_event_open is forbidden here (%s) although kernel.perf_event_paranoid is %d: a seccomp "
		    "filter, as containers have; run the container with --security-opt seccomp=unconfined or "
		    "--cap-add PERFMON",
		    strerror(number), level);
	case ENOSYS:
		return pf_fail(error, PF_EUNSUPPORTED,
			       "this kernel has no perf_event_open: boot one that is built with CONFIG_PERF_EVENTS=y");
	case ENODEV:
	case ENOENT:
	case EOPNOTSUPP:
	case EINVAL:
		return pf_fail(error, PF_ENOTFOUND, "the kernel does not offer this event on this machine (%s)",
			       strerror(number));
	case EMFILE:
		return pf_fail(error, PF_EIO, "too many open files: run 'ulimit -n 4096' first");
	default:
		return pf_fail(error, PF_EIO, "perf_event_open failed: %s", strerror(number));
	}
}

int pf_ring_open(struct pf_ring *ring, const struct perf_event_attr *attr, pid_t pid, int cpu, struct pf_error *error)
{
	struct perf_event_attr older = *attr;

	*ring = (struct pf_ring) { .cpu = cpu };
	ring->fd = (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	/* Linux before 5.12 tells files by their inodes alone. */
	older.build_id = 0;
	if (ring->fd < 0 && errno == EINVAL && attr->build_id)
		ring->fd = (int)syscall(SYS_perf_event_open, &older, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return ring->fd >= 0 ? PF_OK : explain(attr, errno, error);
}

int pf_ring_map(struct pf_ring *ring, size_t size, struct pf_error *error)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *base = MAP_FAILED;

	for (; size >= page; size /= 2) {
		base = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
		if (base != MAP_FAILED || errno != EPERM)
			break;
	}
	if (base == MAP_FAILED)
		return pf_fail(
		    error, PF_EIO,
		    "cannot map the ring buffer of CPU %d: %s; run 'sudo sysctl kernel.perf_event_mlock_kb=2048'",
		    ring->cpu, strerror(errno));
	ring->base = base;
	ring->size = size;
	return PF_OK;
}

/* Copies SIZE bytes that start at POSITION of the ring and may go across its end. */
static void copy_out(const struct pf_ring *ring, void *to, uint64_t position, size_t size)
{
	const char *data = (const char *)ring->base + sysconf(_SC_PAGESIZE);
	size_t at = position & (ring->size - 1);
	size_t first = size < ring->size - at ? size : ring->size - at;

	memcpy(to, data + at, first);
	memcpy((char *)to + first, data, size - first);
}

/* The size of the record at POSITION, of which AVAILABLE bytes are there; 0 if it makes no sense. */
static size_t record_size(const struct pf_ring *ring, uint64_t position, uint64_t available)
{
	struct perf_event_header header;

	if (available < sizeof header)
		return 0;
	copy_out(ring, &header, position, sizeof header);
	return header.size >= sizeof header && header.size % 8 == 0 && header.size <= available ? header.size : 0;
}

/* Hands over the record at the ring's position, which lies across the end. */
static int give_copy(struct pf_ring *ring, size_t size, pf_ring_sink *sink, void *context, struct pf_error *error)
{
	uint64_t copy[UINT16_MAX / 8 + 1];

	copy_out(ring, copy, ring->position, size);
	ring->position += size;
	return sink(context, copy, size, error);
}

/* Hands over the run of whole records from the ring's position up to HEAD or the last that ends in the ring. */
static int give_run(struct pf_ring *ring, uint64_t head, pf_ring_sink *sink, void *context, struct pf_error *error)
{
	size_t at = ring->position & (ring->size - 1), length = 0, size = 0;

	while (ring->position + length < head) {
		size = record_size(ring, ring->position + length, head - ring->position - length);
		if (size == 0)
			return pf_fail(error, PF_EFORMAT,
				       "the kernel's ring buffer of CPU %d holds a damaged record at position %" PRIu64,
				       ring->cpu, ring->position + length);
		if (size > ring->size - at - length)
			break;
		length += size;
	}
	if (length == 0)
		return give_copy(ring, size, sink, context, error);
	ring->position += length;
	return sink(context, (const char *)ring->base + sysconf(_SC_PAGESIZE) + at, length, error);
}

int pf_ring_drain(struct pf_ring *ring, pf_ring_sink *sink, void *context, struct pf_error *error)
{
	struct perf_event_mmap_page *control = ring->base;
	uint64_t head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
	int status = PF_OK;

	if (head - ring->position > ring->size)
		return pf_fail(error, PF_EFORMAT, "the kernel's ring buffer of CPU %d ran over its end", ring->cpu);
	while (status == PF_OK && ring->position < head) {
		status = give_run(ring, head, sink, context, error);
		__atomic_store_n(&control->data_tail, ring->position, __ATOMIC_RELEASE);
	}
	return status;
}

void pf_ring_close(struct pf_ring *ring)
{
	if (ring->size)
		munmap(ring->base, (size_t)sysconf(_SC_PAGESIZE) + ring->size);
	if (ring->fd >= 0)
		close(ring->fd);
	*ring = (struct pf_ring) { .fd = -1 };
}
