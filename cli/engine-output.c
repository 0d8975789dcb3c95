/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See engine-output.h.  Hard case: which columns there are is the program's choice; keys and labels come behind the
 * sums, since places in code have names of any length. */
#include "cli/engine-output.h"

#include "cli/demangle.h"
#include "cli/output.h"
#include "profile/json.h"

#include <inttypes.h>

/* The rows of one array, the largest first. */
struct rows {
	const struct pf_copro_profile *profile;
	const struct pf_copro_array *array;
	PF_ARRAY(uint32_t) of;
};

static bool is_identity(const struct pf_copro_field *field)
{
	return field->key || field->label;
}

static int compare(const void *a, const void *b, void *context)
{
	const struct rows *rows = context;
	const uint64_t *x = rows->profile->entries.at[*(const uint32_t *)a].values,
		       *y = rows->profile->entries.at[*(const uint32_t *)b].values;
	const struct pf_copro_array *array = rows->array;

	for (int sums = 1; sums >= 0; sums--) {
		for (uint8_t i = 0; i < array->field_count; i++) {
			if ((sums ? array->fields[i].sum : is_identity(&array->fields[i])) && x[i] != y[i])
				return (x[i] < y[i]) == !sums ? -1 : 1;
		}
	}
	return 0;
}

static bool collect(struct rows *rows, const struct pf_copro *m, uint32_t array)
{
	*rows = (struct rows) { .profile = &m->profile, .array = &m->program->arrays[array] };
	for (size_t i = 0; i < m->profile.entries.count; i++) {
		const struct pf_copro_entry *entry = &m->profile.entries.at[i];
		uint32_t *row = entry->array == array && entry->group != PF_NO_ENTRY ? pf_array_push(&rows->of) : NULL;

		if (row)
			*row = (uint32_t)i;
		else if (entry->array == array && entry->group != PF_NO_ENTRY)
			return false;
	}
	if (rows->of.count)
		qsort_r(rows->of.at, rows->of.count, sizeof *rows->of.at, compare, rows);
	return true;
}

static bool has_estimates(const struct rows *rows)
{
	return rows->array->value != PF_NO_FIELD;
}

static void put_code(struct pf_buffer *out, struct pf_copro_stream *stream, uint64_t code)
{
	struct pf_copro_address place = pf_copro_stream_address(stream, code);
	const char *slash = strrchr(place.path, '/');
	char *name = place.function ? pf_demangle(place.function) : NULL;

	if (name)
		pf_buffer_printf(out, "%s ", name);
	if (*place.path)
		pf_buffer_printf(out, "(%s ", pf_output_name(slash ? slash + 1 : place.path));
	pf_buffer_printf(out, "0x%" PRIx64 "%s", place.address, *place.path ? ")" : "");
	free(name);
}

static void put_row(struct pf_buffer *out, const struct rows *rows, struct pf_copro_stream *stream, uint32_t row)
{
	const uint64_t *values = rows->profile->entries.at[row].values;
	const struct pf_copro_array *array = rows->array;

	for (uint8_t i = 0; i < array->field_count; i++) {
		if (array->fields[i].sum)
			pf_buffer_printf(out, "%12" PRIu64 " ", values[i]);
	}
	if (has_estimates(rows))
		pf_buffer_printf(out, "%9.1f%% ", 100 * rows->profile->entries.at[row].invariance);
	for (uint8_t i = 0; i < array->field_count; i++) {
		if (!is_identity(&array->fields[i]))
			continue;
		pf_buffer_printf(out, " %s ", array->fields[i].name);
		if (array->fields[i].code)
			put_code(out, stream, values[i]);
		else
			pf_buffer_printf(out, "0x%" PRIx64, values[i]);
	}
	pf_buffer_printf(out, "\n");
}

static bool put_array(struct pf_buffer *out, const struct pf_copro *m, struct pf_copro_stream *stream, uint32_t which,
		      uint32_t top)
{
	struct rows rows;
	bool good = collect(&rows, m, which);

	if (good) {
		pf_buffer_printf(out, "  array %s: %zu rows\n", rows.array->name, rows.of.count);
		for (uint8_t i = 0; i < rows.array->field_count && rows.of.count; i++) {
			if (rows.array->fields[i].sum)
				pf_buffer_printf(out, "%12s ", rows.array->fields[i].name);
		}
		if (rows.of.count)
			pf_buffer_printf(out, "%s\n", has_estimates(&rows) ? "invariance" : "");
	}
	for (size_t i = 0; good && i < rows.of.count && (!top || i < top); i++)
		put_row(out, &rows, stream, rows.of.at[i]);
	pf_array_fini(&rows.of);
	return good;
}

static void put_score(struct pf_buffer *out, const struct pf_engine_told *told)
{
	const struct pf_copro_score *score = told->score;

	pf_buffer_printf(out,
			 "  %" PRIu64 " values of %" PRIu64 " loads are common, %" PRIu64
			 " have an estimate; weighted error of invariance %.2f%%\n",
			 score->values, score->loads, score->seen, 100 * score->rms);
	for (size_t i = 0; i < told->course->count; i++) {
		const struct pf_truth_step *step = &told->course->at[i];

		pf_buffer_printf(out, "%12" PRIu64 " loads, %" PRIu64 " slots saved: %.2f%%\n", step->loads,
				 step->saved, 100 * step->rms);
	}
}

bool pf_engine_put_text(struct pf_buffer *out, const struct pf_engine_told *told, struct pf_copro_stream *stream)
{
	const struct pf_copro *m = told->machine;
	const struct pf_copro_counts *c = &m->counts;
	bool good = true;

	pf_buffer_printf(out,
			 "%s: %" PRIu64 " samples: %" PRIu64 " handled, %" PRIu64 " masked, %" PRIu64
			 " in another of the %" PRIu64 " parts\n",
			 m->program->name, c->offered, c->handled, c->masked, c->elsewhere, c->parts);
	pf_buffer_printf(out,
			 "  %" PRIu64 " interrupts saved %" PRIu64 " slots, %" PRIu64 " dropped them; %" PRIu64
			 " slots lost for want of room\n",
			 c->saves, c->saved, c->drops, m->profile.lost);
	if (told->score)
		put_score(out, told);
	for (uint32_t i = 0; good && i < m->program->array_count; i++)
		good = !m->program->arrays[i].saved || put_array(out, m, stream, i, told->top);
	return good;
}

/* --- JSON --------------------------------------------------------------------------------------------------------- */

static void put_json_code(struct pf_buffer *out, struct pf_copro_stream *stream, uint64_t code)
{
	struct pf_copro_address place = pf_copro_stream_address(stream, code);

	pf_buffer_printf(out, "{\"file\": ");
	pf_json_put_string(out, place.path);
	pf_buffer_printf(out, ", \"function\": ");
	if (place.function)
		pf_json_put_string(out, place.function);
	else
		pf_buffer_printf(out, "null");
	pf_buffer_printf(out, ", \"address\": %" PRIu64 "}", place.address);
}

static void put_json_row(struct pf_buffer *out, const struct rows *rows, struct pf_copro_stream *stream, uint32_t row)
{
	const uint64_t *values = rows->profile->entries.at[row].values;
	const struct pf_copro_array *array = rows->array;
	const char *between = "";

	pf_buffer_printf(out, "{");
	for (uint8_t i = 0; i < array->field_count; i++) {
		if (!array->fields[i].sum && !is_identity(&array->fields[i]))
			continue;
		pf_buffer_printf(out, "%s\"%s\": ", between, array->fields[i].name);
		if (array->fields[i].code && !array->fields[i].sum)
			put_json_code(out, stream, values[i]);
		else
			pf_buffer_printf(out, "%" PRIu64, values[i]);
		between = ", ";
	}
	if (has_estimates(rows))
		pf_buffer_printf(out, ", \"invariance\": %.6f", rows->profile->entries.at[row].invariance);
	pf_buffer_printf(out, "}");
}

static bool put_json_array(struct pf_buffer *out, const struct pf_copro *m, struct pf_copro_stream *stream,
			   uint32_t which, uint32_t top)
{
	struct rows rows;
	bool good = collect(&rows, m, which);

	pf_buffer_printf(out, "\"%s\": [", m->program->arrays[which].name);
	for (size_t i = 0; good && i < rows.of.count && (!top || i < top); i++) {
		pf_buffer_printf(out, i ? ",\n" : "\n");
		put_json_row(out, &rows, stream, rows.of.at[i]);
	}
	pf_buffer_printf(out, "]");
	pf_array_fini(&rows.of);
	return good;
}

static void put_json_score(struct pf_buffer *out, const struct pf_engine_told *told, struct pf_copro_stream *stream)
{
	const struct pf_copro_score *score = told->score;

	pf_buffer_printf(out,
			 ", \"truth\": {\"loads\": %" PRIu64 ", \"values\": %" PRIu64 ", \"seen\": %" PRIu64
			 ", \"rms\": %.6f, \"course\": [",
			 score->loads, score->values, score->seen, score->rms);
	for (size_t i = 0; i < told->course->count; i++) {
		const struct pf_truth_step *step = &told->course->at[i];

		pf_buffer_printf(out, "%s{\"loads\": %" PRIu64 ", \"saved\": %" PRIu64 ", \"rms\": %.6f}",
				 i ? ", " : "", step->loads, step->saved, step->rms);
	}
	pf_buffer_printf(out, "], \"points\": [");
	for (size_t i = 0; i < told->points.count; i++) {
		const struct pf_truth_point *point = &told->points.at[i];

		pf_buffer_printf(out, "%s{\"pc\": ", i ? ",\n" : "\n");
		put_json_code(out, stream, point->pc);
		pf_buffer_printf(out,
				 ", \"value\": %" PRIu64 ", \"count\": %" PRIu64 ", \"share\": %.6f, \"seen\": %s"
				 ", \"estimate\": %.6f}",
				 point->value, point->count, point->share, point->seen ? "true" : "false",
				 point->estimate);
	}
	pf_buffer_printf(out, "]}");
}

bool pf_engine_put_json(struct pf_buffer *out, const struct pf_engine_told *told, struct pf_copro_stream *stream)
{
	const struct pf_copro *m = told->machine;
	const struct pf_copro_counts *c = &m->counts;
	const char *between = "";
	bool good = true;

	pf_buffer_printf(out, "{\"program\": ");
	pf_json_put_string(out, m->program->name);
	pf_buffer_printf(out,
			 ", \"offered\": %" PRIu64 ", \"handled\": %" PRIu64 ", \"masked\": %" PRIu64
			 ", \"elsewhere\": %" PRIu64 ", \"parts\": %" PRIu64 ", \"saves\": %" PRIu64
			 ", \"drops\": %" PRIu64 ", \"saved\": %" PRIu64 ", \"lost\": %" PRIu64,
			 c->offered, c->handled, c->masked, c->elsewhere, c->parts, c->saves, c->drops, c->saved,
			 m->profile.lost);
	if (told->score)
		put_json_score(out, told, stream);
	pf_buffer_printf(out, ", \"arrays\": {");
	for (uint32_t i = 0; good && i < m->program->array_count; i++) {
		if (!m->program->arrays[i].saved)
			continue;
		pf_buffer_printf(out, "%s", between);
		good = put_json_array(out, m, stream, i, told->top);
		between = ", ";
	}
	pf_buffer_printf(out, "}}");
	return good;
}
