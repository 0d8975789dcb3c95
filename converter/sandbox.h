/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The process in which debug information is read (pf_source_read in source.h). */
#ifndef PF_CONVERTER_SANDBOX_H
#define PF_CONVERTER_SANDBOX_H

#include <stdint.h>

/* Gives this process, if its processor time is limited, what SIZE more bytes of debug information can take. */
void pf_sandbox_allow(uint64_t size);

#endif
