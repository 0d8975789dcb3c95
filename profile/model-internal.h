/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of profile/ share about the model beyond its public face. */
#ifndef PF_PROFILE_MODEL_INTERNAL_H
#define PF_PROFILE_MODEL_INTERNAL_H

#include "profile/model.h"

/* <0, 0, >0 by name, file, line. */
int pf_function_compare(const struct pf_function *a, const struct pf_function *b);

/* Gets the address of each string pointer of a profile; non-zero stops the walk. */
typedef int pf_string_visitor(const char **string, void *closure);

/* Visits every string of PROFILE and returns 0, or what VISIT stopped with. */
int pf_profile_visit_strings(struct pf_profile *profile, pf_string_visitor *visit, void *closure);

#endif
