/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The values that a function's instructions worked on, by position. */
#ifndef PF_CONVERTER_VALUING_H
#define PF_CONVERTER_VALUING_H

#include "converter/building.h"

/* Fills in the values of the records of FUNCTION.  PF_ENOMEM. */
int pf_valuing_build(const struct pf_building *b, struct pf_function *function);

#endif
