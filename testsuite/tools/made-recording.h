/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording that a tool of the tests makes of what it knows, as `pathfdo record --source=soft` would have written
 * it. */
#ifndef PF_TESTSUITE_TOOLS_MADE_RECORDING_H
#define PF_TESTSUITE_TOOLS_MADE_RECORDING_H

#include "perfdata/perfdata.h"
#include "perfdata/vectors.h"

#include <linux/perf_event.h>

/* Writes VECTORS to PATH as the recording of COMMAND.  The writer's errors. */
static inline int write_made_recording(const char *path, const char *command, const struct pf_vectors *vectors,
				       struct pf_error *error)
{
	char *argv[] = { (char *)(uintptr_t)command, NULL };
	struct pf_perf_writer_options options = { .event = "pathfdo-soft",
						  .attr_type = PERF_TYPE_SOFTWARE,
						  .attr_config = PERF_COUNT_SW_CPU_CLOCK,
						  .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
						  .period = 1,
						  .command = argv };
	struct pf_perf_writer *writer;
	int status = pf_perf_create(path, &options, &writer, error);

	if (status < 0)
		return status;
	status = pf_perf_set_vectors(writer, vectors, error);
	if (status < 0) {
		pf_perf_abandon(writer);
		return status;
	}
	return pf_perf_commit(writer, error);
}

#endif
