/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is to be compared: the program, its workloads, the variants; and where everything lies in the work folder:
 *   build/           where all variants are built, and where the one that runs is put: all have the same paths
 *   variants/NAME/   a finished build folder
 *   counts/          gcov's counts of the training run        data/    recordings and profiles
 *   outputs/         what the base variant printed            logs/    what each step said
 *   steps/           the journal                              scratch/ where the workloads run */
#ifndef PF_ANALYSIS_PLAN_H
#define PF_ANALYSIS_PLAN_H

#include "analysis/comparison.h"
#include "support/error.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The builds: the variants, then the instrumented program; then, where a variant is made from more than one recording,
 * those of the second recording in the same order, and so on. */
#define PF_GENERATE PF_VARIANTS
#define PF_BUILDS_EACH (PF_VARIANTS + 1)
#define PF_BUILDS (PF_COMPARED_RECORDINGS * PF_BUILDS_EACH)

enum pf_build_system {
	PF_BUILD_AUTO = 0,
	PF_BUILD_COMMAND, /* --build */
	PF_BUILD_MAKE,
	PF_BUILD_CONFIGURE,
	PF_BUILD_CMAKE,
	PF_BUILD_MESON,
};

/* All strings are the caller's and live as long as the plan; paths are absolute. */
struct pf_plan {
	const char *name, *language, *stands_for, *source_name; /* of the program, for the table */
	const char *source;                                     /* folder */
	const char *program;                                    /* relative to the build folder */
	const char *build, *train, *small;                      /* shell commands; build NULL: by the build system */
	const char *const *references;                          /* shell commands */
	size_t reference_count;
	const char *cflags; /* of all variants */
	const char *work;   /* folder */
	const char *tool;   /* pathfdo */
	enum pf_build_system system;
	bool wanted[PF_VARIANTS];
	bool excused[PF_VARIANTS]; /* its error is no fault: nobody asked for it by name, and this machine cannot record
				      so */
	unsigned pairs, recordings; /* 1 and more */
	int cpu;
	double timeout; /* seconds, for one command */
	bool instructions, times;
	bool again;
};

/* "base" and on; "generate" for PF_GENERATE; "soft.2" for soft from the second recording. */
const char *pf_variant_name(unsigned build);

/* The variant that BUILD is of, and the recording that it is from, 0 and on. */
unsigned pf_build_variant(unsigned build);
unsigned pf_build_recording(unsigned build);

/* The build of VARIANT that comes from the same recording as BUILD does. */
unsigned pf_build_beside(unsigned build, unsigned variant);

/* Whether BUILD is of one of the three that pathfdo records; the recording's source has the variant's name. */
bool pf_variant_is_recorded(unsigned build);

/* Whether BUILD is to be made: its variant is wanted, and from that many recordings.  Never PF_GENERATE. */
bool pf_plan_has(const struct pf_plan *plan, unsigned build);

/* How many numbers its runs give at most, each event that a processor may count among them. */
uint64_t pf_plan_runs(const struct pf_plan *plan);

/* Reads a comma-separated LIST into WANTED; base is always wanted.  PF_EINVAL names what is no variant. */
int pf_plan_variants(const char *list, bool wanted[PF_VARIANTS], struct pf_error *error);

/* make, configure, cmake, meson or auto.  PF_EINVAL. */
int pf_plan_system(const char *name, enum pf_build_system *system, struct pf_error *error);

/* Finds PF_BUILD_AUTO's answer in the source folder: a Makefile, configure, CMakeLists.txt or meson.build, in this
 * order.  PF_ENOTFOUND: none of them; the text says to give --build. */
int pf_plan_detect(struct pf_plan *plan, struct pf_error *error);

/* The shell command that builds, and the folder of the build that the program's path is relative to ("" or a subfolder
 * with a leading slash). */
const char *pf_plan_build_command(const struct pf_plan *plan);
const char *pf_plan_output_folder(const struct pf_plan *plan);

/* The digest of everything that all builds depend on: sources, command, compilers.  Errors of pf_digest_tree. */
int pf_plan_digest(const struct pf_plan *plan, uint64_t *digest, struct pf_error *error);

/* WORK/PART, or WORK/PART/REST. */
void pf_plan_path(const struct pf_plan *plan, const char *part, const char *rest, char path[PATH_MAX]);

#endif
