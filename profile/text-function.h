/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A function of the text form while its lines are read: its arrays grow here, and are moved into the profile at its
 * end, when each label is known. */
#ifndef PF_PROFILE_TEXT_FUNCTION_H
#define PF_PROFILE_TEXT_FUNCTION_H

#include "profile/text-lex.h"
#include "support/array.h"

/* An inlined instance that places can name. */
struct pf_text_label {
	uint32_t label, node;
	uint32_t line, column;
};

/* A place whose label is yet to be resolved. */
struct pf_text_reference {
	bool in_path;
	size_t index; /* in outcomes or in places */
	uint32_t line, column;
};

struct pf_text_function {
	struct pf_function head; /* without its arrays */
	PF_ARRAY(struct pf_node) nodes;
	PF_ARRAY(struct pf_record) records;
	PF_ARRAY(struct pf_target) targets; /* of all records, one after the other, as the next two */
	PF_ARRAY(struct pf_outcome) outcomes;
	PF_ARRAY(struct pf_value) values;
	PF_ARRAY(struct pf_path) paths;
	PF_ARRAY(struct pf_place) places; /* of all paths */
	PF_ARRAY(struct pf_text_label) labels;
	PF_ARRAY(struct pf_text_reference) references;
};

/* Adds F to PROFILE and empties it.  PF_EFORMAT, at the line that LEXER then has (two instances of one label, a label
 * of no instance); PF_ENOMEM, also where a profile cannot count as many. */
int pf_text_function_finish(struct pf_text_function *f, struct pf_text_lexer *lexer, struct pf_profile *profile);

void pf_text_function_fini(struct pf_text_function *f);

#endif
