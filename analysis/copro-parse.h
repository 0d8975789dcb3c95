/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of the reader of co-processor programs share: words of the text, the error, operations. */
#ifndef PF_ANALYSIS_COPRO_PARSE_H
#define PF_ANALYSIS_COPRO_PARSE_H

#include "analysis/copro-program.h"
#include "support/cursor.h"

enum pf_copro_token {
	PF_TOKEN_END,
	PF_TOKEN_WORD,
	PF_TOKEN_NUMBER,
	PF_TOKEN_SIGN, /* one or two characters */
};

/* Where operations are that a handler may have. */
enum pf_copro_place {
	PF_COPRO_IN_CLASS,
	PF_COPRO_IN_EVERY,
	PF_COPRO_IN_CUT,
	PF_COPRO_IN_SAVE,
};

struct pf_copro_parser {
	struct pf_copro_program *program;
	struct pf_cursor cursor;
	uint32_t line, column; /* of the byte at the cursor, from 1 */
	/* The word at hand. */
	enum pf_copro_token token;
	char text[PF_COPRO_NAME + 1]; /* of words and signs */
	uint64_t number;
	uint32_t token_line, token_column;
	enum pf_copro_place place;
	unsigned int depth, nesting; /* values on the stack; blocks and parentheses that are open */
	int status;                  /* the first error; nothing is read behind it */
	struct pf_error *error;
};

/* Goes on to the next word.  Once there was an error that is the text's end. */
void pf_copro_advance(struct pf_copro_parser *p);

/* Sets the error, at the word at hand, if it is the first.  False. */
bool pf_copro_wrong(struct pf_copro_parser *p, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

/* Is WORD, a word or a sign, at hand? */
bool pf_copro_is(const struct pf_copro_parser *p, const char *word);
/* The same, and goes on behind it. */
bool pf_copro_accept(struct pf_copro_parser *p, const char *word);
/* It has to be. */
bool pf_copro_expect(struct pf_copro_parser *p, const char *word);

/* A number from LEAST to MOST has to be at hand; goes on behind it.  WHAT is for the message. */
bool pf_copro_number(struct pf_copro_parser *p, uint64_t least, uint64_t most, const char *what, uint64_t *number);

/* Appends an operation that pushes PUSHED values more than it takes. */
bool pf_copro_emit(struct pf_copro_parser *p, struct pf_copro_operation operation, int pushed);

/* One block or parenthesis more is open. */
bool pf_copro_nest(struct pf_copro_parser *p);

/* copro-expression.c.  The array that is named at hand; PF_COPRO_ARRAYS and an error if there is none. */
uint8_t pf_copro_array_named(struct pf_copro_parser *p);
/* The counter (false in *IS_FIELD) or the field of an array at hand, as an operation's array, field and number. */
bool pf_copro_place_named(struct pf_copro_parser *p, struct pf_copro_operation *operation, bool *is_field);
/* The expression at hand; its operations leave one value. */
bool pf_copro_expression(struct pf_copro_parser *p);
/* Does a name mean something already? */
bool pf_copro_reserved(const char *name);

#endif
