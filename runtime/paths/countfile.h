/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that instrumented programs write when they end: MODULE.PID.SUFFIX, in the folder that the process began in,
 * or in PATHFDO_OUTPUT.  Linked into instrumented modules: no heap, no stdio but for one line when writing fails, no
 * lock that a signal handler or a child of fork could find taken for ever; no name of it is visible outside. */
#ifndef PF_RUNTIME_COUNTFILE_H
#define PF_RUNTIME_COUNTFILE_H

#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>

struct pf_count_file {
	const char *suffix;   /* of the file's name, which also says what is in it */
	void (*put)(void);    /* puts all of the file, by the functions below */
	void (*forget)(void); /* in a child of fork, whose counts so far are its parent's: sets all to zero */
	char saved_as[PATH_MAX + 512];
	struct pf_count_file *next;
};

/* To be called when the module is loaded, once for each file. */
void pf_count_file_begin(struct pf_count_file *f);

/* Writes the file, or anew what was written before: in the process of the counts alone, whatever calls.  In front of
 * pf_count_file_begin it does nothing. */
void pf_count_file_save(struct pf_count_file *f);

/* Between the two no signal's handler runs in this thread, which could leave it by a longjmp, and it is not cancelled.
 */
struct pf_count_quiet {
	sigset_t signals;
	int cancels;
};
void pf_count_quiet_begin(struct pf_count_quiet *before);
void pf_count_quiet_end(const struct pf_count_quiet *before);

/* What every file begins with: MAGIC, VERSION, the process, LOST executions that there was no memory to count, the
 * module's name, and what was measured besides ("" for nothing). */
void pf_count_put_head(const char magic[8], uint64_t version, uint64_t lost, const char *metric);

void pf_count_put_bytes(const void *bytes, size_t size);
void pf_count_put_u64(uint64_t value);
void pf_count_put_uleb(uint64_t value);

#endif
