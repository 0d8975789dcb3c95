/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The exporter to GCC 12's AutoFDO file, version 2 (doc/afdo-format); see profile/exporting.h for what it promises. */
#ifndef PF_PROFILE_GCOV_WRITE_H
#define PF_PROFILE_GCOV_WRITE_H

#include "profile/model.h"
#include "support/buffer.h"

int pf_gcov_write(const struct pf_profile *profile, struct pf_buffer *out, struct pf_buffer *notes,
		  struct pf_error *error);

#endif
