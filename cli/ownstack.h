/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Room to work where the stack is limited to next to nothing (`ulimit -s`). */
#ifndef PF_CLI_OWNSTACK_H
#define PF_CLI_OWNSTACK_H

/* What WORK returns of ARGC and ARGV; it has a stack of at least a mebibyte.  Without memory for that 1, and a sentence
 * on standard error. */
int pf_ownstack_run(int (*work)(int argc, char **argv), int argc, char **argv);

#endif
