/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An open .pfdo file as bytes: chunks, blocks, frames and strings, each checked when it is first touched. */
#ifndef PF_PROFILE_PFDO_FILE_H
#define PF_PROFILE_PFDO_FILE_H

#include "profile/pfdo-format.h"
#include "profile/pfdo.h"

struct pf_pfdo_part {
	uint64_t offset, size; /* in the file, which they do not exceed */
	uint32_t crc;
	uint8_t *checked; /* a bit for each block that was found good; NULL until the first */
};

struct pf_pfdo {
	char *path;
	const uint8_t *data;
	size_t size;
	bool mapped; /* by mmap, or else by malloc */
	enum pf_count_unit unit;
	struct pf_summary summary;
	struct pf_agreement agreement;
	struct pf_pfdo_part parts[PF_CHUNK_COUNT];
};

/* Gives a cursor over SIZE bytes at OFFSET of CHUNK, whose blocks are checked.  PF_EFORMAT, PF_ENOMEM. */
int pf_pfdo_view(struct pf_pfdo *file, enum pf_pfdo_chunk chunk, uint64_t offset, uint64_t size,
		 struct pf_cursor *cursor, struct pf_error *error);

/* Gives a cursor over the payload of the frame at OFFSET of CHUNK, and the offset behind it in *END (which may be
 * NULL).  PF_EFORMAT. */
int pf_pfdo_frame(struct pf_pfdo *file, enum pf_pfdo_chunk chunk, uint64_t offset, struct pf_cursor *payload,
		  uint64_t *end, struct pf_error *error);

/* The string at OFFSET of the string table; CLOSURE is the pf_pfdo. */
const char *pf_pfdo_string(void *closure, uint64_t offset, struct pf_error *error);

/* PF_EFORMAT: what is wrong at OFFSET of the file, and the cure. */
int pf_pfdo_damaged(const char *path, uint64_t offset, const char *what, struct pf_error *error);

#endif
