/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sourcepack.h.  Hard case: the writer crashed inside libdwarf after it had corrupted its own memory, so every
 * index is checked here before anybody uses it. */
#include "converter/sourcepack.h"

static void pack_function(const struct pf_source_function *f, struct pf_buffer *b)
{
	pf_buffer_u64(b, f->nodes.count);
	for (size_t i = 0; i < f->nodes.count; i++) {
		const struct pf_source_node *n = &f->nodes.at[i];

		pf_buffer_u32(b, n->parent);
		pf_buffer_u32(b, n->origin);
		pf_buffer_u32(b, (uint32_t)n->site.line);
		pf_buffer_u32(b, n->site.column);
		pf_buffer_u32(b, n->site.discriminator);
		pf_buffer_u64(b, n->entry);
		pf_buffer_u32(b, n->first_range);
		pf_buffer_u32(b, n->range_count);
	}
	pf_buffer_u64(b, f->ranges.count);
	for (size_t i = 0; i < f->ranges.count; i++) {
		pf_buffer_u64(b, f->ranges.at[i].start);
		pf_buffer_u64(b, f->ranges.at[i].end);
	}
	for (size_t i = 0; i < PF_SOURCE_ARGUMENTS; i++)
		pf_buffer_u8(b, (uint8_t)f->arguments[i]);
	pf_buffer_u64(b, f->rows.count);
	for (size_t i = 0; i < f->rows.count; i++) {
		const struct pf_source_row *r = &f->rows.at[i];

		pf_buffer_u64(b, r->start);
		pf_buffer_u64(b, r->end);
		pf_buffer_u32(b, r->line);
		pf_buffer_u32(b, r->column);
		pf_buffer_u32(b, r->file);
		pf_buffer_u32(b, r->discriminator.block);
		pf_buffer_u16(b, r->discriminator.copy);
		pf_buffer_u8(b, r->discriminator.times);
	}
}

static void pack_names(const struct pf_source_names *names, struct pf_buffer *b)
{
	pf_buffer_u64(b, names->count);
	for (size_t i = 0; i < names->count; i++)
		pf_buffer_string(b, names->at[i]);
}

void pf_source_pack(const struct pf_source *source, struct pf_buffer *b)
{
	pf_buffer_u32(b, source->units);
	pf_buffer_u32(b, source->units_read);
	pf_buffer_u32(b, source->units_damaged);
	pf_buffer_u32(b, source->units_missing);
	pf_buffer_u32(b, source->units_elsewhere);
	pf_buffer_u32(b, source->linked);
	pf_buffer_u32(b, source->linked_plainly);
	pf_buffer_u32(b, source->inlined);
	pf_buffer_u32(b, source->inlined_nowhere);
	pf_buffer_string(b, source->missing ? source->missing : "");
	pf_buffer_u64(b, source->origins.count);
	for (size_t i = 0; i < source->origins.count; i++) {
		pf_buffer_string(b, source->origins.at[i].name);
		pf_buffer_string(b, source->origins.at[i].file);
		pf_buffer_u32(b, source->origins.at[i].line);
		pf_buffer_u32(b, source->origins.at[i].column);
		pf_buffer_u8(b, source->origins.at[i].undeclared);
	}
	pf_buffer_u64(b, source->files.count);
	for (size_t i = 0; i < source->files.count; i++)
		pf_buffer_string(b, source->files.at[i]);
	pf_buffer_u64(b, source->compiled.count);
	for (size_t i = 0; i < source->compiled.count; i++) {
		const struct pf_source_unit *unit = &source->compiled.at[i];

		pf_buffer_string(b, unit->file);
		pf_buffer_string(b, unit->profile ? unit->profile : "");
		pf_buffer_u32(b, unit->hash);
		pf_buffer_u8(b, (uint8_t)unit->made);
	}
	pack_names(&source->split, b);
	pf_buffer_u64(b, source->folds.count);
	for (size_t i = 0; i < source->folds.count; i++) {
		pf_buffer_u64(b, source->folds.at[i].address);
		pf_buffer_string(b, source->folds.at[i].names);
	}
	pf_buffer_u64(b, source->functions.count);
	for (size_t i = 0; i < source->functions.count; i++)
		pack_function(&source->functions.at[i], b);
}

static const char *unpack_string(struct pf_cursor *c, struct pf_source *source, int *status)
{
	const char *text = pf_cursor_string(c);
	char *kept = text ? pf_source_keep(source, strdup(text)) : NULL;

	if (text && !kept)
		*status = PF_ENOMEM;
	return kept;
}

static int unpack_origins(struct pf_cursor *c, struct pf_source *source)
{
	int status = PF_OK;

	for (uint64_t count = pf_cursor_u64(c); count > 0 && !c->failed && status == PF_OK; count--) {
		struct pf_origin *o = pf_array_push(&source->origins);

		if (!o)
			return PF_ENOMEM;
		o->name = unpack_string(c, source, &status);
		o->file = unpack_string(c, source, &status);
		o->line = pf_cursor_u32(c);
		o->column = pf_cursor_u32(c);
		o->undeclared = pf_cursor_u8(c);
	}
	return status;
}

static int unpack_names(struct pf_cursor *c, struct pf_source *source, struct pf_source_names *names)
{
	int status = PF_OK;

	for (uint64_t count = pf_cursor_u64(c); count > 0 && !c->failed && status == PF_OK; count--) {
		const char **name = pf_array_push(names);

		if (!name)
			return PF_ENOMEM;
		*name = unpack_string(c, source, &status);
	}
	return status;
}

static int unpack_units(struct pf_cursor *c, struct pf_source *source)
{
	int status = PF_OK;

	for (uint64_t count = pf_cursor_u64(c); count > 0 && !c->failed && status == PF_OK; count--) {
		struct pf_source_unit *unit = pf_array_push(&source->compiled);

		if (!unit)
			return PF_ENOMEM;
		unit->file = unpack_string(c, source, &status);
		unit->profile = unpack_string(c, source, &status);
		if (unit->profile && !*unit->profile)
			unit->profile = NULL;
		unit->hash = pf_cursor_u32(c);
		unit->made = pf_cursor_u8(c);
		c->failed |= unit->made >= PF_MADE_COUNT;
	}
	return status;
}

static int unpack_files(struct pf_cursor *c, struct pf_source *source)
{
	int status = PF_OK;

	for (uint64_t count = pf_cursor_u64(c); count > 0 && !c->failed && status == PF_OK; count--) {
		const char **file = pf_array_push(&source->files);

		if (!file)
			return PF_ENOMEM;
		*file = unpack_string(c, source, &status);
	}
	return status;
}

static int unpack_folds(struct pf_cursor *c, struct pf_source *source)
{
	int status = PF_OK;

	for (uint64_t count = pf_cursor_u64(c); count > 0 && !c->failed && status == PF_OK; count--) {
		struct pf_source_fold *fold = pf_array_push(&source->folds);

		if (!fold)
			return PF_ENOMEM;
		fold->address = pf_cursor_u64(c);
		fold->names = unpack_string(c, source, &status);
	}
	return status;
}

static bool good_node(const struct pf_source_function *f, const struct pf_source_node *n, size_t origins)
{
	size_t index = f->nodes.count - 1;

	return n->origin < origins && n->range_count > 0 && (index == 0 ? n->parent == 0 : n->parent < index) &&
	       n->first_range <= UINT32_MAX - n->range_count;
}

static int unpack_nodes(struct pf_cursor *c, struct pf_source_function *f, size_t origins)
{
	for (uint64_t count = pf_cursor_u64(c); count > 0 && !c->failed; count--) {
		struct pf_source_node *n = pf_array_push(&f->nodes);

		if (!n)
			return PF_ENOMEM;
		n->parent = pf_cursor_u32(c);
		n->origin = pf_cursor_u32(c);
		n->site.line = (int32_t)pf_cursor_u32(c);
		n->site.column = pf_cursor_u32(c);
		n->site.discriminator = pf_cursor_u32(c);
		n->entry = pf_cursor_u64(c);
		n->first_range = pf_cursor_u32(c);
		n->range_count = pf_cursor_u32(c);
		if (!good_node(f, n, origins))
			c->failed = true;
		else if (f->nodes.count > 1)
			n->depth = f->nodes.at[n->parent].depth + 1;
	}
	c->failed |= f->nodes.count == 0;
	return PF_OK;
}

static int unpack_ranges(struct pf_cursor *c, struct pf_source_function *f)
{
	for (uint64_t count = pf_cursor_u64(c); count > 0 && !c->failed; count--) {
		struct pf_range *range = pf_array_push(&f->ranges);

		if (!range)
			return PF_ENOMEM;
		range->start = pf_cursor_u64(c);
		range->end = pf_cursor_u64(c);
		c->failed |= range->start >= range->end;
	}
	for (size_t i = 0; i < f->nodes.count && !c->failed; i++)
		c->failed |= f->nodes.at[i].first_range + f->nodes.at[i].range_count > f->ranges.count;
	return PF_OK;
}

static int unpack_rows(struct pf_cursor *c, struct pf_source_function *f, size_t files)
{
	for (uint64_t count = pf_cursor_u64(c); count > 0 && !c->failed; count--) {
		struct pf_source_row *r = pf_array_push(&f->rows);

		if (!r)
			return PF_ENOMEM;
		r->start = pf_cursor_u64(c);
		r->end = pf_cursor_u64(c);
		r->line = pf_cursor_u32(c);
		r->column = pf_cursor_u32(c);
		r->file = pf_cursor_u32(c);
		c->failed |= r->file > files;
		r->discriminator.block = pf_cursor_u32(c);
		r->discriminator.copy = pf_cursor_u16(c);
		r->discriminator.times = pf_cursor_u8(c);
	}
	return PF_OK;
}

int pf_source_unpack(struct pf_cursor *c, struct pf_source *source)
{
	int status = PF_OK;

	*source = (struct pf_source) { 0 };
	source->units = pf_cursor_u32(c);
	source->units_read = pf_cursor_u32(c);
	source->units_damaged = pf_cursor_u32(c);
	source->units_missing = pf_cursor_u32(c);
	source->units_elsewhere = pf_cursor_u32(c);
	source->linked = pf_cursor_u32(c);
	source->linked_plainly = pf_cursor_u32(c);
	source->inlined = pf_cursor_u32(c);
	source->inlined_nowhere = pf_cursor_u32(c);
	source->missing = unpack_string(c, source, &status);
	if (status == PF_OK)
		status = unpack_origins(c, source);
	if (status == PF_OK)
		status = unpack_files(c, source);
	if (status == PF_OK)
		status = unpack_units(c, source);
	if (status == PF_OK)
		status = unpack_names(c, source, &source->split);
	if (status == PF_OK)
		status = unpack_folds(c, source);
	for (uint64_t count = pf_cursor_u64(c); count > 0 && !c->failed && status == PF_OK; count--) {
		struct pf_source_function *f = pf_array_push(&source->functions);

		status = f ? unpack_nodes(c, f, source->origins.count) : PF_ENOMEM;
		if (status == PF_OK)
			status = unpack_ranges(c, f);
		for (size_t i = 0; f && i < PF_SOURCE_ARGUMENTS; i++)
			f->arguments[i] = (int8_t)pf_cursor_u8(c);
		if (status == PF_OK)
			status = unpack_rows(c, f, source->files.count);
	}
	if (status == PF_OK && c->failed)
		status = PF_EFORMAT;
	if (status < 0)
		pf_source_fini(source);
	return status;
}
