/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See phase-files.h.  All tables stay as they are, so that edges keep their numbers: the hard case would be to find out
 * which of them a phase does not need, and nobody is served by that. */
#include "cli/phase-files.h"

#include "support/outfile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* All events but samples, in their order. */
static int copy_events(struct pf_perf_file *from, struct pf_perf_writer *to, struct pf_error *error)
{
	struct pf_event event;
	int status;

	while ((status = pf_perf_next(from, &event, error)) > 0) {
		if (event.kind == PF_EVENT_SAMPLE || event.kind > PF_EVENT_LOST)
			continue;
		status = pf_perf_write(to, &event, error);
		if (status < 0)
			return status;
	}
	return status;
}

static int copy_build_ids(struct pf_perf_file *from, struct pf_perf_writer *to, struct pf_error *error)
{
	size_t count;
	const struct pf_build_id *ids = pf_perf_build_ids(from, &count);
	int status = PF_OK;

	for (size_t i = 0; status == PF_OK && i < count; i++)
		status = pf_perf_add_build_id(to, &ids[i], error);
	return status;
}

static int create(struct pf_perf_file *from, const char *path, struct pf_perf_writer **to, struct pf_error *error)
{
	const struct perf_event_attr *attr = pf_perf_attr(from, 0);
	struct pf_perf_writer_options options = { .event = pf_perf_event_name(from, 0) };

	options.attr_type = attr->type;
	options.attr_config = attr->config;
	options.sample_type = attr->sample_type;
	options.branch_sample_type = attr->branch_sample_type;
	options.period = attr->sample_period;
	return pf_perf_create(path, &options, to, error);
}

static int write_file(const char *path, const char *name, const struct pf_vectors *vectors, struct pf_error *error)
{
	struct pf_perf_writer *to = NULL;
	struct pf_perf_file *from = NULL;
	int status = pf_perf_open(path, &from, error);

	if (status < 0)
		return status;
	status = create(from, name, &to, error);
	if (status == PF_OK)
		status = copy_events(from, to, error);
	if (status == PF_OK)
		status = copy_build_ids(from, to, error);
	if (status == PF_OK)
		status = pf_perf_set_vectors(to, vectors, error);
	if (status == PF_OK)
		status = pf_perf_commit(to, error);
	else if (to)
		pf_perf_abandon(to);
	pf_perf_close(from);
	return status;
}

static int write_phase(const char *path, const char *prefix, struct pf_vectors *some, const struct pf_vectors *all,
		       const uint32_t *phases, uint32_t number, struct pf_error *error)
{
	char *name = NULL;
	int status;

	some->burst_count = 0;
	for (uint64_t i = 0; i < all->burst_count; i++) {
		if (phases[i] == number)
			some->bursts[some->burst_count++] = all->bursts[i];
	}
	if (!some->burst_count)
		return PF_OK;
	if (asprintf(&name, "%s.%" PRIu32 ".data", prefix, number + 1) < 0)
		return pf_fail(error, PF_ENOMEM, "out of memory for the name of a file");
	status = pf_outfile_spares(name, path, error);
	if (status == PF_OK)
		status = write_file(path, name, some, error);
	free(name);
	return status;
}

int pf_phase_files_write(const char *path, const char *prefix, const struct pf_vectors *vectors, const uint32_t *phases,
			 uint32_t count, struct pf_error *error)
{
	struct pf_vectors some = *vectors;
	int status = PF_OK;

	some.counts = NULL;
	some.count_count = 0;
	some.bursts = calloc(vectors->burst_count + 1, sizeof *some.bursts);
	if (!some.bursts)
		return pf_fail(error, PF_ENOMEM, "out of memory for the bursts of a phase");
	for (uint32_t n = 0; status == PF_OK && n < count; n++)
		status = write_phase(path, prefix, &some, vectors, phases, n, error);
	free(some.bursts);
	return status;
}
