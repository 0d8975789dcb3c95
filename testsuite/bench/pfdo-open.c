/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a compile pays for its profile: the time to open a profile of 200,000 functions and to find the 300 functions
 * of a translation unit, as the median of many, and the memory pages touched.  Prints one JSON object; exits with 1
 * when opening and finding takes more than a few milliseconds, whatever the profile's size.
 *
 *     pfdo-open [FUNCTIONS [FILE]] */
#include "profile/pfdo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 51
#define WANTED 300
#define LIMIT_MS 5.0

static double now_ms(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (double)at.tv_sec * 1e3 + (double)at.tv_nsec / 1e6;
}

static void stop(const char *what)
{
	fprintf(stderr, "pfdo-open: %s\n", what);
	exit(2);
}

static void *reserve(struct pf_profile *profile, size_t size)
{
	void *memory = pf_profile_reserve(profile, size);

	if (!memory)
		stop("out of memory");
	return memory;
}

static void name_of(char *name, size_t size, uint32_t index)
{
	snprintf(name, size, "_ZN7company7product%u6module4work%uEPKcRSt6vectorIiSaIiEE", index % 977, index);
}

/* Twenty positions, three inlined callees and two paths, as a function of a large program has. */
static void add_function(struct pf_profile *profile, uint32_t index)
{
	struct pf_function *function = pf_profile_add_function(profile);
	char name[128];

	if (!function)
		stop("out of memory");
	name_of(name, sizeof name, index);
	function->name = pf_profile_intern(profile, name);
	snprintf(name, sizeof name, "/src/module%u/file%u.cc", index % 977, index / 100);
	function->file = pf_profile_intern(profile, name);
	function->line = index % 100 * 50 + 1;
	function->head = index;
	function->node_count = 4;
	function->nodes = reserve(profile, 4 * sizeof *function->nodes);
	for (uint32_t n = 1; n < 4; n++) {
		name_of(name, sizeof name, index / 100 + n);
		function->nodes[n] = (struct pf_node) { .site.line = (int32_t)n * 7,
							.name = pf_profile_intern(profile, name),
							.file = function->file,
							.line = n,
							.entries = index };
	}
	function->record_count = 20;
	function->records = reserve(profile, 20 * sizeof *function->records);
	for (uint32_t r = 0; r < 20; r++)
		function->records[r] =
		    (struct pf_record) { .place = { .node = r / 5, .position = { .line = (int32_t)r, .column = 5 } },
					 .count = index % 1000 + r,
					 .max = index,
					 .instructions = 3 };
	function->path_count = 2;
	function->paths = reserve(profile, 2 * sizeof *function->paths);
	for (uint32_t p = 0; p < 2; p++) {
		function->paths[p] = (struct pf_path) { .count = 9 - p,
							.place_count = 8,
							.places = reserve(profile, 8 * sizeof(struct pf_place)) };
		for (uint32_t i = 0; i < 8; i++)
			function->paths[p].places[i] = function->records[i * (p + 1)].place;
	}
}

static void write_file(uint32_t functions, const char *path)
{
	struct pf_profile *profile = pf_profile_alloc(PF_UNIT_EXECUTIONS);
	struct pf_error error;

	if (!profile)
		stop("out of memory");
	for (uint32_t f = 0; f < functions; f++)
		add_function(profile, f);
	if (pf_pfdo_write(profile, path, &error) != PF_OK)
		stop(error.text);
	pf_profile_free(profile);
}

/* One compile's work: open, look 300 functions up (every third is not there), close. */
static void compile_once(const char *path, uint32_t functions, uint32_t round, double *open_ms, double *all_ms)
{
	double start = now_ms();
	struct pf_profile *profile = pf_profile_alloc(PF_UNIT_EXECUTIONS);
	struct pf_error error;
	struct pf_pfdo *file;
	uint32_t got = 0;

	if (!profile || pf_pfdo_open(path, &file, &error) != PF_OK)
		stop(error.text);
	*open_ms = now_ms() - start;
	for (uint32_t i = 0; i < WANTED; i++) {
		uint32_t index = (round * 7919 + i / 100 * 60000 + i) % functions, first, found;
		char name[128];

		name_of(name, sizeof name, i % 3 == 2 ? functions + i : index);
		if (pf_pfdo_find(file, name, profile, &first, &found, &error) != PF_OK)
			stop(error.text);
		got += found;
	}
	if (got != WANTED / 3 * 2)
		stop("functions are missing");
	pf_pfdo_close(file);
	pf_profile_free(profile);
	*all_ms = now_ms() - start;
}

static int compare_times(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	uint32_t functions = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 200000;
	char made[] = "/tmp/pfdo-open.XXXXXX";
	const char *path = argc > 2 ? argv[2] : made;
	double open_ms[ROUNDS], all_ms[ROUNDS], start;
	struct rusage before, after;
	struct stat st;

	if (functions < 1000)
		stop("at least 1000 functions");
	if (argc <= 2)
		close(mkstemp(made));
	start = now_ms();
	write_file(functions, path);
	start = now_ms() - start;
	getrusage(RUSAGE_SELF, &before);
	compile_once(path, functions, 0, &open_ms[0], &all_ms[0]);
	getrusage(RUSAGE_SELF, &after);
	for (uint32_t round = 0; round < ROUNDS; round++)
		compile_once(path, functions, round, &open_ms[round], &all_ms[round]);
	stat(path, &st);
	qsort(open_ms, ROUNDS, sizeof *open_ms, compare_times);
	qsort(all_ms, ROUNDS, sizeof *all_ms, compare_times);
	printf(
	    "{\"functions\": %u, \"file_mib\": %.1f, \"build_and_write_ms\": %.0f, \"looked_up\": %d,\n"
	    " \"open_ms\": %.3f, \"open_and_find_ms\": %.3f, \"open_and_find_max_ms\": %.3f, \"page_faults\": %ld}\n",
	    functions, (double)st.st_size / 1048576, start, WANTED, open_ms[ROUNDS / 2], all_ms[ROUNDS / 2],
	    all_ms[ROUNDS - 1], after.ru_minflt - before.ru_minflt);
	if (argc <= 2)
		unlink(path);
	return all_ms[ROUNDS / 2] > LIMIT_MS;
}
