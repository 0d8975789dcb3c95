/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See gcda.h.  A .gcda file has the name of the object file, and of the output where a command compiles and links at
 * once; under another name -fprofile-use silently does nothing.  Two witnesses: the compiler's warning, and the time at
 * which each file was last read, which shows it even where a build silences warnings (-w).  Hard case: a source that is
 * compiled twice, as libtool does, of which only one object is in the program. */
#include "analysis/gcda.h"
#include "analysis/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SUFFIX ".gcda"
#define NOT_FOUND " profile count data file not found"

void pf_gcda_folder(const struct pf_contest *c, char path[PATH_MAX])
{
	pf_plan_path(c->plan, "counts", NULL, path);
}

/* The object's own name in /counts/#tmp#build#dir#object.gcda. */
static const char *object_name(const char *path)
{
	const char *hash = strrchr(path, '#'), *slash = strrchr(path, '/');

	return hash ? hash + 1 : slash ? slash + 1 : path;
}

static bool is_counts(const char *path)
{
	size_t length = strlen(path), end = strlen(SUFFIX);

	/* Those of a configure script's trial programs are no one's. */
	return length > end && strcmp(path + length - end, SUFFIX) == 0 && !strstr(object_name(path), "conftest");
}

/* With a time of reading before that of writing, the next read moves it, also where mounts are relatime. */
static void set_unread(const char *path)
{
	const struct timespec times[2] = { { .tv_sec = 0 }, { .tv_nsec = UTIME_OMIT } };

	utimensat(AT_FDCWD, path, times, 0);
}

static bool was_read(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && st.st_atime != 0;
}

struct prepare {
	uint64_t digest;
	size_t count;
	struct pf_error *error;
};

static int prepare_file(void *context, const char *path)
{
	struct prepare *p = context;
	int status;

	if (!is_counts(path))
		return PF_OK;
	p->count++;
	p->digest = pf_digest_string(p->digest, path);
	status = pf_digest_file(&p->digest, path, p->error);
	set_unread(path);
	return status;
}

int pf_gcda_prepare(const struct pf_contest *c, uint64_t *digest, struct pf_error *error)
{
	struct prepare p = { .digest = PF_DIGEST_START, .error = error };
	char folder[PATH_MAX];
	int status = PF_OK;

	pf_gcda_folder(c, folder);
	if (pf_tree_has(folder))
		status = pf_tree_walk(folder, prepare_file, &p, error);
	*digest = p.digest;
	if (status == PF_OK && p.count == 0)
		return pf_fail(error, PF_EEMPTY, "the training run of the instrumented program left no counts in %s",
			       folder);
	return status;
}

/* Whether reading a file moves its time here: noatime mounts have only the other witness. */
static bool reading_shows(const char *folder)
{
	char path[PATH_MAX], byte;
	bool shows = false;
	int fd;

	snprintf(path, sizeof path, "%.*s/probe", PATH_MAX - 8, folder);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return false;
	if (write(fd, "x", 1) == 1) {
		set_unread(path);
		if (lseek(fd, 0, SEEK_SET) == 0 && read(fd, &byte, 1) == 1)
			shows = was_read(path);
	}
	close(fd);
	unlink(path);
	return shows;
}

/* Looks for a file that was read, or (OBJECT not NULL) one that has this last part of its name. */
struct search {
	const char *object;
};

static int match_file(void *context, const char *path)
{
	const struct search *s = context;

	if (!is_counts(path))
		return 0;
	return s->object ? strcmp(object_name(path), s->object) == 0 : was_read(path);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Whether OBJECT (foo.gcda, or out-foo.gcda of a command that links, or foo.c.gcda) is that of the source BASE. */
static bool belongs(const char *object, const char *base)
{
	const char *dot = strrchr(base, '.');
	size_t stem = dot ? (size_t)(dot - base) : strlen(base), length = strlen(object) - strlen(SUFFIX);

	if (length == strlen(base) && memcmp(object, base, length) == 0)
		return true;
	return length >= stem && memcmp(object + length - stem, base, stem) == 0 &&
	       (length == stem || object[length - stem - 1] == '-');
}

/* The program's unit that a warning is about: SOURCE (SIZE bytes) stands in front of it, but in Fortran's; OBJECT's
 * counts are missing.  NULL if it is none of the program's. */
static const char *find_unit(const struct pf_inspection *in, const char *source, size_t size, const char *object)
{
	for (size_t i = 0; i < in->count; i++) {
		const char *base = base_name(in->units[i].name);

		if ((strlen(base) == size && memcmp(base, source, size) == 0) || belongs(object, base))
			return in->units[i].name;
	}
	return NULL;
}

/* The last part of the name that is quoted, in whatever quotes, in front of END; in OBJECT. */
static bool missing_object(const char *line, const char *end, char *object, size_t size)
{
	const char *suffix = NULL, *from = line;

	for (const char *s = line; (s = strstr(s, SUFFIX)) && s < end; s++)
		suffix = s;
	if (!suffix)
		return false;
	for (const char *s = line; s < suffix; s++) {
		if (*s == '#' || *s == '/')
			from = s + 1;
	}
	return snprintf(object, size, "%.*s" SUFFIX, (int)(suffix - from), from) < (int)size;
}

/* `dir/main.c:2:1: warning: '...#main.gcda' profile count data file not found`: the program's unit that is without its
 * counts, or NULL if that is no loss. */
static const char *find_loss(const char *line, const struct pf_inspection *in, const char *folder)
{
	const char *end = strstr(line, NOT_FOUND), *colon = strchr(line, ':'), *from = line, *unit;
	char object[300];
	struct search s = { object };

	if (!end || !colon || colon > end || !missing_object(line, end, object, sizeof object))
		return NULL;
	for (const char *p = line; p < colon; p++) {
		if (*p == '/')
			from = p + 1;
	}
	unit = find_unit(in, from, (size_t)(colon - from), object);
	/* Another object of the same source has them: libtool compiles twice. */
	return unit && pf_tree_walk(folder, match_file, &s, NULL) == 1 ? NULL : unit;
}

void pf_gcda_check(struct pf_contest *c, const struct pf_inspection *in)
{
	char folder[PATH_MAX], log[PATH_MAX], *line = NULL;
	const char *unit, *example = NULL;
	struct search any = { NULL };
	size_t size = 0, lost = 0;
	FILE *file;

	pf_gcda_folder(c, folder);
	pf_plan_path(c->plan, "logs", "build-instr", log);
	file = fopen(log, "re");
	while (file && getline(&line, &size, file) > 0) {
		unit = find_loss(line, in, folder);
		lost += unit != NULL;
		example = unit ? unit : example;
	}
	free(line);
	if (file)
		fclose(file);
	if (lost > 0)
		pf_contest_drop(
		    c, PF_VARIANT_INSTR,
		    "-fprofile-use found no counts (.gcda) for %zu of the program's sources (%s, for example); "
		    "a command that compiles and links at once puts its output's name into theirs (%s)",
		    lost, example, log);
	else if (reading_shows(folder) && pf_tree_walk(folder, match_file, &any, NULL) != 1)
		pf_contest_drop(
		    c, PF_VARIANT_INSTR,
		    "-fprofile-use read none of the counts (.gcda) in %s; a command that compiles and links "
		    "at once puts its output's name into theirs",
		    folder);
}
