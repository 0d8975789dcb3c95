/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From JSON to checked measurements.  The reader carries the place it is at, so that a message can say
 * `programs[2].variants[1].references[0].seconds[3]`; the first error sticks, and all that comes after does nothing.
 * The hard case is a variant with an error: what else stands in it is not looked at, since it may be half measured. */
#include "analysis/comparison.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PAIRS 1000
#define MOST_NOTES 10000 /* a warning of each library, in each recording */
#define LONGEST_TEXT 65536
#define MOST_SECONDS 1e9
#define MOST_COUNT 9007199254740992.0 /* 2^53: above it a double loses units */

const char *const pf_variant_names[PF_VARIANTS] = { "base", "flags",   "O3",  "instr", "clock",
						    "soft", "O3+soft", "lbr", "afdo" };

struct reader {
	const char *file;
	struct pf_error *error;
	int status;
	char place[192];
	size_t pairs; /* in all files so far */
};

static void complain(struct reader *r, int status, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void complain(struct reader *r, int status, const char *key, const char *format, ...)
{
	char what[512];
	va_list arguments;

	if (r->status != PF_OK)
		return;
	va_start(arguments, format);
	vsnprintf(what, sizeof what, format, arguments);
	va_end(arguments);
	r->status = pf_fail(r->error, status, "%s: %s%s%s: %s.", r->file, r->place, *r->place && *key ? "." : "",
			    *r->place || *key ? key : "the file", what);
}

/* Goes down to KEY[AT]; the place to come back to is the result. */
static size_t enter(struct reader *r, const char *key, size_t at)
{
	size_t length = strlen(r->place);

	snprintf(r->place + length, sizeof r->place - length, "%s%s[%zu]", length ? "." : "", key, at);
	return length;
}

static void leave(struct reader *r, size_t length)
{
	r->place[length] = 0;
}

static const char *type_name(json_type type)
{
	switch (type) {
	case JSON_OBJECT:
		return "an object";
	case JSON_ARRAY:
		return "a list";
	case JSON_STRING:
		return "a string";
	case JSON_INTEGER:
	case JSON_REAL:
		return "a number";
	case JSON_TRUE:
	case JSON_FALSE:
		return "a truth value";
	default:
		return "null";
	}
}

/* KEY of OBJECT if it is there and not null; one that is NEEDED is complained about. */
static const json_t *member(struct reader *r, const json_t *object, const char *key, json_type type, bool needed)
{
	const json_t *value = json_object_get(object, key);
	json_type got = value ? json_typeof(value) : JSON_NULL;

	if (r->status != PF_OK)
		return NULL;
	if (got == JSON_NULL) {
		if (needed)
			complain(r, PF_EFORMAT, key, "this key is missing, and must be %s", type_name(type));
		return NULL;
	}
	if (type_name(got) != type_name(type)) {
		complain(r, PF_EFORMAT, key, "must be %s and is %s", type_name(type), type_name(got));
		return NULL;
	}
	return value;
}

static const char *text(struct reader *r, const json_t *object, const char *key, bool needed)
{
	const json_t *value = member(r, object, key, JSON_STRING, needed);
	size_t longest = strcmp(key, "name") == 0 ? PF_COMPARISON_NAME : LONGEST_TEXT;

	if (!value)
		return "";
	if (json_string_length(value) > longest)
		complain(r, PF_ELIMIT, key, "has %zu bytes, and %zu is the most", json_string_length(value), longest);
	else if (needed && !*json_string_value(value))
		complain(r, PF_EFORMAT, key, "is empty");
	return json_string_value(value);
}

/* The finished sentence of an error, or NULL. */
static const char *error_text(struct reader *r, const json_t *object)
{
	const char *error = text(r, object, "error", false);

	return *error ? error : NULL;
}

static double number(struct reader *r, const json_t *object, const char *key, double most)
{
	const json_t *value = member(r, object, key, JSON_REAL, false);
	double is = value ? json_number_value(value) : -1;

	if (value && !(is >= 0 && is <= most))
		complain(r, PF_EFORMAT, key, "is %g, which no measurement gives (0 to %g)", is, most);
	return is;
}

static const json_t *list(struct reader *r, const json_t *object, const char *key, bool needed, size_t most)
{
	const json_t *value = member(r, object, key, JSON_ARRAY, needed);

	if (json_array_size(value) > most) {
		complain(r, PF_ELIMIT, key, "has %zu items, and %zu is the most", json_array_size(value), most);
		return NULL;
	}
	return value;
}

/* A list of strings alone, or NULL. */
static const json_t *strings(struct reader *r, const json_t *object, const char *key, size_t most)
{
	const json_t *value = list(r, object, key, false, most), *item;
	size_t i;

	json_array_foreach(value, i, item)
	{
		if (!json_is_string(item))
			complain(r, PF_EFORMAT, key, "all of them must be strings");
	}
	return value;
}

/* An array that is never NULL, so that NULL means out of memory. */
static void *allocate(struct reader *r, size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size);

	if (!memory && r->status == PF_OK)
		r->status = pf_fail(r->error, PF_ENOMEM, "%s: out of memory.", r->file);
	return memory;
}

/* What a list of runs holds. */
struct quantity {
	const char *is; /* in messages */
	double most;
};

static const struct quantity seconds_quantity = { "time in seconds", MOST_SECONDS };
static const struct quantity count_quantity = { "count of a run", MOST_COUNT };

static double value_of(struct reader *r, const json_t *value, const struct quantity *quantity)
{
	double is = json_number_value(value);

	if (!json_is_number(value))
		complain(r, PF_EFORMAT, "", "must be a number and is %s", type_name(json_typeof(value)));
	else if (!(is >= 0 && is <= quantity->most))
		complain(r, PF_EFORMAT, "", "is %g, which is no %s (0 to %g)", is, quantity->is, quantity->most);
	return is;
}

static void count_pairs(struct reader *r, const char *key, size_t pairs)
{
	r->pairs += pairs;
	if (r->pairs > PF_COMPARISON_RUNS)
		complain(r, PF_ELIMIT, key, "here the times are more than %d in all", PF_COMPARISON_RUNS);
}

/* Reads KEY into an array of its own; the number of items is the result. */
static size_t values(struct reader *r, const json_t *object, const char *key, const struct quantity *quantity,
		     double **into)
{
	const json_t *array = list(r, object, key, true, MOST_PAIRS), *item;
	size_t count = json_array_size(array), i;

	*into = allocate(r, count, sizeof **into);
	if (r->status != PF_OK)
		return 0;
	count_pairs(r, key, count);
	json_array_foreach(array, i, item)
	{
		size_t mark = enter(r, key, i);

		(*into)[i] = value_of(r, item, quantity);
		leave(r, mark);
	}
	return count;
}

/* Two lists of one length. */
static void read_pairs(struct reader *r, const json_t *object, const char *own, const char *base,
		       const struct quantity *quantity, struct pf_compared_pairs *pairs)
{
	size_t others;

	pairs->count = values(r, object, own, quantity, &pairs->own);
	others = values(r, object, base, quantity, &pairs->base);
	if (pairs->count != others)
		complain(r, PF_EFORMAT, own, "has %zu runs, and `%s` has %zu: they must be pairs", pairs->count, base,
			 others);
}

/* What the processor counted: any of the counters, each in pairs. */
static void read_counters(struct reader *r, const json_t *object, struct pf_compared_reference *reference)
{
	const json_t *counters = member(r, object, "counters", JSON_OBJECT, false);
	size_t mark = strlen(r->place);

	strncat(r->place, ".counters", sizeof r->place - mark - 1);
	for (int i = 0; i < PF_COUNTERS; i++) {
		char base[40];

		snprintf(base, sizeof base, "base_%s", pf_counter_names[i]);
		if (json_object_get(counters, pf_counter_names[i]) || json_object_get(counters, base))
			read_pairs(r, counters, pf_counter_names[i], base, &count_quantity, &reference->counted[i]);
	}
	leave(r, mark);
}

static void read_reference(struct reader *r, const json_t *object, struct pf_compared_reference *reference)
{
	if (!json_is_object(object)) {
		complain(r, PF_EFORMAT, "", "must be an object and is %s", type_name(json_typeof(object)));
		return;
	}
	reference->command = text(r, object, "command", false);
	read_pairs(r, object, "seconds", "base_seconds", &seconds_quantity, &reference->seconds);
	read_counters(r, object, reference);
	reference->instructions = number(r, object, "instructions", MOST_COUNT);
	if (reference->instructions == 0)
		complain(r, PF_EFORMAT, "instructions", "is 0, and no program runs without any");
}

/* The references of OBJECT, an array of their own; how many is the result. */
static size_t read_references(struct reader *r, const json_t *object, struct pf_compared_reference **references)
{
	const json_t *array = list(r, object, "references", true, PF_COMPARISON_REFERENCES), *item;
	size_t i;

	if (array && !json_array_size(array))
		complain(r, PF_EFORMAT, "references", "is empty, and the variant has no error that would say why");
	*references = allocate(r, json_array_size(array), sizeof **references);
	if (r->status != PF_OK)
		return 0;
	json_array_foreach(array, i, item)
	{
		size_t mark = enter(r, "references", i);

		read_reference(r, item, &(*references)[i]);
		leave(r, mark);
	}
	return json_array_size(array);
}

static void read_recording(struct reader *r, const json_t *object, const struct pf_compared_variant *variant,
			   struct pf_compared_recording *recording)
{
	if (!json_is_object(object)) {
		complain(r, PF_EFORMAT, "", "must be an object and is %s", type_name(json_typeof(object)));
		return;
	}
	recording->text_bytes = number(r, object, "text_bytes", MOST_COUNT);
	recording->reference_count = read_references(r, object, &recording->references);
	if (recording->reference_count != variant->reference_count)
		complain(r, PF_EFORMAT, "references", "has %zu items, and the variant has %zu",
			 recording->reference_count, variant->reference_count);
}

static void read_recordings(struct reader *r, const json_t *object, struct pf_compared_variant *variant)
{
	const json_t *array = list(r, object, "recordings", false, PF_COMPARED_RECORDINGS), *item;
	size_t i;

	json_array_foreach(array, i, item)
	{
		size_t mark = enter(r, "recordings", i);

		variant->recording_count = i + 1;
		read_recording(r, item, variant, &variant->recordings[i]);
		leave(r, mark);
	}
}

static void read_collection(struct reader *r, const json_t *object, struct pf_compared_variant *variant)
{
	const json_t *collection = member(r, object, "collection", JSON_OBJECT, false);
	size_t mark = strlen(r->place);

	if (!collection)
		return;
	strncat(r->place, ".collection", sizeof r->place - mark - 1);
	read_pairs(r, collection, "seconds", "plain_seconds", &seconds_quantity, &variant->collecting);
	leave(r, mark);
}

static void read_tool(struct reader *r, const json_t *object, struct pf_compared_variant *variant)
{
	const json_t *tool = member(r, object, "tool", JSON_OBJECT, false);
	size_t mark = strlen(r->place);

	strncat(r->place, ".tool", sizeof r->place - mark - 1);
	variant->convert_seconds = number(r, tool, "convert_seconds", MOST_SECONDS);
	variant->convert_peak_kb = number(r, tool, "convert_peak_kb", MOST_COUNT);
	variant->recording_bytes = number(r, tool, "recording_bytes", MOST_COUNT);
	variant->profile_bytes = number(r, tool, "profile_bytes", MOST_COUNT);
	leave(r, mark);
}

static int variant_of(struct reader *r, const json_t *object)
{
	const char *name = text(r, object, "name", true);

	if (r->status != PF_OK)
		return -1;
	for (int v = 0; v < PF_VARIANTS; v++)
		if (strcmp(name, pf_variant_names[v]) == 0)
			return v;
	complain(r, PF_EFORMAT, "name", "there is no variant '%.40s' (" PF_VARIANT_LIST ")", name);
	return -1;
}

static void read_variant(struct reader *r, const json_t *object, struct pf_compared_program *program)
{
	struct pf_compared_variant *variant;
	int which;

	if (!json_is_object(object)) {
		complain(r, PF_EFORMAT, "", "must be an object and is %s", type_name(json_typeof(object)));
		return;
	}
	which = variant_of(r, object);
	if (which < 0)
		return;
	variant = &program->variants[which];
	if (variant->present) {
		complain(r, PF_EFORMAT, "name", "the variant '%s' comes twice", pf_variant_names[which]);
		return;
	}
	variant->present = true;
	variant->error = error_text(r, object);
	if (variant->error)
		return;
	variant->build_seconds = number(r, object, "build_seconds", MOST_SECONDS);
	variant->text_bytes = number(r, object, "text_bytes", MOST_COUNT);
	variant->hot_bytes = number(r, object, "hot_bytes", MOST_COUNT);
	variant->notes = strings(r, object, "notes", MOST_NOTES);
	variant->reference_count = read_references(r, object, &variant->references);
	read_recordings(r, object, variant);
	read_collection(r, object, variant);
	read_tool(r, object, variant);
}

/* All sound variants must have run the same workloads, or their numbers could not stand side by side. */
static void check_references(struct reader *r, const struct pf_compared_program *program)
{
	const struct pf_compared_variant *first = NULL;

	for (int v = 0; v < PF_VARIANTS; v++) {
		const struct pf_compared_variant *variant = &program->variants[v];

		if (!variant->present || variant->error)
			continue;
		if (!first)
			first = variant;
		if (variant->reference_count != first->reference_count) {
			complain(r, PF_EFORMAT, "variants", "'%s' has %zu references, others have %zu",
				 pf_variant_names[v], variant->reference_count, first->reference_count);
			return;
		}
		for (size_t i = 0; i < first->reference_count; i++)
			if (strcmp(variant->references[i].command, first->references[i].command) != 0)
				complain(r, PF_EFORMAT, "variants",
					 "reference %zu of '%s' is another command than the others'", i,
					 pf_variant_names[v]);
	}
}

static void read_noise_pair(struct reader *r, const json_t *pair, const struct quantity *quantity, double *one,
			    double *other)
{
	if (json_array_size(pair) != 2) {
		complain(r, PF_EFORMAT, "", "must be a list of two runs");
		return;
	}
	*one = value_of(r, json_array_get(pair, 0), quantity);
	*other = value_of(r, json_array_get(pair, 1), quantity);
}

/* A list of pairs. */
static void read_noise(struct reader *r, const json_t *object, const char *key, const struct quantity *quantity,
		       struct pf_compared_pairs *noise)
{
	const json_t *array = list(r, object, key, false, MOST_PAIRS), *pair;
	size_t count = json_array_size(array), i;

	noise->own = allocate(r, count, sizeof *noise->own);
	noise->base = allocate(r, count, sizeof *noise->base);
	if (r->status != PF_OK)
		return;
	count_pairs(r, key, count);
	noise->count = count;
	json_array_foreach(array, i, pair)
	{
		size_t mark = enter(r, key, i);

		read_noise_pair(r, pair, quantity, &noise->own[i], &noise->base[i]);
		leave(r, mark);
	}
}

static void read_program(struct reader *r, const json_t *object, struct pf_compared_program *program)
{
	const json_t *variants, *item;
	size_t i;

	if (!json_is_object(object)) {
		complain(r, PF_EFORMAT, "", "must be an object and is %s", type_name(json_typeof(object)));
		return;
	}
	program->name = text(r, object, "name", true);
	for (const char *at = program->name; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			complain(r, PF_EFORMAT, "name", "holds a control character");
	program->language = text(r, object, "language", false);
	program->stands_for = text(r, object, "stands_for", false);
	program->package = text(r, object, "source", false);
	program->build = text(r, object, "build", false);
	program->train = text(r, object, "train", false);
	program->counted = text(r, object, "instructions_of", false);
	program->error = error_text(r, object);
	if (program->error)
		return;
	read_noise(r, object, "noise", &seconds_quantity, &program->noise);
	read_noise(r, object, "noise_cycles", &count_quantity, &program->noise_cycles);
	variants = list(r, object, "variants", true, PF_VARIANTS);
	json_array_foreach(variants, i, item)
	{
		size_t mark = enter(r, "variants", i);

		read_variant(r, item, program);
		leave(r, mark);
	}
	if (r->status == PF_OK)
		check_references(r, program);
}

static void free_pairs(struct pf_compared_pairs *pairs)
{
	free(pairs->own);
	free(pairs->base);
}

static void free_references(struct pf_compared_reference *references, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free_pairs(&references[i].seconds);
		for (int c = 0; c < PF_COUNTERS; c++)
			free_pairs(&references[i].counted[c]);
	}
	free(references);
}

static void free_program(struct pf_compared_program *program)
{
	for (int v = 0; v < PF_VARIANTS; v++) {
		struct pf_compared_variant *variant = &program->variants[v];

		free_references(variant->references, variant->reference_count);
		for (size_t i = 0; i < variant->recording_count; i++)
			free_references(variant->recordings[i].references, variant->recordings[i].reference_count);
		free_pairs(&variant->collecting);
	}
	free_pairs(&program->noise);
	free_pairs(&program->noise_cycles);
}

/* Puts PROGRAM, which it takes over, in the place of one of the same name, or behind the others. */
static void take_program(struct reader *r, struct pf_comparison *comparison, struct pf_compared_program *program)
{
	struct pf_compared_program *programs = comparison->programs;
	size_t at = 0;

	while (at < comparison->program_count && strcmp(programs[at].name, program->name) != 0)
		at++;
	if (at < comparison->program_count && programs[at].source == program->source) {
		complain(r, PF_EFORMAT, "name", "'%s' comes twice in this file", program->name);
	} else if (at == PF_COMPARISON_PROGRAMS) {
		complain(r, PF_ELIMIT, "programs", "there are more than %d in all", PF_COMPARISON_PROGRAMS);
	} else {
		if (at < comparison->program_count)
			free_program(&programs[at]);
		else
			comparison->program_count++;
		programs[at] = *program;
		return;
	}
	free_program(program);
}

static void read_machine(struct reader *r, const json_t *root, struct pf_compared_source *source)
{
	const json_t *machine = member(r, root, "machine", JSON_OBJECT, false), *counters, *value;
	const char *key;
	size_t mark = strlen(r->place), i;

	source->date = text(r, root, "date", false);
	strncat(r->place, "machine", sizeof r->place - mark - 1);
	source->cpu = text(r, machine, "cpu", false);
	source->kernel = text(r, machine, "kernel", false);
	source->system = text(r, machine, "system", false);
	source->hypervisor = text(r, machine, "hypervisor", false);
	source->uncounted = text(r, machine, "uncounted", false);
	counters = strings(r, machine, "counters", MOST_NOTES);
	json_array_foreach(counters, i, value)
	{
		for (int c = 0; c < PF_COUNTERS; c++)
			source->counts[c] |=
			    r->status == PF_OK && strcmp(json_string_value(value), pf_counter_names[c]) == 0;
	}
	source->cores = number(r, machine, "cores", 1e6);
	source->memory_kb = number(r, machine, "memory_kb", MOST_COUNT);
	leave(r, mark);
	source->versions = member(r, root, "versions", JSON_OBJECT, false);
	json_object_foreach((json_t *)source->versions, key, value)
	{
		if (!json_is_string(value) && !json_is_null(value))
			complain(r, PF_EFORMAT, "versions", "all of them must be strings");
	}
}

static void read_programs(struct reader *r, const json_t *root, struct pf_comparison *comparison, size_t source)
{
	const json_t *array = list(r, root, "programs", true, PF_COMPARISON_PROGRAMS), *item;
	size_t i;

	json_array_foreach(array, i, item)
	{
		struct pf_compared_program program = { .source = source };
		size_t mark = enter(r, "programs", i);

		read_program(r, item, &program);
		if (r->status == PF_OK)
			take_program(r, comparison, &program);
		else
			free_program(&program);
		leave(r, mark);
	}
}

static void read_source(struct reader *r, const json_t *root, struct pf_comparison *comparison, size_t source)
{
	const json_t *version;

	if (!json_is_object(root) || !json_is_string(json_object_get(root, "format")) ||
	    strcmp(json_string_value(json_object_get(root, "format")), "pathfdo-comparison") != 0) {
		complain(r, PF_EFORMAT, "",
			 "holds no measurements of `pathfdo compare --json`: \"format\" is not "
			 "\"pathfdo-comparison\"");
		return;
	}
	version = member(r, root, "version", JSON_INTEGER, true);
	if (version && json_number_value(version) != 1)
		complain(r, PF_EVERSION, "version", "is %g, and this pathfdo reads 1; measure again",
			 json_number_value(version));
	comparison->sources[source].file = r->file;
	read_machine(r, root, &comparison->sources[source]);
	read_programs(r, root, comparison, source);
}

int pf_comparison_read(struct pf_comparison *comparison, const struct pf_compare_source *sources, size_t count,
		       struct pf_error *error)
{
	struct reader r = { .file = count ? sources[0].file : "compare", .error = error };

	*comparison = (struct pf_comparison) { .source_count = count };
	if (!count)
		return pf_fail(error, PF_EEMPTY, "There is no file of measurements to report on.");
	comparison->sources = allocate(&r, count, sizeof *comparison->sources);
	comparison->programs = allocate(&r, PF_COMPARISON_PROGRAMS, sizeof *comparison->programs);
	for (size_t i = 0; i < count && r.status == PF_OK; i++) {
		r.file = sources[i].file;
		read_source(&r, sources[i].root, comparison, i);
	}
	if (r.status == PF_OK && !comparison->program_count)
		r.status = pf_fail(error, PF_EEMPTY, "%s: there is no program in it; measure one by `pathfdo compare`.",
				   sources[0].file);
	if (r.status != PF_OK)
		pf_comparison_fini(comparison);
	return r.status;
}

void pf_comparison_fini(struct pf_comparison *comparison)
{
	for (size_t i = 0; i < comparison->program_count; i++)
		free_program(&comparison->programs[i]);
	free(comparison->programs);
	free(comparison->sources);
	*comparison = (struct pf_comparison) { 0 };
}
