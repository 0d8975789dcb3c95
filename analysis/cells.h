/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a report is made of, the same for terminal, Markdown and HTML: a list of sheets, each a titled grid of cells
 * with notes below.  What is written here is plain text; escaping is the renderers' part. */
#ifndef PF_ANALYSIS_CELLS_H
#define PF_ANALYSIS_CELLS_H

#include "analysis/results.h"
#include "support/buffer.h"

#define PF_SHEET_COLUMNS 10

enum pf_cell_mark { PF_CELL_PLAIN, PF_CELL_NOISE, PF_CELL_GOOD, PF_CELL_BAD, PF_CELL_FAILED };

struct pf_cell {
	const char *text; /* somebody else's words, or NULL: then what follows */
	char value[32];
	char brief[24];  /* the interval as a half width, for narrow places; may be empty */
	char detail[96]; /* the interval itself; may be empty */
	enum pf_cell_mark mark;
	bool few; /* so few pairs that the interval is a guess */
};

struct pf_sheet {
	const char *id; /* a word of a-z and '-' */
	const char *title;
	bool page_only; /* too long for a terminal */
	const char *columns[PF_SHEET_COLUMNS];
	size_t column_count, text_columns; /* the first so many hold words, the others numbers */
	struct pf_cell *cells;             /* row by row; owned */
	size_t row_count, cell_room;
	struct pf_buffer notes; /* lines, each with its NUL */
};

struct pf_sheets {
	struct pf_sheet *sheets; /* owned */
	size_t count, room;
	bool failed; /* out of memory; sticky */
};

void pf_sheets_fini(struct pf_sheets *sheets);

/* A new sheet, whose first TEXT_COLUMNS will hold words; NULL when out of memory. */
struct pf_sheet *pf_sheets_add(struct pf_sheets *sheets, const char *id, const char *title);
void pf_sheet_column(struct pf_sheet *sheet, const char *name, bool words);
/* The cells of a new row, empty; NULL when out of memory.  All columns must be there before the first row. */
struct pf_cell *pf_sheet_row(struct pf_sheets *sheets, struct pf_sheet *sheet);
void pf_sheet_note(struct pf_sheet *sheet, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* RATIO - 1 in percent with its interval. */
struct pf_cell pf_cell_gain(const struct pf_estimate *ratio, int digits, enum pf_verdict verdict);
/* FRACTION in percent with its interval. */
struct pf_cell pf_cell_fraction(const struct pf_estimate *fraction);
struct pf_cell pf_cell_words(const char *text);
/* A number with its unit: BYTES, or seconds, or "-" when negative. */
struct pf_cell pf_cell_bytes(double bytes);
struct pf_cell pf_cell_seconds(double seconds);
/* "1.23 G"; "-" when negative. */
struct pf_cell pf_cell_count(double count);
/* Puts RATIO - 1 beside CELL's value, in percent; nothing where it is no ratio that a program has. */
void pf_cell_change(struct pf_cell *cell, double ratio);

/* Whether any program has the variant V, sound or not. */
bool pf_sheets_has(const struct pf_results *results, int v);

#endif
