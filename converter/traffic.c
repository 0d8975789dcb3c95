/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See traffic.h.  Four open-addressing tables of indices over plain arrays; the hard case is growth, which rehashes
 * from the arrays and so needs no second copy of the keys. */
#include "converter/traffic.h"
#include "support/filename.h"

#include <stdio.h>

#define SEQUENCE_LIMIT 1000000u
#define NAMES_LOOKED_AT 16

static const char *const drop_names[PF_DROP_COUNT] = {
	[PF_DROP_KERNEL] = "in the kernel",
	[PF_DROP_GUEST] = "in a virtual machine",
	[PF_DROP_ANONYMOUS] = "in code without a file",
	[PF_DROP_MEMORY] = "in memory (memfd) without a build-id",
	[PF_DROP_VDSO] = "in code of the kernel's for programs (vdso)",
	[PF_DROP_UNMAPPED] = "at unmapped addresses",
	[PF_DROP_WRONG_PATH] = "on a wrong path",
	[PF_DROP_DUPLICATE] = "stored twice",
	[PF_DROP_BACKWARDS] = "running backwards",
	[PF_DROP_LONG] = "over 1 MiB long",
	[PF_DROP_OLDEST] = "oldest of their stack",
	[PF_DROP_WARM_UP] = "first of their burst",
	[PF_DROP_CORRUPT] = "with a bad index",
	[PF_DROP_PLAIN] = "plain samples beside branch data",
	[PF_DROP_EVENT] = "of other events than the one used",
	[PF_DROP_SEQUENCE] = "paths beyond the limit",
};

static const char *const drop_cures[PF_DROP_COUNT] = {
	[PF_DROP_KERNEL] = "record user code only (perf record -e cycles:u, -j any,u)",
	[PF_DROP_GUEST] = "its addresses are not those of the host's processes; record inside the machine",
	[PF_DROP_ANONYMOUS] = "code that is made at run time has no file until perf inject --jit writes one; what a "
			      "program copies onto huge pages has none any more, so record it without",
	[PF_DROP_MEMORY] = "a program that is started from memory is known by its build-id alone, so link it with "
			   "-Wl,--build-id; what is made at run time has no file",
	[PF_DROP_UNMAPPED] = "record the program from its start, by pathfdo record or perf record COMMAND",
	[PF_DROP_CORRUPT] = "the recording is damaged, record it again",
	[PF_DROP_BACKWARDS] = "the recording is damaged, or its branch stacks are no record of all branches",
	[PF_DROP_LONG] = "the recording is damaged, or its branch stacks are no record of all branches",
};

void pf_build_id_text(const uint8_t *id, uint8_t size, char text[41])
{
	strcpy(text, "unknown");
	for (uint8_t i = 0; i < size && i < 20; i++)
		snprintf(text + 2 * i, 3, "%02x", id[i]);
}

const char *pf_traffic_drop_cure(enum pf_drop drop)
{
	return drop_cures[drop] ? drop_cures[drop] : "";
}

const char *pf_traffic_drop_name(enum pf_drop drop)
{
	return drop_names[drop];
}

static void free_names(struct pf_traffic_module *m)
{
	for (size_t i = 0; i < m->names.count; i++)
		free(m->names.at[i]);
	pf_array_fini(&m->names);
	free(m->path);
}

void pf_traffic_fini(struct pf_traffic *t)
{
	for (size_t i = 0; i < t->modules.count; i++)
		free_names(&t->modules.at[i]);
	pf_array_fini(&t->modules);
	pf_array_fini(&t->edges);
	pf_array_fini(&t->samples);
	pf_array_fini(&t->values);
	pf_array_fini(&t->sequences);
	pf_array_fini(&t->pool);
	free(t->module_index.slots);
	free(t->edge_index.slots);
	free(t->sample_index.slots);
	free(t->sequence_index.slots);
	*t = (struct pf_traffic) { 0 };
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash ^= value + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
	hash *= 0xff51afd7ed558ccdu;
	return hash ^ hash >> 32;
}

static uint64_t edge_hash(const struct pf_traffic *t, uint32_t i)
{
	const struct pf_traffic_edge *e = &t->edges.at[i];

	return mix(mix(mix(mix(e->from_module, e->start), e->from), e->to), (uint64_t)e->to_module << 8 | e->kind);
}

static uint64_t module_hash(const struct pf_traffic *t, uint32_t i)
{
	const struct pf_traffic_module *m = &t->modules.at[i];
	uint64_t hash = m->build_id_size;

	for (const char *c = m->build_id_size ? "" : m->path; *c; c++)
		hash = (hash ^ (uint8_t)*c) * 0x100000001b3u;
	for (uint8_t k = 0; k < m->build_id_size; k++)
		hash = (hash ^ m->build_id[k]) * 0x100000001b3u;
	return mix(hash, 0);
}

static uint64_t sample_hash(const struct pf_traffic *t, uint32_t i)
{
	return mix(mix(t->samples.at[i].module, t->samples.at[i].offset), t->samples.at[i].rank);
}

static uint64_t sequence_hash(const struct pf_traffic *t, uint32_t i)
{
	return t->sequences.at[i].hash;
}

static bool edge_equal(const struct pf_traffic *t, uint32_t i, uint32_t k)
{
	const struct pf_traffic_edge *a = &t->edges.at[i], *b = &t->edges.at[k];

	return a->from == b->from && a->to == b->to && a->start == b->start && a->from_module == b->from_module &&
	       a->to_module == b->to_module && a->kind == b->kind;
}

static bool module_equal(const struct pf_traffic *t, uint32_t i, uint32_t k)
{
	const struct pf_traffic_module *a = &t->modules.at[i], *b = &t->modules.at[k];

	return a->unnamed == b->unnamed && a->build_id_size == b->build_id_size &&
	       memcmp(a->build_id, b->build_id, a->build_id_size) == 0 &&
	       (a->build_id_size > 0 || strcmp(a->path, b->path) == 0);
}

static bool sample_equal(const struct pf_traffic *t, uint32_t i, uint32_t k)
{
	const struct pf_traffic_sample *a = &t->samples.at[i], *b = &t->samples.at[k];

	return a->module == b->module && a->offset == b->offset && a->rank == b->rank;
}

static bool sequence_equal(const struct pf_traffic *t, uint32_t i, uint32_t k)
{
	const struct pf_traffic_sequence *a = &t->sequences.at[i], *b = &t->sequences.at[k];

	return a->hash == b->hash && a->count == b->count && a->past == b->past &&
	       memcmp(&t->pool.at[a->first], &t->pool.at[b->first], a->count * sizeof *t->pool.at) == 0;
}

typedef uint64_t hash_function(const struct pf_traffic *t, uint32_t i);
typedef bool equal_function(const struct pf_traffic *t, uint32_t i, uint32_t k);

/* Slot of an element equal to NEW, or the empty slot where it belongs. */
static uint32_t *find_slot(struct pf_traffic *t, struct pf_index *index, uint32_t new, hash_function *hash,
			   equal_function *equal)
{
	size_t mask = index->capacity - 1;
	size_t at = hash(t, new) & mask;

	while (index->slots[at] && !(equal && equal(t, index->slots[at] - 1, new)))
		at = (at + 1) & mask;
	return &index->slots[at];
}

static bool grow_index(struct pf_traffic *t, struct pf_index *index, uint32_t count, hash_function *hash)
{
	struct pf_index grown = { .capacity = index->capacity ? index->capacity * 2 : 1024 };

	if (count < index->capacity / 2)
		return true;
	grown.slots = calloc(grown.capacity, sizeof *grown.slots);
	if (!grown.slots)
		return false;
	for (uint32_t i = 0; i < count; i++)
		*find_slot(t, &grown, i, hash, NULL) = i + 1;
	free(index->slots);
	*index = grown;
	return true;
}

/* NEW is the index of the last element of its array.  Returns the index of its equal (NEW itself, now entered, if
 * there is none), or UINT32_MAX when out of memory. */
static uint32_t intern(struct pf_traffic *t, struct pf_index *index, uint32_t new, hash_function *hash,
		       equal_function *equal)
{
	uint32_t *slot;

	if (!grow_index(t, index, new, hash))
		return UINT32_MAX;
	slot = find_slot(t, index, new, hash, equal);
	if (!*slot)
		*slot = new + 1;
	return *slot - 1;
}

/* Names of files that are there come first, then short ones: the same for all orders of recordings. */
static int compare_names(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	bool gone = pf_filename_length(x) < strlen(x);

	if (gone != (pf_filename_length(y) < strlen(y)))
		return gone ? 1 : -1;
	if (strlen(x) != strlen(y))
		return strlen(x) < strlen(y) ? -1 : 1;
	return strcmp(x, y);
}

/* Sorts M's names, each of which is there once then, and none is its path. */
static void sort_names(struct pf_traffic_module *m)
{
	size_t kept = 0;

	pf_array_sort(&m->names, compare_names);
	for (size_t i = 0; i < m->names.count; i++) {
		char *name = m->names.at[i];

		if (strcmp(m->path, name) == 0 || (kept > 0 && strcmp(m->names.at[kept - 1], name) == 0))
			free(name);
		else
			m->names.at[kept++] = name;
	}
	m->names.count = kept;
	m->names_sorted = kept;
}

/* PATH is a name of M; it becomes M's to free, or is freed.  False without memory.  A program can be copied before each
 * of a million runs, so only the last names are looked at here; the others are sorted out when there are twice as many.
 */
static bool add_name(struct pf_traffic_module *m, char *path)
{
	size_t count = m->names.count;
	bool known = strcmp(m->path, path) == 0;
	char **new;

	for (size_t i = 0; i < NAMES_LOOKED_AT && i < count && !known; i++)
		known = strcmp(m->names.at[count - 1 - i], path) == 0;
	new = known ? NULL : pf_array_push(&m->names);
	if (new)
		*new = path;
	else
		free(path);
	if (m->names.count > 2 * (m->names_sorted + NAMES_LOOKED_AT))
		sort_names(m);
	return known || new;
}

static uint32_t add_module(struct pf_traffic *t, const char *path, const uint8_t *build_id, uint8_t build_id_size,
			   bool unnamed)
{
	struct pf_traffic_module *new = t->modules.count < PF_NO_MODULE - 1 ? pf_array_push(&t->modules) : NULL;
	uint32_t last, found;
	char *name;

	if (!new)
		return PF_NO_MODULE;
	*new = (struct pf_traffic_module) { .path = strdup(path), .build_id_size = build_id_size, .unnamed = unnamed };
	if (build_id_size)
		memcpy(new->build_id, build_id, build_id_size);
	last = (uint32_t)(t->modules.count - 1);
	name = new->path;
	found = name ? intern(t, &t->module_index, last, module_hash, module_equal) : PF_NO_MODULE;
	if (found == last)
		return found;
	t->modules.count--;
	if (found == PF_NO_MODULE)
		free(name);
	else if (!add_name(&t->modules.at[found], name))
		return PF_NO_MODULE;
	return found;
}

uint32_t pf_traffic_module(struct pf_traffic *t, const char *path, const uint8_t *build_id, uint8_t build_id_size)
{
	return add_module(t, path, build_id, build_id_size, false);
}

uint32_t pf_traffic_object(struct pf_traffic *t, const uint8_t *build_id, uint8_t build_id_size)
{
	char name[80] = "the binary of pre-aggregated text", id[41];

	pf_build_id_text(build_id, build_id_size, id);
	if (build_id_size > 0)
		snprintf(name, sizeof name, "an object with build-id %s", id);
	return add_module(t, name, build_id, build_id_size, true);
}

uint32_t pf_traffic_edge(struct pf_traffic *t, const struct pf_traffic_edge *edge)
{
	struct pf_traffic_edge *new = t->edges.count < PF_NO_EDGE - 1 ? pf_array_push(&t->edges) : NULL;
	uint32_t last, found;

	if (!new)
		return PF_NO_EDGE;
	*new = *edge;
	new->weight = new->missed = new->ended = 0;
	new->dealt = (struct pf_dealt) { 0 };
	last = (uint32_t)(t->edges.count - 1);
	found = intern(t, &t->edge_index, last, edge_hash, edge_equal);
	if (found != last)
		t->edges.count--;
	return found;
}

static void see(struct pf_traffic *t, uint32_t module, uint64_t weight)
{
	struct pf_traffic_module *m = &t->modules.at[module];

	m->branches = pf_sum(m->branches, weight);
	m->seen = true;
}

void pf_traffic_look(struct pf_traffic *t, uint32_t edge, uint64_t number)
{
	uint64_t *look = &t->edges.at[edge].look;

	*look = *look == 0 || *look == number ? number : PF_SEVERAL_LOOKS;
}

void pf_traffic_count(struct pf_traffic *t, uint32_t edge, uint64_t weight)
{
	struct pf_traffic_edge *e = &t->edges.at[edge];

	e->weight = pf_sum(e->weight, weight);
	if (e->from_module != PF_NO_MODULE)
		see(t, e->from_module, weight);
}

int pf_traffic_samples(struct pf_traffic *t, uint32_t module, uint64_t offset, uint8_t rank, uint64_t count,
		       const unsigned *sides)
{
	uint64_t weight = count > UINT64_MAX / PF_WEIGHT_ONE ? UINT64_MAX : count * PF_WEIGHT_ONE;
	struct pf_traffic_sample *new = t->samples.count < UINT32_MAX - 1 ? pf_array_push(&t->samples) : NULL;
	uint32_t last, found;

	if (!new)
		return PF_ENOMEM;
	*new = (struct pf_traffic_sample) { .module = module, .offset = offset, .rank = rank };
	last = (uint32_t)(t->samples.count - 1);
	found = intern(t, &t->sample_index, last, sample_hash, sample_equal);
	if (found != last)
		t->samples.count--;
	if (found == UINT32_MAX)
		return PF_ENOMEM;
	t->samples.at[found].weight = pf_sum(t->samples.at[found].weight, weight);
	if (sides)
		pf_dealt_add(&t->samples.at[found].dealt, *sides, weight);
	t->samples_used = pf_sum(t->samples_used, count);
	see(t, module, weight);
	return PF_OK;
}

void pf_traffic_begin(struct pf_traffic *t)
{
	for (size_t i = 0; i < t->modules.count; i++)
		t->modules.at[i].seen = false;
}

static uint64_t scaled(uint64_t weight, double factor)
{
	double to = (double)weight * factor;

	return weight == 0 ? 0 : to > 1e18 ? (uint64_t)1e18 : to < 1 ? 1 : (uint64_t)(to + 0.5);
}

static void scale(struct pf_traffic *t)
{
	double sum = 0, factor;

	for (size_t i = 0; i < t->edges.count; i++)
		sum += (double)t->edges.at[i].weight;
	factor = sum > 0 ? (double)t->branches_used * PF_WEIGHT_ONE / sum : 1;
	for (size_t i = 0; i < t->edges.count; i++) {
		struct pf_traffic_edge *e = &t->edges.at[i];

		e->weight = scaled(e->weight, factor);
		e->dealt.all = scaled(e->dealt.all, factor);
		for (unsigned k = 0; k < PF_HALVES_TOLD; k++)
			e->dealt.first[k] = scaled(e->dealt.first[k], factor);
		e->missed = scaled(e->missed, factor);
		e->ended = scaled(e->ended, factor);
	}
	for (size_t i = 0; i < t->sequences.count; i++)
		t->sequences.at[i].weight = scaled(t->sequences.at[i].weight, factor);
	t->paced = false;
}

static void settle_names(struct pf_traffic_module *m)
{
	for (size_t i = 0; i < m->names.count; i++) {
		char *name = m->names.at[i];

		if (compare_names(&name, &m->path) < 0) {
			m->names.at[i] = m->path;
			m->path = name;
		}
	}
	sort_names(m);
}

void pf_traffic_settle(struct pf_traffic *t)
{
	bool branches = t->edges.count > 0;
	size_t kept = 0;

	if (t->paced)
		scale(t);
	t->rank = UINT8_MAX;
	for (size_t i = 0; i < t->samples.count; i++)
		t->rank = t->samples.at[i].rank < t->rank ? t->samples.at[i].rank : t->rank;
	for (size_t i = 0; i < t->samples.count; i++) {
		struct pf_traffic_sample s = t->samples.at[i];

		if (!branches && s.rank == t->rank) {
			t->samples.at[kept++] = s;
			continue;
		}
		t->drops[branches ? PF_DROP_PLAIN : PF_DROP_EVENT] += s.weight / PF_WEIGHT_ONE;
		t->samples_used -= s.weight / PF_WEIGHT_ONE;
	}
	t->samples.count = kept;
	for (size_t i = 0; i < t->modules.count; i++) {
		settle_names(&t->modules.at[i]);
		t->modules.at[i].branches = 0;
	}
	for (size_t i = 0; i < t->edges.count; i++) {
		if (t->edges.at[i].from_module != PF_NO_MODULE)
			see(t, t->edges.at[i].from_module, t->edges.at[i].weight);
	}
	for (size_t i = 0; i < kept; i++)
		see(t, t->samples.at[i].module, t->samples.at[i].weight);
}

int pf_traffic_sequence(struct pf_traffic *t, const uint32_t *edges, uint32_t count, uint32_t past, uint64_t weight)
{
	size_t first = t->pool.count;
	struct pf_traffic_sequence *new = pf_array_push(&t->sequences);
	uint64_t hash = mix(count, past);
	uint32_t last, found;

	if (!new || first > UINT32_MAX - count)
		return PF_ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t *id = pf_array_push(&t->pool);

		if (!id)
			return PF_ENOMEM;
		*id = edges[i];
		hash = mix(hash, edges[i]);
	}
	*new = (struct pf_traffic_sequence) { .first = (uint32_t)first, .count = count, .past = past, .hash = hash };
	last = (uint32_t)(t->sequences.count - 1);
	if (last >= SEQUENCE_LIMIT && !*find_slot(t, &t->sequence_index, last, sequence_hash, sequence_equal)) {
		t->sequences.count--;
		t->pool.count = first;
		t->drops[PF_DROP_SEQUENCE]++;
		return PF_OK;
	}
	found = intern(t, &t->sequence_index, last, sequence_hash, sequence_equal);
	if (found == UINT32_MAX)
		return PF_ENOMEM;
	if (found != last) {
		t->sequences.count--;
		t->pool.count = first;
	}
	t->sequences.at[found].weight = pf_sum(t->sequences.at[found].weight, weight);
	return PF_OK;
}
