/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The layout of a .pfdo file as writer and readers share it; doc/pfdo-format.md explains it. */
#ifndef PF_PROFILE_PFDO_FORMAT_H
#define PF_PROFILE_PFDO_FORMAT_H

#include "profile/model.h"
#include "support/buffer.h"
#include "support/cursor.h"

#define PF_PFDO_MAGIC "\x89pfdo\r\n\x1a"
#define PF_PFDO_MAGIC_SIZE 8
#define PF_PFDO_MAJOR 1
#define PF_PFDO_MINOR 7
#define PF_PFDO_HEADER_SIZE 32
#define PF_PFDO_ENTRY_SIZE 32 /* of the chunk table */
#define PF_PFDO_MAX_CHUNKS 64
#define PF_PFDO_BLOCK 1024 /* bytes that one CRC of a PF_CHECK_BLOCKS chunk covers */
#define PF_PFDO_INDEX_HEAD 8
#define PF_PFDO_INDEX_ENTRY 24
#define PF_PFDO_MAX_BUCKET_BITS 24
#define PF_PFDO_COMPILED_ENTRY 8
#define PF_PFDO_RANK_ENTRY 4
#define PF_PFDO_DEFLATE_FROM 512           /* bytes of paths; fewer are stored as they are */
#define PF_PFDO_MAX_PATH_BYTES (64u << 20) /* of one function's paths, inflated */

/* How the bytes of a chunk are checked. */
enum pf_pfdo_check {
	PF_CHECK_WHOLE = 0,  /* the table's CRC covers the chunk */
	PF_CHECK_BLOCKS = 1, /* an array of CRCs behind the chunk covers a block each; the table's CRC covers it */
	PF_CHECK_FRAMES =
	    2, /* each record in the chunk has its own; the table's, of the chunk, is for the hash alone */
};

enum pf_pfdo_chunk {
	PF_CHUNK_SUMMARY,
	PF_CHUNK_PROVENANCE,
	PF_CHUNK_STRINGS,
	PF_CHUNK_FUNCTION_INDEX,
	PF_CHUNK_FUNCTIONS,
	PF_CHUNK_HOST_INDEX,
	PF_CHUNK_HOSTS,
	PF_CHUNK_PATHS,
	PF_CHUNK_COMPILED,  /* since 1.1; left out when it is empty */
	PF_CHUNK_AGREEMENT, /* since 1.2; left out when nothing is known */
	PF_CHUNK_RANKS,     /* since 1.4; left out when there are no functions */
	PF_CHUNK_VALUES,    /* since 1.5; left out when there are none */
	PF_CHUNK_SENSES,    /* since 1.6; left out when there are none */
	PF_CHUNK_ALONE,     /* since 1.7; left out when nothing is known */
	PF_CHUNK_COUNT
};

struct pf_pfdo_chunk_kind {
	char tag[5];
	enum pf_pfdo_check check;
};

/* A lower-case chunk may be passed over by a reader, and so may be absent. */
static inline bool pf_pfdo_may_lack(enum pf_pfdo_chunk chunk)
{
	return chunk == PF_CHUNK_COMPILED || chunk == PF_CHUNK_AGREEMENT || chunk == PF_CHUNK_RANKS ||
	       chunk == PF_CHUNK_VALUES || chunk == PF_CHUNK_SENSES || chunk == PF_CHUNK_ALONE;
}

/* Tag and check of the chunks that this version knows, in the order in which the writer puts them. */
extern const struct pf_pfdo_chunk_kind pf_pfdo_chunk_kinds[PF_CHUNK_COUNT];

/* Appends FUNCTION's record payload to OUT and, when it has paths, their frame to PATHS.  The marks of the interned
 * strings hold their offsets plus one.  PF_ENOMEM, PF_ELIMIT (paths too large). */
int pf_pfdo_encode_function(const struct pf_function *function, struct pf_buffer *out, struct pf_buffer *paths,
			    struct pf_error *error);

/* Appends SIZE bytes to OUT as a frame: length, CRC, bytes. */
void pf_pfdo_append_frame(struct pf_buffer *out, const void *bytes, size_t size);

/* Gives the string at an offset of the string table, or NULL when the offset or the table is damaged (the error is
 * then set); it lives as long as the file. */
typedef const char *pf_pfdo_string_getter(void *closure, uint64_t offset, struct pf_error *error);

/* Gives a cursor over the payload of the path frame at OFFSET.  PF_EFORMAT. */
typedef int pf_pfdo_paths_getter(void *closure, uint64_t offset, struct pf_cursor *frame, struct pf_error *error);

/* Where a function record is decoded from and to. */
struct pf_pfdo_source {
	const char *path; /* for messages */
	void *closure;
	pf_pfdo_string_getter *string;
	pf_pfdo_paths_getter *paths;
};

/* Decodes the record payload under C and appends the function to PROFILE.  PF_EFORMAT, PF_ENOMEM. */
int pf_pfdo_decode_function(const struct pf_pfdo_source *source, struct pf_cursor *c, struct pf_profile *profile,
			    struct pf_error *error);

#endif
