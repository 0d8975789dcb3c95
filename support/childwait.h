/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Around starting a process of our own and waiting for its end: some parents leave us with SIGCHLD ignored, and then
 * how it ended cannot be asked for. */
#ifndef PF_SUPPORT_CHILDWAIT_H
#define PF_SUPPORT_CHILDWAIT_H

#include <signal.h>

/* What becomes of SIGCHLD otherwise. */
struct pf_childwait {
	struct sigaction before;
};

static inline void pf_childwait_begin(struct pf_childwait *wait)
{
	const struct sigaction plain = { .sa_handler = SIG_DFL };

	sigaction(SIGCHLD, &plain, &wait->before);
}

static inline void pf_childwait_end(const struct pf_childwait *wait)
{
	sigaction(SIGCHLD, &wait->before, NULL);
}

#endif
