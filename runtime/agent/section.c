/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See section.h.  Hard case: a section is mapped when neither the file's name nor a descriptor of it can be used: the
 * process may have another user and another root folder by now, and a forked child never had them.  (A child does not
 * even have its parent's section, so that it cannot write there.)  mremap of nothing
 * duplicates a shared mapping, and the duplicate may be longer: it is made from the control page, long enough to reach
 * the section, and what lies before is unmapped.  The control page must not be locked then (mlockall), or the kernel
 * would fetch every page of the whole file. */
#include "runtime/agent/section.h"

#include "runtime/agent/sys.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#define FIRST_HASH_SIZE 2048u

static void publish(uint64_t *counter, uint64_t value)
{
	__atomic_store_n(counter, value, __ATOMIC_RELEASE);
}

static void *at(const struct pf_recording *r, const struct pf_wire_region *region)
{
	return (uint8_t *)r->header + region->offset;
}

static uint64_t hash_room(const struct pf_wire_layout *layout)
{
	uint64_t room = FIRST_HASH_SIZE;

	while (room < 2 * layout->edges.capacity)
		room *= 2;
	return room;
}

/* As many as leave half of it free. */
static uint64_t site_hash_room(const struct pf_wire_layout *layout)
{
	uint64_t room = 2;

	while (room < 2 * layout->sites.capacity)
		room *= 2;
	return room;
}

/* Private memory: the hash of the edges, that of the sites, and behind them the reservoir's table. */
static uint64_t private_size(const struct pf_wire_layout *layout)
{
	return (hash_room(layout) + site_hash_room(layout)) * sizeof(uint32_t) +
	       layout->chunks.capacity * sizeof(struct pf_wire_chunk);
}

static bool is_mapped(long address)
{
	return address >= 0 || address <= -4096;
}

/* Section NUMBER, or NULL. */
static uint8_t *map_section(struct pf_control *control, const struct pf_wire_layout *layout, uint64_t number)
{
	uint64_t before = layout->first + number * layout->section_size;
	long address;

	PF_SYS2(SYS_munlock, control, PF_WIRE_PAGE);
	address = PF_SYS4(SYS_mremap, control, 0, before + layout->section_size, MREMAP_MAYMOVE);
	if (!is_mapped(address))
		return NULL;
	PF_SYS2(SYS_munmap, address, before);
	pf_sys_seclude((void *)(address + (long)before), layout->section_size);
	return (uint8_t *)address + before;
}

/* Has the file room there?  On a full disk to write would be a signal, which ends a program that has had no burst yet;
 * so the kernel writes first, the mask of signals for want of anything better. */
static bool has_room(void *place)
{
	return pf_sys_mask(SIG_BLOCK, NULL, place) == 0;
}

static int take_section(struct pf_control *control, const struct pf_wire_layout *layout, uint8_t **section,
			uint64_t *number)
{
	if (!pf_sys_can_write(&control->next_section))
		return PF_REFUSE_MEMORY;
	*number = __atomic_fetch_add(&control->next_section, 1, __ATOMIC_RELAXED);
	if (*number >= layout->sections)
		return PF_REFUSE_FULL;
	*section = map_section(control, layout, *number);
	if (!*section)
		return PF_REFUSE_MEMORY;
	if (has_room(&((struct pf_wire_header *)*section)->start_ns) && has_room(*section + layout->strings.offset))
		return PF_REFUSE_NONE;
	PF_SYS2(SYS_munmap, *section, layout->section_size);
	return PF_REFUSE_MEMORY;
}

/* Adds LENGTH bytes and a zero; their place, or that of an empty string if there is no room. */
static uint64_t add_string(struct pf_recording *r, const char *string, uint64_t length)
{
	uint64_t place = r->strings_used;

	if (place + length + 1 >= r->layout.strings.capacity)
		return r->layout.strings.capacity - 1;
	__builtin_memcpy((char *)at(r, &r->layout.strings) + place, string, length);
	r->strings_used += length + 1;
	publish(&r->header->strings_used, r->strings_used);
	return place;
}

/* Everything of R but the private memory anew, for SECTION. */
static void begin(struct pf_recording *r, uint8_t *section, uint64_t number, const char *exe, uint32_t weight)
{
	struct pf_wire_header *header = (struct pf_wire_header *)section;
	struct pf_wire_chunk *own;

	r->header = header;
	r->hash_size = FIRST_HASH_SIZE;
	r->site_hash = r->edge_hash + hash_room(&r->layout);
	r->site_hash_size = (uint32_t)site_hash_room(&r->layout);
	own = (struct pf_wire_chunk *)(r->site_hash + r->site_hash_size);
	r->strings_used = r->maps_used = r->edges_used = 0;
	pf_reservoir_init(&r->reservoir, &r->layout, section, own, r->control->seed + number);
	header->weight = weight;
	header->pid = (uint32_t)PF_SYS0(SYS_getpid);
	header->ppid = (uint32_t)PF_SYS0(SYS_getppid);
	header->start_ns = pf_sys_clock(CLOCK_MONOTONIC);
	PF_SYS2(SYS_prctl, PR_GET_NAME, header->comm);
	add_string(r, exe, __builtin_strlen(exe));
	header->state = PF_WIRE_RECORDING;
	publish(&header->magic, PF_WIRE_MAGIC);
}

int pf_recording_start(struct pf_recording *r, struct pf_control *control, const char *exe, uint32_t weight)
{
	struct pf_wire_layout layout = control->layout;
	uint8_t *section, *memory;
	uint64_t number;
	int refusal;

	if (!pf_wire_layout_valid(&layout))
		return PF_REFUSE_MEMORY;
	memory = pf_sys_map(0, private_size(&layout), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	if (!memory)
		return PF_REFUSE_MEMORY;
	pf_sys_seclude(memory, private_size(&layout));
	refusal = take_section(control, &layout, &section, &number);
	if (refusal != PF_REFUSE_NONE) {
		PF_SYS2(SYS_munmap, memory, private_size(&layout));
		return refusal;
	}
	*r = (struct pf_recording) { .control = control, .layout = layout, .edge_hash = (uint32_t *)memory };
	begin(r, section, number, exe, weight);
	return PF_REFUSE_NONE;
}

void pf_recording_leave(struct pf_recording *r)
{
	if (r->edge_hash)
		PF_SYS2(SYS_munmap, r->edge_hash, private_size(&r->layout));
	if (r->header)
		PF_SYS2(SYS_munmap, r->header, r->layout.section_size);
	*r = (struct pf_recording) { 0 };
}

/* Is the string at PLACE the text PATH?  PLACE is the shared memory's word. */
static bool is_path(const struct pf_recording *r, uint64_t place, const char *path)
{
	const char *strings = at(r, &r->layout.strings);

	for (; place < r->strings_used && strings[place] == *path; place++, path++)
		if (!*path)
			return true;
	return false;
}

static bool same_map(const struct pf_wire_map *one, const struct pf_wire_map *other)
{
	if (one->start != other->start || one->end != other->end || one->pgoff != other->pgoff ||
	    one->build_id_size != other->build_id_size)
		return false;
	for (unsigned int i = 0; i < sizeof one->build_id; i++)
		if (one->build_id[i] != other->build_id[i])
			return false;
	return true;
}

uint32_t pf_recording_map(struct pf_recording *r, const struct pf_wire_map *map, const char *path)
{
	struct pf_wire_map *maps, *place;
	uint64_t string = UINT64_MAX;

	if (!r->header)
		return PF_NO_MAP;
	maps = at(r, &r->layout.maps);
	for (uint32_t i = r->maps_used; i-- > 0;) {
		if (!is_path(r, maps[i].path, path))
			continue;
		if (same_map(&maps[i], map))
			return i;
		string = maps[i].path;
	}
	if (r->maps_used == r->layout.maps.capacity)
		return PF_NO_MAP;
	place = &maps[r->maps_used];
	*place = *map;
	place->path = string != UINT64_MAX ? string : add_string(r, path, __builtin_strlen(path));
	publish(&r->header->maps_used, r->maps_used + 1);
	return r->maps_used++;
}

static bool same_edge(const struct pf_wire_edge *one, const struct pf_wire_edge *other)
{
	return one->from == other->from && one->to == other->to && one->length == other->length &&
	       one->kind == other->kind && one->from_map == other->from_map && one->to_map == other->to_map;
}

static uint32_t first_slot(const struct pf_recording *r, const struct pf_wire_edge *edge)
{
	uint64_t key = (edge->length * 31ull + edge->from * 7 + edge->to) * 0x9e3779b97f4a7c15ull;

	return (uint32_t)(key >> 32) & (r->hash_size - 1);
}

static void grow_hash(struct pf_recording *r, const struct pf_wire_edge *edges)
{
	__builtin_memset(r->edge_hash, 0, r->hash_size * sizeof *r->edge_hash);
	r->hash_size *= 2;
	for (uint32_t i = 0; i < r->edges_used; i++) {
		uint32_t slot = first_slot(r, &edges[i]);

		while (r->edge_hash[slot])
			slot = (slot + 1) & (r->hash_size - 1);
		r->edge_hash[slot] = i + 1;
	}
}

uint32_t pf_recording_edge(struct pf_recording *r, const struct pf_wire_edge *edge)
{
	struct pf_wire_edge *edges;
	uint32_t slot;

	if (!r->header)
		return PF_NO_EDGE;
	edges = at(r, &r->layout.edges);
	if (r->edges_used >= r->hash_size / 2 && r->hash_size < hash_room(&r->layout))
		grow_hash(r, edges);
	for (slot = first_slot(r, edge); r->edge_hash[slot]; slot = (slot + 1) & (r->hash_size - 1))
		if (same_edge(&edges[r->edge_hash[slot] - 1], edge))
			return r->edge_hash[slot] - 1;
	if (r->edges_used == r->layout.edges.capacity) {
		r->header->lost_branches++;
		return PF_NO_EDGE;
	}
	edges[r->edges_used] = *edge;
	r->edge_hash[slot] = r->edges_used + 1;
	publish(&r->header->edges_used, r->edges_used + 1);
	return r->edges_used++;
}

uint64_t pf_recording_from(const struct pf_recording *r, uint32_t edge)
{
	const struct pf_wire_edge *edges = at(r, &r->layout.edges);

	return edge < r->edges_used ? edges[edge].from : 0;
}

struct pf_wire_site *pf_recording_sites(struct pf_recording *r)
{
	return at(r, &r->layout.sites);
}

void pf_recording_burst(struct pf_recording *r, const struct pf_wire_burst *burst, const uint32_t *ids)
{
	struct pf_wire_header *header = r->header;

	if (!header || burst->end_reason >= PF_END_COUNT)
		return;
	if (burst->native_ns) {
		pf_reservoir_add(&r->reservoir, burst, ids);
		return;
	}
	header->ends[burst->end_reason]++;
	if (burst->edge_count == 0)
		return;
	if (!pf_reservoir_add(&r->reservoir, burst, ids)) {
		header->lost_bursts++;
		return;
	}
	header->bursts++;
	header->branches_recorded += burst->edge_count;
}
