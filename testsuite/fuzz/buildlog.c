/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as the report of a build.  What is taken for sound must be lists in order, of names that are there. */
#include "analysis/buildlog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_list(const struct pf_buildlog_list *list, int with_place)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct pf_buildlog_item *item = &list->items[i];

		if (!item->name || !item->place != !with_place || (i && item[-1].count < item->count))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pf_buildlog log;
	struct pf_error error = { 0 };
	char path[32];
	int file = memfd_create("report", 0), status;

	if (file < 0 || write(file, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	status = pf_buildlog_read(path, &log, &error);
	close(file);
	if (status != PF_OK && (error.code != status || !*error.text || log.files || log.refusals.count))
		abort();
	check_list(&log.stale_functions, 1);
	check_list(&log.matched_functions, 1);
	check_list(&log.refusals, 0);
	pf_buildlog_fini(&log);
	return 0;
}
