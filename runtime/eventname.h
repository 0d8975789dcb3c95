/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of hardware events. */
#ifndef PF_RUNTIME_EVENTNAME_H
#define PF_RUNTIME_EVENTNAME_H

#include "support/error.h"

struct perf_event_attr;

/* Fills in type and config for the event that libpfm4 calls NAME on this processor.  PF_EUNSUPPORTED: it does not know
 * it, or this build has no libpfm4. */
int pf_eventname_encode(struct perf_event_attr *attr, const char *name, struct pf_error *error);

#endif
