/* SPDX-License-Identifier: GPL-3.0-or-later */
/* LLVM's sample profile as text, for clang -fprofile-sample-use and llvm-profdata. */
#ifndef PF_PROFILE_EXPORT_LLVM_H
#define PF_PROFILE_EXPORT_LLVM_H

#include "profile/model.h"
#include "support/buffer.h"

/* A writer as profile/exporting.h wants them. */
int pf_export_llvm(const struct pf_profile *profile, struct pf_buffer *out, struct pf_buffer *notes,
		   struct pf_error *error);

#endif
