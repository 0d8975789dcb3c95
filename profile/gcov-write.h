/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The exporters to GCC's AutoFDO file (doc/afdo-format); see profile/exporting.h for what they promise. */
#ifndef PF_PROFILE_GCOV_WRITE_H
#define PF_PROFILE_GCOV_WRITE_H

#include "profile/model.h"
#include "support/buffer.h"

/* For GCC 12: version 2, positions by line. */
int pf_gcov_write(const struct pf_profile *profile, struct pf_buffer *out, struct pf_buffer *notes,
		  struct pf_error *error);

/* For GCC 13 to 15: version 2, positions by line and discriminator. */
int pf_gcov_write_13(const struct pf_profile *profile, struct pf_buffer *out, struct pf_buffer *notes,
		     struct pf_error *error);

/* For GCC 16: version 3, which has a summary and the functions' files besides. */
int pf_gcov_write_16(const struct pf_profile *profile, struct pf_buffer *out, struct pf_buffer *notes,
		     struct pf_error *error);

#endif
