/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the event that records hardware branch stacks on this machine. */
#ifndef PF_RUNTIME_LBR_H
#define PF_RUNTIME_LBR_H

#include "support/error.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#define PF_LBR_NAME_SIZE 96

/* Fills ATTR for taken branches with their branch stack, user space only, FREQUENCY samples a second (where the
 * hardware takes a frequency; else a fixed period), and NAME with the event as perf spells it.  EVENT is a name that
 * libpfm4 knows, or NULL for the first of the known ones that opens here.  PF_EUNSUPPORTED: none does, the text says
 * why and what would change it; PF_ENOTFOUND: EVENT is not a known name; PF_EIO. */
int pf_lbr_choose(struct perf_event_attr *attr, char name[PF_LBR_NAME_SIZE], const char *event, uint32_t frequency,
		  struct pf_error *error);

#endif
