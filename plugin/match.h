/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finding the record of a source position in a function of a profile, and the instance of an inlined call. */
#ifndef PF_PLUGIN_MATCH_H
#define PF_PLUGIN_MATCH_H

#include "profile/model.h"

/* How a position's record was found, best first. */
enum pf_match_kind {
	PF_MATCH_EXACT = 0,  /* line, column and discriminator */
	PF_MATCH_COLUMN = 1, /* line and column, which have one record only */
	PF_MATCH_LINE = 2,   /* line, whose records agree */
	PF_MATCH_NONE = 3,
};

struct pf_match {
	enum pf_match_kind kind;
	const struct pf_record *record; /* the record, or one of those that agree; NULL for PF_MATCH_NONE */
};

/* Two counts that can be the same count seen through sampling noise. */
bool pf_counts_agree(uint64_t a, uint64_t b);

/* The record of PLACE in the canonical FUNCTION. */
struct pf_match pf_match_record(const struct pf_function *function, const struct pf_place *place);

/* The records of FUNCTION at PLACE whatever their discriminator: from *FIRST to the one before what is returned. */
uint32_t pf_match_column(const struct pf_function *function, const struct pf_place *place, uint32_t *first);

/* The instance of a callee that was inlined into node PARENT by the call at SITE, or UINT32_MAX.  The call's column
 * decides where both sides have one; discriminators are not compared, as debug information gives calls none.
 * NAMES are the NAME_COUNT linkage or plain names that the callee goes by, and among several instances of these the
 * one of LINE comes first, for lambdas share their name; an instance of another name but of LINE
 * (its declaration's, 0 none) matches too, if it is the only one there: constructors and lambdas change names. */
uint32_t pf_match_instance(const struct pf_function *function, uint32_t parent, const struct pf_position *site,
			   const char *const *names, unsigned name_count, uint32_t line);

/* Who else may have a function of a name. */
enum pf_linkage {
	PF_PUBLIC,    /* nobody */
	PF_ELSEWHERE, /* other programs, as `main`; the profile knows all files of its own, and the function's is none
		       */
	PF_LOCAL,     /* other files */
	PF_LOCAL_IN,  /* other files; the profile knows the function's file by its name and folder */
};

/* The function's own record among COUNT of one name: that of FILE and LINE, else of FILE, else of LINE, else of the
 * file whose path ends most like FILE's, else the only one; NULL when none can be told apart.  A LOCAL function's is of
 * a file of the same name, and of the same folder or LINE; that of one ELSEWHERE is of a file of the same name or of
 * LINE.  *STALE tells that only the line differs. */
const struct pf_function *pf_match_function(const struct pf_function *functions, uint32_t count, const char *file,
					    uint32_t line, enum pf_linkage linkage, bool *stale);

/* Whether what the profile has as declared in LINE of PROFILED can be the function that LINE_TODAY of FILE declares, as
 * pf_match_function takes it, where others than PUBLIC may have one of its name.  What has no file, as the compiler
 * made it up, is told by its line. */
bool pf_match_can_be(const char *profiled, uint32_t line, const char *file, uint32_t line_today,
		     enum pf_linkage linkage);

/* Whether two paths can name one file: the last components are equal. */
bool pf_match_same_file(const char *a, const char *b);

#endif
