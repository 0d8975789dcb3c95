/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pprof's profile.proto, compressed: what `go tool pprof` and the viewers that read its files take. */
#ifndef PF_PROFILE_EXPORT_PPROF_H
#define PF_PROFILE_EXPORT_PPROF_H

#include "profile/model.h"
#include "support/buffer.h"

/* A writer as profile/exporting.h wants them. */
int pf_export_pprof(const struct pf_profile *profile, struct pf_buffer *out, struct pf_buffer *notes,
		    struct pf_error *error);

#endif
