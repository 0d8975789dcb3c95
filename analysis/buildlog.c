/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each compile appends the lines of its functions, and a line of its own as the last.  The hard case is a file of many
 * builds: a source counts with its last compile alone, and one whose last compile was for an older profile is told. */
#include "analysis/buildlog.h"
#include "analysis/textfile.h"
#include "support/array.h"
#include "support/filekind.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CURE "name the file that was given to `pathfdo cflags --report`"

struct reader {
	struct pf_buildlog *log;
	json_t *units; /* by folder and name: { "unit": last line, "lines": those before } */
	json_t *lines; /* since the last unit */
	char hash[16]; /* of the last unit */
	struct pf_error *error;
	const char *path;
};

static uint64_t number_of(const json_t *object, const char *key)
{
	json_int_t value = json_integer_value(json_object_get(object, key));

	return value > 0 ? (uint64_t)value : 0;
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static int out_of_memory(struct reader *reader)
{
	return pf_fail(reader->error, PF_ENOMEM, "%s: out of memory", reader->path);
}

/* Takes the lines so far as those of UNIT, in place of an earlier compile's. */
static int end_unit(struct reader *reader, json_t *unit)
{
	size_t size = strlen(text_of(unit, "folder")) + strlen(text_of(unit, "unit")) + 2;
	char *key = malloc(size);
	json_t *compile = json_pack("{s:O, s:O}", "unit", unit, "lines", reader->lines);
	bool good = key && compile;

	if (good) {
		snprintf(key, size, "%s/%s", text_of(unit, "folder"), text_of(unit, "unit"));
		snprintf(reader->hash, sizeof reader->hash, "%s", text_of(unit, "hash"));
		good = json_object_set_nocheck(reader->units, key, compile) == 0;
	}
	json_decref(compile);
	free(key);
	json_decref(reader->lines);
	reader->lines = json_array();
	return good && reader->lines ? PF_OK : out_of_memory(reader);
}

static int take_line(struct reader *reader, const struct pf_textfile *text)
{
	json_error_t wrong;
	json_t *line = json_loads(text->line, 0, &wrong);
	int status = PF_OK;

	if (!json_is_object(line))
		status =
		    pf_fail(reader->error, PF_EFORMAT, "%s: line %" PRIu64 " is none of a build's report (%s); " CURE,
			    text->path, text->number, line ? "no object" : wrong.text);
	else if (json_is_string(json_object_get(line, "unit")))
		status = end_unit(reader, line);
	else if (json_array_append(reader->lines, line) != 0)
		status = out_of_memory(reader);
	json_decref(line);
	return status;
}

static int load(struct reader *reader)
{
	struct pf_textfile text;
	int status = pf_textfile_open(&text, reader->path, reader->error);

	reader->path = text.path;
	if (status == PF_OK && (text.bytes.size == 0 || *text.bytes.data != '{'))
		status = pf_filekind_refuse(text.path, text.bytes.data, text.bytes.size, "a build's report", CURE,
					    reader->error);
	while (status == PF_OK && (status = pf_textfile_next(&text, reader->error)) > 0)
		status = take_line(reader, &text);
	pf_textfile_close(&text);
	return status;
}

static int add(struct reader *reader, struct pf_buildlog_list *list, const char *name, char *place, uint64_t count)
{
	char *copy = strdup(name);

	if (!copy || !pf_array_reserve(&list->items, list->count, &list->room, 1, sizeof *list->items)) {
		free(copy);
		free(place);
		return out_of_memory(reader);
	}
	list->items[list->count++] = (struct pf_buildlog_item) { copy, place, count };
	return PF_OK;
}

static int add_function(struct reader *reader, const json_t *line)
{
	const char *found = text_of(line, "found"), *file = text_of(line, "file");
	bool stale = strcmp(found, "stale") == 0, used = strcmp(found, "matched") == 0 || strcmp(found, "moved") == 0;
	size_t size = strlen(file) + 24;
	char *place;

	if (!stale && !used)
		return PF_OK;
	place = malloc(size);
	if (!place)
		return out_of_memory(reader);
	snprintf(place, size, "%s:%llu", file, (unsigned long long)number_of(line, "line"));
	return add(reader, stale ? &reader->log->stale_functions : &reader->log->matched_functions,
		   text_of(line, "function"), place, stale ? 1 : number_of(line, "total"));
}

static int count_unit(struct reader *reader, const json_t *compile)
{
	const json_t *unit = json_object_get(compile, "unit"), *lines = json_object_get(compile, "lines"), *line;
	struct pf_buildlog *log = reader->log;
	int status = PF_OK;
	size_t i;

	log->files++;
	log->older += strcmp(text_of(unit, "hash"), reader->hash) != 0;
	log->foreign += json_is_false(json_object_get(unit, "compiled")) && number_of(unit, "matched") == 0;
	log->matched += number_of(unit, "matched");
	log->stale += number_of(unit, "stale");
	log->unmatched += number_of(unit, "unmatched");
	log->inlined += number_of(unit, "replayed");
	log->promoted += number_of(unit, "promoted");
	log->refused += number_of(unit, "refused");
	json_array_foreach(lines, i, line)
	{
		if (status == PF_OK && json_object_get(line, "function"))
			status = add_function(reader, line);
		if (status == PF_OK && json_object_get(line, "refused"))
			status = add(reader, &log->refusals, text_of(line, "reason"), NULL, 1);
	}
	return status;
}

static int by_descending_count(const void *a, const void *b)
{
	const struct pf_buildlog_item *x = a, *y = b;

	return x->count != y->count ? (x->count < y->count) - (x->count > y->count) : strcmp(x->name, y->name);
}

static int by_name(const void *a, const void *b)
{
	const struct pf_buildlog_item *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Makes one item of those of one name, by adding their counts. */
static void merge_names(struct pf_buildlog_list *list)
{
	size_t kept = 0;

	if (list->count)
		qsort(list->items, list->count, sizeof *list->items, by_name);
	for (size_t i = 0; i < list->count; i++) {
		struct pf_buildlog_item *item = &list->items[i];

		if (kept == 0 || by_name(&list->items[kept - 1], item) != 0) {
			list->items[kept++] = *item;
			continue;
		}
		list->items[kept - 1].count += item->count;
		free(item->name);
	}
	list->count = kept;
}

static void sort(struct pf_buildlog_list *list)
{
	if (list->count)
		qsort(list->items, list->count, sizeof *list->items, by_descending_count);
}

int pf_buildlog_read(const char *path, struct pf_buildlog *log, struct pf_error *error)
{
	struct reader reader = {
		.log = log, .units = json_object(), .lines = json_array(), .error = error, .path = path
	};
	const char *key;
	json_t *compile;
	int status;

	*log = (struct pf_buildlog) { 0 };
	status = reader.units && reader.lines ? load(&reader) : out_of_memory(&reader);
	if (status == PF_OK && json_array_size(reader.lines))
		status = pf_fail(error, PF_EFORMAT, "%s: the lines of the last compile end before its own; build again",
				 reader.path);
	json_object_foreach(reader.units, key, compile)
	{
		if (status == PF_OK)
			status = count_unit(&reader, compile);
	}
	json_decref(reader.units);
	json_decref(reader.lines);
	sort(&log->stale_functions);
	sort(&log->matched_functions);
	merge_names(&log->refusals);
	sort(&log->refusals);
	if (status < 0)
		pf_buildlog_fini(log);
	return status;
}

static void release(struct pf_buildlog_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->items[i].name);
		free(list->items[i].place);
	}
	free(list->items);
}

void pf_buildlog_fini(struct pf_buildlog *log)
{
	release(&log->stale_functions);
	release(&log->matched_functions);
	release(&log->refusals);
	*log = (struct pf_buildlog) { 0 };
}
