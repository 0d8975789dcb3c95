/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profiles in the formats of other tools: one table, one writer a format. */
#ifndef PF_PROFILE_EXPORTING_H
#define PF_PROFILE_EXPORTING_H

#include "profile/model.h"
#include "support/buffer.h"

struct pf_export_format {
	const char *name; /* as --format spells it */
	const char *help; /* one line */
	/* Appends the file of a canonical PROFILE to OUT, and to NOTES one line for each thing that the format cannot
	 * say or says otherwise.  The same profile gives the same bytes.  PF_ENOMEM; PF_EEMPTY (nothing in it for the
	 * format); PF_ELIMIT.  The text names no file.  OUT's sticky failure is the caller's to check. */
	int (*write)(const struct pf_profile *profile, struct pf_buffer *out, struct pf_buffer *notes,
		     struct pf_error *error);
};

/* All formats; ends with a NULL name. */
extern const struct pf_export_format pf_export_formats[];

/* The format called NAME; NULL if there is none. */
const struct pf_export_format *pf_export_find(const char *name);

/* Writes PROFILE to PATH ("-": standard output) in FORMAT, whole or not at all.  SOURCE is the profile's file, for
 * messages.  NOTES as above; it is the caller's.  Errors of the format's writer, and PF_EIO. */
int pf_export_write(const struct pf_profile *profile, const char *source, const struct pf_export_format *format,
		    const char *path, struct pf_buffer *notes, struct pf_error *error);

#endif
