/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The profile as one compile sees it: for each function that it compiles, the one record that holds for its
 * out-of-line body.  That is the function's own record plus the instances of it that some other function had inlined
 * and will not inline again. */
#ifndef PF_PLUGIN_BODIES_H
#define PF_PLUGIN_BODIES_H

#include "plugin/parts.h"
#include "plugin/sources.h"
#include "profile/pfdo.h"

struct pf_bodies;

/* Who a function is. */
struct pf_identity {
	const char *const *names; /* linkage name, then other names that it goes by; suffixes elided */
	unsigned name_count;
	const char *file; /* of its declaration, with the folder as far as that is known */
	uint32_t line;
	bool local;     /* of internal linkage: other files may have functions of the same name */
	bool elsewhere; /* other translation units have its body too (inline, COMDAT) and can inline it themselves */
	bool asked;     /* it is declared inline */
	bool declared;  /* it is not defined in this unit: FILE and LINE are not where it is */
};

/* The record of one body. */
struct pf_body {
	struct pf_profile *profile;         /* owned; NULL: nothing is known */
	const struct pf_function *function; /* in PROFILE; node 0 is the body itself */
	struct pf_parts parts;              /* of which FUNCTION is the sum; none: it is a part itself */
	bool own;                           /* the function has a record of its own */
	uint64_t entries;                   /* how often its own body was entered, by that record */
	bool stale;                         /* of another declaration line: the source was edited */
	uint32_t merged;                    /* instances that were added */
	uint32_t aligned;                   /* positions of them that were found elsewhere in the edited source */
};

/* Opens the profile at PATH.  Errors as pf_pfdo_open.  *BODIES is the caller's. */
int pf_bodies_open(const char *path, struct pf_bodies **bodies, struct pf_error *error);
void pf_bodies_close(struct pf_bodies *bodies);

/* Counts are limited to what a compiler can calculate with (limit.h); so are the summary's. */
const struct pf_summary *pf_bodies_summary(const struct pf_bodies *bodies);

/* pf_heat_looks of this profile. */
uint64_t pf_bodies_looks(const struct pf_bodies *bodies, uint64_t count);

/* Does the profile say too little of what it never saw (pf_heat_is_short)? */
bool pf_bodies_are_short(const struct pf_bodies *bodies);

/* Does it say so, and did it look at what has COUNT of its counts too seldom to know even what is done there? */
bool pf_bodies_doubt(const struct pf_bodies *bodies, uint64_t count);

/* May what it never saw run so much that loops there have to be fast (pf_heat_may_turn)? */
bool pf_bodies_may_turn(const struct pf_bodies *bodies);
uint32_t pf_bodies_hash(const struct pf_bodies *bodies);

/* Whether the profiled binaries were compiled from a file such as NAME.  As pf_pfdo_compiled. */
int pf_bodies_compiled(struct pf_bodies *bodies, const char *name, struct pf_error *error);

/* Whether they were compiled from the file NAME, under this very name.  As pf_pfdo_lists. */
bool pf_bodies_list(struct pf_bodies *bodies, const char *name);

/* Instances with at least this count are inlined again wherever that is possible; 0 never happens. */
void pf_bodies_set_hot(struct pf_bodies *bodies, uint64_t hot);

/* From now on records are brought to what SOURCES have today (edits.h), which must outlive BODIES.  PF_ENOMEM. */
int pf_bodies_set_sources(struct pf_bodies *bodies, struct pf_sources *sources);

/* Says that WHO is defined in this translation unit: what becomes of its instances will be told by pf_bodies_leave
 * rather than guessed; and the file in which the profile has it is where the profiled tree had this one, so all are
 * defined before the first is taken.  PF_ENOMEM. */
int pf_bodies_define(struct pf_bodies *bodies, const struct pf_identity *who);

/* pf_host_order of this profile: the order in which bodies are to be taken, so that what one of them leaves is not late
 * for another. */
int pf_bodies_order(struct pf_bodies *bodies, const struct pf_identity *const *who, uint32_t count, uint32_t *order);

/* The function's out-of-line record as the profile has it, taken or not; NULL if there is none or it cannot be read,
 * which is told when it is taken.  It lives until BODIES are asked for something else. */
const struct pf_function *pf_bodies_own(struct pf_bodies *bodies, const struct pf_identity *who);

/* Makes the record of a body and takes the function as done: instances of it that are left later are lost.  A
 * function that the profile does not know gives an empty body and PF_OK.  PF_EFORMAT (damaged), PF_ENOMEM. */
int pf_bodies_take(struct pf_bodies *bodies, const struct pf_identity *who, struct pf_body *body,
		   struct pf_error *error);
void pf_body_release(struct pf_body *body);

/* Calls at one position, as a macro makes them, are one instance in a profile, with the sum of their counts.  Gives
 * each of them an equal share: COPIES (one a node of the body's function) says of how many inlined bodies a node's
 * records are the sum; 0 and 1 leave them. */
void pf_body_share(const struct pf_body *body, const uint32_t *copies);

/* The instance NODE of FUNCTION, with all that was inlined into it, was not inlined again: it goes to the callee's
 * own body.  NAME is the callee's linkage name if that is known better than by the profile, which may have one name for
 * several functions of a line; NULL: as the profile has it.  PF_ENOMEM, PF_ENOTFOUND (the callee was taken before; its
 * count is lost). */
int pf_bodies_leave(struct pf_bodies *bodies, const struct pf_function *function, uint32_t node, const char *name);

#endif
