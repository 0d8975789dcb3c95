/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the analyses of vectors ask in common: which binary, which part of the vectors, what is exact. */
#ifndef PF_CLI_VECTOR_OPTIONS_H
#define PF_CLI_VECTOR_OPTIONS_H

#include "converter/intake.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

struct pf_vector_options {
	const char *command; /* "coverage" */
	const char *binary, *debug_dir, *symfs, *against;
	enum pf_weighting weighting;
	uint32_t length, every;
	bool json, help;
};

enum {
	PF_OPTION_DEBUG_DIR = 512,
	PF_OPTION_SYMFS,
	PF_OPTION_AGAINST,
	PF_OPTION_WEIGHT,
	PF_OPTION_LENGTH,
	PF_OPTION_EVERY,
	PF_OPTION_JSON
};

/* The rows of a command's table for getopt_long. */
#define PF_VECTOR_OPTIONS                                                                                              \
	{ "binary", required_argument, NULL, 'b' }, { "debug-dir", required_argument, NULL, PF_OPTION_DEBUG_DIR },     \
	    { "symfs", required_argument, NULL, PF_OPTION_SYMFS },                                                     \
	    { "against", required_argument, NULL, PF_OPTION_AGAINST },                                                 \
	    { "weight", required_argument, NULL, PF_OPTION_WEIGHT },                                                   \
	    { "length", required_argument, NULL, PF_OPTION_LENGTH },                                                   \
	    { "every", required_argument, NULL, PF_OPTION_EVERY }, { "json", no_argument, NULL, PF_OPTION_JSON },      \
	{                                                                                                              \
		"help", no_argument, NULL, 'h'                                                                         \
	}

/* Takes OPTION as getopt_long returned it; false, and said, if it is unknown or its argument cannot be. */
bool pf_vector_option(struct pf_vector_options *o, int option);

/* Reads a number of 1 to MOST from TEXT, the argument of --NAME; false, and said, if it is none. */
bool pf_vector_number(const struct pf_vector_options *o, const char *name, const char *text, uint32_t most,
		      uint32_t *value);

/* Reads what a vector counts from TEXT, the argument of COMMAND's --weight; false, and said, if it is none. */
bool pf_vector_weight(const char *command, const char *text, enum pf_weighting *weighting);

/* Whether what every such command needs is there: a binary and COUNT files; said if not. */
bool pf_vector_options_complete(const struct pf_vector_options *o, int count);

#endif
