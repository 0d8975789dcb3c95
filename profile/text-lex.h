/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines and words of the text form, and the values that words stand for.  Every failure names line and column. */
#ifndef PF_PROFILE_TEXT_LEX_H
#define PF_PROFILE_TEXT_LEX_H

#include "profile/model.h"
#include "support/buffer.h"

struct pf_text_word {
	const char *text;   /* quotes and escapes resolved */
	const char *suffix; /* what stood right behind the closing quote; NULL for a word without quotes */
	uint32_t column;    /* 1-based */
};

struct pf_text_lexer {
	const char *name; /* of the file, for messages */
	const char *at, *end;
	uint32_t line;         /* 1-based, of the line that pf_text_next_line gave */
	uint32_t indent;       /* of that line; a tab goes to the next multiple of 8 */
	struct pf_buffer text; /* the line, unquoted: words point into it */
	struct pf_text_word *words;
	size_t word_count, word_capacity;
	size_t next; /* the word that pf_text_take gives next */
	struct pf_error *error;
};

void pf_text_lexer_init(struct pf_text_lexer *lexer, const char *name, const char *text, size_t size,
			struct pf_error *error);
void pf_text_lexer_fini(struct pf_text_lexer *lexer);

/* Moves to the next line that has words and splits it.  1, 0 at the end, PF_EFORMAT, PF_ENOMEM. */
int pf_text_next_line(struct pf_text_lexer *lexer);

/* Fails at a column of the line: always PF_EFORMAT. */
int pf_text_fail(const struct pf_text_lexer *lexer, uint32_t column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The next word; NULL at the line's end. */
const struct pf_text_word *pf_text_peek(const struct pf_text_lexer *lexer);

/* Takes the next word; PF_EFORMAT (WANTED, in words, is missing). */
int pf_text_take(struct pf_text_lexer *lexer, const struct pf_text_word **word, const char *wanted);

/* Take the next word as what their name says.  PF_EFORMAT, PF_ENOMEM (strings). */
int pf_text_take_count(struct pf_text_lexer *lexer, uint64_t *count);
int pf_text_take_integer(struct pf_text_lexer *lexer, int64_t *integer);
int pf_text_take_string(struct pf_text_lexer *lexer, struct pf_profile *profile, const char **string);
int pf_text_take_position(struct pf_text_lexer *lexer, struct pf_position *position);

/* POSITION[@LABEL]: the label goes into PLACE.node. */
int pf_text_take_place(struct pf_text_lexer *lexer, struct pf_place *place);

/* @LABEL */
int pf_text_take_label(struct pf_text_lexer *lexer, uint32_t *label);

/* FILE:LINE */
int pf_text_take_file_line(struct pf_text_lexer *lexer, struct pf_profile *profile, const char **file, uint32_t *line);

/* A field that a line can end with: KEY VALUE. */
struct pf_text_field {
	const char *key;
	uint64_t *count;     /* either a number goes here */
	const char **string; /* or a word here */
	bool *given;         /* set when it is there; may be NULL */
};

/* Takes the rest of the line as FIELDS, in any order, each at most once.  PF_EFORMAT, PF_ENOMEM. */
int pf_text_take_fields(struct pf_text_lexer *lexer, struct pf_profile *profile, const struct pf_text_field *fields,
			size_t field_count);

#endif
