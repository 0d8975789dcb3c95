/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often each inlined instance of a function was entered. */
#ifndef PF_CONVERTER_ENTRIES_H
#define PF_CONVERTER_ENTRIES_H

#include "converter/building.h"

/* Sets `entries` of FUNCTION's nodes; its records must have been built, and the head be known.  PF_ENOMEM. */
int pf_entries_build(const struct pf_building *b, struct pf_function *function);

#endif
