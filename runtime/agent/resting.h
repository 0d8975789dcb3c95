/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of the recorder's own that the processor runs in one go in a whole run.  See resting.c. */
#ifndef PF_AGENT_RESTING_H
#define PF_AGENT_RESTING_H

#include <stdint.h>

/* Behind an exported function that returns once, has no arguments on the stack, calls nothing of the program's, and
 * makes no system call after which a signal's return may be forbidden: a whole run takes no steps in it. */
#define PF_RESTS(name)                                                                                                 \
	__asm__(".pushsection pf_resting, \"a\"\n\t.long " #name " - .\n\t.long pf_resting_call - .\n\t.popsection")

/* Where the program is to go instead, with PC in r11, if PC is the entry of such a function; else 0. */
uint64_t pf_resting_instead(uint64_t pc);

/* rt_sigprocmask(2) for the program, of which OLD may be no memory: a negative errno on failure. */
long pf_resting_mask(int how, const uint64_t *new, uint64_t *old);

#endif
