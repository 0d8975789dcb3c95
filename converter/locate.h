/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From what a recording says of a module to the file on this machine, and on to its debug information.  The hard
 * case is a file that looks right and is not: build-ids decide, and for a .gnu_debuglink its CRC. */
#ifndef PF_CONVERTER_LOCATE_H
#define PF_CONVERTER_LOCATE_H

#include "converter/elf.h"
#include "converter/traffic.h"

struct pf_locate_options {
	const char *const *binaries; /* asked for by name; no others are converted if there are any */
	size_t binary_count;
	const char *debug_dir; /* searched before /usr/lib/debug; NULL: none */
	const char *symfs;     /* prefix of recorded paths; NULL: none */
};

struct pf_binary {
	struct pf_elf elf;
	struct pf_elf separate; /* path NULL: the debug information is in elf, or nowhere */
	struct pf_elf *debug;   /* where .debug_info is; NULL: nowhere */
	char reason[512];       /* why debug is NULL, or what else was found wanting; "" nothing */
};

/* Hexadecimal text of a build-id; "unknown" for none. */
void pf_build_id_text(const uint8_t *id, uint8_t size, char text[41]);

/* Opens the file of MODULE.  Returns 1, or 0 if it is not asked for; PF_ENOTFOUND (no such file), PF_EMISMATCH
 * (another build-id: the text names both) and the errors of pf_elf_open.  *BINARY is the caller's after 1. */
int pf_binary_open(const struct pf_traffic_module *module, const struct pf_locate_options *options,
		   struct pf_binary *binary, struct pf_error *error);
void pf_binary_close(struct pf_binary *binary);

/* Fails with PF_ENOTFOUND if one of the asked-for binaries is none of the modules of T. */
int pf_locate_check(const struct pf_traffic *t, const struct pf_locate_options *options, struct pf_error *error);

#endif
