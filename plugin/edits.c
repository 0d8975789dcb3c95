/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See edits.h.  A source is aligned once, with all that the profile knows of it: its own record, and those of the
 * instances of it that other functions have, each of which has lost other parts.  That is to read a part of the profile
 * once more, so first it is asked whether the record at hand lies on the source as it is.
 *
 * The hard case is the record that does not quite, though nothing was edited: lines of other functions look like its
 * own where the compiler lost a scope.  A few positions are no edit.  And the function that is not there any more may
 * be another one now, or gone: what a file that is new has under its name, or what is called in its place, is it only
 * if it looks like it. */
#include "plugin/edits.h"
#include "plugin/gaps.h"
#include "plugin/landmarks.h"
#include "profile/arena.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS 1024
#define FEW_SPOTS 3    /* that are not where they were: no edit */
#define LEAST_SHARE 16 /* likewise, of all */
#define ENOUGH_SPOTS 8 /* to know a function by them */

/* The landmarks of a file of the profile. */
struct source_file {
	struct source_file *next;
	char *name;
	struct pf_landmarks landmarks;
};

/* A source as the profile has it. */
struct edit {
	struct edit *next;
	char *name, *file;
	uint32_t line;
	struct source_file *of;
	const struct pf_source_function *today; /* NULL: it is not in this translation unit */
	bool aligned;
	bool moved; /* TODAY is of another file or name */
	struct pf_alignment alignment;
};

/* A name that today's source does not have, and the function that is called where the profile calls that. */
struct renaming {
	struct renaming *next;
	char *former;
	const struct pf_source_function *today;
};

struct pf_edits {
	struct pf_sources *sources;
	struct pf_pfdo *file;
	struct source_file *files;
	struct renaming *renamings;
	struct edit *buckets[BUCKETS];
};

struct pf_edits *pf_edits_alloc(struct pf_sources *sources, struct pf_pfdo *file)
{
	struct pf_edits *e = calloc(1, sizeof *e);

	if (!e)
		return NULL;
	e->sources = sources;
	e->file = file;
	return e;
}

static void free_edits(struct edit *edit)
{
	while (edit) {
		struct edit *next = edit->next;

		pf_alignment_fini(&edit->alignment);
		free(edit->name);
		free(edit->file);
		free(edit);
		edit = next;
	}
}

void pf_edits_free(struct pf_edits *e)
{
	for (unsigned i = 0; e && i < BUCKETS; i++)
		free_edits(e->buckets[i]);
	while (e && e->files) {
		struct source_file *next = e->files->next;

		pf_landmarks_fini(&e->files->landmarks);
		free(e->files->name);
		free(e->files);
		e->files = next;
	}
	while (e && e->renamings) {
		struct renaming *next = e->renamings->next;

		free(e->renamings->former);
		free(e->renamings);
		e->renamings = next;
	}
	free(e);
}

/* The file NAME of the profile; NULL when out of memory. */
static struct source_file *find_file(struct pf_edits *e, const char *name)
{
	struct source_file *f = e->files;

	while (f && strcmp(f->name, name) != 0)
		f = f->next;
	if (f)
		return f;
	f = calloc(1, sizeof *f);
	if (!f || !(f->name = strdup(name))) {
		free(f);
		return NULL;
	}
	f->next = e->files;
	return e->files = f;
}

int pf_edits_learn(struct pf_edits *e, const char *file, uint32_t profiled, uint32_t today)
{
	struct source_file *f = find_file(e, file);

	return f ? pf_landmarks_add(&f->landmarks, profiled, today) : PF_ENOMEM;
}

/* Whether the source is to be looked for in another file: in one that is new, for in the others it was there before. */
static bool has_moved(const struct pf_edits *e, const struct pf_source_function *today)
{
	struct pf_error error;

	return today && pf_pfdo_compiled(e->file, today->file, &error) == 0;
}

static bool is_there(const struct pf_node *node, const struct edit *edit)
{
	return node->line == edit->line && strcmp(node->file, edit->file) == 0;
}

static bool is_of(const struct pf_node *node, const struct edit *edit)
{
	return is_there(node, edit) && strcmp(node->name, edit->name) == 0;
}

/* Whether NODE is of EDIT's source by any of the names that this has today: an instance may have another one than what
 * was not inlined. */
static bool is_of_source(const struct pf_node *node, const struct edit *edit)
{
	bool known = strcmp(node->name, edit->name) == 0;

	for (unsigned i = 0; i < PF_SOURCE_NAMES && edit->today->names[i] && !known; i++)
		known = strcmp(node->name, edit->today->names[i]) == 0;
	return known && is_there(node, edit);
}

static const struct pf_source_function *renamed(const struct pf_edits *e, const char *former)
{
	for (const struct renaming *r = e->renamings; r; r = r->next) {
		if (strcmp(r->former, former) == 0)
			return r->today;
	}
	return NULL;
}

/* Whether EDIT's lines can be laid on those of TODAY: a profile that knows no classes counts what is made up in one
 * from elsewhere. */
static bool is_comparable(const struct edit *edit, const struct pf_source_function *today)
{
	return today && (edit->line || !today->line);
}

/* Looks for a source that has another file or name now; what was found is looked at by align(). */
static void look_elsewhere(const struct pf_edits *e, struct edit *edit)
{
	const struct pf_source_function *only = pf_sources_only(e->sources, edit->name);

	edit->today = is_comparable(edit, only) && has_moved(e, only) ? only : NULL;
	edit->moved = edit->today;
}

static void look_for_name(const struct pf_edits *e, struct edit *edit)
{
	if (edit->today || edit->aligned)
		return;
	edit->today = renamed(e, edit->name);
	edit->moved = edit->today;
}

/* By the line as well: all lambdas of a unit have one name. */
static struct edit **bucket_of(struct pf_edits *e, const struct pf_node *node)
{
	return &e->buckets[(pf_arena_hash(node->name, strlen(node->name)) + node->line * 2654435761u) % BUCKETS];
}

/* The source that NODE is of; NULL when out of memory. */
static struct edit *find_edit(struct pf_edits *e, const struct pf_node *node)
{
	struct edit **bucket = bucket_of(e, node), *new;
	const struct pf_source_function *today;

	for (struct edit *edit = *bucket; edit; edit = edit->next) {
		if (is_of(node, edit)) {
			look_for_name(e, edit);
			return edit;
		}
	}
	new = calloc(1, sizeof *new);
	if (!new)
		return NULL;
	new->name = strdup(node->name);
	new->file = strdup(node->file);
	new->line = node->line;
	new->of = find_file(e, node->file);
	if (!new->name || !new->file || !new->of) {
		free_edits(new);
		return NULL;
	}
	today = pf_sources_find(e->sources, node->name, node->file, node->line, &new->of->landmarks);
	if (is_comparable(new, today))
		new->today = today;
	if (!new->today)
		look_elsewhere(e, new);
	look_for_name(e, new);
	new->next = *bucket;
	return *bucket = new;
}

static uint32_t count_positions(const struct pf_outline *outline)
{
	uint32_t all = 0;

	for (size_t i = 0; i < outline->count; i++)
		all += outline->at[i].call == 0;
	return all;
}

/* Whether what stands around EDIT's source tells that it has changed. */
static bool is_known_edited(const struct edit *edit)
{
	return edit->moved || pf_landmarks_edited(&edit->of->landmarks, edit->line, edit->today->line);
}

/* Whether so much of OUTLINE is not where it was that EDIT's source may have been edited.  Most of a small one may be a
 * position or two; but that much a record may have from elsewhere, too. */
static bool is_edited(const struct pf_outline *outline, const struct edit *edit, uint32_t few)
{
	uint32_t missing = pf_align_missing(outline, &edit->today->outline);

	return (missing >= few && missing > outline->count / LEAST_SHARE) ||
	       (2 * missing > count_positions(outline) && is_known_edited(edit));
}

/* Reads all that the profile knows of a source. */
struct reading {
	struct pf_edits *edits;
	const struct edit *edit;
	struct pf_profile *scratch;
	struct pf_outline outline;
	struct pf_error *error;
	int status;
};

static int read_function(struct reading *r, const struct pf_function *f)
{
	struct pf_outline **wanted = calloc(f->node_count, sizeof *wanted);
	bool good = wanted;

	for (uint32_t i = 0; i < f->node_count && good; i++)
		wanted[i] = is_of_source(&f->nodes[i], r->edit) ? &r->outline : NULL;
	good = good && pf_outline_add_nodes(wanted, f);
	free(wanted);
	return good ? PF_OK : pf_fail(r->error, PF_ENOMEM, "out of memory");
}

static int read_name(const char *name, void *closure)
{
	struct reading *r = closure;
	uint32_t first, found;

	r->status = pf_pfdo_find(r->edits->file, name, r->scratch, &first, &found, r->error);
	for (uint32_t i = 0; i < found && r->status == PF_OK; i++)
		r->status = read_function(r, &r->scratch->functions[first + i]);
	return r->status != PF_OK;
}

static void read_all(struct reading *r, const char *name)
{
	if (r->status == PF_OK && read_name(name, r) == 0)
		pf_pfdo_hosts(r->edits->file, name, read_name, r);
}

/* Whether a source that has another file is the one that was profiled. */
static bool is_same(const struct pf_outline *outline, const struct edit *edit)
{
	uint32_t all = count_positions(outline);

	return all >= ENOUGH_SPOTS && pf_align_found(outline, &edit->alignment) >= all - all / 4;
}

static int align(struct pf_edits *e, struct edit *edit, struct pf_error *error)
{
	struct reading r = { .edits = e, .edit = edit, .error = error, .status = PF_OK };
	bool edited;

	edit->aligned = true;
	r.scratch = pf_profile_alloc(pf_pfdo_unit(e->file));
	if (!r.scratch)
		return pf_fail(error, PF_ENOMEM, "out of memory");
	read_all(&r, edit->name);
	for (unsigned i = 0; i < PF_SOURCE_NAMES && edit->today->names[i]; i++) {
		if (strcmp(edit->today->names[i], edit->name) != 0)
			read_all(&r, edit->today->names[i]);
	}
	pf_outline_sort(&r.outline);
	edit->alignment.source = &edit->today->outline;
	edited = r.status == PF_OK && is_edited(&r.outline, edit, FEW_SPOTS);
	if (edited)
		r.status = pf_align(&r.outline, &edit->today->outline, &edit->alignment);
	if (r.status == PF_OK && edit->moved && !is_same(&r.outline, edit)) {
		pf_alignment_fini(&edit->alignment);
		edit->today = NULL;
	} else if (r.status == PF_OK && edited) {
		r.status = pf_gaps_fill(&r.outline, is_known_edited(edit), &edit->alignment);
	}
	pf_outline_fini(&r.outline);
	pf_profile_free(r.scratch);
	return r.status;
}

/* The edits of the nodes of one function. */
struct nodes {
	struct edit **edits;
	struct pf_outline *outlines, **wanted;
	uint32_t count;
};

static void release_nodes(struct nodes *n)
{
	for (uint32_t i = 0; n->outlines && i < n->count; i++)
		pf_outline_fini(&n->outlines[i]);
	free(n->edits);
	free(n->outlines);
	free(n->wanted);
}

static bool outline_nodes(struct nodes *n, struct pf_edits *e, const struct pf_function *f)
{
	n->count = f->node_count;
	n->edits = calloc(n->count, sizeof *n->edits);
	n->outlines = calloc(n->count, sizeof *n->outlines);
	n->wanted = calloc(n->count, sizeof *n->wanted);
	if (!n->edits || !n->outlines || !n->wanted)
		return false;
	for (uint32_t i = 0; i < n->count; i++) {
		n->edits[i] = find_edit(e, &f->nodes[i]);
		if (!n->edits[i])
			return false;
		n->wanted[i] = n->edits[i]->today ? &n->outlines[i] : NULL;
	}
	return pf_outline_add_nodes(n->wanted, f);
}

/* Aligns the sources of all nodes that do not lie on them; *ANY tells whether something has moved. */
static int align_nodes(struct nodes *n, struct pf_edits *e, bool *any, struct pf_error *error)
{
	int status = PF_OK;

	*any = false;
	for (uint32_t i = 0; i < n->count && status == PF_OK; i++) {
		struct edit *edit = n->edits[i];

		if (!edit->today)
			continue;
		pf_outline_sort(&n->outlines[i]);
		if (!edit->aligned && (edit->moved || is_edited(&n->outlines[i], edit, 1)))
			status = align(e, edit, error);
		*any = *any || pf_alignment_moves(&edit->alignment) || (edit->moved && edit->today);
	}
	return status;
}

static int stop(const char *host, void *closure)
{
	(void)host;
	(void)closure;
	return 1;
}

/* Whether the profile knows F by one of its names. */
static bool is_profiled(const struct pf_edits *e, const struct pf_source_function *f)
{
	struct pf_profile *scratch = pf_profile_alloc(pf_pfdo_unit(e->file));
	struct pf_error error;
	uint32_t first, found = 0;
	bool known = !scratch;

	for (unsigned i = 0; i < PF_SOURCE_NAMES && f->names[i] && !known; i++)
		known = pf_pfdo_find(e->file, f->names[i], scratch, &first, &found, &error) != PF_OK || found > 0 ||
			pf_pfdo_hosts(e->file, f->names[i], stop, NULL) == 1;
	pf_profile_free(scratch);
	return known;
}

/* The function that today's source calls at P, a position of EDIT's source as it was, where the profile calls NAME;
 * NULL if that is the same. */
static const struct pf_source_function *called_instead(const struct pf_edits *e, const struct edit *edit,
						       struct pf_position p, const char *name)
{
	const struct pf_outline *today = edit->today ? &edit->today->outline : NULL;
	const struct pf_source_function *callee = NULL;
	uint32_t i;

	pf_align_position(&edit->alignment, &p);
	if (!today || !pf_outline_has(today, p.line, p.column, 0) ||
	    pf_outline_has(today, p.line, p.column, pf_outline_call(name)) ||
	    pf_sources_called(e->sources, pf_outline_call(name)))
		return NULL;
	for (i = pf_outline_first(today, p.line); !callee && i < today->count && today->at[i].line == p.line; i++) {
		if (today->at[i].column == p.column && today->at[i].call)
			callee = pf_sources_called(e->sources, today->at[i].call);
	}
	return callee && !is_profiled(e, callee) ? callee : NULL;
}

/* Notes that NAME, called at P in EDIT's source, may be another function's name now; *ANY tells that it is news. */
static int note_call(struct pf_edits *e, const struct edit *edit, struct pf_position p, const char *name, bool *any)
{
	const struct pf_source_function *today = renamed(e, name) ? NULL : called_instead(e, edit, p, name);
	struct renaming *new;

	if (!today)
		return PF_OK;
	new = calloc(1, sizeof *new);
	if (!new || !(new->former = strdup(name))) {
		free(new);
		return PF_ENOMEM;
	}
	new->today = today;
	new->next = e->renamings;
	e->renamings = new;
	*any = true;
	return PF_OK;
}

static int note_calls(struct pf_edits *e, const struct nodes *n, const struct pf_function *f, bool *any)
{
	int status = PF_OK;

	for (uint32_t i = 1; i < f->node_count && status == PF_OK; i++)
		status = note_call(e, n->edits[f->nodes[i].parent], f->nodes[i].site, f->nodes[i].name, any);
	for (uint32_t i = 0; i < f->record_count && status == PF_OK; i++) {
		const struct pf_record *r = &f->records[i];

		if (r->target_count == 1)
			status = note_call(e, n->edits[r->place.node], r->place.position, r->targets[0].name, any);
	}
	return status;
}

static bool move(const struct nodes *n, struct pf_place *place)
{
	return pf_align_position(&n->edits[place->node]->alignment, &place->position);
}

static int compare_records(const void *left, const void *right)
{
	return pf_place_compare(&((const struct pf_record *)left)->place, &((const struct pf_record *)right)->place);
}

static void move_all(const struct nodes *n, struct pf_function *f, uint32_t *found)
{
	for (uint32_t i = 0; i < f->record_count; i++) {
		struct pf_record *record = &f->records[i];

		*found += move(n, &record->place);
		for (uint32_t k = 0; k < record->outcome_count; k++)
			move(n, &record->outcomes[k].to);
	}
	for (uint32_t i = 1; i < f->node_count; i++)
		pf_align_position(&n->edits[f->nodes[i].parent]->alignment, &f->nodes[i].site);
	for (uint32_t i = 0; i < f->path_count; i++) {
		for (uint32_t k = 0; k < f->paths[i].place_count; k++)
			move(n, &f->paths[i].places[k]);
	}
	for (uint32_t i = 1; i < f->node_count; i++) {
		const struct edit *edit = n->edits[i];

		if (pf_alignment_moves(&edit->alignment) || (edit->moved && edit->today))
			f->nodes[i].line = edit->today->line;
		if (edit->moved && edit->today) {
			f->nodes[i].name = edit->today->names[0];
			f->nodes[i].file = edit->today->file;
		}
	}
	if (f->record_count > 1)
		qsort(f->records, f->record_count, sizeof *f->records, compare_records);
}

const struct pf_source_function *pf_edits_moved(struct pf_edits *e, const struct pf_node *node)
{
	struct edit *edit = find_edit(e, node);
	struct pf_error error;

	if (!edit || !edit->moved || (!edit->aligned && align(e, edit, &error) != PF_OK))
		return NULL;
	return edit->today;
}

const struct pf_source_function *pf_edits_today(struct pf_edits *e, const struct pf_node *node)
{
	struct edit *edit = find_edit(e, node);

	return edit && !edit->moved ? edit->today : NULL;
}

const char *pf_edits_former(const struct pf_edits *e, const char *name, uint32_t line)
{
	for (const struct renaming *r = e->renamings; r; r = r->next) {
		if (r->today->line == line && strcmp(r->today->names[0], name) == 0)
			return r->former;
	}
	return NULL;
}

int pf_edits_apply(struct pf_edits *e, struct pf_function *f, uint32_t *found, struct pf_error *error)
{
	bool any = false, more = true;
	int status = PF_OK;

	/* A name that was made out may be that of a node, in which further ones can be. */
	while (status == PF_OK && more) {
		struct nodes n = { 0 };

		more = false;
		status = outline_nodes(&n, e, f) ? align_nodes(&n, e, &any, error)
						 : pf_fail(error, PF_ENOMEM, "out of memory");
		if (status == PF_OK)
			status = note_calls(e, &n, f, &more);
		if (status == PF_ENOMEM)
			pf_fail(error, PF_ENOMEM, "out of memory");
		if (status == PF_OK && any && !more)
			move_all(&n, f, found);
		release_nodes(&n);
	}
	return status;
}
