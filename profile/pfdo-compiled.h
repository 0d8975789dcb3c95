/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing and reading the list of source files of a .pfdo file as a whole. */
#ifndef PF_PROFILE_PFDO_COMPILED_H
#define PF_PROFILE_PFDO_COMPILED_H

#include "profile/pfdo-file.h"

/* Appends the chunk to OUT.  The marks of the interned strings hold their offsets plus one.  PF_ENOMEM. */
int pf_pfdo_encode_compiled(const struct pf_profile *profile, struct pf_buffer *out);

/* Adds the chunk's names to PROFILE; nothing if the file has none.  PF_EFORMAT, PF_ENOMEM. */
int pf_pfdo_decode_compiled(struct pf_pfdo *file, struct pf_profile *profile, struct pf_error *error);

#endif
