/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See wholefile.h.  The hard case is a file that has no size beforehand, such as a pipe or what is in /proc. */
#include "support/wholefile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int pf_wholefile_read(const char *path, struct pf_buffer *bytes, struct pf_error *error)
{
	FILE *file = fopen(path, "rb");
	char piece[65536];
	size_t got;
	int status = PF_OK;

	if (!file)
		return pf_fail(error, PF_EIO, "%s: cannot be opened: %s", path, strerror(errno));
	while ((got = fread(piece, 1, sizeof piece, file)) > 0 && !bytes->failed)
		pf_buffer_bytes(bytes, piece, got);
	if (ferror(file))
		status = pf_fail(error, PF_EIO, "%s: cannot be read: %s", path, strerror(errno));
	else if (bytes->failed)
		status = pf_fail(error, PF_ENOMEM, "%s: out of memory", path);
	fclose(file);
	return status;
}
