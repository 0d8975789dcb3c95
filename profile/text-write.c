/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A profile as text.  What an inlined instance holds is indented below its line, so that the inline tree can be seen;
 * fields at their default are left out.  Hard case: names with blanks, quotes or control characters (lambdas, file
 * names), which go into quotes and come back byte for byte. */
#include "profile/text.h"
#include "profile/value-list.h"

#include <inttypes.h>
#include <string.h>

static bool is_plain(const char *string)
{
	for (const char *at = string; *at; at++) {
		unsigned char c = (unsigned char)*at;

		if (c <= ' ' || c == 0x7f || c == '"' || c == '\\')
			return false;
	}
	return *string && *string != '#';
}

void pf_text_put_word(struct pf_buffer *out, const char *string)
{
	if (is_plain(string)) {
		pf_buffer_bytes(out, string, strlen(string));
		return;
	}
	pf_buffer_u8(out, '"');
	for (; *string; string++) {
		unsigned char c = (unsigned char)*string;

		if (c == '"' || c == '\\')
			pf_buffer_printf(out, "\\%c", c);
		else if (c < ' ' || c == 0x7f)
			pf_buffer_printf(out, "\\x%02x", c);
		else
			pf_buffer_u8(out, c);
	}
	pf_buffer_u8(out, '"');
}

/* LINE[:COLUMN][.DISCRIMINATOR] */
static void put_position(struct pf_buffer *out, const struct pf_position *position)
{
	pf_buffer_printf(out, "%" PRId32, position->line);
	if (position->column)
		pf_buffer_printf(out, ":%" PRIu32, position->column);
	if (position->discriminator)
		pf_buffer_printf(out, ".%" PRIu32, position->discriminator);
}

static void put_place(struct pf_buffer *out, const struct pf_place *place)
{
	put_position(out, &place->position);
	if (place->node)
		pf_buffer_printf(out, "@%" PRIu32, place->node);
}

static void put_indent(struct pf_buffer *out, unsigned depth)
{
	for (unsigned i = 0; i < depth; i++)
		pf_buffer_bytes(out, "  ", 2);
}

static void put_text(struct pf_buffer *out, const char *text)
{
	pf_buffer_bytes(out, text, strlen(text));
}

/* NAME FILE:LINE */
static void put_declaration(struct pf_buffer *out, const char *name, const char *file, uint32_t line)
{
	pf_text_put_word(out, name);
	put_text(out, " ");
	pf_text_put_word(out, file);
	pf_buffer_printf(out, ":%" PRIu32, line);
}

/* value KIND VALUE N, or what is counted instead of a value. */
static void put_value(struct pf_buffer *out, const struct pf_value *value)
{
	pf_buffer_printf(out, "value %s ", pf_value_kind_name(value->kind));
	if (value->part == PF_VALUE_ONE)
		pf_buffer_printf(out, "%" PRId64, value->value);
	else
		put_text(out, pf_value_part_name(value->part));
	pf_buffer_printf(out, " %" PRIu64 "\n", value->count);
}

static void put_record(struct pf_buffer *out, const struct pf_record *record, unsigned depth)
{
	put_indent(out, depth);
	put_position(out, &record->place.position);
	pf_buffer_printf(out, " count %" PRIu64, record->count);
	if (record->max != record->count)
		pf_buffer_printf(out, " max %" PRIu64, record->max);
	if (record->instructions != 1)
		pf_buffer_printf(out, " instructions %" PRIu32, record->instructions);
	put_text(out, "\n");
	for (uint32_t t = 0; t < record->target_count; t++) {
		put_indent(out, depth + 1);
		put_text(out, "call ");
		pf_text_put_word(out, record->targets[t].name);
		pf_buffer_printf(out, " %" PRIu64 "\n", record->targets[t].count);
	}
	for (uint32_t o = 0; o < record->outcome_count; o++) {
		put_indent(out, depth + 1);
		put_text(out, record->outcomes[o].taken ? "taken " : "fell ");
		put_place(out, &record->outcomes[o].to);
		pf_buffer_printf(out, " %" PRIu64, record->outcomes[o].count);
		if (record->outcomes[o].sense)
			pf_buffer_printf(out, " %s", pf_sense_name(record->outcomes[o].sense));
		put_text(out, "\n");
	}
	for (uint32_t v = 0; v < record->value_count; v++) {
		put_indent(out, depth + 1);
		put_value(out, &record->values[v]);
	}
}

static void put_inline(struct pf_buffer *out, const struct pf_node *node, uint32_t index, unsigned depth)
{
	put_indent(out, depth);
	pf_buffer_printf(out, "inline @%" PRIu32 " ", index);
	put_declaration(out, node->name, node->file, node->line);
	put_text(out, " at ");
	put_position(out, &node->site);
	pf_buffer_printf(out, " entries %" PRIu64 "\n", node->entries);
}

static void put_path(struct pf_buffer *out, const struct pf_path *path)
{
	pf_buffer_printf(out, "  path %" PRIu64, path->count);
	for (uint32_t i = 0; i < path->place_count; i++) {
		put_text(out, " ");
		put_place(out, &path->places[i]);
	}
	put_text(out, "\n");
}

/* Nodes are in preorder, so a node's depth is one more than that of its parent, which is further up the page.  The
 * parents are walked anew for each, which is cheap: trees are as deep as inlining is. */
static unsigned depth_of(const struct pf_function *function, uint32_t node)
{
	unsigned depth = 0;

	while (node) {
		node = function->nodes[node].parent;
		depth++;
	}
	return depth;
}

void pf_text_put_function(struct pf_buffer *out, const struct pf_function *function)
{
	uint32_t record = 0;

	put_text(out, "\nfunction ");
	put_declaration(out, function->name, function->file, function->line);
	pf_buffer_printf(out, " head %" PRIu64 " total %" PRIu64, function->head, function->total);
	if (function->nodes[0].entries)
		pf_buffer_printf(out, " entries %" PRIu64, function->nodes[0].entries);
	put_text(out, "\n");
	for (uint32_t n = 0; n < function->node_count; n++) {
		unsigned depth = depth_of(function, n);

		if (n)
			put_inline(out, &function->nodes[n], n, depth);
		for (; record < function->record_count && function->records[record].place.node == n; record++)
			put_record(out, &function->records[record], depth + 1);
	}
	for (uint32_t p = 0; p < function->path_count; p++)
		put_path(out, &function->paths[p]);
	if (function->dropped_paths || function->dropped_path_count)
		pf_buffer_printf(out, "  dropped %" PRIu64 " paths count %" PRIu64 "\n", function->dropped_paths,
				 function->dropped_path_count);
}

static const char *const kinds[] = { NULL, "lbr", "soft", "clock", "other" };

static void put_provenance(struct pf_buffer *out, const struct pf_provenance *provenance)
{
	pf_buffer_printf(out, "from %s", kinds[provenance->kind]);
	put_text(out, " event ");
	pf_text_put_word(out, provenance->event);
	put_text(out, " binary ");
	pf_text_put_word(out, provenance->binary);
	put_text(out, " build-id ");
	pf_text_put_word(out, provenance->build_id);
	pf_buffer_printf(
	    out, " period %" PRIu64 " samples %" PRIu64 " lost %" PRIu64 " first-ns %" PRIu64 " last-ns %" PRIu64,
	    provenance->period, provenance->samples, provenance->lost, provenance->first_ns, provenance->last_ns);
	put_text(out, " tool ");
	pf_text_put_word(out, provenance->tool);
	put_text(out, "\n");
}

static void put_agreement(struct pf_buffer *out, const struct pf_agreement *agreement)
{
	if (agreement->looks == 0)
		return;
	pf_buffer_printf(out, "agreement looks %" PRIu64 " square %" PRIu64, agreement->looks, agreement->square);
	if (agreement->alone > 0)
		pf_buffer_printf(out, " alone %" PRIu64, agreement->alone);
	put_text(out, "\n");
}

void pf_text_put_head(struct pf_buffer *out, const struct pf_profile *profile)
{
	put_text(out, "pathfdo-profile 1\nunit ");
	put_text(out, profile->unit == PF_UNIT_SAMPLES ? "samples\n" : "executions\n");
	for (uint32_t p = 0; p < profile->provenance_count; p++)
		put_provenance(out, &profile->provenances[p]);
	put_agreement(out, &profile->agreement);
}

void pf_text_put_compiled(struct pf_buffer *out, const struct pf_profile *profile)
{
	for (uint32_t i = 0; i < profile->compiled_count; i++) {
		put_text(out, i ? "compiled " : "\ncompiled ");
		pf_text_put_word(out, profile->compiled[i]);
		put_text(out, "\n");
	}
}

void pf_text_put_profile(struct pf_buffer *out, const struct pf_profile *profile)
{
	pf_text_put_head(out, profile);
	for (uint32_t f = 0; f < profile->function_count; f++)
		pf_text_put_function(out, &profile->functions[f]);
	pf_text_put_compiled(out, profile);
}
