/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reader of the text form, line by line.  Hard case: what a line belongs to, which is the nearest line above it
 * that is indented less, and must be of the right kind. */
#include "profile/agreement.h"
#include "profile/text-function.h"
#include "profile/text.h"
#include "profile/value-list.h"

#include <string.h>

/* An open line that others can belong to. */
struct scope {
	uint32_t indent, node;
	bool record; /* a record's line; else a function's or an inlined instance's */
};

struct text_reader {
	struct pf_text_lexer lexer;
	struct pf_profile *profile;
	bool in_function;
	struct pf_text_function function;
	PF_ARRAY(struct scope) scopes;
};

static int out_of_memory(struct text_reader *reader)
{
	return pf_fail(reader->lexer.error, PF_ENOMEM, "%s: out of memory", reader->lexer.name);
}

static int finish_function(struct text_reader *reader)
{
	int status = PF_OK;

	if (reader->in_function)
		status = pf_text_function_finish(&reader->function, &reader->lexer, reader->profile);
	reader->in_function = false;
	reader->scopes.count = 0;
	return status;
}

static int open_scope(struct text_reader *reader, uint32_t node, bool record)
{
	struct scope *scope = pf_array_push(&reader->scopes);

	if (!scope)
		return out_of_memory(reader);
	*scope = (struct scope) { .indent = reader->lexer.indent, .node = node, .record = record };
	return PF_OK;
}

/* Closes what is not indented less than this line, and gives what it belongs to: a record, or not, as RECORD says. */
static int find_scope(struct text_reader *reader, bool record, const struct scope **scope)
{
	const char *keyword = reader->lexer.words[0].text;
	uint32_t column = reader->lexer.words[0].column;

	while (reader->scopes.count && reader->scopes.at[reader->scopes.count - 1].indent >= reader->lexer.indent)
		reader->scopes.count--;
	if (!reader->scopes.count)
		return pf_text_fail(&reader->lexer, column,
				    reader->in_function
					? "'%.60s' must be indented deeper than the function that it belongs to"
					: "'%.60s' stands outside of a function",
				    keyword);
	*scope = &reader->scopes.at[reader->scopes.count - 1];
	if (record && !(*scope)->record)
		return pf_text_fail(&reader->lexer, column, "'%.60s' must be indented below a position", keyword);
	if (!record && (*scope)->record)
		return pf_text_fail(&reader->lexer, column,
				    "'%.60s' is indented below a position and cannot belong to one", keyword);
	return PF_OK;
}

static int read_function(struct text_reader *reader)
{
	struct pf_text_lexer *lexer = &reader->lexer;
	struct pf_function *function = &reader->function.head;
	uint64_t total = 0, entries = 0;
	struct pf_text_field fields[] = { { .key = "head", .count = &function->head },
					  { .key = "total", .count = &total },
					  { .key = "entries", .count = &entries } };
	struct pf_node *node;
	int status = finish_function(reader);

	*function = (struct pf_function) { 0 };
	if (status == PF_OK)
		status = pf_text_take_string(lexer, reader->profile, &function->name);
	if (status == PF_OK)
		status = pf_text_take_file_line(lexer, reader->profile, &function->file, &function->line);
	/* The total is for people: it is what the counts add up to. */
	if (status == PF_OK)
		status = pf_text_take_fields(lexer, reader->profile, fields, sizeof fields / sizeof *fields);
	if (status < 0)
		return status;
	node = pf_array_push(&reader->function.nodes);
	if (!node)
		return out_of_memory(reader);
	node->name = function->name;
	node->file = function->file;
	node->entries = entries;
	reader->in_function = true;
	return open_scope(reader, 0, false);
}

static int read_label(struct text_reader *reader, uint32_t node)
{
	const struct pf_text_word *word = pf_text_peek(&reader->lexer);
	struct pf_text_label *label;

	if (!word || *word->text != '@')
		return PF_OK;
	label = pf_array_push(&reader->function.labels);
	if (!label)
		return out_of_memory(reader);
	*label = (struct pf_text_label) { .node = node, .line = reader->lexer.line, .column = word->column };
	return pf_text_take_label(&reader->lexer, &label->label);
}

static int read_keyword(struct text_reader *reader, const char *keyword)
{
	const struct pf_text_word *word;
	int status = pf_text_take(&reader->lexer, &word, keyword);

	if (status == PF_OK && strcmp(word->text, keyword) != 0)
		return pf_text_fail(&reader->lexer, word->column, "'%.60s' stands where '%s' should be", word->text,
				    keyword);
	return status;
}

static int read_inline(struct text_reader *reader)
{
	struct pf_text_lexer *lexer = &reader->lexer;
	uint32_t index = (uint32_t)reader->function.nodes.count;
	struct pf_node *node = pf_array_push(&reader->function.nodes);
	struct pf_text_field fields[] = { { .key = "entries", .count = node ? &node->entries : NULL } };
	const struct scope *scope;
	int status = node ? find_scope(reader, false, &scope) : out_of_memory(reader);

	if (status < 0)
		return status;
	node->parent = scope->node;
	status = read_label(reader, index);
	if (status == PF_OK)
		status = pf_text_take_string(lexer, reader->profile, &node->name);
	if (status == PF_OK)
		status = pf_text_take_file_line(lexer, reader->profile, &node->file, &node->line);
	if (status == PF_OK)
		status = read_keyword(reader, "at");
	if (status == PF_OK)
		status = pf_text_take_position(lexer, &node->site);
	if (status == PF_OK)
		status = pf_text_take_fields(lexer, reader->profile, fields, 1);
	if (status == PF_OK && reader->scopes.count > PF_MAX_INLINE_DEPTH)
		return pf_text_fail(lexer, lexer->words[0].column, "inlined more than %u deep", PF_MAX_INLINE_DEPTH);
	return status < 0 ? status : open_scope(reader, index, false);
}

static int read_record(struct text_reader *reader)
{
	struct pf_text_lexer *lexer = &reader->lexer;
	struct pf_record *record = pf_array_push(&reader->function.records);
	uint64_t count = 0, max = 0, instructions = 1;
	bool has_max = false;
	struct pf_text_field fields[] = { { .key = "count", .count = &count },
					  { .key = "max", .count = &max, .given = &has_max },
					  { .key = "instructions", .count = &instructions } };
	const struct scope *scope;
	int status = record ? find_scope(reader, false, &scope) : out_of_memory(reader);

	if (status < 0)
		return status;
	lexer->next = 0;
	status = pf_text_take_position(lexer, &record->place.position);
	if (status == PF_OK && (!pf_text_peek(lexer) || strcmp(pf_text_peek(lexer)->text, "count") != 0))
		return pf_text_fail(lexer, lexer->words[0].column, "a position is followed by 'count N'");
	if (status == PF_OK)
		status = pf_text_take_fields(lexer, reader->profile, fields, 3);
	if (status == PF_OK && instructions > UINT32_MAX)
		return pf_text_fail(lexer, lexer->words[0].column, "more than 2^32 - 1 instructions");
	record->place.node = scope->node;
	record->count = count;
	record->max = has_max ? max : count;
	record->instructions = (uint32_t)instructions;
	return status < 0 ? status : open_scope(reader, scope->node, true);
}

static int end_line(struct text_reader *reader)
{
	const struct pf_text_word *word = pf_text_peek(&reader->lexer);

	return word ? pf_text_fail(&reader->lexer, word->column, "'%.60s' behind the end of the line", word->text)
		    : PF_OK;
}

/* The one that the line belongs to, as no other comes between. */
static struct pf_record *last_record(struct text_reader *reader)
{
	return &reader->function.records.at[reader->function.records.count - 1];
}

static int read_call(struct text_reader *reader)
{
	struct pf_target *target = pf_array_push(&reader->function.targets);
	const struct scope *scope;
	int status = target ? find_scope(reader, true, &scope) : out_of_memory(reader);

	if (status == PF_OK)
		status = pf_text_take_string(&reader->lexer, reader->profile, &target->name);
	if (status == PF_OK)
		status = pf_text_take_count(&reader->lexer, &target->count);
	if (status < 0)
		return status;
	last_record(reader)->target_count++;
	return end_line(reader);
}

/* Takes a place into PLACE, which is element INDEX of its array, and remembers its label. */
static int read_place(struct text_reader *reader, struct pf_place *place, bool in_path, size_t index)
{
	const struct pf_text_word *word = pf_text_peek(&reader->lexer);
	struct pf_text_reference *reference;
	int status = pf_text_take_place(&reader->lexer, place);

	if (status < 0 || !place->node)
		return status;
	reference = pf_array_push(&reader->function.references);
	if (!reference)
		return out_of_memory(reader);
	*reference = (struct pf_text_reference) {
		.in_path = in_path, .index = index, .line = reader->lexer.line, .column = word->column
	};
	return PF_OK;
}

/* What holds on the way of an outcome, which need not be known. */
static int read_sense(struct text_reader *reader, uint8_t *sense)
{
	const struct pf_text_word *word = pf_text_peek(&reader->lexer);

	if (!word)
		return PF_OK;
	for (uint8_t s = PF_SENSE_NONE + 1; s < PF_SENSES; s++) {
		if (strcmp(word->text, pf_sense_name(s)) == 0) {
			*sense = s;
			reader->lexer.next++;
			return PF_OK;
		}
	}
	return pf_text_fail(&reader->lexer, word->column, "'%.60s' is none of equal, different, less and greater",
			    word->text);
}

static int read_outcome(struct text_reader *reader)
{
	struct pf_outcome *outcome = pf_array_push(&reader->function.outcomes);
	const struct scope *scope;
	int status = outcome ? find_scope(reader, true, &scope) : out_of_memory(reader);

	if (status < 0)
		return status;
	outcome->taken = strcmp(reader->lexer.words[0].text, "taken") == 0;
	status = read_place(reader, &outcome->to, false, reader->function.outcomes.count - 1);
	if (status == PF_OK)
		status = pf_text_take_count(&reader->lexer, &outcome->count);
	if (status == PF_OK)
		status = read_sense(reader, &outcome->sense);
	if (status < 0)
		return status;
	last_record(reader)->outcome_count++;
	return end_line(reader);
}

/* value KIND VALUE N, or with other, looks or sum instead of a value */
static int read_value(struct text_reader *reader)
{
	struct pf_value *value = pf_array_push(&reader->function.values);
	const struct pf_text_word *word;
	const struct scope *scope;
	int status = value ? find_scope(reader, true, &scope) : out_of_memory(reader);

	if (status == PF_OK)
		status = pf_text_take(&reader->lexer, &word, "a kind of value");
	if (status < 0)
		return status;
	value->kind = (uint8_t)pf_value_kind_named(word->text);
	if (!value->kind)
		return pf_text_fail(&reader->lexer, word->column,
				    "'%.60s' is none of size, align, divisor, power, quotient, switch, load, store and "
				    "argument1 to argument6, with or without -next, -ones or -zeros",
				    word->text);
	word = pf_text_peek(&reader->lexer);
	for (uint8_t part = PF_VALUE_OTHER; word && part < PF_VALUE_PARTS; part++)
		value->part = strcmp(word->text, pf_value_part_name(part)) == 0 ? part : value->part;
	if (value->part)
		reader->lexer.next++;
	else
		status = pf_text_take_integer(&reader->lexer, &value->value);
	if (status == PF_OK)
		status = pf_text_take_count(&reader->lexer, &value->count);
	if (status < 0)
		return status;
	last_record(reader)->value_count++;
	return end_line(reader);
}

/* Paths and what was dropped belong to the function itself. */
static int find_function_scope(struct text_reader *reader)
{
	const struct scope *scope;
	int status = find_scope(reader, false, &scope);

	if (status == PF_OK && scope->node)
		return pf_text_fail(&reader->lexer, reader->lexer.words[0].column,
				    "'%s' belongs to the function and must not be indented below an inline",
				    reader->lexer.words[0].text);
	return status;
}

static int read_path(struct text_reader *reader)
{
	struct pf_path *path = pf_array_push(&reader->function.paths);
	int status = path ? find_function_scope(reader) : out_of_memory(reader);

	if (status == PF_OK)
		status = pf_text_take_count(&reader->lexer, &path->count);
	if (status == PF_OK && !pf_text_peek(&reader->lexer))
		return pf_text_fail(&reader->lexer, reader->lexer.words[0].column,
				    "a path needs at least one position");
	while (status == PF_OK && pf_text_peek(&reader->lexer)) {
		struct pf_place *place = pf_array_push(&reader->function.places);

		if (!place)
			return out_of_memory(reader);
		path->place_count++;
		status = read_place(reader, place, true, reader->function.places.count - 1);
	}
	return status;
}

/* dropped N paths count M */
static int read_dropped(struct text_reader *reader)
{
	int status = find_function_scope(reader);

	if (status == PF_OK)
		status = pf_text_take_count(&reader->lexer, &reader->function.head.dropped_paths);
	if (status == PF_OK)
		status = read_keyword(reader, "paths");
	if (status == PF_OK)
		status = read_keyword(reader, "count");
	if (status == PF_OK)
		status = pf_text_take_count(&reader->lexer, &reader->function.head.dropped_path_count);
	return status < 0 ? status : end_line(reader);
}

static int read_kind(struct text_reader *reader, enum pf_source_kind *kind)
{
	static const struct {
		const char *name;
		enum pf_source_kind kind;
	} kinds[] = { { "lbr", PF_SOURCE_LBR },
		      { "soft", PF_SOURCE_SOFT },
		      { "clock", PF_SOURCE_CLOCK },
		      { "other", PF_SOURCE_OTHER } };
	const struct pf_text_word *word;
	int status = pf_text_take(&reader->lexer, &word, "lbr, soft, clock or other");

	if (status < 0)
		return status;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (strcmp(word->text, kinds[i].name) == 0) {
			*kind = kinds[i].kind;
			return PF_OK;
		}
	}
	return pf_text_fail(&reader->lexer, word->column, "'%.60s' is none of lbr, soft, clock and other", word->text);
}

static int read_from(struct text_reader *reader)
{
	struct pf_provenance *p = pf_profile_add_provenance(reader->profile);
	int status = p ? read_kind(reader, &p->kind) : out_of_memory(reader);

	if (status < 0)
		return status;
	return pf_text_take_fields(&reader->lexer, reader->profile,
				   (struct pf_text_field[]) { { .key = "event", .string = &p->event },
							      { .key = "binary", .string = &p->binary },
							      { .key = "build-id", .string = &p->build_id },
							      { .key = "tool", .string = &p->tool },
							      { .key = "period", .count = &p->period },
							      { .key = "samples", .count = &p->samples },
							      { .key = "lost", .count = &p->lost },
							      { .key = "first-ns", .count = &p->first_ns },
							      { .key = "last-ns", .count = &p->last_ns } },
				   9);
}

/* compiled NAME */
static int read_compiled(struct text_reader *reader)
{
	const struct pf_text_word *word = pf_text_peek(&reader->lexer);
	const char *name;
	int status = pf_text_take_string(&reader->lexer, reader->profile, &name);

	if (status == PF_OK)
		status = pf_profile_add_compiled(reader->profile, name);
	if (status == PF_ELIMIT)
		return pf_text_fail(&reader->lexer, word->column, "a file name of more than %d bytes",
				    PF_MAX_COMPILED_NAME);
	if (status == PF_ENOMEM)
		return out_of_memory(reader);
	return status < 0 ? status : end_line(reader);
}

/* agreement looks N square N alone N */
static int read_agreement(struct text_reader *reader)
{
	struct pf_agreement read = { 0 };
	int status = pf_text_take_fields(&reader->lexer, reader->profile,
					 (struct pf_text_field[]) { { .key = "looks", .count = &read.looks },
								    { .key = "square", .count = &read.square },
								    { .key = "alone", .count = &read.alone } },
					 3);

	pf_agreement_add(&reader->profile->agreement, &read);
	return status;
}

static int read_line(struct text_reader *reader)
{
	static const struct {
		const char *keyword;
		int (*read)(struct text_reader *reader);
	} lines[] = { { "function", read_function },   { "inline", read_inline }, { "call", read_call },
		      { "taken", read_outcome },       { "fell", read_outcome },  { "path", read_path },
		      { "dropped", read_dropped },     { "from", read_from },     { "compiled", read_compiled },
		      { "agreement", read_agreement }, { "value", read_value } };
	const struct pf_text_word *word = reader->lexer.words;

	reader->lexer.next = 1;
	for (size_t i = 0; i < sizeof lines / sizeof *lines && !word->suffix; i++) {
		if (strcmp(word->text, lines[i].keyword) == 0)
			return lines[i].read(reader);
	}
	if ((*word->text >= '0' && *word->text <= '9') || *word->text == '-')
		return read_record(reader);
	return pf_text_fail(
	    &reader->lexer, word->column,
	    "'%.60s' is no line of a profile: a position, function, inline, call, taken, fell, value, path, dropped, "
	    "from, compiled or agreement",
	    word->text);
}

/* The line "pathfdo-profile 1". */
static int read_version(struct text_reader *reader)
{
	uint64_t version;
	int status = pf_text_next_line(&reader->lexer);

	if (status == 0)
		return pf_fail(reader->lexer.error, PF_EFORMAT,
			       "%s: the file is empty; a profile as text begins with 'pathfdo-profile 1'",
			       reader->lexer.name);
	if (status > 0)
		status = read_keyword(reader, "pathfdo-profile");
	if (status == PF_OK)
		status = pf_text_take_count(&reader->lexer, &version);
	if (status == PF_OK && version != 1)
		return pf_fail(reader->lexer.error, PF_EVERSION,
			       "%s:%u: text form %llu, and this build reads form 1; use the pathfdo that wrote it",
			       reader->lexer.name, reader->lexer.line, (unsigned long long)version);
	return status < 0 ? status : end_line(reader);
}

static int read_unit(struct text_reader *reader)
{
	const struct pf_text_word *word;
	int status = pf_text_next_line(&reader->lexer);

	if (status == 0)
		return pf_text_fail(&reader->lexer, 1,
				    "the file ends where 'unit executions' or 'unit samples' should be");
	if (status > 0)
		status = read_keyword(reader, "unit");
	if (status == PF_OK)
		status = pf_text_take(&reader->lexer, &word, "executions or samples");
	if (status < 0)
		return status;
	if (strcmp(word->text, "executions") == 0)
		reader->profile->unit = PF_UNIT_EXECUTIONS;
	else if (strcmp(word->text, "samples") == 0)
		reader->profile->unit = PF_UNIT_SAMPLES;
	else
		return pf_text_fail(&reader->lexer, word->column, "'%.60s' is neither executions nor samples",
				    word->text);
	return end_line(reader);
}

static int read_all(struct text_reader *reader)
{
	int status = read_version(reader);

	if (status == PF_OK)
		status = read_unit(reader);
	while (status == PF_OK) {
		status = pf_text_next_line(&reader->lexer);
		if (status == 0)
			break;
		if (status > 0)
			status = read_line(reader);
	}
	if (status == PF_OK)
		status = finish_function(reader);
	return status < 0 ? status : pf_profile_canonicalise(reader->profile, reader->lexer.error);
}

int pf_text_read(const char *name, const char *text, size_t size, struct pf_profile **profile, struct pf_error *error)
{
	struct text_reader reader = { .profile = pf_profile_alloc(PF_UNIT_EXECUTIONS) };
	int status;

	pf_text_lexer_init(&reader.lexer, name, text, size, error);
	status = reader.profile ? read_all(&reader) : out_of_memory(&reader);
	pf_text_lexer_fini(&reader.lexer);
	pf_text_function_fini(&reader.function);
	pf_array_fini(&reader.scopes);
	if (status < 0) {
		pf_profile_free(reader.profile);
		reader.profile = NULL;
	}
	*profile = reader.profile;
	return status;
}
