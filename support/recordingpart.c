/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See recordingpart.h.  Hard case: a name that is too long, which names no file. */
#include "support/recordingpart.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

bool pf_recording_part(const char *path, uint32_t number, char part[PATH_MAX])
{
	struct stat st;
	int length;

	if (stat(path, &st) != 0 || (!S_ISDIR(st.st_mode) && number > 0))
		return false;
	if (!S_ISDIR(st.st_mode))
		length = snprintf(part, PATH_MAX, "%s", path);
	else if (number == 0)
		length = snprintf(part, PATH_MAX, "%s/data", path);
	else
		length = snprintf(part, PATH_MAX, "%s/data.%" PRIu32, path, number - 1);
	return length < PATH_MAX && access(part, F_OK) == 0;
}
