/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See pfdo-format.h.  What writer and readers must have alike: the names of the chunks, and how each is checked. */
#include "profile/pfdo-format.h"

const struct pf_pfdo_chunk_kind pf_pfdo_chunk_kinds[PF_CHUNK_COUNT] = {
	[PF_CHUNK_SUMMARY] = { "SUMM", PF_CHECK_WHOLE },    [PF_CHUNK_PROVENANCE] = { "PROV", PF_CHECK_WHOLE },
	[PF_CHUNK_STRINGS] = { "STRS", PF_CHECK_BLOCKS },   [PF_CHUNK_FUNCTION_INDEX] = { "FIDX", PF_CHECK_BLOCKS },
	[PF_CHUNK_FUNCTIONS] = { "FUNC", PF_CHECK_FRAMES }, [PF_CHUNK_HOST_INDEX] = { "HIDX", PF_CHECK_BLOCKS },
	[PF_CHUNK_HOSTS] = { "HOST", PF_CHECK_FRAMES },     [PF_CHUNK_PATHS] = { "PATH", PF_CHECK_FRAMES },
	[PF_CHUNK_COMPILED] = { "comp", PF_CHECK_BLOCKS },  [PF_CHUNK_AGREEMENT] = { "agre", PF_CHECK_WHOLE },
	[PF_CHUNK_RANKS] = { "rank", PF_CHECK_BLOCKS },     [PF_CHUNK_VALUES] = { "valu", PF_CHECK_BLOCKS },
	[PF_CHUNK_SENSES] = { "sens", PF_CHECK_BLOCKS },    [PF_CHUNK_ALONE] = { "alon", PF_CHECK_WHOLE },
};
