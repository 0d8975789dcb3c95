/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See contexts.h.  The trees of all threads and files go into one array of nodes as they come, each under a root that
 * is common to all.  The hard case is a file that is none: a record may be named by its number only when it was made,
 * and made only below one that was, so that whatever is read is a tree. */
#include "analysis/contexts.h"
#include "profile/saturate.h"
#include "support/cursor.h"
#include "support/filekind.h"
#include "support/wholefile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "PFCTREE"
#define VERSION 3
#define MOST_SITES 4096

/* An arc is worth a few bytes of a file and can be as deep as there are arcs, so that hostile files are as much work as
 * the square of their size.  Real programs have millions of arcs, but on average none is as deep as this allows for:
 * some steps for each byte. */
#define FEWEST_STEPS (UINT64_C(1) << 28)
#define STEPS_OF_A_BYTE 64

/* A function by its number in the file. */
struct numbered {
	uint64_t number;
	uint32_t function;
};

struct reader {
	struct pf_contexts *out;
	const char *path;
	struct pf_cursor file;
	PF_ARRAY(struct numbered) functions;
	PF_ARRAY(uint32_t) records; /* of a tree, by their numbers: nodes */
	uint64_t steps, most_steps; /* to callers, of all arcs */
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

static int read_sites(const struct reader *r, struct pf_cursor *c, struct pf_context_function *f)
{
	uint64_t count = pf_cursor_uleb(c);

	if (c->failed || count > MOST_SITES || count > pf_cursor_left(c))
		return fail_at(r, c, "more call sites than a function can have");
	f->first_site = (uint32_t)r->out->sites.count;
	f->site_count = (uint32_t)count;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t line = pf_cursor_uleb(c);
		uint32_t *site = pf_array_push(&r->out->sites);

		if (!site)
			return fail_memory(r);
		if (c->failed || line > UINT32_MAX)
			return fail_at(r, c, "a line that no file has");
		*site = (uint32_t)line;
	}
	return PF_OK;
}

/* Of a function whose paths were counted, the rest of the description. */
static int read_graph(struct reader *r, struct pf_cursor *c, struct pf_context_function *f)
{
	struct pf_counted_function *paths;
	int status;

	if (pf_cursor_left(c) == 0)
		return PF_OK;
	f->paths = paths = calloc(1, sizeof *paths);
	if (!paths)
		return fail_memory(r);
	paths->name = f->name;
	paths->where = (struct pf_counted_line) { f->file, f->line };
	status = pf_counted_parse_graph(c, paths, r->path, r->error);
	if (status == PF_OK && pf_cursor_left(c) > 0)
		status = fail_at(r, c, "a function's description is longer than what it describes");
	return status;
}

static int read_function(struct reader *r)
{
	uint64_t number = pf_cursor_uleb(&r->file), size = pf_cursor_uleb(&r->file), line;
	struct pf_cursor c = pf_cursor_sub(&r->file, size);
	struct pf_context_function *f = pf_array_push(&r->out->functions);
	struct numbered *numbered = pf_array_push(&r->functions);
	int status;

	if (!f || !numbered)
		return fail_memory(r);
	*numbered = (struct numbered) { number, (uint32_t)(r->out->functions.count - 1) };
	f->name = pf_cursor_string(&c);
	f->file = pf_cursor_string(&c);
	line = pf_cursor_uleb(&c);
	if (c.failed || line > UINT32_MAX)
		return fail_at(r, &c, "a function on a line that no file has");
	f->line = (uint32_t)line;
	status = read_sites(r, &c, f);
	return status == PF_OK ? read_graph(r, &c, f) : status;
}

static int compare_numbers(const void *left, const void *right)
{
	const struct numbered *a = left, *b = right;

	return (a->number > b->number) - (a->number < b->number);
}

static int read_functions(struct reader *r)
{
	uint64_t count = pf_cursor_uleb(&r->file);
	int status = PF_OK;

	for (uint64_t i = 0; i < count && status == PF_OK; i++)
		status = read_function(r);
	pf_array_sort(&r->functions, compare_numbers);
	for (size_t i = 1; i < r->functions.count && status == PF_OK; i++) {
		if (r->functions.at[i].number == r->functions.at[i - 1].number)
			status = fail_at(r, &r->file, "two functions have one number");
	}
	return status;
}

/* An arc makes the next record, or leads back to the record of an ancestor of the same function. */
static bool leads_somewhere(struct reader *r, uint32_t parent, uint32_t function, uint64_t to)
{
	const struct pf_context_node *nodes = r->out->nodes.at;
	uint32_t node = parent;

	for (; node != 0 && nodes[node].function != function && r->steps <= r->most_steps; r->steps++)
		node = nodes[node].parent;
	return node == 0 ? to == r->records.count : to < r->records.count && node == r->records.at[to];
}

static uint64_t slots_of(const struct pf_contexts *c, uint32_t node)
{
	return node == 0 ? PF_CONTEXT_SIGNALS + 1 : c->functions.at[c->nodes.at[node].function].site_count;
}

/* The paths that ran in the context NODE, if they were counted. */
static int read_paths(struct reader *r, uint32_t node)
{
	const struct pf_counted_function *f = r->out->functions.at[r->out->nodes.at[node].function].paths;
	struct pf_cursor *c = &r->file;
	uint64_t count = f ? pf_cursor_uleb(c) : 0;

	for (uint64_t i = 0; i < count; i++) {
		struct pf_context_path path = { .node = node }, *new;

		path.number = pf_cursor_uleb(c);
		path.count = pf_cursor_uleb(c);
		path.took = pf_cursor_uleb(c);
		if (c->failed || path.number >= f->numbers.count)
			return fail_at(r, c, "a path that its function has not");
		new = pf_array_push(&r->out->paths);
		if (!new)
			return fail_memory(r);
		*new = path;
	}
	return c->failed ? fail_at(r, c, "") : PF_OK;
}

static int read_arc(struct reader *r)
{
	struct pf_cursor *c = &r->file;
	uint64_t from = pf_cursor_uleb(c), site = pf_cursor_uleb(c);
	struct numbered key = { pf_cursor_uleb(c), 0 }, *callee;
	uint64_t count = pf_cursor_uleb(c), took = pf_cursor_uleb(c), to = pf_cursor_uleb(c);
	uint32_t parent, node = (uint32_t)r->out->nodes.count, *record;
	struct pf_context_node *new;
	bool leads;

	callee = r->functions.count > 0
		     ? bsearch(&key, r->functions.at, r->functions.count, sizeof key, compare_numbers)
		     : NULL;
	if (c->failed || from >= r->records.count || !callee || node == PF_CONTEXT_NOTHING)
		return fail_at(r, c, "a call from or to what is not there");
	parent = r->records.at[from];
	if (site >= slots_of(r->out, parent))
		return fail_at(r, c, "a call that its function cannot make");
	leads = leads_somewhere(r, parent, callee->function, to);
	if (r->steps > r->most_steps)
		return fail_at(r, c, "calls are deeper than those of any program");
	if (!leads)
		return fail_at(r, c, "a call that its function cannot make");
	new = pf_array_push(&r->out->nodes);
	record = to == r->records.count ? pf_array_push(&r->records) : &node;
	if (!new || !record)
		return fail_memory(r);
	*record = node;
	*new = (struct pf_context_node) { .parent = parent,
					  .function = callee->function,
					  .site = (uint32_t)site,
					  .leads = r->records.at[to],
					  .count = count,
					  .took = took };
	/* Files of older versions do not say. */
	if (took > 0 && !r->out->metric)
		r->out->metric = "cycles";
	return new->leads == node ? read_paths(r, node) : PF_OK;
}

static int read_tree(struct reader *r)
{
	uint64_t count = pf_cursor_uleb(&r->file);
	uint32_t *root;
	int status = PF_OK;

	r->records.count = 0;
	root = pf_array_push(&r->records);
	if (!root)
		return fail_memory(r);
	*root = 0;
	for (uint64_t i = 0; i < count && status == PF_OK; i++)
		status = read_arc(r);
	return status;
}

/* Whether nodes from FIRST on have calls, and none what these took. */
static bool is_plain(const struct pf_contexts *c, size_t first)
{
	bool calls = false;

	for (size_t i = first; i < c->nodes.count; i++) {
		if (c->nodes.at[i].took > 0)
			return false;
		calls |= c->nodes.at[i].count > 0;
	}
	return calls;
}

static int read_file(struct reader *r)
{
	struct pf_cursor *c = &r->file;
	size_t first = r->out->nodes.count;
	const char *magic = pf_cursor_bytes(c, sizeof MAGIC), *module, *metric;
	uint64_t version = pf_cursor_u64(c), trees;
	int status;

	if (!magic || memcmp(magic, MAGIC, sizeof MAGIC) != 0)
		return pf_filekind_refuse(r->path, c->base, c->size,
					  "what an instrumented program counted of its calls",
					  "name a file NAME.PID.context", r->error);
	if (!c->failed && (version == 0 || version > VERSION))
		return pf_fail(r->error, PF_EVERSION,
			       "%s: version %" PRIu64 " of calling contexts; this pathfdo reads 1 to 3", r->path,
			       version);
	pf_cursor_u64(c); /* the process, which the name of the file has, too */
	r->out->lost = pf_count_add(r->out->lost, pf_cursor_u64(c));
	module = pf_cursor_string(c);
	if (module)
		r->out->module = module;
	metric = version > 2 ? pf_cursor_string(c) : NULL;
	status = metric && *metric ? pf_counted_metric_add(&r->out->metric, metric, r->path, r->error) : PF_OK;
	if (status == PF_OK)
		status = read_functions(r);
	trees = pf_cursor_uleb(c);
	for (uint64_t i = 0; i < trees && status == PF_OK && !c->failed; i++)
		status = read_tree(r);
	if (status == PF_OK && (c->failed || pf_cursor_left(c) > 0))
		status = fail_at(r, c, "something stands behind the last tree");
	r->out->plain |= !(metric && *metric) && is_plain(r->out, first);
	return status < 0 ? status : pf_counted_metric_check(r->out->metric, r->out->plain, r->path, r->error);
}

bool pf_contexts_is(const char *path)
{
	return pf_filekind_begins(path, MAGIC, sizeof MAGIC);
}

int pf_contexts_parse(struct pf_contexts *c, const void *bytes, size_t size, const char *path, struct pf_error *error)
{
	uint64_t most = (uint64_t)size * STEPS_OF_A_BYTE;
	struct reader r = { .out = c, .path = path, .error = error };
	uint8_t *copy = malloc(size + 1), **window = pf_array_push(&c->windows);
	struct pf_context_node *root = c->nodes.count > 0 ? c->nodes.at : pf_array_push(&c->nodes);
	int status;

	if (window)
		*window = copy;
	else
		free(copy);
	if (!copy || !window || !root)
		return fail_memory(&r);
	if (size > 0)
		memcpy(copy, bytes, size);
	c->bytes += size;
	r.most_steps = most > FEWEST_STEPS ? most : FEWEST_STEPS;
	root->function = PF_CONTEXT_NOTHING;
	r.file = pf_cursor_over(copy, size, 0);
	status = read_file(&r);
	pf_array_fini(&r.functions);
	pf_array_fini(&r.records);
	return status;
}

int pf_contexts_read(struct pf_contexts *c, const char *path, struct pf_error *error)
{
	struct pf_buffer bytes = { 0 };
	int status = pf_wholefile_read(path, &bytes, error);

	if (status == PF_OK)
		status = pf_contexts_parse(c, bytes.data, bytes.size, path, error);
	pf_buffer_fini(&bytes);
	return status;
}

void pf_contexts_fini(struct pf_contexts *c)
{
	for (size_t i = 0; i < c->functions.count; i++) {
		if (c->functions.at[i].paths)
			pf_counted_release(c->functions.at[i].paths);
		free(c->functions.at[i].paths);
	}
	for (size_t i = 0; i < c->windows.count; i++)
		free(c->windows.at[i]);
	pf_array_fini(&c->paths);
	pf_array_fini(&c->functions);
	pf_array_fini(&c->sites);
	pf_array_fini(&c->nodes);
	pf_array_fini(&c->windows);
}
