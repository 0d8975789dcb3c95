/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text that `perf script --show-mmap-events` prints of a recording, as events of a perf.data file. */
#ifndef PF_PERFDATA_PERF_SCRIPT_H
#define PF_PERFDATA_PERF_SCRIPT_H

#include "perfdata/perf-reader.h"
#include "perfdata/script-words.h"

/* Whether FILE is text: its beginning has no other bytes. */
bool pf_script_is_text(struct pf_perf_file *file);

/* The next line of FILE, which is text, without its end, at *OFFSET: 1, 0 at the end, PF_EFORMAT (too long, or the
 * last one was cut short: it has no end), PF_EIO. */
int pf_script_line(struct pf_perf_file *file, struct pf_words *line, uint64_t *offset, struct pf_error *error);

/* Takes FILE as such a text and finds its events, which become its attrs.  PF_EFORMAT (it has no samples, or none that
 * could be placed: the text says how to print it), PF_ENOMEM, PF_EIO. */
int pf_script_open(struct pf_perf_file *file, struct pf_error *error);

/* As pf_perf_next. */
int pf_script_next(struct pf_perf_file *file, struct pf_event *event, struct pf_error *error);

#endif
