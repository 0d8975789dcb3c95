/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The environment of a program that is executed: with the recorder or without.  All of it may be called in the child of
 * vfork or in a signal handler, so what is changed is made on the caller's stack. */
#ifndef PF_AGENT_ENVIRONMENT_H
#define PF_AGENT_ENVIRONMENT_H

#include "runtime/agent/again.h"

#include <stdbool.h>
#include <stddef.h>

/* What an environment says of the recorder, and what is to become of it. */
struct pf_environment {
	char *const *given;
	size_t count;        /* entries */
	const char *preload; /* its LD_PRELOAD=..., or NULL */
	const char *own;     /* the recorder's item in there, or NULL */
	size_t own_length;
	const char *folder;   /* its PATHFDO_DIR=..., or NULL */
	const char *again;    /* its PATHFDO_AGAIN=..., or NULL */
	struct pf_again last; /* what that says, or what this process began with; what is to be said if it LACKS */
	bool traced;          /* the loader is to list what it would load, and to run nothing */
	bool shown;           /* somebody is to be shown what the loader does (LD_DEBUG, sotruss) */
	bool lacks;           /* it has not what this process began with, and could have it */
	bool changes; /* set by who knows the program: the recorder is to be put in if it LACKS, else taken out */
};

/* The value of the variable NAME in ENVIRONMENT, or NULL. */
const char *pf_environment_value(char *const environment[], const char *name);

/* At a program's start: its recording's FOLDER, as its environment names it, and the value of PATHFDO_AGAIN there, or
 * NULL.  What began without a folder has nothing to give. */
void pf_environment_begin(const char *folder, const char *again);

/* Looks at GIVEN, NULL for none at all; it says nothing of the recorder where it is no list in memory. */
struct pf_environment pf_environment_of(char *const given[]);

/* The folder of the recording that the program would find with the recorder; "" if none. */
const char *pf_environment_folder(const struct pf_environment *e);

/* Is there a sanitizer's library in LIST, which has blanks or colons in between?  It has to be the first. */
bool pf_environment_sanitizes(const char *list);

/* Entries and bytes for pf_environment_make, at least 1. */
size_t pf_environment_entries(const struct pf_environment *e);
size_t pf_environment_bytes(const struct pf_environment *e);
/* What to execute with: as given, or changed, in LIST and TEXT. */
char *const *pf_environment_make(const struct pf_environment *e, char *list[], char *text);

#endif
