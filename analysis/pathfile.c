/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See pathfile.h.  The hard case is a file of another build, in which every number would mean another path: the
 * build-id tells, and where there is none the number of each function's paths. */
#include "analysis/pathfile.h"
#include "analysis/textfile.h"

#include <inttypes.h>
#include <stdio.h>

#define VERSION 1

static int fail_line(const struct pf_textfile *t, const char *what, struct pf_error *error)
{
	return pf_fail(error, PF_EFORMAT, "%s:%" PRIu64 ": %s; write it by pathfdo paths -o", t->path, t->number, what);
}

static int read_header(struct pf_textfile *t, struct pf_error *error)
{
	uint64_t version;
	const char *at;
	int status = pf_textfile_next(t, error);

	if (status < 0)
		return status;
	at = status > 0 ? t->line : "";
	if (!pf_textfile_word(&at, "pathfdo-paths ") || !pf_textfile_number(&at, 10, &version))
		return fail_line(t, "this is no path profile", error);
	return version == VERSION ? PF_OK
				  : pf_fail(error, PF_EVERSION,
					    "%s: version %" PRIu64 " of path profiles; this pathfdo "
					    "reads version 1",
					    t->path, version);
}

static int read_function(struct pf_pathfile *f, const struct pf_textfile *t, const char *at, struct pf_error *error)
{
	struct pf_pathfile_function *new = pf_array_push(&f->functions);

	if (!new)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", t->path);
	new->line = t->number;
	return pf_textfile_number(&at, 16, &new->address) && pf_textfile_number(&at, 10, &new->paths) && *at == ' '
		   ? PF_OK
		   : fail_line(t, "a function needs an address, a number of paths and a name", error);
}

static int read_count(struct pf_pathfile *f, const struct pf_textfile *t, struct pf_error *error)
{
	struct pf_pathfile_count *new = pf_array_push(&f->counts);
	const char *at = t->line;
	uint64_t whole;
	double digit = 0.1;

	if (!new)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", t->path);
	if (f->functions.count == 0)
		return fail_line(t, "a path stands under no function", error);
	new->function = f->functions.count - 1;
	if (!pf_textfile_number(&at, 10, &new->number) || !pf_textfile_number(&at, 10, &whole))
		return fail_line(t, "a path needs its number and its count", error);
	if (new->number >= f->functions.at[new->function].paths)
		return fail_line(t, "the function has not so many paths", error);
	new->count = (double)whole;
	if (*at == '.') {
		for (at++; *at >= '0' && *at <= '9'; at++, digit /= 10)
			new->count += digit *(*at - '0');
	}
	return *at ? fail_line(t, "something stands behind a count", error) : PF_OK;
}

static int read_lines(struct pf_pathfile *f, struct pf_textfile *t, struct pf_error *error)
{
	int status = read_header(t, error);

	if (status < 0)
		return status;
	while ((status = pf_textfile_next(t, error)) > 0) {
		const char *at = t->line;

		if (pf_textfile_word(&at, "build-id "))
			snprintf(f->build_id, sizeof f->build_id, "%s", at);
		else if (pf_textfile_word(&at, "function "))
			status = read_function(f, t, at, error);
		else
			status = read_count(f, t, error);
		if (status < 0)
			return status;
	}
	return status;
}

int pf_pathfile_parse(struct pf_pathfile *f, const void *bytes, size_t size, const char *path, struct pf_error *error)
{
	struct pf_textfile t;
	int status;

	*f = (struct pf_pathfile) { 0 };
	pf_textfile_over(&t, bytes, size, path);
	status = read_lines(f, &t, error);
	pf_textfile_close(&t);
	return status;
}

int pf_pathfile_read(struct pf_pathfile *f, const char *path, struct pf_error *error)
{
	struct pf_textfile t;
	int status = pf_textfile_open(&t, path, error);

	*f = (struct pf_pathfile) { 0 };
	if (status == PF_OK)
		status = read_lines(f, &t, error);
	pf_textfile_close(&t);
	return status;
}

void pf_pathfile_fini(struct pf_pathfile *f)
{
	pf_array_fini(&f->functions);
	pf_array_fini(&f->counts);
}

static void id_of(const struct pf_path_profile *p, char text[41])
{
	const struct pf_elf *elf = &p->walk.subject->module.binary.elf;

	pf_build_id_text(elf->build_id, elf->build_id_size, text);
	if (elf->build_id_size == 0)
		strcpy(text, "-");
}

/* The function of the subject that F means. */
static int bind(const struct pf_pathfile_function *f, const char *path, struct pf_path_profile *p, uint32_t *index,
		struct pf_error *error)
{
	const struct pf_pathnumber *n;

	*index = pf_subject_find(p->walk.subject, f->address);
	if (*index == PF_NO_FUNCTION || p->walk.subject->functions.at[*index].entry != f->address)
		return pf_fail(error, PF_EMISMATCH, "%s:%" PRIu64 ": no function begins at %#" PRIx64 " of %s", path,
			       f->line, f->address, p->walk.subject->module.binary.elf.path);
	n = pf_walk_numbers(&p->walk, *index);
	if (!n)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", path);
	return n->count == f->paths
		   ? PF_OK
		   : pf_fail(error, PF_EMISMATCH, "%s:%" PRIu64 ": the function has %" PRIu64 " paths in %s", path,
			     f->line, n->count, p->walk.subject->module.binary.elf.path);
}

int pf_pathfile_load(const struct pf_pathfile *f, const char *path, struct pf_path_profile *p, struct pf_error *error)
{
	uint32_t *indices = calloc(f->functions.count + 1, sizeof *indices);
	int status = indices ? PF_OK : pf_fail(error, PF_ENOMEM, "%s: out of memory", path);
	char id[41];

	id_of(p, id);
	if (status == PF_OK && strcmp(f->build_id, id) != 0)
		status = pf_fail(error, PF_EMISMATCH, "%s: is of another binary (build-id %s; %s has %s)", path,
				 f->build_id, p->walk.subject->module.binary.elf.path, id);
	for (size_t i = 0; i < f->functions.count && status == PF_OK; i++)
		status = bind(&f->functions.at[i], path, p, &indices[i], error);
	for (size_t i = 0; i < f->counts.count && status == PF_OK; i++) {
		const struct pf_pathfile_count *c = &f->counts.at[i];

		if (pf_path_profile_count(p, indices[c->function], c->number, c->count) < 0)
			status = pf_fail(error, PF_ENOMEM, "%s: out of memory", path);
	}
	free(indices);
	return status;
}

void pf_pathfile_put(struct pf_buffer *out, struct pf_path_profile *p)
{
	struct pf_path_flow *flows = calloc(p->flows.count + 1, sizeof *flows);
	uint32_t function = PF_NO_FUNCTION;
	char id[41];

	id_of(p, id);
	out->failed |= !flows;
	pf_buffer_printf(out, "pathfdo-paths %d\nbuild-id %s\n", VERSION, id);
	if (flows && p->flows.count > 0) {
		memcpy(flows, p->flows.at, p->flows.count * sizeof *flows);
		qsort(flows, p->flows.count, sizeof *flows, pf_path_flow_compare);
	}
	for (size_t i = 0; flows && i < p->flows.count; i++) {
		const struct pf_subject_function *f = &p->walk.subject->functions.at[flows[i].function];

		if (flows[i].function != function)
			pf_buffer_printf(out, "function %" PRIx64 " %" PRIu64 " %.*s\n", f->entry,
					 p->walk.numbers[flows[i].function].count, (int)f->name_size, f->name);
		function = flows[i].function;
		pf_buffer_printf(out, "%" PRIu64 " %.4f\n", flows[i].number, flows[i].weight);
	}
	free(flows);
}
