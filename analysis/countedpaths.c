/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See countedpaths.h.  Numbers are not in the file but made again from the graphs, and their count is checked.  The
 * hard case is a graph that is none, or so large that its description could not hold it. */
#include "analysis/countedpaths.h"
#include "support/cursor.h"
#include "support/filekind.h"
#include "support/wholefile.h"

#include <inttypes.h>
#include <string.h>

#define MAGIC "PFPATHS"
#define VERSION 2
#define MOST_METRIC 31 /* characters of an event's name */
#define ENTRY 0        /* of each graph, as the compiler has them */
#define EXIT 1
#define EDGE_CUT 1
#define EDGE_STANDS_IN 2

struct reader {
	struct pf_counted *out;
	const char *path;
	struct pf_cursor file;
	const char **names; /* of the unit's source files */
	uint64_t name_count;
	bool measured; /* each path has what it took */
	struct pf_error *error;
};

static int fail_at(const struct reader *r, const struct pf_cursor *c, const char *what)
{
	return pf_fail(r->error, c->failed ? PF_ETRUNCATED : PF_EFORMAT,
		       "%s: offset %" PRIu64 ": %s; run the instrumented program again", r->path, pf_cursor_offset(c),
		       c->failed ? "the file ends too early" : what);
}

static int fail_memory(const struct reader *r)
{
	return pf_fail(r->error, PF_ENOMEM, "%s: out of memory", r->path);
}

bool pf_counted_is(const char *path)
{
	return pf_filekind_begins(path, MAGIC, sizeof MAGIC);
}

static int read_place(const struct reader *r, struct pf_cursor *c, struct pf_counted_line *line)
{
	uint64_t file = pf_cursor_uleb(c), number = pf_cursor_uleb(c);

	if (c->failed || file >= r->name_count || number > UINT32_MAX)
		return fail_at(r, c, "a line of no source file");
	*line = (struct pf_counted_line) { r->names[file], (uint32_t)number };
	return PF_OK;
}

static int read_edges(const struct reader *r, struct pf_cursor *c, struct pf_counted_function *f, uint64_t edges)
{
	f->cut = calloc(edges + 1, sizeof *f->cut);
	f->stands_in = calloc(edges + 1, sizeof *f->stands_in);
	if (!f->cut || !f->stands_in)
		return fail_memory(r);
	for (uint64_t e = 0; e < edges; e++) {
		uint64_t from = pf_cursor_uleb(c), to = pf_cursor_uleb(c);
		uint8_t flags = pf_cursor_u8(c);

		if (c->failed || from >= f->graph->block_count || to >= f->graph->block_count || from == EXIT ||
		    to == ENTRY || flags > (EDGE_CUT | EDGE_STANDS_IN))
			return fail_at(r, c, "an edge that no flow graph has");
		if (pf_graph_add_edge(f->graph, (uint32_t)from, (uint32_t)to) == UINT32_MAX)
			return fail_memory(r);
		f->cut[e] = flags & EDGE_CUT;
		f->stands_in[e] = flags & EDGE_STANDS_IN;
	}
	return pf_graph_finish(f->graph) ? fail_memory(r) : PF_OK;
}

static int read_lines(const struct reader *r, struct pf_cursor *c, struct pf_counted_function *f)
{
	f->first_line = calloc((size_t)f->graph->block_count + 1, sizeof *f->first_line);
	if (!f->first_line)
		return fail_memory(r);
	for (uint32_t b = 0; b < f->graph->block_count; b++) {
		uint64_t count = pf_cursor_uleb(c);

		f->first_line[b] = (uint32_t)f->lines.count;
		for (uint64_t i = 0; i < count; i++) {
			struct pf_counted_line *line = pf_array_push(&f->lines);
			int status = line ? read_place(r, c, line) : fail_memory(r);

			if (status < 0)
				return status;
		}
	}
	f->first_line[f->graph->block_count] = (uint32_t)f->lines.count;
	return PF_OK;
}

/* A block takes a byte of the description at least, and an edge three. */
static int read_graph(const struct reader *r, struct pf_cursor *c, struct pf_counted_function *f)
{
	uint64_t blocks = pf_cursor_uleb(c), edges = pf_cursor_uleb(c), paths;
	int status;

	if (c->failed || blocks <= EXIT || blocks > pf_cursor_left(c) || edges > pf_cursor_left(c) / 3)
		return fail_at(r, c, "a flow graph of a size that cannot be");
	f->graph = pf_graph_alloc((uint32_t)blocks, ENTRY, EXIT);
	status = f->graph ? read_edges(r, c, f, edges) : fail_memory(r);
	if (status < 0)
		return status;
	paths = pf_cursor_uleb(c);
	if (pf_pathnumber_init(&f->numbers, f->graph, f->cut, PF_PATHNUMBER_REGION) < 0)
		return fail_memory(r);
	if (paths != f->numbers.count)
		return fail_at(r, c, "a flow graph with another number of paths than it says");
	return read_lines(r, c, f);
}

static int read_function(const struct reader *r, struct pf_cursor *c)
{
	struct pf_counted_function *f = pf_array_push(&r->out->functions);
	int status;

	if (!f)
		return fail_memory(r);
	f->name = pf_cursor_string(c);
	status = f->name ? read_place(r, c, &f->where) : fail_at(r, c, "a function without a name");
	return status < 0 ? status : read_graph(r, c, f);
}

static int read_names(struct reader *r, struct pf_cursor *c)
{
	r->name_count = pf_cursor_uleb(c);
	if (c->failed || r->name_count > pf_cursor_left(c))
		return fail_at(r, c, "more names of files than bytes");
	r->names = calloc(r->name_count + 1, sizeof *r->names);
	if (!r->names)
		return fail_memory(r);
	for (uint64_t i = 0; i < r->name_count; i++)
		r->names[i] = pf_cursor_string(c);
	return PF_OK;
}

int pf_counted_parse_graph(struct pf_cursor *c, struct pf_counted_function *f, const char *path, struct pf_error *error)
{
	struct reader r = { .path = path, .error = error };
	int status = read_names(&r, c);

	if (status == PF_OK)
		status = read_graph(&r, c, f);
	free(r.names);
	return status;
}

static int read_description(struct reader *r, struct pf_cursor *c, uint64_t *functions)
{
	int status = read_names(r, c);

	if (status < 0)
		return status;
	*functions = pf_cursor_uleb(c);
	for (uint64_t i = 0; i < *functions && status == PF_OK && !c->failed; i++)
		status = read_function(r, c);
	if (status == PF_OK && (c->failed || pf_cursor_left(c) > 0))
		status = fail_at(r, c, "a unit's description is longer than what it describes");
	return status;
}

static int read_counts(const struct reader *r, struct pf_cursor *c, struct pf_counted_function *f)
{
	uint64_t count;

	f->entries = pf_cursor_u64(c);
	count = pf_cursor_u64(c);
	for (uint64_t i = 0; i < count; i++) {
		struct pf_counted_path path = { .number = pf_cursor_u64(c) }, *new;

		path.count = pf_cursor_u64(c);
		path.took = r->measured ? pf_cursor_u64(c) : 0;
		if (c->failed || path.number >= f->numbers.count)
			return fail_at(r, c, "a path that its function has not");
		new = pf_array_push(&f->paths);
		if (!new)
			return fail_memory(r);
		*new = path;
	}
	return c->failed ? fail_at(r, c, "") : PF_OK;
}

static int read_unit(struct reader *r)
{
	struct pf_cursor *c = &r->file, description = pf_cursor_sub(c, pf_cursor_u64(c));
	size_t first = r->out->functions.count;
	uint64_t functions = 0;
	int status = read_description(r, &description, &functions);

	free(r->names);
	r->names = NULL;
	for (size_t i = first; i < r->out->functions.count && status == PF_OK; i++)
		status = read_counts(r, c, &r->out->functions.at[i]);
	return status;
}

int pf_counted_metric_add(const char **so_far, const char *metric, const char *path, struct pf_error *error)
{
	size_t known = strspn(metric, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");

	if (known > MOST_METRIC || metric[known])
		return pf_fail(error, PF_EFORMAT,
			       "%s: it measured what is no event; run the instrumented program again", path);
	if (*so_far && strcmp(*so_far, metric) != 0)
		return pf_fail(error, PF_EMISMATCH,
			       "%s: it has %s, and files before it have %s, which do not add up; show them apart", path,
			       metric, *so_far);
	*so_far = metric;
	return PF_OK;
}

int pf_counted_metric_check(const char *metric, bool plain, const char *path, struct pf_error *error)
{
	if (!metric || !plain)
		return PF_OK;
	return pf_fail(error, PF_EMISMATCH,
		       "%s: of the files up to this one some have %s and some counts alone, which do not add up; show "
		       "them apart",
		       path, metric);
}

static int read_file(struct reader *r)
{
	struct pf_cursor *c = &r->file;
	size_t first = r->out->functions.count;
	const char *magic = pf_cursor_bytes(c, sizeof MAGIC), *module, *metric;
	uint64_t version = pf_cursor_u64(c), units;
	int status = PF_OK;

	if (!magic || memcmp(magic, MAGIC, sizeof MAGIC) != 0)
		return pf_filekind_refuse(r->path, c->base, c->size,
					  "what an instrumented program counted of its paths",
					  "name a file NAME.PID.paths", r->error);
	if (!c->failed && (version == 0 || version > VERSION))
		return pf_fail(r->error, PF_EVERSION,
			       "%s: version %" PRIu64 " of counted paths; this pathfdo reads 1 and 2", r->path,
			       version);
	pf_cursor_u64(c); /* the process, which the name of the file has, too */
	r->out->lost += pf_cursor_u64(c);
	module = pf_cursor_string(c);
	if (module)
		r->out->module = module;
	metric = version > 1 ? pf_cursor_string(c) : NULL;
	r->measured = metric && *metric;
	if (r->measured)
		status = pf_counted_metric_add(&r->out->metric, metric, r->path, r->error);
	units = pf_cursor_u64(c);
	for (uint64_t i = 0; i < units && status == PF_OK && !c->failed; i++)
		status = read_unit(r);
	if (status == PF_OK && (c->failed || pf_cursor_left(c) > 0))
		status = fail_at(r, c, "something stands behind the last unit");
	for (size_t i = first; i < r->out->functions.count && !r->measured; i++)
		r->out->plain |= r->out->functions.at[i].paths.count > 0;
	return status < 0 ? status : pf_counted_metric_check(r->out->metric, r->out->plain, r->path, r->error);
}

int pf_counted_parse(struct pf_counted *c, const void *bytes, size_t size, const char *path, struct pf_error *error)
{
	struct reader r = { .out = c, .path = path, .error = error };
	uint8_t *copy = malloc(size + 1), **window = pf_array_push(&c->windows);

	if (window)
		*window = copy;
	if (!copy || !window) {
		if (!window)
			free(copy);
		return fail_memory(&r);
	}
	if (size > 0)
		memcpy(copy, bytes, size);
	r.file = pf_cursor_over(copy, size, 0);
	return read_file(&r);
}

int pf_counted_read(struct pf_counted *c, const char *path, struct pf_error *error)
{
	struct pf_buffer bytes = { 0 };
	int status = pf_wholefile_read(path, &bytes, error);

	if (status == PF_OK)
		status = pf_counted_parse(c, bytes.data, bytes.size, path, error);
	pf_buffer_fini(&bytes);
	return status;
}

void pf_counted_release(struct pf_counted_function *f)
{
	pf_pathnumber_fini(&f->numbers);
	pf_graph_free(f->graph);
	free(f->cut);
	free(f->stands_in);
	free(f->first_line);
	pf_array_fini(&f->lines);
	pf_array_fini(&f->paths);
}

void pf_counted_fini(struct pf_counted *c)
{
	for (size_t i = 0; i < c->functions.count; i++)
		pf_counted_release(&c->functions.at[i]);
	for (size_t i = 0; i < c->windows.count; i++)
		free(c->windows.at[i]);
	pf_array_fini(&c->functions);
	pf_array_fini(&c->windows);
}
