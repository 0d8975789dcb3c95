/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of a recording: mostly one, which is given.  Hard case: perf record --threads makes a folder of several, of
 * which one has all but the samples and each of the others is a data section, compressed by itself. */
#include "perfdata/perf-reader.h"
#include "support/recordingpart.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int pf_perf_open_input(struct pf_perf_file *file, const char *path, struct pf_error *error)
{
	char part[PATH_MAX];
	struct stat st;
	int status = PF_EIO;

	if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
		return pf_input_open(&file->input, path, error);
	file->folder = strdup(path);
	if (!file->folder)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", path);
	if (pf_recording_part(path, 0, part))
		status = pf_input_open(&file->input, part, error);
	if (status < 0 && status != PF_ENOMEM)
		status = pf_fail(error, PF_EUNSUPPORTED,
				 "%s: is a directory, and none that perf record --threads makes: there is no file data "
				 "in it that can be read",
				 path);
	if (status < 0)
		free(file->folder);
	return status;
}

int pf_perf_next_part(struct pf_perf_file *file, struct pf_error *error)
{
	char part[PATH_MAX];
	int status;

	if (!file->folder || !pf_recording_part(file->folder, file->parts + 1, part))
		return 0;
	pf_input_close(&file->input);
	pf_inflate_fini(&file->inflate); /* each file is compressed by itself */
	status = pf_input_open(&file->input, part, error);
	if (status < 0)
		return status;
	file->parts++;
	file->data = (struct pf_perf_section) { 0, file->input.size };
	file->next = 0;
	return 1;
}
