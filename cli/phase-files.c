/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See phase-files.h.  All tables stay as they are, so that edges keep their numbers: the hard case would be to find out
 * which of them a phase does not need, and nobody is served by that. */
#include "cli/phase-files.h"

#include "analysis/hotspot-phases.h"

#include "support/outfile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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

/* Puts the bursts of ALL that are of phase NUMBER into SOME, which has room for all. */
static void choose(struct pf_vectors *some, const struct pf_vectors *all, const uint32_t *phases, uint32_t number)
{
	some->burst_count = 0;
	for (uint64_t i = 0; i < all->burst_count; i++) {
		if (phases[i] == number)
			some->bursts[some->burst_count++] = all->bursts[i];
	}
}

/* As ALL, without bursts, with room for all of them. */
static int make_room(struct pf_vectors *some, const struct pf_vectors *all, struct pf_error *error)
{
	*some = *all;
	some->counts = NULL;
	some->count_count = 0;
	some->bursts = calloc(all->burst_count + 1, sizeof *some->bursts);
	return some->bursts ? PF_OK : pf_fail(error, PF_ENOMEM, "out of memory for the bursts of a phase");
}

static char *name_of(const char *prefix, uint32_t number, struct pf_error *error)
{
	char *name = NULL;

	if (asprintf(&name, "%s.%" PRIu32 ".data", prefix, number + 1) >= 0)
		return name;
	pf_fail(error, PF_ENOMEM, "out of memory for the name of a file");
	return NULL;
}

/* Who converts all files of the prefix would take NAME for a phase of the recording PATH. */
static bool warn_of_old(const char *name, const char *path)
{
	struct pf_error ignored;
	bool old = access(name, F_OK) == 0;

	if (old && pf_outfile_spares(name, path, &ignored) == PF_OK)
		fprintf(stderr, "pathfdo hotspots: warning: %s is of another recording: this one has no such phase\n",
			name);
	return old;
}

/* Whether there is a file of phase NUMBER then, of whichever recording, goes to *THERE. */
static int write_phase(const char *path, const char *prefix, struct pf_vectors *some, const struct pf_vectors *all,
		       const uint32_t *phases, uint32_t number, bool *there, struct pf_error *error)
{
	char *name = name_of(prefix, number, error);
	int status = name ? PF_OK : PF_ENOMEM;

	choose(some, all, phases, number);
	*there = some->burst_count || (name && warn_of_old(name, path));
	if (status == PF_OK && some->burst_count)
		status = pf_outfile_keeps(name, path, error);
	if (status == PF_OK && some->burst_count)
		status = write_file(path, name, some, error);
	free(name);
	return status;
}

/* Behind the last phase, files that an earlier call left are looked for until there is none. */
int pf_phase_files_write(const char *path, const char *prefix, const struct pf_vectors *vectors, const uint32_t *phases,
			 uint32_t count, struct pf_error *error)
{
	struct pf_vectors some;
	bool there = true;
	int status = make_room(&some, vectors, error);

	for (uint32_t n = 0; status == PF_OK && (n < count || there); n++)
		status = write_phase(path, prefix, &some, vectors, phases, n, &there, error);
	free(some.bursts);
	return status;
}

static int write_chosen(const char *path, const char *name, const struct pf_hotspot_run *run,
			const struct pf_vectors *vectors, uint32_t number, struct pf_error *error)
{
	uint32_t *phases = pf_hotspot_phases(run, vectors);
	struct pf_vectors some = { 0 };
	int status =
	    phases ? make_room(&some, vectors, error) : pf_fail(error, PF_ENOMEM, "out of memory for the phases");

	if (status == PF_OK) {
		choose(&some, vectors, phases, number - 1);
		if (some.burst_count)
			status = write_file(path, name, &some, error);
		else
			status = pf_fail(error, PF_ENOTFOUND,
					 "%s: no vector of it is in a hot spot %" PRIu32
					 "; %zu were found: `pathfdo hotspots` "
					 "tells which",
					 path, number, run->detector.spots.count);
	}
	free(some.bursts);
	free(phases);
	return status;
}

int pf_phase_file_write(const char *path, const char *name, uint32_t number, struct pf_error *error)
{
	struct pf_hotspot_run run;
	struct pf_perf_file *file = NULL;
	const struct pf_vectors *vectors;
	int status = pf_hotspot_run_init(&run, &pf_hotspot_defaults, error);

	if (status == PF_OK) {
		const struct pf_branch_sink sink = pf_hotspot_run_sink(&run);

		status = pf_branch_feed_file(&sink, path, &file, &vectors, error);
	}
	if (status == PF_OK)
		status = write_chosen(path, name, &run, vectors, number, error);
	pf_perf_close(file);
	pf_hotspot_run_fini(&run);
	return status;
}
