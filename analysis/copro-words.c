/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of a co-processor program, see copro-parse.h.  Hard case: text that is none; a byte that no word has, or a
 * number or name that is too long, is an error at its own line and column. */
#include "analysis/copro-parse.h"

#include <stdio.h>

bool pf_copro_wrong(struct pf_copro_parser *p, int status, const char *format, ...)
{
	struct pf_error why;
	va_list arguments;

	if (p->status != PF_OK)
		return false;
	va_start(arguments, format);
	pf_vfail(&why, status, format, arguments);
	va_end(arguments);
	p->status =
	    pf_fail(p->error, status, "%s:%u:%u: %s", p->program->name, p->token_line, p->token_column, why.text);
	p->token = PF_TOKEN_END;
	return false;
}

/* The byte at the cursor; 0 at the end, which a text does not have. */
static uint8_t peek(const struct pf_copro_parser *p)
{
	return pf_cursor_left(&p->cursor) ? p->cursor.base[p->cursor.at] : 0;
}

static void skip(struct pf_copro_parser *p)
{
	bool newline = pf_cursor_u8(&p->cursor) == '\n';

	p->line += newline;
	p->column = newline ? 1 : p->column + 1;
}

static void pass_over_blanks(struct pf_copro_parser *p)
{
	bool comment = false;

	while (pf_cursor_left(&p->cursor)) {
		uint8_t byte = peek(p);

		comment = byte == '#' || (comment && byte != '\n');
		if (!comment && byte != ' ' && byte != '\t' && byte != '\n' && byte != '\r')
			return;
		skip(p);
	}
}

static bool is_digit(uint8_t byte)
{
	return byte >= '0' && byte <= '9';
}

static bool is_letter(uint8_t byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}

static int digit_value(uint8_t byte)
{
	if (is_digit(byte))
		return byte - '0';
	return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : 16;
}

static void read_word(struct pf_copro_parser *p)
{
	size_t length = 0;

	p->token = PF_TOKEN_WORD;
	for (; is_letter(peek(p)) || is_digit(peek(p)); skip(p)) {
		if (length == PF_COPRO_NAME) {
			pf_copro_wrong(p, PF_ELIMIT, "names have at most %d letters", PF_COPRO_NAME);
			return;
		}
		p->text[length++] = (char)peek(p);
	}
	p->text[length] = 0;
}

static void read_number(struct pf_copro_parser *p)
{
	uint64_t base = 10;
	bool any = false;

	p->token = PF_TOKEN_NUMBER;
	p->number = 0;
	if (peek(p) == '0') {
		skip(p);
		any = true;
		if (peek(p) == 'x') {
			skip(p);
			any = false;
			base = 16;
		}
	}
	for (; (uint64_t)digit_value(peek(p)) < base; skip(p)) {
		any = true;
		if (__builtin_mul_overflow(p->number, base, &p->number) ||
		    __builtin_add_overflow(p->number, (uint64_t)digit_value(peek(p)), &p->number)) {
			pf_copro_wrong(p, PF_EFORMAT, "a number of more than 64 bits");
			return;
		}
	}
	if (!any || is_letter(peek(p)))
		pf_copro_wrong(p, PF_EFORMAT,
			       "this is no number; they are decimal, or 0x and small hexadecimal digits");
}

static void read_sign(struct pf_copro_parser *p)
{
	static const char signs[][3] = { "==", "!=", "<=", ">=", "<<", ">>", "<", ">", "+", "-",
					 "*",  "&",  "|",  "^",  "(",  ")",  "{", "}", ".", "," };
	size_t left = pf_cursor_left(&p->cursor);

	p->token = PF_TOKEN_SIGN;
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
		size_t length = strlen(signs[i]);

		if (length > left || memcmp(p->cursor.base + p->cursor.at, signs[i], length) != 0)
			continue;
		memcpy(p->text, signs[i], length + 1);
		while (length--)
			skip(p);
		return;
	}
	pf_copro_wrong(p, PF_EFORMAT, "byte 0x%02x has no meaning in a program", peek(p));
}

void pf_copro_advance(struct pf_copro_parser *p)
{
	p->token = PF_TOKEN_END;
	p->text[0] = 0;
	if (p->status != PF_OK)
		return;
	pass_over_blanks(p);
	p->token_line = p->line;
	p->token_column = p->column;
	if (!pf_cursor_left(&p->cursor))
		return;
	if (is_letter(peek(p)))
		read_word(p);
	else if (is_digit(peek(p)))
		read_number(p);
	else
		read_sign(p);
}

bool pf_copro_is(const struct pf_copro_parser *p, const char *word)
{
	return (p->token == PF_TOKEN_WORD || p->token == PF_TOKEN_SIGN) && strcmp(p->text, word) == 0;
}

bool pf_copro_accept(struct pf_copro_parser *p, const char *word)
{
	bool is = pf_copro_is(p, word);

	if (is)
		pf_copro_advance(p);
	return is;
}

bool pf_copro_expect(struct pf_copro_parser *p, const char *word)
{
	return pf_copro_accept(p, word) ||
	       pf_copro_wrong(p, PF_EFORMAT,
			      p->token == PF_TOKEN_END ? "the text ends where '%s' is wanted" : "'%s' is wanted here",
			      word);
}

bool pf_copro_number(struct pf_copro_parser *p, uint64_t least, uint64_t most, const char *what, uint64_t *number)
{
	*number = p->number;
	if (p->token != PF_TOKEN_NUMBER || *number < least || *number > most)
		return pf_copro_wrong(p, PF_EFORMAT, "%s: a number from %llu to %llu is wanted here", what,
				      (unsigned long long)least, (unsigned long long)most);
	pf_copro_advance(p);
	return true;
}
