/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of recordings. */
#ifndef PF_CLI_RECORDNAME_H
#define PF_CLI_RECORDNAME_H

/* PATTERN with %p as this process's number, %t as the local date and time (20261122-080500), %h as the host's name and
 * %% as a per cent sign; anything else stays.  The caller's, to free; NULL when out of memory. */
char *pf_record_name(const char *pattern);

#endif
