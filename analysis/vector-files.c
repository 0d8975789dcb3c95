/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See vector-files.h.  The hard case is a recording that is named twice, by whatever name: it would count double. */
#include "analysis/vector-files.h"
#include "converter/duplicates.h"

static int read_one(struct pf_traffic *t, const char *file, const struct pf_intake_options *options,
		    struct pf_error *error)
{
	struct pf_recording recording = { 0 };
	int status = pf_intake_file(t, file, options, &recording, error);

	pf_recording_fini(&recording);
	return status;
}

int pf_vector_files_read(struct pf_traffic *t, const char *const *files, size_t count, enum pf_weighting weighting,
			 const struct pf_listener *listener, struct pf_error *error)
{
	const struct pf_intake_options options = { .weighting = weighting, .listener = listener };
	struct pf_known_files known = { 0 };
	int status = PF_OK;

	for (size_t i = 0; i < count && status == PF_OK; i++) {
		status = pf_known_files_add(&known, files[i], error);
		if (status == PF_OK)
			status = read_one(t, files[i], &options, error);
	}
	pf_known_files_fini(&known);
	pf_traffic_settle(t);
	return status;
}
