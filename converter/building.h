/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One function while its record is made: what all that fill in parts of it (build, links, paths) have in common. */
#ifndef PF_CONVERTER_BUILDING_H
#define PF_CONVERTER_BUILDING_H

#include "converter/code.h"
#include "converter/program.h"
#include "profile/model.h"

/* The blocks of instructions in which plain samples were taken. */
struct pf_blocks {
	PF_ARRAY(struct pf_dealt) list;
};

/* What becomes of functions. */
struct pf_built {
	uint64_t mapped; /* weight that found a position */
	uint64_t abroad; /* of it, at lines of another file than that where the function is declared */
	uint32_t depth;  /* of the deepest inlining */
	struct pf_blocks *blocks;
};

/* What is at hand while one function is built. */
struct pf_building {
	const struct pf_program *program;
	struct pf_profile *profile;
	uint32_t module, index; /* the function: index into the module's source */
	const struct pf_source *source;
	const struct pf_source_function *function;
	struct pf_code code;
	uint32_t *node_of;   /* of the source's nodes in the profile; UINT32_MAX: left out */
	uint32_t *record_of; /* of an instruction; UINT32_MAX: it has no position */
};

/* WEIGHT found the position of INSN. */
void pf_build_note(const struct pf_building *b, const struct pf_insn *insn, uint64_t weight, struct pf_built *built);

/* A weight as a count: rounded, but never to zero. */
uint64_t pf_build_count(uint64_t weight);

/* The place of an instruction that has one. */
struct pf_place pf_build_place(const struct pf_building *b, uint32_t insn);

#endif
