/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See deliver.h.  Hard case: the order.  perf resolves an address by the mappings that it has read up to the sample's
 * time, so everything is first listed with its time and then written sorted: a process before its mappings, those
 * before its samples, its exit last; and a program that replaced itself by exec keeps its process id. */
#include "runtime/deliver.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* The exit is put this long after the last trace of a process: behind all stacks of its last burst. */
#define EXIT_DELAY_NS 1000000u

/* No reader of branch stacks weighs a sample, so a burst that stands for many is written as often; but no burst more
 * often than this, and the others in proportion. */
#define MOST_COPIES 64u

/* What is written at one time goes in this order. */
enum item_kind { ITEM_FORK, ITEM_COMM, ITEM_MAP, ITEM_THREAD, ITEM_BURST, ITEM_EXIT };

struct item {
	uint64_t time;
	enum item_kind kind;
	uint64_t index;
};

struct item_list {
	struct item *items;
	uint64_t count;
};

static int compare_items(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static void list(struct item_list *list, uint64_t time, enum item_kind kind, uint64_t index)
{
	list->items[list->count++] = (struct item) { .time = time, .kind = kind, .index = index };
}

/* Is there a later image of the same process?  Images are in the order of process id and sequence. */
static bool is_replaced(const struct pf_harvest *h, uint32_t process)
{
	return process + 1 < h->vectors.process_count &&
	       h->vectors.processes[process + 1].pid == h->vectors.processes[process].pid;
}

static bool is_first(const struct pf_harvest *h, uint32_t process)
{
	return process == 0 || h->vectors.processes[process - 1].pid != h->vectors.processes[process].pid;
}

static int compare_threads(const void *a, const void *b, void *context)
{
	const struct pf_vec_burst *bursts = context, *x = &bursts[*(const uint64_t *)a],
				  *y = &bursts[*(const uint64_t *)b];

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->time < y->time ? -1 : x->time > y->time;
}

/* Lists the first burst of each thread but the first of a process: perf needs to be told of them to know their name. */
static int list_threads(struct item_list *items, const struct pf_vectors *v, struct pf_error *error)
{
	uint64_t *order = calloc(v->burst_count + 1, sizeof *order);
	uint64_t count = 0;

	if (!order)
		return pf_fail(error, PF_ENOMEM, "out of memory while writing the recording");
	for (uint64_t i = 0; i < v->burst_count; i++) {
		if (v->bursts[i].tid != v->processes[v->bursts[i].process].pid)
			order[count++] = i;
	}
	qsort_r(order, count, sizeof *order, compare_threads, v->bursts);
	for (uint64_t i = 0; i < count; i++) {
		const struct pf_vec_burst *burst = &v->bursts[order[i]], *before = i ? &v->bursts[order[i - 1]] : NULL;

		if (!before || before->process != burst->process || before->tid != burst->tid)
			list(items, burst->time, ITEM_THREAD, order[i]);
	}
	free(order);
	return PF_OK;
}

static int make_list(const struct pf_harvest *h, bool raw, struct item_list *items, struct pf_error *error)
{
	const struct pf_vectors *v = &h->vectors;
	uint64_t room = 3ull * v->process_count + v->map_count + (raw ? 2 * v->burst_count : 0);
	int status = PF_OK;

	items->items = calloc(room + 1, sizeof *items->items);
	if (!items->items)
		return pf_fail(error, PF_ENOMEM, "out of memory while writing the recording");
	for (uint32_t i = 0; i < v->process_count; i++) {
		if (is_first(h, i))
			list(items, h->images[i].start_ns, ITEM_FORK, i);
		list(items, h->images[i].start_ns, ITEM_COMM, i);
		if (!is_replaced(h, i))
			list(items, h->images[i].end_ns + EXIT_DELAY_NS, ITEM_EXIT, i);
	}
	for (uint32_t i = 0; i < v->map_count; i++) {
		uint64_t start = h->images[v->maps[i].process].start_ns;

		list(items, v->maps[i].time > start ? v->maps[i].time : start, ITEM_MAP, i);
	}
	for (uint64_t i = 0; raw && i < v->burst_count; i++)
		list(items, v->bursts[i].time, ITEM_BURST, i);
	if (raw)
		status = list_threads(items, v, error);
	qsort(items->items, items->count, sizeof *items->items, compare_items);
	return status;
}

static int write_process(struct pf_perf_writer *writer, const struct pf_harvest *h, const struct item *item,
			 struct pf_error *error)
{
	const struct pf_vec_process *process = &h->vectors.processes[item->index];
	struct pf_event event = { .pid = process->pid, .tid = process->pid, .ppid = process->ppid, .time = item->time };

	if (item->kind == ITEM_FORK) {
		event.kind = PF_EVENT_FORK;
	} else if (item->kind == ITEM_EXIT) {
		event.kind = PF_EVENT_EXIT;
	} else {
		event.kind = PF_EVENT_COMM;
		event.is_exec = true;
		event.filename = process->comm;
	}
	return pf_perf_write(writer, &event, error);
}

static int write_thread(struct pf_perf_writer *writer, const struct pf_harvest *h, const struct item *item,
			struct pf_error *error)
{
	const struct pf_vec_burst *burst = &h->vectors.bursts[item->index];
	uint32_t pid = h->vectors.processes[burst->process].pid;
	struct pf_event event = {
		.kind = PF_EVENT_FORK, .pid = pid, .tid = burst->tid, .ppid = pid, .time = item->time
	};

	return pf_perf_write(writer, &event, error);
}

static int write_map(struct pf_perf_writer *writer, const struct pf_harvest *h, const struct item *item,
		     struct pf_error *error)
{
	const struct pf_vec_map *map = &h->vectors.maps[item->index];
	struct pf_event event = {
		.kind = PF_EVENT_MMAP,
		.misc = PERF_RECORD_MISC_USER,
		.pid = h->vectors.processes[map->process].pid,
		.tid = h->vectors.processes[map->process].pid,
		.time = item->time,
		.address = map->start,
		.length = map->end - map->start,
		.page_offset = map->offset,
		.protection = PROT_READ | PROT_EXEC,
		.filename = map->path,
		.build_id_size = map->build_id_size,
	};

	memcpy(event.build_id, map->build_id, sizeof event.build_id);
	return pf_perf_write(writer, &event, error);
}

bool pf_deliver_next_stack(const struct pf_vectors *vectors, const struct pf_vec_burst *burst, uint32_t *at,
			   struct pf_deliver_stack *stack)
{
	uint32_t next = *at, shared = *at, fresh = 0;

	stack->count = 0;
	while (next < burst->edge_count && stack->count < PF_DELIVER_STACK_MAX) {
		const struct pf_vec_edge *edge = &vectors->edges[burst->edges[next]];

		if (edge->kind != PF_EDGE_FALL) {
			struct pf_branch *entry = &stack->entries[PF_DELIVER_STACK_MAX - 1 - stack->count++];

			*entry = (struct pf_branch) { .from = edge->from, .to = edge->to };
			shared = next;
			fresh++;
		}
		next++;
	}
	/* All but the first stack begin with the last entry of the one before. */
	if (fresh == 0 || (*at > 0 && fresh == 1))
		return false;
	memmove(stack->entries, stack->entries + PF_DELIVER_STACK_MAX - stack->count,
		stack->count * sizeof stack->entries[0]);
	*at = next < burst->edge_count ? shared : burst->edge_count;
	return true;
}

/* One copy of BURST, from *TIME on; it stands for TIMES bursts. */
static int write_burst(struct pf_perf_writer *writer, const struct pf_harvest *h, const struct pf_vec_burst *burst,
		       uint64_t *time, uint64_t times, struct pf_error *error)
{
	struct pf_deliver_stack stack;
	struct pf_event event = {
		.kind = PF_EVENT_SAMPLE,
		.misc = PERF_RECORD_MISC_USER,
		.pid = h->vectors.processes[burst->process].pid,
		.tid = burst->tid,
		.time = *time,
		.period = burst->period * times,
		.branches = stack.entries,
	};
	int status = PF_OK;

	for (uint32_t at = 0; status == PF_OK && pf_deliver_next_stack(&h->vectors, burst, &at, &stack);) {
		event.branch_count = stack.count;
		event.ip = stack.entries[0].to;
		status = pf_perf_write(writer, &event, error);
		/* The burst's weight is given once, with its first stack; a nanosecond keeps the stacks in order. */
		event.period = 0;
		event.time++;
	}
	*time = event.time;
	return status;
}

/* A copy stands for `unit` bursts; `sum` of those so far are in no copy yet. */
struct copying {
	uint64_t unit, sum;
};

static struct copying start_copying(const struct pf_vectors *v)
{
	uint64_t most = 1;

	for (uint64_t i = 0; i < v->burst_count; i++)
		most = v->bursts[i].repeat > most ? v->bursts[i].repeat : most;
	return (struct copying) { .unit = most / MOST_COPIES + (most % MOST_COPIES > 0) };
}

static uint64_t copies_of(struct copying *c, uint64_t repeat)
{
	uint64_t copies = (c->sum + repeat) / c->unit;

	c->sum = (c->sum + repeat) % c->unit;
	return copies;
}

static int write_copies(struct pf_perf_writer *writer, const struct pf_harvest *h, const struct item *item,
			struct copying *copying, struct pf_error *error)
{
	const struct pf_vec_burst *burst = &h->vectors.bursts[item->index];
	uint64_t time = burst->time;
	int status = PF_OK;

	for (uint64_t left = copies_of(copying, burst->repeat); left > 0 && status == PF_OK; left--)
		status = write_burst(writer, h, burst, &time, copying->unit, error);
	return status;
}

static int write_items(struct pf_perf_writer *writer, const struct pf_harvest *h, const struct item_list *items,
		       struct pf_error *error)
{
	struct copying copying = start_copying(&h->vectors);
	int status = PF_OK;

	for (uint64_t i = 0; status == PF_OK && i < items->count; i++) {
		switch (items->items[i].kind) {
		case ITEM_MAP:
			status = write_map(writer, h, &items->items[i], error);
			break;
		case ITEM_THREAD:
			status = write_thread(writer, h, &items->items[i], error);
			break;
		case ITEM_BURST:
			status = write_copies(writer, h, &items->items[i], &copying, error);
			break;
		default:
			status = write_process(writer, h, &items->items[i], error);
		}
	}
	return status;
}

static int compare_maps(const void *a, const void *b)
{
	const struct pf_vec_map *x = *(const struct pf_vec_map *const *)a, *y = *(const struct pf_vec_map *const *)b;
	int order = strcmp(x->path, y->path);

	if (order == 0)
		order = (int)x->build_id_size - (int)y->build_id_size;
	return order ? order : memcmp(x->build_id, y->build_id, x->build_id_size);
}

/* Every file once, however many processes mapped it. */
static int write_build_ids(struct pf_perf_writer *writer, const struct pf_vectors *v, struct pf_error *error)
{
	const struct pf_vec_map **maps = calloc(v->map_count + 1ul, sizeof *maps);
	int status = PF_OK;

	if (!maps)
		return pf_fail(error, PF_ENOMEM, "out of memory while writing the recording");
	for (uint32_t i = 0; i < v->map_count; i++)
		maps[i] = &v->maps[i];
	qsort(maps, v->map_count, sizeof *maps, compare_maps);
	for (uint32_t i = 0; status == PF_OK && i < v->map_count; i++) {
		struct pf_build_id id = { .path = maps[i]->path,
					  .pid = UINT32_MAX,
					  .misc = PERF_RECORD_MISC_USER,
					  .size = maps[i]->build_id_size };

		if (id.size == 0 || (i > 0 && compare_maps(&maps[i - 1], &maps[i]) == 0))
			continue;
		memcpy(id.id, maps[i]->build_id, sizeof id.id);
		status = pf_perf_add_build_id(writer, &id, error);
	}
	free(maps);
	return status;
}

int pf_deliver_harvest(struct pf_perf_writer *writer, const struct pf_harvest *h, bool raw, struct pf_error *error)
{
	struct item_list items = { 0 };
	int status = make_list(h, raw, &items, error);

	if (status == PF_OK)
		status = write_items(writer, h, &items, error);
	free(items.items);
	if (status == PF_OK)
		status = write_build_ids(writer, &h->vectors, error);
	if (status == PF_OK && !raw)
		status = pf_perf_set_vectors(writer, &h->vectors, error);
	return status;
}
