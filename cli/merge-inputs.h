/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The profiles that `pathfdo merge` adds up, by name: from the command line and from lists, with their weights, and
 * what the head of each file tells before any is read. */
#ifndef PF_CLI_MERGE_INPUTS_H
#define PF_CLI_MERGE_INPUTS_H

#include "profile/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PF_MERGE_WEIGHT_ONE 1000000u /* weights are kept in millionths */

struct pf_merge_input {
	char *path;      /* owned */
	uint64_t weight; /* in millionths */
	char *version;   /* owned: the build-ids of its recordings, 12 digits each, with a + between; NULL until the
			    survey */
	enum pf_count_unit unit;
	uint64_t total;
	uint64_t device, inode;
	bool timed;     /* it has recordings that are known by their times */
	bool *left_out; /* in memory that worker processes share; NULL until the survey */
};

/* A zeroed one is empty. */
struct pf_merge_inputs {
	struct pf_merge_input *items; /* owned */
	size_t count, room;
	bool *left_out; /* the entries of all of them, owned */
};

void pf_merge_inputs_fini(struct pf_merge_inputs *inputs);

/* Appends PATH.  PF_ENOMEM. */
int pf_merge_inputs_add(struct pf_merge_inputs *inputs, const char *path, struct pf_error *error);

/* Appends the profiles that LIST names ("-": standard input), one a line, each with a weight behind a tab or without
 * one.  Errors of pf_textfile_open and pf_textfile_next, PF_EFORMAT (a line with a weight that is none). */
int pf_merge_inputs_list(struct pf_merge_inputs *inputs, const char *list, struct pf_error *error);

/* Reads W in millionths, "2", "0.5" or "1.25"; false when it is no weight from 0.000001 to 1000000. */
bool pf_merge_weight(const char *text, uint64_t *weight);

/* Gives WEIGHT to the inputs whose path is the first LENGTH bytes of PATTERN or matches these as a pattern of the shell
 * (whose * matches slashes too); returns how many there are. */
size_t pf_merge_inputs_weigh(struct pf_merge_inputs *inputs, const char *pattern, size_t length, uint64_t weight);

/* Looks at each file's unit, total and recordings, and tells which file is there twice.  With KEEP_GOING a file that
 * cannot be read is told and left out, otherwise it is the failure.  PF_ENOMEM, as pf_pfdo_open. */
int pf_merge_inputs_survey(struct pf_merge_inputs *inputs, bool keep_going, struct pf_error *error);

/* Brings inputs of one version together. */
void pf_merge_inputs_sort(struct pf_merge_inputs *inputs);

/* Leaves INPUT out from now on, and tells WHY. */
void pf_merge_leave_out(struct pf_merge_input *input, const char *why);

#endif
