/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds one variant: a fresh copy of the sources, always in the same folder, compiled with the flags that it is about;
 * and then looks whether the result is what was asked for. */
#ifndef PF_ANALYSIS_VARIANT_H
#define PF_ANALYSIS_VARIANT_H

#include "analysis/contest.h"

/* The compilers: the environment's CC, CXX and FC, or GCC's. */
const char *pf_variant_compiler(const char *variable);

/* Builds BUILD with FLAGS beside the plan's, and LINK_FLAGS in LDFLAGS, unless it is there already.  INPUT is the
 * digest of what the flags refer to (a profile, counts).  What goes wrong with the build itself drops the entry: it
 * fails, leaves no program, ignores CFLAGS, finds no counts, or a profile that matches nothing.  PF_EIO and the like
 * are for what concerns all. */
int pf_variant_build(struct pf_contest *contest, unsigned build, const char *flags, const char *link_flags,
		     uint64_t input, struct pf_error *error);

#endif
