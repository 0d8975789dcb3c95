/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a source is still the one that was compiled: lines of another one are beside other counts. */
#ifndef PF_CLI_SOURCE_AGE_H
#define PF_CLI_SOURCE_AGE_H

#include "profile/model.h"

#include <time.h>

/* What is said of a newer source. */
#define PF_SOURCE_AGE_NEWER                                                                                            \
	"the source is newer than what was profiled; where it has been edited, counts are at wrong lines"

/* When the youngest of the binaries that PROFILE was recorded of was made, as far as they are here, by their build-ids;
 * else when FILE, which holds it, was.  Zero: not known, as of a pipe. */
struct timespec pf_source_age_of_profile(const struct pf_profile *profile, const char *file);

/* When FILE was made; zero if that is not known. */
struct timespec pf_source_age_of_file(const char *file);

bool pf_source_age_is_later(struct timespec a, struct timespec b);

#endif
