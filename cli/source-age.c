/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See source-age.h.  What is left of a compilation is the time of its product.  The hard case is a profile whose binary
 * is not here, or was built again: then it is the profile itself that must be younger than the source. */
#include "cli/source-age.h"
#include "converter/traffic.h"
#include "runtime/buildid.h"
#include "support/filename.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool pf_source_age_is_later(struct timespec a, struct timespec b)
{
	return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

struct timespec pf_source_age_of_file(const char *file)
{
	struct stat st;

	return stat(file, &st) == 0 && S_ISREG(st.st_mode) ? st.st_mtim : (struct timespec) { 0 };
}

/* When the binary of P was made; zero if it is not here. */
static struct timespec age_of_binary(const struct pf_provenance *p)
{
	char path[PATH_MAX], text[41];
	uint8_t id[20];

	snprintf(path, sizeof path, "%.*s", (int)pf_filename_length(p->binary), p->binary);
	if (!*p->build_id)
		return (struct timespec) { 0 };
	pf_build_id_text(id, pf_buildid_read(path, id), text);
	return strcmp(text, p->build_id) == 0 ? pf_source_age_of_file(path) : (struct timespec) { 0 };
}

struct timespec pf_source_age_of_profile(const struct pf_profile *profile, const char *file)
{
	struct timespec youngest = { 0 };

	for (uint32_t i = 0; i < profile->provenance_count; i++) {
		struct timespec age = age_of_binary(&profile->provenances[i]);

		youngest = pf_source_age_is_later(age, youngest) ? age : youngest;
	}
	return youngest.tv_sec ? youngest : pf_source_age_of_file(file);
}
