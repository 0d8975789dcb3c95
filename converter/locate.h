/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From what a recording says of a module to the file on this machine, and on to its debug information.  The hard
 * case is a file that looks right and is not: build-ids decide, and for a .gnu_debuglink its CRC. */
#ifndef PF_CONVERTER_LOCATE_H
#define PF_CONVERTER_LOCATE_H

#include "converter/elf.h"
#include "converter/traffic.h"

#include <limits.h>

/* What is to be done about a binary without debug information. */
#define PF_LOCATE_CURE                                                                                                 \
	"rebuild it with -g, install its package of debug information (Debian: -dbgsym, others: -debuginfo), set "     \
	"DEBUGINFOD_URLS, or give --debug-dir"

struct pf_locate_options {
	const char *const *binaries; /* asked for: FILE or RECORDED=FILE; no others are converted if there are any */
	size_t binary_count;
	const char *debug_dir; /* searched before /usr/lib/debug; NULL: none */
	const char *symfs;     /* prefix of recorded paths; NULL: none */
	bool code_only;        /* debug information is of no use */
	bool all_named;        /* the user named whatever is opened: servers are asked for it (debuginfod.h) */
};

/* A binary that was asked for. */
struct pf_asked {
	const char *file;     /* owned by the options */
	const char *recorded; /* the path, or its last part, that the recording has instead; NULL: FILE's own name */
	size_t recorded_size;
	uint8_t build_id[20];
	uint8_t build_id_size;
	bool by_id;          /* a module has its build-id: it is none that has only its name */
	bool by_path;        /* a module has its path: it is none that has only the last part of that */
	char real[PATH_MAX]; /* that path; "" if there is none */
};

/* Finds files; a zeroed one is empty. */
struct pf_locator {
	const struct pf_locate_options *options;
	PF_ARRAY(struct pf_asked) asked;
};

struct pf_binary {
	struct pf_elf elf;
	struct pf_elf separate;   /* path NULL: the debug information is in elf, or nowhere */
	struct pf_elf *debug;     /* where .debug_info is; NULL: nowhere */
	struct pf_elf supplement; /* what debug needs beside itself; path NULL: nothing */
	struct pf_elf package;    /* of what was split from debug (.dwp); path NULL: there is none */
	char reason[512];         /* why debug is NULL, or what else was found wanting; "" nothing */
};

/* Whether the files that OPTIONS ask for are binaries, and the folders are there, for whoever has much to read before
 * they are needed.  PF_OK, PF_ENOTFOUND (no such folder), PF_EMISMATCH (a separate debug file), or an error of
 * pf_elf_open. */
int pf_locate_check(const struct pf_locate_options *options, struct pf_error *error);

/* Opens the files that OPTIONS (which must live as long as LOCATOR) ask for.  PF_ENOTFOUND if one of them is
 * none of the modules of T; PF_ENOMEM and the errors of pf_locate_check. */
int pf_locator_init(struct pf_locator *locator, const struct pf_traffic *t, const struct pf_locate_options *options,
		    struct pf_error *error);
void pf_locator_fini(struct pf_locator *locator);

/* The file that was asked for and is MODULE, or NULL. */
const char *pf_locator_asked(const struct pf_locator *locator, const struct pf_traffic_module *module);

/* Opens the file of MODULE, by that of its names which is here.  Returns 1, or 0 if
 * it is not asked for; PF_ENOTFOUND (no such file), PF_EMISMATCH (another build-id: the text names both) and the errors
 * of pf_elf_open.  *BINARY is the caller's after 1. */
int pf_binary_open(const struct pf_locator *locator, const struct pf_traffic_module *module, struct pf_binary *binary,
		   struct pf_error *error);
void pf_binary_close(struct pf_binary *binary);

/* PF_EINVAL if one of its files would be lost by writing to OUTPUT (pf_outfile_spares). */
int pf_binary_spare(const struct pf_binary *binary, const char *output, struct pf_error *error);

#endif
