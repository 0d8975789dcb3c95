/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A profile as JSON, for other programs: the model's own flat shape, with indices for inlined instances. */
#ifndef PF_PROFILE_JSON_H
#define PF_PROFILE_JSON_H

#include "profile/model.h"
#include "support/jsontext.h"

/* Append one object each. */
void pf_json_put_summary(struct pf_buffer *out, const struct pf_summary *summary);
void pf_json_put_provenance(struct pf_buffer *out, const struct pf_provenance *provenance);

/* Appends how far the recordings can be believed, as an object; null if nothing is known of it. */
void pf_json_put_agreement(struct pf_buffer *out, const struct pf_agreement *agreement);

/* Appends the source files of the profiled binaries as an array. */
void pf_json_put_compiled(struct pf_buffer *out, const struct pf_profile *profile);

/* Appends name, file, line, head and total of FUNCTION and, when WHOLE, all it holds. */
void pf_json_put_function(struct pf_buffer *out, const struct pf_function *function, bool whole);

#endif
