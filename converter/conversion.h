/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The whole way from recordings to a profile, and an account of what became of every sample. */
#ifndef PF_CONVERTER_CONVERSION_H
#define PF_CONVERTER_CONVERSION_H

#include "converter/fdata.h"
#include "converter/intake.h"
#include "converter/locate.h"
#include "converter/program.h"
#include "profile/model.h"

struct pf_convert_options {
	struct pf_intake_options intake;
	struct pf_locate_options locate;
};

/* What became of a binary's samples. */
struct pf_module_account {
	const char *path; /* in the conversion */
	uint32_t module;
	enum pf_module_state state;
	bool asked;                /* it was named with -b */
	bool several;              /* the recording has several build-ids of it, and does not say which ran where */
	const char *reason;        /* why it is not used, "" if it is */
	uint64_t branches, mapped; /* weight, in branches (samples for a clock profile) */
	uint64_t stubs;            /* of it in PLT stubs and thunks, which have no source */
	uint64_t folded;           /* of mapped, in functions that the linker made of several */
	uint32_t folds;            /* such functions */
	const char *fold;          /* names of the one that ran most; NULL: there is none */
	uint64_t abroad;           /* of mapped, at lines of other files than where the functions are declared */
	uint64_t undeclared;       /* of mapped, in functions of which it is not known where they are declared */
	struct pf_plausibility plausibility;
	uint32_t functions, depth; /* converted; deepest inlining in them */
	uint32_t units, units_read, units_damaged, units_missing;
	uint32_t inlined, inlined_nowhere; /* instances; of these, without the line of their call */
	const char *missing; /* of the first of units_missing: what is wrong with it */
};

/* A conversion with its inputs; zeroed it is empty. */
struct pf_conversion {
	struct pf_traffic traffic;
	struct pf_program program;
	PF_ARRAY(struct pf_recording) recordings;
	PF_ARRAY(struct pf_module_account) accounts; /* by descending branches */
	struct pf_profile *profile;                  /* owned; NULL: none was made */
	bool by_symbols;                             /* what is `mapped` is in functions with symbols (fdata) */
};

/* Converts the COUNT perf.data FILES.  Errors of pf_intake_file, pf_known_files_add, pf_program_load and
 * pf_gate_check; PF_ENOMEM.  *C is the caller's, to pf_conversion_fini, in any case: after an error, its traffic and
 * accounts say what was lost. */
int pf_convert(struct pf_conversion *c, const char *const *files, size_t count,
	       const struct pf_convert_options *options, struct pf_error *error);

/* The same for BOLT's fdata of one binary, the one that was asked for or else the program that ran most, which is
 * appended to OUT; its account then has functions and branches by symbols, and debug information is not needed.  Errors
 * of pf_intake_file, pf_program_load and pf_fdata_print; PF_EEMPTY (no program ran), PF_ENOMEM. */
int pf_convert_fdata(struct pf_conversion *c, const char *const *files, size_t count,
		     const struct pf_convert_options *options, struct pf_buffer *out, struct pf_error *error);

void pf_conversion_fini(struct pf_conversion *c);

#endif
