/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which profile a unit was compiled for.  GCC writes its options into DW_AT_producer (-grecord-gcc-switches, which is
 * the default), those of plugins among them. */
#ifndef PF_CONVERTER_PRODUCER_H
#define PF_CONVERTER_PRODUCER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pf_made {
	PF_MADE_OTHERWISE = 0, /* by another compiler, or by an assembler */
	PF_MADE_SILENTLY,      /* by GCC, which did not write down how */
	PF_MADE_PLAINLY,       /* for no profile */
	PF_MADE_IDLY,          /* for a profile, but without optimisation, where it is not used */
	PF_MADE_FOR_PROFILE,
	PF_MADE_BY_LINK,         /* with -flto; of units that are there themselves */
	PF_MADE_BY_PLUGGED_LINK, /* that had the plugin */
	PF_MADE_COUNT
};

struct pf_producer {
	enum pf_made made;
	const char *profile; /* its name, of PROFILE_SIZE bytes of the text that was read; NULL: none is named */
	size_t profile_size;
	uint32_t hash; /* that the flags give it; 0: none */
};

/* Reads the text of a DW_AT_producer; NULL if the unit has none. */
struct pf_producer pf_producer_read(const char *text);

#endif
