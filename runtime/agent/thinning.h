/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which of many short commands are started with the recorder: see thinning.c. */
#ifndef PF_AGENT_THINNING_H
#define PF_AGENT_THINNING_H

#include "runtime/agent/wire.h"

/* What is executed, as a caller of execve and what it has become both see it. */
struct pf_command {
	uint64_t program; /* the file, as it is now, and the name it is called by; 0: nothing is known */
	uint64_t whole;   /* that, and all arguments */
};

/* The command that executing PATH with ARGUMENTS (ended by NULL) is; the path as seen from the working folder.  Makes
 * one system call, newfstatat. */
struct pf_command pf_thinning_name(const char *path, char *const arguments[]);

/* Is COMMAND, which is about to be executed, to go with the recorder?  0: no, which is counted.  Else yes, and this is
 * the number of such commands that it stands for. */
uint32_t pf_thinning_decide(struct pf_control *control, const struct pf_command *command);

/* Called once in what has been executed with the recorder: the number of commands that it stands for, as decided;
 * 1 where nobody decided. */
uint32_t pf_thinning_begin(struct pf_control *control, const struct pf_command *command);

/* COMMAND has ended in an orderly way and was brief. */
void pf_thinning_was_brief(struct pf_control *control, const struct pf_command *command);

/* COMMAND is not brief: it has used time, or has threads or children, or becomes another program. */
void pf_thinning_lasts(struct pf_control *control, const struct pf_command *command);

#endif
