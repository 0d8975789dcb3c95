/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of formats.  A new one is a writer and a row.  Hard case: a writer that fails half-way must leave no file,
 * so all of it is made in memory first. */
#include "profile/exporting.h"
#include "profile/export-folded.h"
#include "profile/export-llvm.h"
#include "profile/export-pprof.h"
#include "profile/gcov-write.h"
#include "support/outfile.h"

#include <string.h>

const struct pf_export_format pf_export_formats[] = {
	{ "gcov", "GCC 12's own AutoFDO file, for gcc -fauto-profile=FILE", pf_gcov_write },
	{ "gcov-13", "the same for GCC 13", pf_gcov_write_13 },
	{ "gcov-14", "the same for GCC 14", pf_gcov_write_13 },
	{ "gcov-15", "the same for GCC 15", pf_gcov_write_13 },
	{ "gcov-16", "the same for GCC 16", pf_gcov_write_16 },
	{ "llvm", "LLVM's sample profile as text, for clang -fprofile-sample-use=FILE", pf_export_llvm },
	{ "pprof", "pprof's profile.proto, for `go tool pprof` and other viewers", pf_export_pprof },
	{ "folded", "folded stacks, for flamegraph.pl and other viewers", pf_export_folded },
	{ 0 },
};

const struct pf_export_format *pf_export_find(const char *name)
{
	for (const struct pf_export_format *format = pf_export_formats; format->name; format++) {
		if (strcmp(format->name, name) == 0)
			return format;
	}
	return NULL;
}

int pf_export_write(const struct pf_profile *profile, const char *source, const struct pf_export_format *format,
		    const char *path, struct pf_buffer *notes, struct pf_error *error)
{
	struct pf_buffer out = { 0 };
	struct pf_error inner = { 0 };
	int status = format->write(profile, &out, notes, &inner);

	if (status < 0)
		pf_fail(error, status, "%s: %s", source, inner.text);
	else if (out.failed || notes->failed)
		status = pf_fail(error, PF_ENOMEM, "%s: out of memory for the %s file", source, format->name);
	else
		status = pf_outfile_write(path, out.data, out.size, error);
	pf_buffer_fini(&out);
	return status;
}
