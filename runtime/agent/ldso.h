/* SPDX-License-Identifier: GPL-3.0-or-later */
/* glibc's dynamic loader as a program of its own: what it is told to run (`ld.so ./app`), or to list. */
#ifndef PF_AGENT_LDSO_H
#define PF_AGENT_LDSO_H

#include "runtime/agent/loadable.h"

/* What the loader's command line asks for. */
struct pf_ldso_task {
	const char *program; /* it runs this one; NULL: none, all that it prints is its own */
	const char *preload; /* --preload's list, or NULL */
};

/* WHAT is what a file is that is executed with ARGUMENTS, NULL if they are not known.  Where that is the loader, what
 * it is told to run is returned, and *TASK is all that it is told, else nothing: PF_LOADABLE_LOADER if it runs none,
 * PF_LOADABLE_UNREADABLE if it looks for it among the libraries.  Calls as pf_loadable. */
enum pf_loadable pf_ldso_follow(enum pf_loadable what, char *const arguments[], struct pf_ldso_task *task);

#endif
