/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs that start themselves anew until their LD_PRELOAD is what they set, or none: given the recorder back each
 * time they would never end.  So who gets it back is written into its environment, and who was given it, and starts
 * the same once more without it, is left alone. */
#ifndef PF_AGENT_AGAIN_H
#define PF_AGENT_AGAIN_H

#include "runtime/agent/thinning.h"

#include <stdbool.h>
#include <stdint.h>

#define PF_AGAIN_NAME "PATHFDO_AGAIN"
#define PF_AGAIN_SIZE (sizeof PF_AGAIN_NAME + 49) /* of an entry of the environment, with its end */

/* The last command that the recorder was given back to. */
struct pf_again {
	struct pf_command command; /* program 0: not known */
	uint32_t pid;              /* of the process that executed it; or, if that spawned one for it, of its parent */
	uint32_t times;            /* that it was given back in this process; 0: never */
};

/* What the variable's VALUE, which may be NULL or anything, says; times 0 if nothing. */
struct pf_again pf_again_read(const char *value);

/* ENTRY becomes the variable that says LAST. */
void pf_again_write(const struct pf_again *last, char entry[PF_AGAIN_SIZE]);

/* Whether COMMAND, which process PID executes without the recorder, may have it back when LAST had; *LAST is that then.
 * It may not where it has been there: the same program in this process, or the same with all its arguments in another;
 * and a process of several programs not for ever. */
bool pf_again_may(struct pf_again *last, const struct pf_command *command, uint32_t pid);

#endif
