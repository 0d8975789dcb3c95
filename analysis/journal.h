/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What has been done already: one small JSON file for each finished step, with a key that stands for all that the
 * step's result depends on.  A step whose key is another now was never done. */
#ifndef PF_ANALYSIS_JOURNAL_H
#define PF_ANALYSIS_JOURNAL_H

#include "support/error.h"

#include <jansson.h>
#include <stdint.h>
#include <time.h>

/* The result of STEP under KEY as pf_journal_write was given it, a new reference; NULL if there is none, or the file is
 * damaged: then it must be done. */
json_t *pf_journal_read(const char *folder, const char *step, uint64_t key);

/* Writes it, whole or not at all.  RESULT stays the caller's.  PF_EIO, PF_ENOMEM. */
int pf_journal_write(const char *folder, const char *step, uint64_t key, const json_t *result, struct pf_error *error);

/* Forgets STEP: to be called before what its result stands for is touched, or an interruption would leave a result that
 * is no longer true. */
void pf_journal_forget(const char *folder, const char *step);

/* TEXT as a string of JSON: what a compiler says, or a path, can be cut in the middle of a character or be in Latin 1,
 * and jansson takes nothing but UTF-8.  Each byte that belongs to no character is replaced.  NULL when out of memory.
 */
json_t *pf_journal_text(const char *text);

/* When the last step in FOLDER/STEPS was written: the time of what was measured last; 0 if there is none. */
time_t pf_journal_date(const char *folder, const char *steps);

#endif
