/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the debug information says of the functions that the samples touch: who they are, what was inlined where, and
 * which source position each address has.  Knows DWARF 4 and 5; knows nothing of counts. */
#ifndef PF_CONVERTER_SOURCE_H
#define PF_CONVERTER_SOURCE_H

#include "converter/discriminator.h"
#include "converter/elf.h"
#include "converter/producer.h"
#include "profile/model.h"
#include "support/array.h"

#define PF_SOURCE_ARGUMENTS 6

struct pf_range {
	uint64_t start, end;
};

struct pf_range_array {
	struct pf_range *at;
	size_t count, capacity;
};

/* A function of the source, however many copies of it the binary has. */
struct pf_origin {
	const char *name;      /* linkage name without clone suffixes, or the plain name; owned by the source */
	const char *file;      /* owned by the source; "" unknown */
	uint32_t line, column; /* of its declaration; column 0: unknown */
	bool undeclared;       /* the program has a declaration of it, but it is not told where */
};

/* A machine function (node 0) or an inlined instance in it. */
struct pf_source_node {
	uint32_t parent, origin;
	struct pf_position site;
	uint64_t entry; /* address; 0 unknown */
	uint32_t first_range, range_count;
	uint32_t depth;
};

/* Instructions in [start, end) have this position. */
struct pf_source_row {
	uint64_t start, end;
	uint32_t line, column;
	uint32_t file; /* in the source's files, of which 0 is unknown */
	struct pf_discriminator discriminator;
};

struct pf_source_function {
	PF_ARRAY(struct pf_source_node) nodes; /* parents before children */
	struct pf_range_array ranges;          /* of all nodes */
	/* Bytes of what comes in the first general registers, negative if it has a sign; 0: not known. */
	int8_t arguments[PF_SOURCE_ARGUMENTS];
	PF_ARRAY(struct pf_source_row) rows; /* by address */
};

/* Functions of which the linker made one. */
struct pf_source_fold {
	uint64_t address;
	const char *names; /* of all, for people; owned as the strings */
};

/* A compilation unit. */
struct pf_source_unit {
	const char *file;    /* that it was compiled from; owned as the strings of the source */
	const char *profile; /* that it was compiled for; likewise, NULL: none */
	uint32_t hash;       /* of that; 0: not known */
	enum pf_made made;
};

/* Owned as the strings of the source. */
struct pf_source_names {
	const char **at;
	size_t count, capacity;
};

struct pf_source {
	PF_ARRAY(struct pf_source_function) functions;
	PF_ARRAY(struct pf_origin) origins;
	PF_ARRAY(struct pf_source_fold) folds; /* by address */
	PF_ARRAY(char *) strings;
	PF_ARRAY(const char *) files;    /* that rows are of, from the first on; owned as the strings */
	PF_ARRAY(struct pf_source_unit) compiled; /* all units, touched or not */
	struct pf_source_names split;             /* .dwo files that were read */
	uint32_t units, units_read, units_damaged;
	uint32_t units_missing;   /* that were touched, and whose entries are in .dwo files that are not there */
	uint32_t units_elsewhere; /* the same, touched or not */
	uint32_t linked;          /* units that a link with -flto made */
	uint32_t linked_plainly;  /* of these, without the plugin */
	uint32_t inlined;         /* instances in the functions that were read */
	uint32_t inlined_nowhere; /* of these, without the line of their call */
	const char *missing;      /* what is wrong with the first of these; owned as the strings; NULL: there is none */
};

/* Where a binary's debug information is. */
struct pf_debug_files {
	struct pf_elf *binary;
	struct pf_elf *debug;          /* can be the same */
	struct pf_elf *supplement;     /* what debug shares with others; NULL: nothing */
	struct pf_elf *package;        /* of what was split from debug; NULL: there is none */
	const char *debug_dir, *symfs; /* where else split files are looked for; NULL: nowhere */
};

/* Reads the functions of FILES that contain any of the COUNT addresses at TOUCHED (sorted), in a process of its own:
 * whatever a damaged file does to libdwarf there, is an error here.  No two functions share an address (see owners.h).
 * PF_ENODEBUG (nothing in it that libdwarf understands, or it crashed, or there was no memory for it), PF_ENOMEM (for
 * the result), PF_EIO (no process to be had), and the errors of pf_elf_contents. */
int pf_source_read(const struct pf_debug_files *files, const uint64_t *touched, size_t count, struct pf_source *source,
		   struct pf_error *error);

/* The same in this process. */
int pf_source_walk(const struct pf_debug_files *files, const uint64_t *touched, size_t count, struct pf_source *source,
		   struct pf_error *error);

/* Makes SOURCE the owner of TEXT, from malloc; TEXT, or NULL (and TEXT freed) when out of memory. */
char *pf_source_keep(struct pf_source *source, char *text);

void pf_source_fini(struct pf_source *source);

#endif
