/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See intake.h: perf.data files with branch stacks or plain samples.  Entry i of a stack (newest first) went from
 * from_i to to_i, and between entry i+1 and entry i the code from to_{i+1} to from_i ran straight on.  The hard case
 * is telling hardware's mistakes (wrong paths, a newest entry stored twice, ranges that cannot be) from the program.
 *
 * The oldest entry is left out: nothing is known of the code in front of it, and counting its jump but not its range
 * would make taken branches look more frequent than the code that holds them.
 *
 * What a host records of its virtual machines (perf kvm) has the process of the emulator, and addresses of the guest's,
 * which are not that process's.
 *
 * The table of build-ids is by path, of which each container has one of its own: where it has several ids of a path, it
 * is not known which of them a mapping has. */
#include "converter/events.h"
#include "converter/halves.h"
#include "converter/intake.h"
#include "converter/invocation.h"
#include "converter/mapping.h"
#include "converter/marginals.h"
#include "perfdata/perf-format.h"
#include "perfdata/perfdata.h"
#include "support/buffer.h"
#include "support/search.h"

#include <inttypes.h>

#define SPEC_WRONG_PATH 1u
#define MISPREDICTED 1u
#define USER_LIMIT (1ull << 63)

/* What the file's table says of a path. */
struct known_id {
	const struct pf_build_id *id;
	bool several; /* others as well */
};

struct reading {
	struct pf_traffic *traffic;
	struct pf_mappings maps;
	struct pf_perf_file *file;
	struct pf_recording *recording;
	struct pf_events events;
	struct pf_halves halves[2]; /* of plain samples, of stacks */
	bool bare;                  /* of the options */
	bool traced;                /* what a processor traced is in the file: no samples until perf makes some of it */
	struct pf_tap tap;
	PF_ARRAY(struct known_id) ids; /* by path; used before the file is opened anew */
};

static bool is_guest(uint16_t misc)
{
	unsigned mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;

	return mode == PERF_RECORD_MISC_GUEST_KERNEL || mode == PERF_RECORD_MISC_GUEST_USER;
}

static int compare_ids(const void *a, const void *b)
{
	const struct known_id *x = a, *y = b;
	int order = strcmp(x->id->path, y->id->path);

	return order ? order : x->id < y->id ? -1 : x->id > y->id;
}

static bool same_id(const struct pf_build_id *a, const struct pf_build_id *b)
{
	return a->size == b->size && memcmp(a->id, b->id, a->size) == 0;
}

/* Leaves one entry of each path. */
static void merge_ids(struct reading *r)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->ids.count; i++) {
		struct known_id *last = kept > 0 ? &r->ids.at[kept - 1] : NULL, *this = &r->ids.at[i];

		if (last && strcmp(last->id->path, this->id->path) == 0)
			last->several |= !same_id(last->id, this->id);
		else
			r->ids.at[kept++] = *this;
	}
	r->ids.count = kept;
}

static int sort_ids(struct reading *r)
{
	size_t count;
	const struct pf_build_id *ids = pf_perf_build_ids(r->file, &count);

	for (size_t i = 0; i < count; i++) {
		struct known_id *new;

		if (ids[i].size == 0 || is_guest(ids[i].misc))
			continue;
		new = pf_array_push(&r->ids);
		if (!new)
			return PF_ENOMEM;
		new->id = &ids[i];
	}
	pf_array_sort(&r->ids, compare_ids);
	merge_ids(r);
	return PF_OK;
}

/* What the file's table says of PATH, or NULL. */
static const struct known_id *find_id(const struct reading *r, const char *path)
{
	struct pf_search search = pf_search_over(r->ids.count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, strcmp(r->ids.at[search.middle].id->path, path) < 0);
	return search.low < r->ids.count && strcmp(r->ids.at[search.low].id->path, path) == 0 ? &r->ids.at[search.low]
											      : NULL;
}

static uint32_t module_of(struct reading *r, const struct pf_event *e)
{
	const struct known_id *known = e->build_id_size ? NULL : find_id(r, e->filename);
	bool several = known && known->several;
	const uint8_t *id = known ? known->id->id : e->build_id;
	uint8_t size = several ? 0 : known ? known->id->size : e->build_id_size;
	uint32_t module = pf_traffic_module(r->traffic, e->filename, id, size <= 20 ? size : 0);

	if (several && module != PF_NO_MODULE)
		r->traffic->modules.at[module].several = true;
	return module;
}

static int add_mapping(struct reading *r, const struct pf_event *e)
{
	struct pf_mapping map = {
		.pid = e->pid, .module = PF_NO_MODULE, .start = e->address, .offset = e->page_offset, .time = e->time
	};

	if (is_guest(e->misc) || e->address >= USER_LIMIT || e->length > USER_LIMIT - e->address)
		return PF_OK;
	map.end = e->address + e->length;
	map.loss = pf_mapping_loss(e->filename);
	if (pf_mapping_has_code(e->filename, e->build_id_size)) {
		map.module = module_of(r, e);
		if (map.module == PF_NO_MODULE)
			return PF_ENOMEM;
	}
	return pf_mappings_add(&r->maps, &map);
}

/* When E was, to deal it to a half.  Where times were not sampled (perf record --no-inherit) the place in the file
 * tells what was earlier. */
static uint64_t moment_of(const struct pf_event *e)
{
	return e->time ? e->time : e->offset;
}

static void note_sample(struct reading *r, const struct pf_event *e)
{
	pf_events_count(&r->events, e);
	pf_halves_span(&r->halves[e->branch_count > 0], moment_of(e));
}

/* When E was, on the clock of the mappings: 0 where these have none. */
static uint64_t time_of(const struct reading *r, const struct pf_event *e)
{
	return pf_perf_attr(r->file, e->attr)->sample_id_all ? e->time : 0;
}

/* First reading: who was where, and which kind of samples there are. */
static int survey(struct reading *r, struct pf_error *error)
{
	struct pf_event e;
	int status;

	while ((status = pf_perf_next(r->file, &e, error)) > 0) {
		int added = PF_OK;

		if (e.kind == PF_EVENT_MMAP)
			added = add_mapping(r, &e);
		else if (e.kind == PF_EVENT_FORK)
			added = pf_mappings_fork(&r->maps, e.pid, e.ppid, time_of(r, &e));
		else if (e.kind == PF_EVENT_SAMPLE)
			note_sample(r, &e);
		else if (e.kind == PF_EVENT_LOST)
			r->recording->lost = pf_sum(r->recording->lost, e.lost);
		r->traced |= e.type == PF_RECORD_AUXTRACE;
		if (added < 0)
			return pf_fail(error, added, "out of memory while reading mappings");
	}
	if (status == PF_OK && pf_mappings_finish(&r->maps) < 0)
		status = pf_fail(error, PF_ENOMEM, "out of memory for %zu mappings", r->maps.maps.count);
	return status;
}

/* Module and file offset of ADDRESS, or why not. */
static enum pf_drop place(const struct reading *r, const struct pf_event *e, uint64_t address, uint32_t *module,
			  uint64_t *offset)
{
	const struct pf_mapping *map;

	*module = PF_NO_MODULE;
	*offset = 0;
	if (address >= USER_LIMIT)
		return PF_DROP_KERNEL;
	map = pf_mappings_find(&r->maps, e->pid, address, e->time);
	if (!map)
		return PF_DROP_UNMAPPED;
	if (map->module == PF_NO_MODULE)
		return map->loss;
	*module = map->module;
	*offset = address - map->start + map->offset;
	return PF_DROP_NONE;
}

/* Where the straight code in front of B began, or why that is not known.  BEFORE is the destination of the entry before
 * it in time (0: not known). */
static enum pf_drop place_start(const struct reading *r, const struct pf_event *e, const struct pf_branch *b,
				uint64_t before, struct pf_traffic_edge *edge)
{
	uint32_t module;

	if (before == 0)
		return PF_DROP_OLDEST;
	if (before > b->from)
		return PF_DROP_BACKWARDS;
	if (b->from - before > PF_RANGE_LIMIT)
		return PF_DROP_LONG;
	return place(r, e, before, &module, &edge->start) == PF_DROP_NONE && module == edge->from_module
		   ? PF_DROP_NONE
		   : PF_DROP_UNMAPPED;
}

/* One entry; *INDEX is its edge, which *FOLLOWS the entry before it by straight code. */
static enum pf_drop add_entry(struct reading *r, const struct pf_event *e, const struct pf_branch *b, uint64_t before,
			      uint32_t *index, bool *follows)
{
	struct pf_traffic_edge edge = { 0 };
	enum pf_drop from = place(r, e, b->from, &edge.from_module, &edge.from);
	enum pf_drop drop = from == PF_DROP_NONE ? place_start(r, e, b, before, &edge) : from;

	*follows = drop == PF_DROP_NONE;
	if (!*follows && (!r->bare || from == PF_DROP_KERNEL))
		return drop;
	if (!*follows)
		edge.start = edge.from;
	if (place(r, e, b->to, &edge.to_module, &edge.to) != PF_DROP_NONE && from != PF_DROP_NONE)
		return from;
	*index = pf_traffic_edge(r->traffic, &edge);
	return PF_DROP_NONE;
}

static bool wrong_path(const struct pf_branch *b)
{
	return (b->flags >> 24 & 3) == SPEC_WRONG_PATH || (b->flags & 8);
}

/* What ran behind EDGE, the last that was counted, is not known. */
static void end_run(struct pf_traffic *t, uint32_t edge)
{
	if (edge != PF_NO_EDGE)
		t->edges.at[edge].ended += PF_WEIGHT_ONE;
}

static void count_entry(struct pf_traffic *t, uint32_t edge, const struct pf_branch *b, unsigned sides)
{
	struct pf_traffic_edge *e = &t->edges.at[edge];

	t->branches_used++;
	pf_traffic_count(t, edge, PF_WEIGHT_ONE);
	pf_traffic_look(t, edge, t->bursts_read);
	pf_dealt_add(&e->dealt, sides, PF_WEIGHT_ONE);
	e->missed += b->flags & MISPREDICTED ? PF_WEIGHT_ONE : 0;
}

/* Entry DROP is left out.  The oldest one, of which nothing is known but where it went, is where the vector begins. */
static int leave_entry(struct reading *r, enum pf_drop drop)
{
	return pf_tap_skip(&r->tap, r->traffic, drop == PF_DROP_OLDEST && r->tap.at == 0 ? 0 : 1);
}

/* TWICE: the hardware may have stored the newest branch twice. */
static int add_stack(struct reading *r, const struct pf_event *e, bool twice)
{
	struct pf_traffic *t = r->traffic;
	uint32_t newest = twice && pf_event_repeats(e, 0) ? 1 : 0, last = PF_NO_EDGE;
	uint64_t before = 0, used = t->branches_used;
	unsigned sides = pf_halves_sides(&r->halves[1], moment_of(e));
	int status = PF_OK;

	t->bursts_read++;
	t->branches_read += e->branch_count;
	t->drops[PF_DROP_DUPLICATE] += newest;
	for (uint32_t i = e->branch_count; status == PF_OK && i-- > newest;) {
		const struct pf_branch *b = &e->branches[i];
		uint32_t edge = PF_NO_EDGE;
		bool follows = true;
		enum pf_drop drop = wrong_path(b) ? PF_DROP_WRONG_PATH : add_entry(r, e, b, before, &edge, &follows);

		t->drops[drop] += drop != PF_DROP_NONE;
		if (drop == PF_DROP_WRONG_PATH)
			continue;
		before = b->to < USER_LIMIT ? b->to : 0;
		if (!follows)
			end_run(t, last);
		last = edge;
		if (drop != PF_DROP_NONE) {
			status = leave_entry(r, drop);
			continue;
		}
		if (edge == PF_NO_EDGE)
			return PF_ENOMEM;
		count_entry(t, edge, b, sides);
		status = pf_tap_add(&r->tap, edge, PF_WEIGHT_ONE);
	}
	end_run(t, last);
	t->bursts_used += t->branches_used > used;
	return status < 0 ? status : pf_tap_end(&r->tap, t);
}

static int add_plain(struct reading *r, const struct pf_event *e, uint8_t rank)
{
	unsigned sides = pf_halves_sides(&r->halves[0], moment_of(e));
	uint32_t module;
	uint64_t offset;
	enum pf_drop drop = place(r, e, e->ip, &module, &offset);

	r->traffic->samples_read++;
	if (drop != PF_DROP_NONE) {
		r->traffic->drops[drop]++;
		return PF_OK;
	}
	return pf_traffic_samples(r->traffic, module, offset, rank, 1, &sides);
}

/* A sample that is not used at all, for the reason DROP. */
static void leave_out(struct pf_traffic *t, const struct pf_event *e, bool stack, enum pf_drop drop)
{
	if (stack) {
		t->bursts_read++;
		t->branches_read += e->branch_count;
		t->drops[drop] += e->branch_count;
	} else {
		t->samples_read++;
		t->drops[drop]++;
	}
}

/* 1 if it is of an event that is used, 0 if not, PF_ENOMEM. */
static int add_sample(struct reading *r, const struct pf_event *e)
{
	const struct pf_event_tally *tally = &r->events.tallies.at[e->attr];
	bool stack = e->branch_count > 0 && !tally->chain;
	int status;

	if (stack ? !tally->use_stacks : !tally->use_plains) {
		leave_out(r->traffic, e, stack, PF_DROP_EVENT);
		return 0;
	}
	if (is_guest(e->misc)) {
		leave_out(r->traffic, e, stack, PF_DROP_GUEST);
		return 1;
	}
	status = stack ? add_stack(r, e, tally->repeats) : add_plain(r, e, tally->rank);
	return status < 0 ? status : 1;
}

static int read_samples(struct reading *r, struct pf_error *error)
{
	struct pf_recording *recording = r->recording;
	struct pf_event e;
	int status, used;

	while ((status = pf_perf_next(r->file, &e, error)) > 0) {
		if (e.kind != PF_EVENT_SAMPLE)
			continue;
		used = add_sample(r, &e);
		if (used < 0)
			return pf_fail(error, PF_ENOMEM, "out of memory while counting samples");
		if (used == 0)
			continue;
		recording->first_ns =
		    recording->samples == 0 || e.time < recording->first_ns ? e.time : recording->first_ns;
		recording->last_ns = e.time > recording->last_ns ? e.time : recording->last_ns;
		recording->period = e.period;
		recording->samples++;
	}
	return status;
}

/* Names the event that was used, and those that were not. */
static int describe(struct reading *r)
{
	struct pf_recording *recording = r->recording;
	struct pf_buffer others = { 0 };
	uint32_t used = UINT32_MAX;
	bool stacks = false;

	for (uint32_t i = 0; i < r->events.tallies.count; i++)
		stacks |= r->events.tallies.at[i].use_stacks;
	for (uint32_t i = 0; i < r->events.tallies.count; i++) {
		const struct pf_event_tally *t = &r->events.tallies.at[i];
		uint64_t samples = t->stacks + t->plains;

		if (stacks ? t->use_stacks : t->use_plains)
			used = used == UINT32_MAX ? i : used;
		else if (samples > 0)
			pf_buffer_printf(&others, "%s%" PRIu64 " of %s", others.size ? ", " : "", samples,
					 pf_events_name(r->file, i));
	}
	pf_buffer_u8(&others, 0);
	recording->kind = stacks ? PF_SOURCE_LBR : PF_SOURCE_CLOCK;
	recording->rank = used == UINT32_MAX ? 0 : r->events.tallies.at[used].rank;
	recording->event = strdup(used == UINT32_MAX ? "" : pf_events_name(r->file, used));
	recording->exe = strdup("");
	recording->others = (char *)others.data;
	if (recording->event && strncmp(recording->event, "pathfdo-soft", 12) == 0)
		recording->kind = PF_SOURCE_SOFT;
	return recording->event && recording->exe && !others.failed ? PF_OK : PF_ENOMEM;
}

static int refuse_empty(const struct reading *r, const char *path, struct pf_error *error)
{
	if (r->traced)
		return pf_fail(error, PF_EEMPTY,
			       "%s: holds a processor's trace and no samples; have some made of it by "
			       "perf inject --itrace=i100usle -i %s -o FILE, and convert that",
			       path, path);
	return pf_fail(error, PF_EEMPTY, "%s: holds no samples; record a longer run of the program", path);
}

/* Samples of a file without vectors; PATH is opened a second time, since a reader goes only forward. */
static int intake_samples(struct reading *r, const char *path, struct pf_error *error)
{
	int status = pf_events_init(&r->events, r->file);

	if (status == PF_OK)
		status = sort_ids(r);
	if (status < 0)
		return pf_fail(error, status, "%s: out of memory", path);
	status = survey(r, error);
	if (status == PF_OK)
		status = pf_events_choose(&r->events, r->file, path, error);
	if (status < 0)
		return status;
	pf_perf_close(r->file);
	r->file = NULL;
	status = pf_perf_open(path, &r->file, error);
	if (status == PF_OK)
		status = read_samples(r, error);
	if (status == PF_OK && describe(r) < 0)
		status = pf_fail(error, PF_ENOMEM, "%s: out of memory", path);
	if (status == PF_OK && r->recording->samples == 0)
		status = refuse_empty(r, path, error);
	r->traffic->lost = pf_sum(r->traffic->lost, r->recording->lost);
	return status;
}

int pf_intake_file(struct pf_traffic *t, const char *path, const struct pf_intake_options *options,
		   struct pf_recording *recording, struct pf_error *error)
{
	struct reading r = {
		.traffic = t, .recording = recording, .bare = options->bare, .tap.listener = options->listener
	};
	const struct pf_aggregates *aggregates;
	const struct pf_vectors *vectors = NULL;
	int status;

	*recording = (struct pf_recording) { 0 };
	pf_traffic_begin(t);
	status = pf_perf_open(path, &r.file, error);
	if (status < 0)
		return status;
	aggregates = pf_perf_aggregates(r.file);
	if (!aggregates)
		status = pf_perf_vectors(r.file, &vectors, error);
	if (status == PF_OK && vectors && vectors->burst_count == 0 && vectors->count_count == 0)
		status =
		    pf_fail(error, PF_EEMPTY, "%s: holds no branch vectors; record a longer run of the program", path);
	if (status == PF_OK && aggregates)
		status = pf_marginals_take(t, aggregates, path, options, recording, error);
	else if (status == PF_OK)
		status = vectors ? pf_intake_vectors(t, vectors, options, recording, error)
				 : intake_samples(&r, path, error);
	pf_mappings_fini(&r.maps);
	pf_events_fini(&r.events);
	pf_array_fini(&r.ids);
	pf_tap_fini(&r.tap);
	pf_perf_close(r.file);
	if (status == PF_OK && pf_recording_end(recording, t) < 0)
		status = pf_fail(error, PF_ENOMEM, "%s: out of memory", path);
	return status;
}
