/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See hotspot.h.  A branch goes first to the Monitor Table, whose counter decides about the mode, and then, in profile
 * mode, to the buffer.  The hard case is several processes and one detector: a process whose Monitor Counter asks for
 * it waits for its turn, which comes when the one that has it finds a hot spot, is back in known ones, ends, or when
 * its buffer is cleared.  What the paper leaves open: a process begins in profile mode, as it is in no known hot spot;
 * and when the buffer is cleared the Hot Spot Detection Counter begins anew, since the candidates it stands for are
 * gone. */
#include "analysis/hotspot.h"

#include "perfdata/vectors.h"

const struct pf_hotspot_parameters pf_hotspot_defaults = {
	.entries = 2048,
	.ways = 2,
	.counter_bits = 9,
	.threshold = 16,
	.refresh = 4096,
	.clear = 65535,
	.hdc_bits = 13,
	.hdc_up = 2,
	.hdc_down = 1,
	.monitor_bits = 12,
	.monitor_up = 1,
	.monitor_down = 1,
};

static bool is_power_of_two(uint32_t number)
{
	return number && (number & (number - 1)) == 0;
}

static const char *wrong_with(const struct pf_hotspot_parameters *p)
{
	if (!p->ways || p->entries % p->ways || !is_power_of_two(p->entries / p->ways))
		return "the entries of the branch buffer must be its ways times a power of two";
	if (p->arcs && !is_power_of_two(p->arcs))
		return "the table of arcs must have a power of two of entries";
	if (!p->counter_bits || p->counter_bits > 31 || !p->hdc_bits || p->hdc_bits > 31 || !p->monitor_bits ||
	    p->monitor_bits > 31)
		return "counters have 1 to 31 bits";
	if (!p->threshold || p->threshold >= 1u << p->counter_bits)
		return "the threshold of candidates must be within their counter";
	if (!p->refresh || !p->clear || !p->hdc_up || !p->hdc_down || !p->monitor_up || !p->monitor_down)
		return "intervals and steps must be more than 0";
	return NULL;
}

static uint32_t most(uint32_t bits)
{
	return (1u << bits) - 1;
}

static uint32_t up(uint32_t counter, uint32_t by, uint32_t bits)
{
	return by < most(bits) - counter ? counter + by : most(bits);
}

static uint32_t down(uint32_t counter, uint32_t by)
{
	return by < counter ? counter - by : 0;
}

int pf_hotspots_init(struct pf_hotspots *d, const struct pf_hotspot_parameters *parameters, struct pf_error *error)
{
	const struct pf_hotspot_parameters *p = parameters;
	const char *wrong = wrong_with(p);

	*d = (struct pf_hotspots) { .parameters = *p, .owner = PF_NO_PROCESS };
	if (wrong)
		return pf_fail(error, PF_EINVAL, "%s", wrong);
	d->hdc = most(p->hdc_bits);
	if (!pf_branch_buffer_init(&d->buffer, p->entries / p->ways, p->ways, p->counter_bits, p->threshold) ||
	    !pf_branch_buffer_init(&d->arcs, p->arcs, 1, p->counter_bits, p->threshold))
		return pf_fail(error, PF_ENOMEM, "out of memory for the hot spot detector");
	return PF_OK;
}

void pf_hotspots_fini(struct pf_hotspots *d)
{
	for (size_t i = 0; i < d->spots.count; i++) {
		free(d->spots.at[i].entries);
		free(d->spots.at[i].arcs);
	}
	pf_array_fini(&d->spots);
	pf_array_fini(&d->live);
	pf_array_fini(&d->processes);
	pf_branch_buffer_fini(&d->buffer);
	pf_branch_buffer_fini(&d->arcs);
	pf_monitor_table_fini(&d->monitor);
}

/* --- who is profiled ---------------------------------------------------------------------------------------------- */

static void clear_detector(struct pf_hotspots *d)
{
	pf_branch_buffer_clear(&d->buffer);
	pf_branch_buffer_clear(&d->arcs);
	d->hdc = most(d->parameters.hdc_bits);
	d->refresh = d->clear = 0;
}

/* NEXT has the detector from now on; NULL: nobody. */
static void give_to(struct pf_hotspots *d, struct pf_hotspot_process *next)
{
	clear_detector(d);
	d->owner = next ? (uint32_t)(next - d->processes.at) : PF_NO_PROCESS;
	d->ran = d->branches;
	if (next)
		next->mode = PF_HOTSPOT_PROFILING;
}

/* Gives the detector to the process that has waited longest, if one waits. */
static void pass_on(struct pf_hotspots *d)
{
	struct pf_hotspot_process *next = NULL;

	for (size_t i = 0; i < d->processes.count; i++) {
		struct pf_hotspot_process *process = &d->processes.at[i];

		if (process->mode == PF_HOTSPOT_WAITING && (!next || process->since < next->since))
			next = process;
	}
	give_to(d, next);
}

/* PROCESS waits, and runs; the one that has the detector may have stopped running, as who waits for its children does.
 * That loses it after as many branches of others as clear the buffer. */
static void claim(struct pf_hotspots *d, struct pf_hotspot_process *process)
{
	struct pf_hotspot_process *owner = &d->processes.at[d->owner];

	if (d->branches - d->ran < d->parameters.clear)
		return;
	owner->mode = PF_HOTSPOT_WAITING;
	owner->since = d->branches;
	give_to(d, process);
}

static void ask_for_detector(struct pf_hotspots *d, struct pf_hotspot_process *process)
{
	process->mode = PF_HOTSPOT_WAITING;
	process->since = d->branches;
	if (d->owner == PF_NO_PROCESS)
		pass_on(d);
}

static void to_monitor_mode(struct pf_hotspots *d, uint32_t number)
{
	d->processes.at[number].mode = PF_HOTSPOT_MONITOR;
	d->processes.at[number].counter = 0;
	if (d->owner == number)
		pass_on(d);
}

static struct pf_hotspot_process *process_of(struct pf_hotspots *d, uint32_t number)
{
	while (d->processes.count <= number) {
		struct pf_hotspot_process *process = pf_array_push(&d->processes);

		if (!process)
			return NULL;
		process->counter = most(d->parameters.monitor_bits);
	}
	return &d->processes.at[number];
}

void pf_hotspots_end_process(struct pf_hotspots *d, uint32_t process)
{
	if (process < d->processes.count)
		to_monitor_mode(d, process);
}

/* --- a hot spot is found ------------------------------------------------------------------------------------------ */

static int by_key(const void *a, const void *b)
{
	const struct pf_branch_entry *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->target < y->target ? -1 : x->target > y->target;
}

/* The used entries of B, which are candidates or arcs of some; NULL when out of memory. */
static struct pf_branch_entry *copy_entries(const struct pf_branch_buffer *b, bool candidates, uint32_t *count)
{
	uint32_t room = b->sets * b->ways;
	struct pf_branch_entry *copy = calloc((size_t)room + 1, sizeof *copy);

	*count = 0;
	for (uint32_t i = 0; copy && i < room; i++) {
		if (b->entries[i].used && (b->entries[i].candidate || !candidates))
			copy[(*count)++] = b->entries[i];
	}
	if (copy)
		qsort(copy, *count, sizeof *copy, by_key);
	return copy;
}

static void drop_evicted(struct pf_hotspots *d)
{
	size_t kept = 0;

	for (size_t i = 0; i < d->live.count; i++)
		if (!d->spots.at[d->live.at[i]].evicted)
			d->live.at[kept++] = d->live.at[i];
	d->live.count = kept;
}

/* Makes room for COUNT branches: what was not entered for longest goes. */
static void evict(struct pf_hotspots *d, uint32_t count)
{
	for (;;) {
		struct pf_hotspot *oldest = NULL;
		uint64_t used = 0;

		for (size_t i = 0; i < d->live.count; i++) {
			struct pf_hotspot *spot = &d->spots.at[d->live.at[i]];

			used += spot->entry_count;
			if (!oldest || spot->last < oldest->last)
				oldest = spot;
		}
		if (!oldest || used + count <= d->parameters.monitor_entries)
			return;
		oldest->evicted = true;
		pf_monitor_table_remove(&d->monitor, (uint32_t)(oldest - d->spots.at));
		drop_evicted(d);
	}
}

/* Ranges over the entries of SPOT, each as long as the gaps between branches are small. */
static bool add_ranges(struct pf_hotspots *d, const struct pf_hotspot *spot, uint32_t number)
{
	int shift = d->parameters.direction;

	for (uint32_t first = 0, i = 1; i <= spot->entry_count; i++) {
		const struct pf_branch_entry *e = spot->entries;

		if (i < spot->entry_count && (e[i].key >> shift) - (e[i - 1].key >> shift) <= d->parameters.range_gap)
			continue;
		if (!pf_monitor_table_add_range(&d->monitor, spot->process, e[first].key, e[i - 1].key + 1, number))
			return false;
		first = i;
	}
	return true;
}

/* Puts SPOT into the Monitor Table, as far as there is room. */
static bool enter(struct pf_hotspots *d, const struct pf_hotspot *spot, uint32_t number)
{
	uint32_t limit = d->parameters.monitor_entries, count = spot->entry_count, *live = pf_array_push(&d->live);

	if (!live)
		return false;
	*live = number;
	count = limit && limit < count ? limit : count;
	for (uint32_t i = 0; i < count; i++) {
		if (!pf_monitor_table_add(&d->monitor, spot->process, spot->entries[i].key, number,
					  spot->entries[i].tag))
			return false;
	}
	return !d->parameters.range_gap || add_ranges(d, spot, number);
}

/* With directions in it the key is twice the address, and one more for a branch that was taken. */
static void strip_directions(struct pf_branch_entry *entries, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		entries[i].taken = entries[i].key & 1 ? entries[i].executed : 0;
		entries[i].key >>= 1;
	}
}

static void detect(struct pf_hotspots *d, uint32_t process)
{
	struct pf_hotspot spot = { .process = process, .found = d->branches, .last = d->branches };
	struct pf_hotspot *new;

	spot.entries = copy_entries(&d->buffer, true, &spot.entry_count);
	pf_branch_buffer_refresh_arcs(&d->arcs, &d->buffer);
	spot.arcs = copy_entries(&d->arcs, false, &spot.arc_count);
	if (d->parameters.monitor_entries)
		evict(d, spot.entry_count);
	new = spot.entries &&spot.arcs ? pf_array_push(&d->spots) : NULL;
	if (!new || !enter(d, &spot, (uint32_t)(d->spots.count - 1)))
		d->failed = true;
	if (new) {
		if (d->parameters.direction) {
			strip_directions(spot.entries, spot.entry_count);
			strip_directions(spot.arcs, spot.arc_count);
		}
		*new = spot;
	} else {
		free(spot.entries);
		free(spot.arcs);
	}
	to_monitor_mode(d, process);
}

/* --- the stream --------------------------------------------------------------------------------------------------- */

static bool is_indirect(uint8_t kind)
{
	return kind == PF_EDGE_INDIRECT || kind == PF_EDGE_INDIRECT_CALL || kind == PF_EDGE_RETURN;
}

static void tick(struct pf_hotspots *d)
{
	if (++d->refresh == d->parameters.refresh) {
		pf_branch_buffer_refresh(&d->buffer);
		pf_branch_buffer_refresh_arcs(&d->arcs, &d->buffer);
		d->refresh = 0;
		d->refreshes++;
	}
	if (++d->clear < d->parameters.clear)
		return;
	d->clears++;
	d->processes.at[d->owner].mode = PF_HOTSPOT_WAITING;
	d->processes.at[d->owner].since = d->branches;
	pass_on(d);
}

static void profile(struct pf_hotspots *d, const struct pf_hotspot_branch *b, uint64_t key)
{
	const struct pf_hotspot_parameters *p = &d->parameters;
	enum pf_branch_found found = pf_branch_buffer_count(&d->buffer, key, 0, b->taken, b->tag);

	d->profiled++;
	d->left_out += found == PF_BRANCH_LEFT_OUT;
	if (p->arcs && is_indirect(b->kind) && found != PF_BRANCH_LEFT_OUT)
		pf_branch_buffer_count(&d->arcs, key, b->target, true, b->tag);
	d->hdc = found == PF_BRANCH_CANDIDATE ? down(d->hdc, p->hdc_down) : up(d->hdc, p->hdc_up, p->hdc_bits);
	if (d->hdc == 0)
		detect(d, b->process);
	else
		tick(d);
}

/* Of the hot spots that have the branch, the one that was entered last. */
static struct pf_hotspot_hit monitor(struct pf_hotspots *d, uint32_t process, uint64_t key)
{
	struct pf_hotspot_hit hit = { .hotspot = PF_NO_HOTSPOT, .member = PF_NO_MEMBER };
	const struct pf_monitor_range *range;

	for (uint32_t i = pf_monitor_table_find(&d->monitor, process, key); i != PF_NO_MEMBER;
	     i = d->monitor.members.at[i].next) {
		const struct pf_monitor_member *member = &d->monitor.members.at[i];

		if (hit.member == PF_NO_MEMBER || d->spots.at[member->hotspot].last > d->spots.at[hit.hotspot].last)
			hit = (struct pf_hotspot_hit) { false, member->hotspot, i };
	}
	range = hit.member == PF_NO_MEMBER ? pf_monitor_table_range(&d->monitor, process, key) : NULL;
	if (range)
		hit.hotspot = range->hotspot;
	if (hit.hotspot != PF_NO_HOTSPOT)
		d->spots.at[hit.hotspot].last = d->branches;
	return hit;
}

struct pf_hotspot_hit pf_hotspots_feed(struct pf_hotspots *d, const struct pf_hotspot_branch *b)
{
	const struct pf_hotspot_parameters *p = &d->parameters;
	struct pf_hotspot_hit hit = { .hotspot = PF_NO_HOTSPOT, .member = PF_NO_MEMBER };
	struct pf_hotspot_process *process = d->failed ? NULL : process_of(d, b->process);
	uint64_t key = p->direction ? b->address << 1 | b->taken : b->address;

	d->failed |= !process;
	hit.ignored = p->conditional && b->kind != PF_EDGE_COND && !is_indirect(b->kind);
	if (d->failed || hit.ignored)
		return hit;
	d->branches++;
	hit = monitor(d, b->process, key);
	if (hit.hotspot != PF_NO_HOTSPOT)
		process->counter = down(process->counter, p->monitor_down);
	else
		process->counter = up(process->counter, p->monitor_up, p->monitor_bits);
	if (process->mode == PF_HOTSPOT_MONITOR && process->counter == most(p->monitor_bits))
		ask_for_detector(d, process);
	else if (process->mode != PF_HOTSPOT_MONITOR && process->counter == 0)
		to_monitor_mode(d, b->process);
	if (process->mode == PF_HOTSPOT_WAITING && d->owner != PF_NO_PROCESS)
		claim(d, process);
	if (d->owner == b->process) {
		d->ran = d->branches;
		profile(d, b, key);
	}
	return hit;
}
