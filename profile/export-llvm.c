/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See export-llvm.h, and LLVM's SampleProfReader.h for the grammar: a function's line, below it a line a position, and
 * inlined calls with their own positions one blank deeper.  LLVM keys a position by its line, modulo 65536, and the
 * base discriminator alone; columns are not known.  What else a discriminator says is how many executions of the source
 * one of this code is, in a loop that was unrolled or vectorised, and which copy it is.  The hard case is positions
 * that become one so: they are parts of one line, of which LLVM's own tools take the highest count, and a copy's times
 * the number of them.  Totals are sums of what stands below, or llvm-profdata's would be others. */
#include "profile/export-llvm.h"
#include "profile/saturate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LINES 0xffff
#define NONE UINT32_MAX

/* What LLVM sees of a position. */
struct spot {
	uint32_t line, base;
};

/* The first number in LLVM's prefix code, in which a discriminator has three. */
static uint32_t first_number(uint32_t code)
{
	if (code & 1)
		return 0;
	code >>= 1;
	return code & 0x20 ? (code >> 1 & 0xfe0) | (code & 0x1f) : code & 0x1f;
}

static uint32_t base_of(uint32_t discriminator)
{
	return first_number(discriminator);
}

/* Executions of the source for each of the code: the second number, of which 0 is left out. */
static uint32_t times_of(uint32_t discriminator)
{
	uint32_t bits = discriminator & 1      ? 1
			: discriminator & 0x40 ? 14
					       : 7,
		 times = first_number(discriminator >> bits);

	return times ? times : 1;
}

/* How often the source of RECORD ran as LLVM has it.  Copies that are told to be such do not count together. */
static uint64_t count_of(const struct pf_record *record)
{
	uint32_t times = times_of(record->place.position.discriminator);
	uint64_t count;

	if (times == 1)
		return record->count;
	return __builtin_mul_overflow(record->max, times, &count) ? PF_COUNT_SATURATED : count;
}

static struct spot spot_of(const struct pf_position *position)
{
	return (struct spot) { (uint32_t)position->line & LINES, base_of(position->discriminator) };
}

static int compare_spots(struct spot a, struct spot b)
{
	if (a.line != b.line)
		return a.line < b.line ? -1 : 1;
	return a.base < b.base ? -1 : a.base > b.base;
}

static int compare_records(const void *a, const void *b)
{
	const struct pf_record *x = *(const struct pf_record *const *)a, *y = *(const struct pf_record *const *)b;

	if (x->place.node != y->place.node)
		return x->place.node < y->place.node ? -1 : 1;
	return compare_spots(spot_of(&x->place.position), spot_of(&y->place.position));
}

/* A function in the making: its records in LLVM's order, and the tree as lists of children. */
struct work {
	const struct pf_function *function;
	const struct pf_record **records;
	uint32_t *first_record; /* of each node, and the end */
	uint32_t *child, *next; /* NONE ends */
	uint64_t *total;        /* of each node with all below it */
};

static bool same_spot(const struct work *w, uint32_t a, uint32_t b)
{
	return b < w->function->record_count && compare_records(&w->records[a], &w->records[b]) == 0;
}

/* The highest count of the records from *AT on that are one spot; *AT goes behind them. */
static uint64_t take_spot(const struct work *w, uint32_t *at)
{
	uint32_t first = *at;
	uint64_t count = 0;

	for (; same_spot(w, first, *at); ++*at) {
		if (count_of(w->records[*at]) > count)
			count = count_of(w->records[*at]);
	}
	return count;
}

static void sort_out(struct work *w)
{
	const struct pf_function *f = w->function;
	uint32_t r = 0;

	for (uint32_t i = 0; i < f->record_count; i++)
		w->records[i] = &f->records[i];
	qsort(w->records, f->record_count, sizeof *w->records, compare_records);
	for (uint32_t n = 0; n < f->node_count; n++) {
		w->child[n] = w->next[n] = NONE;
		w->first_record[n] = r;
		while (r < f->record_count && w->records[r]->place.node == n)
			w->total[n] = pf_count_add(w->total[n], take_spot(w, &r));
	}
	w->first_record[f->node_count] = r;
	/* Parents come before children, so that backwards each is complete when it is added, and lists are in order. */
	for (uint32_t n = f->node_count - 1; n > 0; n--) {
		uint32_t parent = f->nodes[n].parent;

		w->total[parent] = pf_count_add(w->total[parent], w->total[n]);
		w->next[n] = w->child[parent];
		w->child[parent] = n;
	}
}

/* The format ends a name at a colon, and a target at a blank. */
static bool can_say(const char *name)
{
	return *name && !strpbrk(name, ": \t\n");
}

static void indent(struct pf_buffer *out, unsigned depth, struct spot spot)
{
	pf_buffer_printf(out, "%*s%" PRIu32, (int)depth, "", spot.line);
	if (spot.base)
		pf_buffer_printf(out, ".%" PRIu32, spot.base);
	pf_buffer_printf(out, ": ");
}

/* The records of NODE, spot by spot; a target that two records of a spot name is added up by LLVM's reader. */
static void put_records(struct pf_buffer *out, const struct work *w, uint32_t node, unsigned depth)
{
	for (uint32_t r = w->first_record[node]; r < w->first_record[node + 1];) {
		uint32_t first = r;
		uint64_t count = take_spot(w, &r);

		if (!count)
			continue;
		indent(out, depth, spot_of(&w->records[first]->place.position));
		pf_buffer_printf(out, "%" PRIu64, count);
		for (uint32_t i = first; i < r; i++)
			for (uint32_t t = 0; t < w->records[i]->target_count; t++) {
				const struct pf_target *target = &w->records[i]->targets[t];

				if (can_say(target->name))
					pf_buffer_printf(out, " %s:%" PRIu64, target->name, target->count);
			}
		pf_buffer_u8(out, '\n');
	}
}

static void put_node(struct pf_buffer *out, const struct work *w, uint32_t node, unsigned depth)
{
	put_records(out, w, node, depth);
	for (uint32_t n = w->child[node]; n != NONE; n = w->next[n]) {
		const struct pf_node *inlined = &w->function->nodes[n];

		if (!w->total[n] || !can_say(inlined->name))
			continue;
		indent(out, depth, spot_of(&inlined->site));
		pf_buffer_printf(out, "%s:%" PRIu64 "\n", inlined->name, w->total[n]);
		put_node(out, w, n, depth + 1);
	}
}

/* Functions of one name, which are one to LLVM. */
struct family {
	struct pf_buffer body;
	uint64_t total, head;
};

/* Its reader adds up what it finds at one position of a function twice, and knows of two functions of one name the last
 * only: so what is below the names is put under one. */
static bool add_function(struct family *all, const struct pf_function *f)
{
	struct work w = { .function = f,
			  .records = calloc(f->record_count + 1, sizeof *w.records),
			  .first_record = calloc((size_t)f->node_count + 1, sizeof *w.first_record),
			  .child = calloc(f->node_count, sizeof *w.child),
			  .next = calloc(f->node_count, sizeof *w.next),
			  .total = calloc(f->node_count, sizeof *w.total) };
	bool done = w.records && w.first_record && w.child && w.next && w.total;

	if (done) {
		sort_out(&w);
		all->total = pf_count_add(all->total, w.total[0]);
		all->head = pf_count_add(all->head, f->head);
		put_node(&all->body, &w, 0, 1);
	}
	free(w.records);
	free(w.first_record);
	free(w.child);
	free(w.next);
	free(w.total);
	return done;
}

/* Puts the COUNT functions from F on, all of one name. */
static bool put_family(struct pf_buffer *out, const struct pf_function *f, uint32_t count)
{
	struct family all = { 0 };
	bool done = true;

	for (uint32_t i = 0; i < count && done; i++)
		done = add_function(&all, &f[i]);
	if (all.total || all.head) {
		pf_buffer_printf(out, "%s:%" PRIu64 ":%" PRIu64 "\n", f->name, all.total, all.head);
		pf_buffer_bytes(out, all.body.data, all.body.size);
	}
	done = done && !all.body.failed;
	pf_buffer_fini(&all.body);
	return done;
}

/* How many functions from FIRST on have its name. */
static uint32_t count_family(const struct pf_profile *profile, uint32_t first)
{
	uint32_t i = first + 1;

	while (i < profile->function_count && strcmp(profile->functions[i].name, profile->functions[first].name) == 0)
		i++;
	return i - first;
}

int pf_export_llvm(const struct pf_profile *profile, struct pf_buffer *out, struct pf_buffer *notes,
		   struct pf_error *error)
{
	uint32_t unsaid = 0, shared = 0, example = 0, count;

	for (uint32_t i = 0; i < profile->function_count; i += count) {
		const struct pf_function *f = &profile->functions[i];

		count = count_family(profile, i);
		if (!can_say(f->name)) {
			unsaid += count;
			continue;
		}
		if (!put_family(out, f, count))
			return pf_fail(error, PF_ENOMEM, "out of memory");
		if (count > 1 && !shared++)
			example = i;
	}
	if (!out->size)
		return pf_fail(error, PF_EEMPTY, "nothing in it has run");
	if (unsaid)
		pf_buffer_printf(notes, "%" PRIu32 " functions without a linkage name are left out\n", unsaid);
	if (shared)
		pf_buffer_printf(notes,
				 "names that stand for several functions: %" PRIu32 " (the first is '%s', for %" PRIu32
				 "); clang has nothing else to tell them apart, so their counts are added up\n",
				 shared, profile->functions[example].name, count_family(profile, example));
	return PF_OK;
}
