/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One recording named twice would count twice, and nobody could see it in the profile. */
#ifndef PF_CONVERTER_DUPLICATES_H
#define PF_CONVERTER_DUPLICATES_H

#include "support/array.h"
#include "support/error.h"

#include <stdbool.h>
#include <sys/types.h>

struct pf_known_file {
	const char *path; /* not owned; what follows is of its first file, if it is a folder */
	dev_t device;
	ino_t inode;
	off_t size;
};

/* The files so far, recordings; zeroed it is empty. */
struct pf_known_files {
	PF_ARRAY(struct pf_known_file) files;
	bool counts; /* exact counts, which two runs can have alike: what is not one file is two, whatever is in it */
};

/* Adds the file (or the folder of one recording) at PATH, which must live as long as KNOWN.  PF_EMISMATCH if it is
 * there already, by another name or (a recording) as a copy; PF_ENOMEM.  A file that cannot be read is not this
 * function's affair. */
int pf_known_files_add(struct pf_known_files *known, const char *path, struct pf_error *error);
void pf_known_files_fini(struct pf_known_files *known);

#endif
