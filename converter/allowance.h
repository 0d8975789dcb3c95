/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processor time of the process in which debug information is read, by the size of that. */
#ifndef PF_CONVERTER_ALLOWANCE_H
#define PF_CONVERTER_ALLOWANCE_H

#include <stdint.h>

/* Limits this process to what SIZE bytes of debug information can take. */
void pf_allowance_set(uint64_t size);

/* Gives it, if it is limited, what SIZE more bytes can take. */
void pf_allowance_raise(uint64_t size);

#endif
