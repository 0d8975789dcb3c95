/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs one shell command, tells what it cost, and leaves nothing of it running: neither at its end, nor when its time
 * is over, nor when this process is interrupted or killed. */
#ifndef PF_ANALYSIS_COMMAND_H
#define PF_ANALYSIS_COMMAND_H

#include "analysis/counters.h"
#include "support/error.h"

#include <stdbool.h>
#include <stdint.h>

struct pf_command {
	const char *script;             /* for /bin/sh -c */
	const char *const *arguments;   /* $1 and on, ended by NULL; NULL: none */
	const char *const *environment; /* NAME=VALUE beside the inherited ones, ended by NULL; NULL: none */
	const char *folder;             /* where it runs */
	const char *output;             /* file for its standard output; NULL: goes to the log */
	const char *log;                /* file for its standard error */
	int cpu;                        /* runs there only; -1: anywhere */
	double timeout;                 /* seconds of real time */
	bool count;                     /* what the processor counts, too */
};

struct pf_ending {
	int status; /* as waitpid gives it */
	bool timed_out;
	double user, system; /* seconds, of all processes that it started and waited for */
	double wall;
	uint64_t peak_kb;               /* of the largest process */
	struct pf_counter_sums counted; /* of all processes, as far as the machine counts */
};

/* From now on SIGINT, SIGTERM and SIGHUP (unless that is ignored) end the running command and make
 * pf_command_interrupted true.  To be called once, before the first command; SIGCHLD must not be ignored. */
void pf_command_attend(void);

/* The number of such a signal that has come; 0 if none has. */
int pf_command_interrupted(void);

/* Runs COMMAND to its end; its standard input is empty.  PF_OK however it ended; PF_EIO if it could not be started or
 * was interrupted.  After pf_command_interrupted nothing is started. */
int pf_command_run(const struct pf_command *command, struct pf_ending *ending, struct pf_error *error);

/* Whether it ended by itself with status 0. */
bool pf_ending_good(const struct pf_ending *ending);

#define PF_ENDING_TEXT 2400 /* bytes that hold any description */

/* How it ended, in words ("ended with status 3", "was ended by signal 11 (Segmentation fault)", "did not end in 60
 * seconds"), and with the last lines of LOG if there are any. */
void pf_ending_describe(const struct pf_ending *ending, double timeout, const char *log, char *text, unsigned size);

#endif
