/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Folded stacks, a line each, as flamegraph.pl and its kin take them. */
#ifndef PF_PROFILE_EXPORT_FOLDED_H
#define PF_PROFILE_EXPORT_FOLDED_H

#include "profile/model.h"
#include "support/buffer.h"

/* A writer as profile/exporting.h wants them. */
int pf_export_folded(const struct pf_profile *profile, struct pf_buffer *out, struct pf_buffer *notes,
		     struct pf_error *error);

#endif
