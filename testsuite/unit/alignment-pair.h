/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two outlines of one function, the profile's and today's, and how they are aligned. */
#ifndef PF_TESTSUITE_UNIT_ALIGNMENT_PAIR_H
#define PF_TESTSUITE_UNIT_ALIGNMENT_PAIR_H

#include "plugin/align.h"
#include "testsuite/unit/suite.h"

struct pair {
	struct pf_outline profile, today;
	struct pf_alignment a;
};

static inline void release(struct pair *p)
{
	pf_alignment_fini(&p->a);
	pf_outline_fini(&p->profile);
	pf_outline_fini(&p->today);
}

/* The position that was at LINE0 and COLUMN0 is at LINE1 and COLUMN1; its discriminator stays. */
#define CHECK_MOVED(a, line0, column0, line1, column1)                                                                 \
	do {                                                                                                           \
		struct pf_position now_at = { line0, column0, 3 };                                                     \
		pf_align_position(a, &now_at);                                                                         \
		ck_assert_int_eq(now_at.line, line1);                                                                  \
		ck_assert_uint_eq(now_at.column, column1);                                                             \
		ck_assert_uint_eq(now_at.discriminator, 3);                                                            \
	} while (0)

#endif
