/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See text-lex.h.  Hard case: text that is no text (NULs, unfinished quotes, numbers beyond their field), which must
 * give a line and a column rather than a guess. */
#include "profile/text-lex.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

void pf_text_lexer_init(struct pf_text_lexer *lexer, const char *name, const char *text, size_t size,
			struct pf_error *error)
{
	*lexer = (struct pf_text_lexer) { .name = name, .at = text, .end = text + size, .error = error };
}

void pf_text_lexer_fini(struct pf_text_lexer *lexer)
{
	pf_buffer_fini(&lexer->text);
	free(lexer->words);
	lexer->words = NULL;
}

int pf_text_fail(const struct pf_text_lexer *lexer, uint32_t column, const char *format, ...)
{
	struct pf_error what = { 0 };
	va_list arguments;

	va_start(arguments, format);
	pf_vfail(&what, PF_EFORMAT, format, arguments);
	va_end(arguments);
	/* It may quote a file that is no text, and ends up on a terminal. */
	for (char *at = what.text; *at; at++) {
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = '?';
	}
	return pf_fail(lexer->error, PF_EFORMAT, "%s:%u:%u: %.800s (doc/profile-text.md has the grammar)", lexer->name,
		       lexer->line, column, what.text);
}

static int add_word(struct pf_text_lexer *lexer, struct pf_text_word word)
{
	if (lexer->word_count == lexer->word_capacity) {
		size_t wanted = lexer->word_capacity ? lexer->word_capacity * 2 : 16;
		struct pf_text_word *grown = reallocarray(lexer->words, wanted, sizeof *grown);

		if (!grown)
			return pf_fail(lexer->error, PF_ENOMEM, "%s: out of memory", lexer->name);
		lexer->words = grown;
		lexer->word_capacity = wanted;
	}
	lexer->words[lexer->word_count++] = word;
	return PF_OK;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* One escape sequence at *FROM, behind the backslash; -1 when it is none. */
static int unescape(const char **from)
{
	char c = *(*from)++;
	int high, low;

	if (c == '"' || c == '\\')
		return (unsigned char)c;
	if (c != 'x')
		return -1;
	high = hex_digit(**from);
	low = high < 0 ? -1 : hex_digit((*from)[1]);
	if (low < 0 || high * 16 + low == 0)
		return -1;
	*from += 2;
	return high * 16 + low;
}

/* Resolves the quoted word at *FROM in place, which only makes it shorter, and moves past its closing quote. */
static int unquote(struct pf_text_lexer *lexer, char **from, uint32_t column)
{
	const char *start = *from, *read = start + 1;
	char *write = *from;

	while (*read != '"') {
		uint32_t here = column + (uint32_t)(read - start);
		int c = (unsigned char)*read++;

		if (!c)
			return pf_text_fail(lexer, column, "a quote without its end");
		if (c == '\\')
			c = unescape(&read);
		if (c < 0)
			return pf_text_fail(
			    lexer, here,
			    "an unknown escape; there are \\\\, \\\" and \\x with two hexadecimal digits "
			    "other than 00");
		*write++ = (char)c;
	}
	*write = 0;
	*from += read + 1 - start;
	return PF_OK;
}

/* Splits the NUL-terminated line in LEXER->text, from AT on. */
static int split(struct pf_text_lexer *lexer, char *at)
{
	const char *line = (const char *)lexer->text.data;

	lexer->word_count = lexer->next = 0;
	for (;;) {
		struct pf_text_word word = { 0 };
		bool last;

		while (is_blank(*at))
			at++;
		if (!*at || *at == '#')
			return PF_OK;
		word = (struct pf_text_word) { .text = at, .column = (uint32_t)(at - line) + 1 };
		if (*at == '"') {
			int status = unquote(lexer, &at, word.column);

			if (status < 0)
				return status;
			word.suffix = at;
		}
		while (*at && !is_blank(*at))
			at++;
		last = !*at;
		*at = 0;
		if (!last)
			at++;
		if (add_word(lexer, word) < 0)
			return PF_ENOMEM;
	}
}

/* Sets the indent and gives the first character behind it. */
static char *measure_indent(struct pf_text_lexer *lexer)
{
	char *at = (char *)lexer->text.data;

	lexer->indent = 0;
	for (; is_blank(*at); at++)
		lexer->indent = *at == '\t' ? (lexer->indent + 8) & ~7u : lexer->indent + 1;
	return at;
}

int pf_text_next_line(struct pf_text_lexer *lexer)
{
	while (lexer->at < lexer->end) {
		size_t left = (size_t)(lexer->end - lexer->at);
		const char *newline = memchr(lexer->at, '\n', left);
		size_t length = newline ? (size_t)(newline - lexer->at) : left;
		const char *nul = memchr(lexer->at, 0, length);
		int status;

		lexer->line++;
		if (nul || length > INT_MAX)
			return pf_text_fail(lexer, nul ? (uint32_t)(nul - lexer->at) + 1 : 1,
					    "this is no text; a profile is printed as text by pathfdo show");
		if (!newline)
			return pf_text_fail(lexer, (uint32_t)length + 1,
					    "the last line has no end: the text was cut short; print it again, or end "
					    "the line if it is whole");
		lexer->text.size = 0;
		pf_buffer_bytes(&lexer->text, lexer->at, length);
		pf_buffer_u8(&lexer->text, 0);
		if (lexer->text.failed)
			return pf_fail(lexer->error, PF_ENOMEM, "%s: out of memory", lexer->name);
		lexer->at += length + 1;
		status = split(lexer, measure_indent(lexer));
		if (status < 0 || lexer->word_count)
			return status < 0 ? status : 1;
	}
	return 0;
}

const struct pf_text_word *pf_text_peek(const struct pf_text_lexer *lexer)
{
	return lexer->next < lexer->word_count ? &lexer->words[lexer->next] : NULL;
}

int pf_text_take(struct pf_text_lexer *lexer, const struct pf_text_word **word, const char *wanted)
{
	*word = pf_text_peek(lexer);
	if (!*word)
		return pf_text_fail(lexer, (uint32_t)lexer->text.size, "the line ends where %s should be", wanted);
	lexer->next++;
	return PF_OK;
}

/* Reads decimal digits at *AT up to LIMIT; moves past them. */
static bool parse_number(const char **at, uint64_t limit, uint64_t *number)
{
	const char *start = *at;
	uint64_t value = 0;

	for (; **at >= '0' && **at <= '9'; ++*at) {
		unsigned digit = (unsigned)(**at - '0');

		if (value > (limit - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	*number = value;
	return *at > start;
}

static bool parse_u32(const char **at, uint32_t *number)
{
	uint64_t value;

	if (!parse_number(at, UINT32_MAX, &value))
		return false;
	*number = (uint32_t)value;
	return true;
}

static bool parse_position(const char **at, struct pf_position *position)
{
	bool negative = **at == '-';
	uint64_t line;

	*position = (struct pf_position) { 0 };
	*at += negative;
	if (!parse_number(at, (uint64_t)INT32_MAX + negative, &line))
		return false;
	position->line = (int32_t)(negative ? -(int64_t)line : (int64_t)line);
	if (**at == ':') {
		++*at;
		if (!parse_u32(at, &position->column))
			return false;
	}
	if (**at == '.') {
		++*at;
		return parse_u32(at, &position->discriminator);
	}
	return true;
}

int pf_text_take_count(struct pf_text_lexer *lexer, uint64_t *count)
{
	const struct pf_text_word *word;
	const char *at;
	int status = pf_text_take(lexer, &word, "a count");

	if (status < 0)
		return status;
	at = word->text;
	if (word->suffix || !parse_number(&at, UINT64_MAX, count) || *at)
		return pf_text_fail(lexer, word->column, "'%.60s' is no count: wanted is a number from 0 to 2^64 - 1",
				    word->text);
	return PF_OK;
}

int pf_text_take_integer(struct pf_text_lexer *lexer, int64_t *integer)
{
	const struct pf_text_word *word;
	uint64_t magnitude;
	const char *at;
	bool negative;
	int status = pf_text_take(lexer, &word, "an integer");

	if (status < 0)
		return status;
	at = word->text;
	negative = *at == '-';
	at += negative;
	if (word->suffix || !parse_number(&at, (uint64_t)INT64_MAX + negative, &magnitude) || *at)
		return pf_text_fail(lexer, word->column, "'%.60s' is no integer: wanted is one from -2^63 to 2^63 - 1",
				    word->text);
	*integer = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
	return PF_OK;
}

static int intern(struct pf_text_lexer *lexer, struct pf_profile *profile, const char *text, const char **string)
{
	*string = pf_profile_intern(profile, text);
	return *string ? PF_OK : pf_fail(lexer->error, PF_ENOMEM, "%s: out of memory", lexer->name);
}

int pf_text_take_string(struct pf_text_lexer *lexer, struct pf_profile *profile, const char **string)
{
	const struct pf_text_word *word;
	int status = pf_text_take(lexer, &word, "a name");

	if (status < 0)
		return status;
	if (word->suffix && *word->suffix)
		return pf_text_fail(lexer, word->column, "a blank is missing behind the quoted name");
	return intern(lexer, profile, word->text, string);
}

int pf_text_take_position(struct pf_text_lexer *lexer, struct pf_position *position)
{
	const struct pf_text_word *word;
	const char *at;
	int status = pf_text_take(lexer, &word, "a position");

	if (status < 0)
		return status;
	at = word->text;
	if (word->suffix || !parse_position(&at, position) || *at)
		return pf_text_fail(lexer, word->column,
				    "'%.60s' is no position: wanted is LINE, LINE:COLUMN or LINE:COLUMN.DISCRIMINATOR",
				    word->text);
	return PF_OK;
}

int pf_text_take_place(struct pf_text_lexer *lexer, struct pf_place *place)
{
	const struct pf_text_word *word;
	const char *at;
	bool good;
	int status = pf_text_take(lexer, &word, "a position");

	if (status < 0)
		return status;
	at = word->text;
	place->node = 0;
	good = !word->suffix && parse_position(&at, &place->position);
	if (good && *at == '@') {
		at++;
		good = parse_u32(&at, &place->node);
	}
	if (!good || *at)
		return pf_text_fail(
		    lexer, word->column,
		    "'%.60s' is no position: wanted is LINE:COLUMN.DISCRIMINATOR, with @N behind it when "
		    "it is in an inlined instance",
		    word->text);
	return PF_OK;
}

int pf_text_take_label(struct pf_text_lexer *lexer, uint32_t *label)
{
	const struct pf_text_word *word;
	const char *at;
	int status = pf_text_take(lexer, &word, "@N");

	if (status < 0)
		return status;
	at = word->text + (*word->text == '@');
	if (word->suffix || *word->text != '@' || !parse_u32(&at, label) || *at || !*label)
		return pf_text_fail(lexer, word->column, "'%.60s' is no label: wanted is @ with a number from 1 on",
				    word->text);
	return PF_OK;
}

int pf_text_take_file_line(struct pf_text_lexer *lexer, struct pf_profile *profile, const char **file, uint32_t *line)
{
	const struct pf_text_word *word;
	const char *colon;
	char *end;
	int status = pf_text_take(lexer, &word, "FILE:LINE");

	if (status < 0)
		return status;
	colon = word->suffix ? word->suffix : strrchr(word->text, ':');
	if (colon && *colon == ':') {
		const char *at = colon + 1;

		if (parse_u32(&at, line) && !*at) {
			/* Words are the lexer's own memory. */
			end = (char *)lexer->text.data + (colon - (const char *)lexer->text.data);
			if (!word->suffix)
				*end = 0;
			return intern(lexer, profile, word->text, file);
		}
	}
	return pf_text_fail(lexer, word->column, "'%.60s' is no FILE:LINE", word->text);
}

static int take_field(struct pf_text_lexer *lexer, struct pf_profile *profile, const struct pf_text_field *field)
{
	if (field->given)
		*field->given = true;
	return field->count ? pf_text_take_count(lexer, field->count)
			    : pf_text_take_string(lexer, profile, field->string);
}

int pf_text_take_fields(struct pf_text_lexer *lexer, struct pf_profile *profile, const struct pf_text_field *fields,
			size_t field_count)
{
	const struct pf_text_word *word;
	uint64_t seen = 0;

	while ((word = pf_text_peek(lexer))) {
		size_t f = 0;
		int status;

		while (f < field_count && strcmp(fields[f].key, word->text) != 0)
			f++;
		if (f == field_count)
			return pf_text_fail(lexer, word->column, "'%.60s' is not known here", word->text);
		if (seen & (uint64_t)1 << f)
			return pf_text_fail(lexer, word->column, "'%s' is there twice", word->text);
		seen |= (uint64_t)1 << f;
		lexer->next++;
		status = take_field(lexer, profile, &fields[f]);
		if (status < 0)
			return status;
	}
	return PF_OK;
}
