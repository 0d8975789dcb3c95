/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See branch-steps.h.  Each edge is decoded once, however often it ran.  The hard case is an edge without a branch at
 * its end, where the recorder's block was at its greatest length or it came to a system call: the instructions behind
 * the last conditional jump are a tail, which belongs to the next block if the stream goes on there.  A binary that is
 * not the one that ran, by its build-id, is not read. */
#include "analysis/branch-steps.h"

#include "converter/code.h"
#include "converter/mapping.h"
#include "support/outfile.h"
#include "support/search.h"

#define FIRST_SLOTS 4096u

void pf_branch_steps_fini(struct pf_branch_steps *s)
{
	for (size_t i = 0; i < s->modules.count; i++) {
		if (s->modules.at[i].usable)
			pf_elf_close(&s->modules.at[i].elf);
		free(s->modules.at[i].path);
	}
	pf_array_fini(&s->modules);
	pf_array_fini(&s->ends);
	pf_array_fini(&s->steps);
	pf_array_fini(&s->edges);
	free(s->slots);
	*s = (struct pf_branch_steps) { 0 };
}

int pf_branch_steps_spare(const struct pf_branch_steps *s, const char *output, struct pf_error *error)
{
	int status = PF_OK;

	for (size_t i = 0; i < s->modules.count && status == PF_OK; i++)
		status = pf_outfile_spares(output, s->modules.at[i].path, error);
	return status;
}

/* --- modules ------------------------------------------------------------------------------------------------------ */

static bool is_module(const struct pf_steps_module *module, const struct pf_vec_map *map)
{
	return strcmp(module->path, map->path) == 0 && module->build_id_size == map->build_id_size &&
	       memcmp(module->build_id, map->build_id, map->build_id_size) == 0;
}

static void open_module(struct pf_steps_module *module)
{
	struct pf_elf *elf = &module->elf;

	module->tried = true;
	if (!pf_mapping_is_file(module->path) || pf_elf_open(module->path, elf, NULL) < 0)
		return;
	module->usable = !module->build_id_size || !elf->build_id_size ||
			 (elf->build_id_size == module->build_id_size &&
			  memcmp(elf->build_id, module->build_id, elf->build_id_size) == 0);
	if (!module->usable)
		pf_elf_close(elf);
}

/* Index of the module of MAP; PF_NO_BLOCK when out of memory. */
static uint32_t module_of(struct pf_branch_steps *s, const struct pf_vec_map *map)
{
	struct pf_steps_module *module;

	for (size_t i = 0; i < s->modules.count; i++) {
		if (is_module(&s->modules.at[i], map))
			return (uint32_t)i;
	}
	module = pf_array_push(&s->modules);
	if (!module)
		return PF_NO_BLOCK;
	module->path = strdup(map->path);
	module->build_id_size = map->build_id_size;
	memcpy(module->build_id, map->build_id, map->build_id_size);
	if (!module->path) {
		s->modules.count--;
		return PF_NO_BLOCK;
	}
	open_module(module);
	return (uint32_t)(s->modules.count - 1);
}

/* --- ends --------------------------------------------------------------------------------------------------------- */

static uint32_t *slot_of(const struct pf_branch_steps *s, uint32_t module, uint64_t address)
{
	size_t mask = s->slot_count - 1, at = ((address + module) * 0x9e3779b97f4a7c15u >> 32) & mask;

	for (; s->slots[at]; at = (at + 1) & mask) {
		const struct pf_block_end *end = &s->ends.at[s->slots[at] - 1];

		if (end->address == address && end->module == module)
			break;
	}
	return &s->slots[at];
}

static bool grow(struct pf_branch_steps *s)
{
	size_t wanted = s->slot_count ? s->slot_count * 2 : FIRST_SLOTS;
	uint32_t *slots;

	if (s->ends.count * 2 < s->slot_count)
		return true;
	slots = calloc(wanted, sizeof *slots);
	if (!slots)
		return false;
	free(s->slots);
	s->slots = slots;
	s->slot_count = wanted;
	for (size_t i = 0; i < s->ends.count; i++)
		*slot_of(s, s->ends.at[i].module, s->ends.at[i].address) = (uint32_t)i + 1;
	return true;
}

/* Index of the end at ADDRESS of MODULE, of a block of so many INSTRUCTIONS; PF_NO_BLOCK when out of memory. */
static uint32_t end_of(struct pf_branch_steps *s, uint32_t module, uint64_t address, uint32_t instructions)
{
	struct pf_block_end *end;
	uint32_t *slot;

	if (!grow(s))
		return PF_NO_BLOCK;
	slot = slot_of(s, module, address);
	end = *slot ? &s->ends.at[*slot - 1] : pf_array_push(&s->ends);
	if (!end)
		return PF_NO_BLOCK;
	if (!*slot) {
		*end = (struct pf_block_end) { .module = module, .address = address };
		*slot = (uint32_t)s->ends.count;
	}
	end->instructions = instructions > end->instructions ? instructions : end->instructions;
	return *slot - 1;
}

/* --- edges -------------------------------------------------------------------------------------------------------- */

/* An edge on its way; the difference between memory and the binary is DISTANCE. */
struct edge_walk {
	struct pf_branch_steps *s;
	const struct pf_vec_edge *edge;
	uint32_t module, instructions;
	uint64_t distance;
};

static bool add_step(struct edge_walk *w, uint64_t address, uint8_t kind, bool taken)
{
	struct pf_branch_step *step = pf_array_push(&w->s->steps);
	uint32_t end = end_of(w->s, w->module, address - w->distance, w->instructions);

	if (!step || end == PF_NO_BLOCK)
		return false;
	*step = (struct pf_branch_step) { end, w->instructions, address, kind, taken };
	w->instructions = 0;
	return true;
}

/* Decodes the straight code.  False when out of memory; *READ tells whether it could be read to its end. */
static bool walk(struct edge_walk *w, bool *read)
{
	const struct pf_elf *elf = &w->s->modules.at[w->module].elf;
	const struct pf_vec_edge *edge = w->edge;
	uint64_t at = edge->start;

	*read = false;
	while (at <= edge->from) {
		struct pf_step step = pf_code_step(elf, at - w->distance);
		bool last = at == edge->from, branch = last && edge->kind != PF_EDGE_FALL;

		w->instructions++;
		if ((branch || step.kind == PF_EDGE_COND) &&
		    !add_step(w, at, branch ? edge->kind : PF_EDGE_COND, branch))
			return false;
		if (last) {
			*read = true;
			return true;
		}
		if (step.stops)
			return true;
		at += step.length;
	}
	return true;
}

/* Has MAP the code of the walk's edge, in a binary that can be read? */
static bool locate(struct edge_walk *w, const struct pf_vec_map *map)
{
	const struct pf_vec_edge *edge = w->edge;
	uint64_t virtual;

	if (!w->s->modules.at[w->module].usable || edge->from < edge->start ||
	    edge->from - edge->start > PF_RANGE_LIMIT || edge->start < map->start || edge->from >= map->end ||
	    !pf_elf_address(&w->s->modules.at[w->module].elf, edge->from - map->start + map->offset, &virtual))
		return false;
	w->distance = edge->from - virtual;
	return true;
}

int pf_branch_steps_add(struct pf_branch_steps *s, const struct pf_vec_edge *edge, const struct pf_vec_map *from)
{
	struct edge_walk w = { .s = s, .edge = edge, .module = PF_NO_BLOCK };
	struct pf_edge_steps *new = pf_array_push(&s->edges);
	size_t first = s->steps.count;
	bool read = false;

	if (!new || first > UINT32_MAX / 2)
		return PF_ENOMEM;
	*new = (struct pf_edge_steps) { .process = edge->process, .start = edge->start, .to = edge->to };
	new->first = (uint32_t)first;
	new->tail_end = PF_NO_BLOCK;
	if (from)
		w.module = module_of(s, from);
	if (from && w.module == PF_NO_BLOCK)
		return PF_ENOMEM;
	if (w.module != PF_NO_BLOCK && locate(&w, from) && !walk(&w, &read))
		return PF_ENOMEM;
	if (!read) {
		s->steps.count = first;
		new->unread = true;
		w.instructions = 1;
		if (edge->kind != PF_EDGE_FALL && !add_step(&w, edge->from, edge->kind, true))
			return PF_ENOMEM;
	}
	new->count = (uint32_t)(s->steps.count - first);
	new->tail = w.instructions;
	if (new->tail)
		new->tail_end = end_of(s, w.module, edge->from - w.distance, 0);
	return new->tail &&new->tail_end == PF_NO_BLOCK ? PF_ENOMEM : PF_OK;
}

/* --- names -------------------------------------------------------------------------------------------------------- */

const char *pf_branch_steps_function(struct pf_branch_steps *s, const struct pf_block_end *end)
{
	struct pf_steps_module *module = end->module == PF_NO_BLOCK ? NULL : &s->modules.at[end->module];
	struct pf_search search;

	if (!module || !module->usable)
		return NULL;
	if (!module->named)
		pf_elf_load_symbols(&module->elf, &module->elf, NULL);
	module->named = true;
	search = pf_search_over(module->elf.symbols.count);
	while (pf_search_goes_on(&search))
		pf_search_step(&search, module->elf.symbols.at[search.middle].address <= end->address);
	for (size_t low = search.low; low > 0; low--) {
		const struct pf_elf_symbol *symbol = &module->elf.symbols.at[low - 1];

		if (end->address - symbol->address < symbol->size)
			return symbol->name;
		if (symbol->sized && symbol->size)
			break;
	}
	return NULL;
}

const char *pf_branch_steps_module(const struct pf_branch_steps *s, const struct pf_block_end *end)
{
	return end->module == PF_NO_BLOCK ? "" : s->modules.at[end->module].path;
}
