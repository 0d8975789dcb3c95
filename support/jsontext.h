/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all JSON is written with that pathfdo prints: whole in a buffer first, so that what could not be made is never
 * half printed.  jansson is for JSON that is read again (the records of `compare`); it knows no count above INT64_MAX
 * and no name that is not UTF-8. */
#ifndef PF_SUPPORT_JSONTEXT_H
#define PF_SUPPORT_JSONTEXT_H

#include "support/buffer.h"

#include <stdbool.h>
#include <stdint.h>

/* Appends STRING with its quotes.  Bytes that are no UTF-8 become U+FFFD. */
void pf_json_put_string(struct pf_buffer *out, const char *string);

/* Whether STRING arrives as it is: it is UTF-8.  To be asked where somebody will open the file that it names. */
bool pf_json_is_exact(const char *string);

/* Append a field of an object behind another: a comma, KEY, a colon, and the value. */
void pf_json_put_field(struct pf_buffer *out, const char *key, const char *value);
void pf_json_put_count(struct pf_buffer *out, const char *key, uint64_t value);
void pf_json_put_flag(struct pf_buffer *out, const char *key, bool value);

#endif
