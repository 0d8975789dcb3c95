/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See json.h.  Hard case: an instance is named by a number, which must be its place in the list. */
#include "profile/json.h"
#include "profile/agreement.h"
#include "profile/value-list.h"

#include <inttypes.h>
#include <string.h>

static void put_text(struct pf_buffer *out, const char *text)
{
	pf_buffer_bytes(out, text, strlen(text));
}

static void put_position(struct pf_buffer *out, const struct pf_position *position)
{
	pf_buffer_printf(out, "\"line\": %" PRId32 ", \"column\": %" PRIu32 ", \"discriminator\": %" PRIu32,
			 position->line, position->column, position->discriminator);
}

static void put_place(struct pf_buffer *out, const struct pf_place *place)
{
	pf_buffer_printf(out, "\"node\": %" PRIu32 ", ", place->node);
	put_position(out, &place->position);
}

static void put_separator(struct pf_buffer *out, uint32_t index)
{
	if (index)
		put_text(out, ", ");
}

void pf_json_put_summary(struct pf_buffer *out, const struct pf_summary *summary)
{
	pf_buffer_printf(out,
			 "{\"total\": %" PRIu64 ", \"maximum\": %" PRIu64 ", \"positions\": %" PRIu64
			 ", \"functions\": %" PRIu32 ", \"cutoffs\": [",
			 summary->total, summary->maximum, summary->positions, summary->function_count);
	for (uint32_t i = 0; i < PF_CUTOFF_COUNT; i++) {
		put_separator(out, i);
		pf_buffer_printf(
		    out, "{\"permille\": %" PRIu32 ", \"minimum\": %" PRIu64 ", \"positions\": %" PRIu64 "}",
		    summary->cutoffs[i].permille, summary->cutoffs[i].minimum, summary->cutoffs[i].positions);
	}
	put_text(out, "]}");
}

void pf_json_put_provenance(struct pf_buffer *out, const struct pf_provenance *provenance)
{
	static const char *const kinds[] = { "other", "lbr", "soft", "clock", "other" };

	pf_buffer_printf(out, "{\"kind\": \"%s\"", kinds[provenance->kind]);
	pf_json_put_field(out, "event", provenance->event);
	pf_json_put_field(out, "binary", provenance->binary);
	pf_json_put_field(out, "build_id", provenance->build_id);
	pf_json_put_field(out, "tool", provenance->tool);
	pf_buffer_printf(out,
			 ", \"period\": %" PRIu64 ", \"samples\": %" PRIu64 ", \"lost\": %" PRIu64
			 ", \"first_ns\": %" PRIu64 ", \"last_ns\": %" PRIu64 "}",
			 provenance->period, provenance->samples, provenance->lost, provenance->first_ns,
			 provenance->last_ns);
}

void pf_json_put_agreement(struct pf_buffer *out, const struct pf_agreement *agreement)
{
	uint32_t permille = pf_agreement_permille(agreement);

	if (permille == PF_AGREEMENT_UNKNOWN)
		put_text(out, "null");
	else
		pf_buffer_printf(out, "{\"permille\": %" PRIu32 ", \"looks\": %" PRIu64 ", \"unseen\": %" PRIu32 "}",
				 permille, agreement->looks, pf_agreement_unseen(agreement));
}

void pf_json_put_compiled(struct pf_buffer *out, const struct pf_profile *profile)
{
	put_text(out, "[");
	for (uint32_t i = 0; i < profile->compiled_count; i++) {
		put_text(out, i ? ",\n " : "\n ");
		pf_json_put_string(out, profile->compiled[i]);
	}
	put_text(out, "]");
}

static void put_nodes(struct pf_buffer *out, const struct pf_function *function)
{
	put_text(out, ", \"nodes\": [");
	for (uint32_t n = 0; n < function->node_count; n++) {
		const struct pf_node *node = &function->nodes[n];

		put_separator(out, n);
		pf_buffer_printf(out, "{\"parent\": %" PRIu32 ", \"site\": {", node->parent);
		put_position(out, &node->site);
		put_text(out, "}");
		pf_json_put_field(out, "name", node->name);
		pf_json_put_field(out, "file", node->file);
		pf_buffer_printf(out, ", \"declared\": %" PRIu32 ", \"entries\": %" PRIu64 "}", node->line,
				 node->entries);
	}
	put_text(out, "]");
}

static void put_value(struct pf_buffer *out, const struct pf_value *value)
{
	pf_buffer_printf(out, "{\"kind\": \"%s\", \"part\": \"%s\", ", pf_value_kind_name(value->kind),
			 pf_value_part_name(value->part));
	if (value->part == PF_VALUE_ONE)
		pf_buffer_printf(out, "\"value\": %" PRId64 ", ", value->value);
	pf_buffer_printf(out, "\"count\": %" PRIu64 "}", value->count);
}

static void put_record(struct pf_buffer *out, const struct pf_record *record)
{
	put_text(out, "{");
	put_place(out, &record->place);
	pf_buffer_printf(
	    out, ", \"count\": %" PRIu64 ", \"max\": %" PRIu64 ", \"instructions\": %" PRIu32 ", \"targets\": [",
	    record->count, record->max, record->instructions);
	for (uint32_t t = 0; t < record->target_count; t++) {
		put_separator(out, t);
		put_text(out, "{\"name\": ");
		pf_json_put_string(out, record->targets[t].name);
		pf_buffer_printf(out, ", \"count\": %" PRIu64 "}", record->targets[t].count);
	}
	put_text(out, "], \"outcomes\": [");
	for (uint32_t o = 0; o < record->outcome_count; o++) {
		put_separator(out, o);
		put_text(out, "{");
		put_place(out, &record->outcomes[o].to);
		pf_buffer_printf(out, ", \"taken\": %s, \"count\": %" PRIu64,
				 record->outcomes[o].taken ? "true" : "false", record->outcomes[o].count);
		if (record->outcomes[o].sense)
			pf_json_put_field(out, "sense", pf_sense_name(record->outcomes[o].sense));
		put_text(out, "}");
	}
	put_text(out, "], \"values\": [");
	for (uint32_t v = 0; v < record->value_count; v++) {
		put_separator(out, v);
		put_value(out, &record->values[v]);
	}
	put_text(out, "]}");
}

static void put_path(struct pf_buffer *out, const struct pf_path *path)
{
	pf_buffer_printf(out, "{\"count\": %" PRIu64 ", \"places\": [", path->count);
	for (uint32_t i = 0; i < path->place_count; i++) {
		put_separator(out, i);
		put_text(out, "{");
		put_place(out, &path->places[i]);
		put_text(out, "}");
	}
	put_text(out, "]}");
}

static void put_contents(struct pf_buffer *out, const struct pf_function *function)
{
	put_nodes(out, function);
	put_text(out, ",\n \"records\": [");
	for (uint32_t r = 0; r < function->record_count; r++) {
		put_text(out, r ? ",\n  " : "\n  ");
		put_record(out, &function->records[r]);
	}
	put_text(out, "],\n \"paths\": [");
	for (uint32_t p = 0; p < function->path_count; p++) {
		put_text(out, p ? ",\n  " : "\n  ");
		put_path(out, &function->paths[p]);
	}
	pf_buffer_printf(out, "], \"dropped_paths\": %" PRIu64 ", \"dropped_path_count\": %" PRIu64,
			 function->dropped_paths, function->dropped_path_count);
}

void pf_json_put_function(struct pf_buffer *out, const struct pf_function *function, bool whole)
{
	put_text(out, "{\"name\": ");
	pf_json_put_string(out, function->name);
	pf_json_put_field(out, "file", function->file);
	pf_buffer_printf(out, ", \"declared\": %" PRIu32 ", \"head\": %" PRIu64 ", \"total\": %" PRIu64, function->line,
			 function->head, function->total);
	if (whole)
		put_contents(out, function);
	put_text(out, "}");
}
