/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What this machine is, as far as recording depends on it. */
#ifndef PF_RUNTIME_MACHINE_H
#define PF_RUNTIME_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PF_MACHINE_VALUE 512

struct pf_fact {
	const char *name; /* static; lower case, words joined by '_' */
	char value[PF_MACHINE_VALUE];
};

#define PF_MACHINE_FACTS 14

/* Fills FACTS in a fixed order and returns how many there are, at most PF_MACHINE_FACTS. */
size_t pf_machine_facts(struct pf_fact facts[PF_MACHINE_FACTS]);

/* Ticks of the kernel in a second (CONFIG_HZ): timers of CPU time, which soft uses, expire at ticks only, so that a
 * thread gives at most so many bursts in a second.  0: the kernel does not say. */
uint32_t pf_machine_tick(void);

/* Do processor and kernel let programs read and write segment bases by instruction? */
bool pf_machine_has_fsgsbase(void);

/* Do they save the state of vector units by XSAVE? */
bool pf_machine_has_xsave(void);

#endif
