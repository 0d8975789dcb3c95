/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The agent as it is put into a running process: its image, carried in this program. */
#ifndef PF_RUNTIME_PAYLOAD_H
#define PF_RUNTIME_PAYLOAD_H

#include "runtime/agent/attached.h"
#include "support/error.h"

#include <stddef.h>

struct pf_payload {
	uint8_t *bytes;    /* malloc's; NULL when there is none */
	size_t size;       /* whole pages */
	uint64_t base;     /* for which it is relocated */
	uint64_t code_end; /* from BASE on: what is to be executed; the rest is data */
	uint64_t words;    /* address of its struct pf_attached */
};

/* Bytes of memory that the image takes. */
size_t pf_payload_size(void);

/* Relocates it for BASE.  PF_ENOMEM. */
int pf_payload_make(struct pf_payload *payload, uint64_t base, struct pf_error *error);
void pf_payload_fini(struct pf_payload *payload);

/* The words, in the copy. */
struct pf_attached *pf_payload_words(const struct pf_payload *payload);

#endif
