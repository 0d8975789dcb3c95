/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text form of a profile (doc/profile-text): the same data as a .pfdo file, for people and tests. */
#ifndef PF_PROFILE_TEXT_H
#define PF_PROFILE_TEXT_H

#include "profile/model.h"
#include "support/buffer.h"

/* Appends the first lines: format, unit and provenances. */
void pf_text_put_head(struct pf_buffer *out, const struct pf_profile *profile);

/* Appends FUNCTION, an empty line before it. */
void pf_text_put_function(struct pf_buffer *out, const struct pf_function *function);

/* Appends the source files of the profiled binaries, an empty line before them. */
void pf_text_put_compiled(struct pf_buffer *out, const struct pf_profile *profile);

/* Appends a canonical profile as a whole.  Reading it gives the same profile. */
void pf_text_put_profile(struct pf_buffer *out, const struct pf_profile *profile);

/* Appends STRING as a word: as it is, or in quotes when it would not be read as one word. */
void pf_text_put_word(struct pf_buffer *out, const char *string);

/* Reads SIZE bytes at TEXT into *PROFILE, canonical and the caller's; NAME is the file's, for messages, which say line
 * and column.  PF_EFORMAT, PF_EVERSION, PF_ENOMEM. */
int pf_text_read(const char *name, const char *text, size_t size, struct pf_profile **profile, struct pf_error *error);

#endif
