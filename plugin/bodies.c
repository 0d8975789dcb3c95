/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Merging instances into bodies.  A function inlined everywhere has no record of its own, and one that was inlined in
 * some places has only half of its counts there; what a compile does not inline again must come back to the body.
 *
 * The hard case is the function whose instances lie in other translation units.  Two compiles that do not know of
 * each other must not both use an instance, nor both drop it, so both go by one rule: a hot instance is inlined again
 * by its host's compile if that can see the body, and any other belongs to the callee. */
#include "plugin/bodies.h"
#include "plugin/edits.h"
#include "plugin/graft.h"
#include "plugin/heat.h"
#include "plugin/hostorder.h"
#include "plugin/limit.h"
#include "plugin/match.h"
#include "plugin/nametable.h"
#include "plugin/renames.h"
#include "profile/agreement.h"
#include "profile/compiled.h"
#include "support/array.h"

#include <stdlib.h>
#include <string.h>

struct left_instance {
	uint32_t function; /* in bodies.left */
	uint32_t next;     /* as pf_name.left */
};

struct pf_bodies {
	struct pf_pfdo *file;
	uint64_t hot;
	struct pf_limit limit;
	struct pf_summary summary; /* with limited counts */
	struct pf_profile *loaded, *left;
	struct left_instance *instances;
	uint32_t instance_count;
	size_t instance_capacity;
	struct pf_renames renames;
	struct pf_edits *edits; /* NULL: records hold as they are */
	struct pf_nametable names;
};

int pf_bodies_open(const char *path, struct pf_bodies **bodies, struct pf_error *error)
{
	struct pf_bodies *b = calloc(1, sizeof *b);
	int status;

	*bodies = NULL;
	if (!b)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", path);
	status = pf_pfdo_open(path, &b->file, error);
	if (status == PF_OK) {
		b->loaded = pf_profile_alloc(pf_pfdo_unit(b->file));
		b->left = pf_profile_alloc(pf_pfdo_unit(b->file));
		if (!b->loaded || !b->left)
			status = pf_fail(error, PF_ENOMEM, "%s: out of memory", path);
	}
	if (status != PF_OK) {
		pf_bodies_close(b);
		return status;
	}
	b->hot = UINT64_MAX;
	b->limit = pf_limit_of(pf_pfdo_summary(b->file)->maximum);
	b->summary = *pf_pfdo_summary(b->file);
	b->summary.maximum = pf_limit_count(&b->limit, b->summary.maximum);
	b->summary.total /= b->limit.divisor;
	for (unsigned i = 0; i < PF_CUTOFF_COUNT; i++)
		b->summary.cutoffs[i].minimum = pf_limit_count(&b->limit, b->summary.cutoffs[i].minimum);
	*bodies = b;
	return PF_OK;
}

void pf_bodies_close(struct pf_bodies *bodies)
{
	if (!bodies)
		return;
	pf_nametable_fini(&bodies->names);
	free(bodies->instances);
	pf_renames_fini(&bodies->renames);
	pf_edits_free(bodies->edits);
	pf_profile_free(bodies->loaded);
	pf_profile_free(bodies->left);
	if (bodies->file)
		pf_pfdo_close(bodies->file);
	free(bodies);
}

const struct pf_summary *pf_bodies_summary(const struct pf_bodies *bodies)
{
	return &bodies->summary;
}

bool pf_bodies_are_short(const struct pf_bodies *bodies)
{
	uint64_t looks = pf_bodies_looks(bodies, bodies->summary.total);

	return pf_heat_is_short(looks, pf_agreement_unseen(pf_pfdo_agreement(bodies->file)));
}

bool pf_bodies_doubt(const struct pf_bodies *bodies, uint64_t count)
{
	return pf_pfdo_agreement(bodies->file)->looks > 0 && pf_bodies_are_short(bodies) &&
	       pf_heat_may_be_other(pf_bodies_looks(bodies, count));
}

bool pf_bodies_may_turn(const struct pf_bodies *bodies)
{
	const struct pf_agreement *agreement = pf_pfdo_agreement(bodies->file);

	return agreement->looks > 0 && pf_heat_may_turn(agreement->looks, pf_agreement_unseen(agreement));
}

uint64_t pf_bodies_looks(const struct pf_bodies *bodies, uint64_t count)
{
	return pf_heat_looks(&bodies->summary, pf_pfdo_agreement(bodies->file)->looks, count);
}

uint32_t pf_bodies_hash(const struct pf_bodies *bodies)
{
	return pf_pfdo_hash(bodies->file);
}

int pf_bodies_compiled(struct pf_bodies *bodies, const char *name, struct pf_error *error)
{
	return pf_pfdo_compiled(bodies->file, name, error);
}

bool pf_bodies_list(struct pf_bodies *bodies, const char *name)
{
	return pf_pfdo_lists(bodies->file, name);
}

void pf_bodies_set_hot(struct pf_bodies *bodies, uint64_t hot)
{
	bodies->hot = hot;
}

int pf_bodies_set_sources(struct pf_bodies *bodies, struct pf_sources *sources)
{
	bodies->edits = pf_edits_alloc(sources, bodies->file);
	return bodies->edits ? PF_OK : PF_ENOMEM;
}

/* Whether WHO has a linkage name, and NAME is none.  Plain names of a language that has linkage names are those of
 * lambdas and functions of internal linkage: a file may hold several, which their lines tell apart, and so may other
 * files, and libraries in other languages. */
static bool is_plain(const struct pf_identity *who, const char *name)
{
	return strncmp(who->names[0], "_Z", 2) == 0 && strncmp(name, "_Z", 2) != 0;
}

/* A plain name beside a linkage name is that of any number of functions: of local classes, of anonymous namespaces,
 * overloaded ones.  Only the line tells which of them was taken. */
static int take_name(struct pf_bodies *bodies, const struct pf_identity *who, const char *name, struct pf_error *error)
{
	struct pf_name *e = pf_nametable_find(&bodies->names, name, true);
	bool plain = is_plain(who, name);

	if (!e || (plain && !pf_name_take_line(e, who->line)))
		return pf_fail(error, PF_ENOMEM, "out of memory");
	e->taken |= !plain;
	return PF_OK;
}

int pf_bodies_leave(struct pf_bodies *bodies, const struct pf_function *function, uint32_t node, const char *name)
{
	const char *callee = name ? name : function->nodes[node].name;
	struct pf_name *e = pf_nametable_find(&bodies->names, callee, true);
	struct pf_function *left;
	int status;

	if (!e)
		return PF_ENOMEM;
	if (pf_name_is_taken(e, function->nodes[node].line))
		return PF_ENOTFOUND;
	if (!pf_array_reserve(&bodies->instances, bodies->instance_count, &bodies->instance_capacity, 1,
			      sizeof *bodies->instances))
		return PF_ENOMEM;
	status = pf_graft_subtree(bodies->left, function, node, function->nodes[node].entries);
	if (status != PF_OK)
		return status;
	left = &bodies->left->functions[bodies->left->function_count - 1];
	left->name = left->nodes[0].name = pf_profile_intern(bodies->left, callee);
	if (!left->name)
		return PF_ENOMEM;
	bodies->instances[bodies->instance_count].function = bodies->left->function_count - 1;
	bodies->instances[bodies->instance_count].next = e->left;
	e->left = ++bodies->instance_count;
	return PF_OK;
}

/* Reads the out-of-line records of a name once. */
static int load_name(struct pf_bodies *bodies, const char *name, struct pf_name **entry, struct pf_error *error)
{
	struct pf_name *e = pf_nametable_find(&bodies->names, name, true);
	int status = PF_OK;

	*entry = e;
	if (!e)
		return pf_fail(error, PF_ENOMEM, "out of memory");
	if (!e->loaded) {
		status = pf_pfdo_find(bodies->file, name, bodies->loaded, &e->first, &e->found, error);
		if (status != PF_OK)
			e->found = 0;
		for (uint32_t i = 0; i < e->found; i++)
			pf_limit_function(&bodies->limit, &bodies->loaded->functions[e->first + i]);
		e->loaded = true;
	}
	return status;
}

/* What the only function of a name tells of its file.  What several units have tells nothing of files; what is damaged
 * is told when the function is taken. */
static int learn(struct pf_bodies *bodies, const struct pf_identity *who)
{
	const struct pf_function *f;
	struct pf_error error;
	struct pf_name *e;
	int status = PF_OK;

	if (load_name(bodies, who->names[0], &e, &error) != PF_OK || e->found != 1)
		return PF_OK;
	f = &bodies->loaded->functions[e->first];
	if (!who->local && !who->elsewhere)
		status = pf_renames_learn(&bodies->renames, who->file, f->file);
	if (status == PF_OK && bodies->edits && f->line && who->line && pf_match_same_file(f->file, who->file))
		status = pf_edits_learn(bodies->edits, f->file, f->line, who->line);
	return status;
}

int pf_bodies_define(struct pf_bodies *bodies, const struct pf_identity *who)
{
	for (unsigned i = 0; i < who->name_count; i++) {
		struct pf_name *e = pf_nametable_find(&bodies->names, who->names[i], true);

		if (!e)
			return PF_ENOMEM;
		e->defined = true;
		e->elsewhere |= who->elsewhere;
		e->asked |= who->asked;
	}
	return learn(bodies, who);
}

static int load_host(void *closure, const char *name, const struct pf_function **functions, uint32_t *count)
{
	struct pf_bodies *bodies = closure;
	struct pf_name *e;
	struct pf_error error; /* what is damaged is told when a function is taken */
	int status = load_name(bodies, name, &e, &error);

	if (status == PF_OK) {
		*functions = bodies->loaded->functions + e->first;
		*count = e->found;
	}
	return status;
}

struct gathering {
	struct pf_bodies *bodies;
	const struct pf_identity *who;
	struct pf_body *body;
	struct pf_error *error;
	enum pf_linkage linkage;
	const char *former; /* another name that the profile may have for it; NULL: none */
	int status;
	const char *sought; /* the name whose hosts are visited: one may have instances under several */
};

/* Whether NODE is of the function that is looked for, and that this is in a new file now. */
static bool has_moved(const struct gathering *g, const struct pf_node *node)
{
	const struct pf_source_function *today = g->bodies->edits ? pf_edits_moved(g->bodies->edits, node) : NULL;

	return today && today->line == g->who->line && pf_match_same_file(today->file, g->who->file);
}

/* Whether NODE, whose name is a plain one, is declared where the function is, or was before what stands above it was
 * edited. */
static bool is_in_place(const struct gathering *g, const struct pf_node *node)
{
	const struct pf_identity *who = g->who;
	const struct pf_source_function *today;

	if (node->line == who->line && pf_match_same_file(node->file, who->file))
		return true;
	today = g->bodies->edits ? pf_edits_today(g->bodies->edits, node) : NULL;
	return today && today->line == who->line && pf_match_same_file(today->file, who->file) &&
	       pf_compiled_alike(node->file, who->file);
}

/* Whether what was declared in the file PROFILED is another function of this name, in another file of the program. */
static bool is_namesake(const struct gathering *g, const char *profiled)
{
	const char *file = g->who->file;

	return g->who->local && strcmp(profiled, file) != 0 && pf_bodies_list(g->bodies, profiled) &&
	       pf_bodies_list(g->bodies, file);
}

/* Whether NODE, which has a name of the function that is looked for, is where its name alone does not tell. */
static bool is_told_apart(const struct gathering *g, const struct pf_node *node)
{
	return is_in_place(g, node) || has_moved(g, node);
}

static bool is_callee(const struct gathering *g, const struct pf_node *node)
{
	const struct pf_identity *who = g->who;
	bool same_line = node->line == who->line, same_file = pf_match_same_file(node->file, who->file);
	unsigned i = 0;

	while (i < who->name_count && strcmp(node->name, who->names[i]) != 0)
		i++;
	if (i == who->name_count)
		return g->former && strcmp(node->name, g->former) == 0 && has_moved(g, node);
	if (is_plain(who, node->name))
		return is_told_apart(g, node);
	if (who->local)
		return (!is_namesake(g, node->file) &&
			pf_match_can_be(node->file, node->line, who->file, who->line, g->linkage)) ||
		       has_moved(g, node);
	return same_file || same_line || has_moved(g, node);
}

static bool may_be(void *closure, const struct pf_identity *who, const struct pf_node *node)
{
	struct pf_bodies *bodies = closure;
	struct pf_identity known = *who;
	const struct gathering g = { .bodies = bodies, .who = &known };

	known.file = pf_renames_of(&bodies->renames, who->file);
	return !is_plain(who, node->name) || is_told_apart(&g, node);
}

int pf_bodies_order(struct pf_bodies *bodies, const struct pf_identity *const *who, uint32_t count, uint32_t *order)
{
	const struct pf_host_source source = { bodies->file, load_host, may_be, bodies };

	return pf_host_order(&source, who, count, order);
}

static bool is_hot_instance(const struct gathering *g, const struct pf_function *f, uint32_t node, bool asked)
{
	const struct pf_node *what = &f->nodes[node];

	return pf_heat_is_replayed(what->entries, f->nodes[what->parent].entries, asked, g->bodies->hot);
}

/* Whether the instance NODE of F, which is HOST's, lies in one whose function took that for its own body here: what
 * becomes of NODE is told by that body, then, where it is inlined again or left. */
static bool is_inside_taken(const struct gathering *g, const struct pf_function *f, uint32_t node,
			    const struct pf_name *host)
{
	for (uint32_t up = f->nodes[node].parent; up > 0; up = f->nodes[up].parent) {
		const struct pf_name *around = pf_nametable_find(&g->bodies->names, f->nodes[up].name, false);

		if (around && around->defined && !is_callee(g, &f->nodes[up]) &&
		    pf_name_is_taken(around, f->nodes[up].line) &&
		    !((host->defined || around->elsewhere) && is_hot_instance(g, f, up, around->asked)))
			return true;
	}
	return false;
}

/* Whether the compile of HOST, which F is of, inlines the instance NODE again, or another body has it, so that it must
 * not be counted here. */
static bool is_replayed(const struct gathering *g, const struct pf_function *f, uint32_t node,
			const struct pf_name *host)
{
	if ((host->defined && pf_name_is_taken(host, f->line)) || is_inside_taken(g, f, node, host))
		return true;
	return (host->defined || g->who->elsewhere) && is_hot_instance(g, f, node, g->who->asked);
}

/* Whether the instance NODE lies in what another instance of the same function has inlined, and is merged along with
 * that. What a function has inlined of itself is not: recursion is not inlined again. */
static bool is_nested(const struct gathering *g, const struct pf_function *f, uint32_t node)
{
	uint32_t up = f->nodes[node].parent;

	while (up > 0 && is_callee(g, &f->nodes[up]))
		up = f->nodes[up].parent;
	if (up == 0)
		return false;
	while (up > 0 && !is_callee(g, &f->nodes[up]))
		up = f->nodes[up].parent;
	return is_callee(g, &f->nodes[up]);
}

/* Copies the instance ROOT of F, which was entered HEAD times, without what it has inlined of itself: each such
 * instance is gathered by itself. */
static int graft(struct gathering *g, const struct pf_function *f, uint32_t root, uint64_t head)
{
	int status = pf_graft_subtree(g->body->profile, f, root, head);
	struct pf_function *copy;
	bool *left_out;

	if (status != PF_OK)
		return status;
	copy = &g->body->profile->functions[g->body->profile->function_count - 1];
	left_out = calloc(copy->node_count, sizeof *left_out);
	if (!left_out)
		return PF_ENOMEM;
	for (uint32_t n = 1; n < copy->node_count; n++) {
		left_out[n] =
		    left_out[copy->nodes[n].parent] || (is_callee(g, &copy->nodes[n]) && !is_nested(g, copy, n));
		if (left_out[n])
			copy->nodes[n].entries = 0;
	}
	for (uint32_t i = 0; i < copy->record_count; i++) {
		struct pf_record *record = &copy->records[i];

		if (left_out[record->place.node])
			*record = (struct pf_record) { .place = record->place, .instructions = record->instructions };
	}
	free(left_out);
	return PF_OK;
}

/* The same, as today's source has it. */
static int gather(struct gathering *g, const struct pf_function *f, uint32_t root, uint64_t head)
{
	struct pf_profile *into = g->body->profile;
	int status = graft(g, f, root, head);

	if (status != PF_OK || !g->bodies->edits)
		return status;
	return pf_edits_apply(g->bodies->edits, &into->functions[into->function_count - 1], &g->body->aligned,
			      g->error);
}

/* Whether the instance NODE of F belongs to the function's own body.  F, which is HOST's, may be that itself; and what
 * lies in an instance that is not inlined again is not, either. */
static bool is_left(const struct gathering *g, const struct pf_function *f, uint32_t node, const struct pf_name *host)
{
	if (!is_callee(g, &f->nodes[node]) || is_nested(g, f, node))
		return false;
	for (uint32_t up = node; up > 0 && is_callee(g, &f->nodes[up]); up = f->nodes[up].parent) {
		if (!is_replayed(g, f, up, host))
			return true;
	}
	return is_callee(g, &f->nodes[0]);
}

static int gather_host(const char *name, void *closure)
{
	struct gathering *g = closure;
	struct pf_name *host;

	g->status = load_name(g->bodies, name, &host, g->error);
	for (uint32_t i = 0; g->status == PF_OK && i < host->found; i++) {
		const struct pf_function *f = &g->bodies->loaded->functions[host->first + i];

		for (uint32_t n = 1; g->status == PF_OK && n < f->node_count; n++) {
			if (strcmp(f->nodes[n].name, g->sought) != 0 || !is_left(g, f, n, host))
				continue;
			g->status = gather(g, f, n, f->nodes[n].entries);
			g->body->merged++;
		}
	}
	return g->status != PF_OK;
}

static void visit_hosts(struct gathering *g, const char *name)
{
	g->sought = name;
	pf_pfdo_hosts(g->bodies->file, name, gather_host, g);
}

/* A profile without a list of files knows none of them.  A file that is not in the list may be one of another program,
 * whose functions have the names of this one's, or have a new name.  What is but declared here is known by its name
 * alone. */
static enum pf_linkage linkage_of(const struct pf_bodies *bodies, const struct pf_identity *who)
{
	struct pf_error error;
	int compiled = who->declared ? 1 : pf_pfdo_compiled(bodies->file, who->file, &error);

	if (who->local)
		return compiled == 1 ? PF_LOCAL_IN : PF_LOCAL;
	return compiled == 0 ? PF_ELSEWHERE : PF_PUBLIC;
}

/* The record among those of E whose function has moved to a new file; NULL if there is none. */
static const struct pf_function *find_moved(const struct gathering *g, const struct pf_name *e)
{
	for (uint32_t i = 0; i < e->found; i++) {
		const struct pf_function *f = &g->bodies->loaded->functions[e->first + i];

		if (has_moved(g, &f->nodes[0]))
			return f;
	}
	return NULL;
}

/* The out-of-line record that the function has under NAME, NULL if none; *STALE: of another declaration line. */
static const struct pf_function *find_own(struct gathering *g, const char *name, bool *stale)
{
	struct pf_name *e;
	const struct pf_function *own = NULL;

	g->status = load_name(g->bodies, name, &e, g->error);
	if (g->status != PF_OK || !e->found)
		return NULL;
	if (!g->former)
		own = pf_match_function(&g->bodies->loaded->functions[e->first], e->found, g->who->file, g->who->line,
					g->linkage, stale);
	if (own && !is_namesake(g, own->file) && (!is_plain(g->who, name) || is_in_place(g, &own->nodes[0])))
		return own;
	own = find_moved(g, e);
	*stale = own;
	return own;
}

static void gather_own(struct gathering *g, const char *name)
{
	const struct pf_function *own = find_own(g, name, &g->body->stale);

	if (!own || g->body->own)
		return;
	g->body->own = true;
	g->body->entries = own->head;
	g->status = gather(g, own, 0, own->head);
}

static void gather_left(struct gathering *g, const char *name)
{
	struct pf_name *e = pf_nametable_find(&g->bodies->names, name, false);

	for (uint32_t i = e ? e->left : 0; i && g->status == PF_OK; i = g->bodies->instances[i - 1].next) {
		const struct pf_function *f = &g->bodies->left->functions[g->bodies->instances[i - 1].function];

		if (!is_callee(g, &f->nodes[0]))
			continue;
		for (uint32_t n = 0; n < f->node_count && g->status == PF_OK; n++) {
			if (n > 0 && (!is_callee(g, &f->nodes[n]) || is_nested(g, f, n)))
				continue;
			g->status = graft(g, f, n, n ? f->nodes[n].entries : f->head);
			g->body->merged++;
		}
	}
}

/* The body lies where the function itself lay, or else where its most frequent instance was inlined. */
static uint32_t rank_of(const struct pf_body *body)
{
	const struct pf_function *functions = body->profile->functions;
	uint32_t most = 0;

	for (uint32_t i = 1; !body->own && i < body->profile->function_count; i++) {
		if (functions[i].head > functions[most].head)
			most = i;
	}
	return functions[most].rank;
}

/* Whether the function's own record is only of what GCC split off it: nobody calls that but what is left of the
 * function in its instances.  Neither of the two is a flow without the other; their sum is one. */
static bool is_split_off(const struct pf_body *body)
{
	return body->own && body->profile->functions[0].head == 0;
}

/* Gives all parts one identity, keeps them as they are, and lets canonicalisation add them up. */
static int unite(struct gathering *g)
{
	struct pf_profile *profile = g->body->profile;
	uint32_t rank = rank_of(g->body);

	if (g->body->own)
		pf_graft_adopt_discriminators(profile);
	for (uint32_t i = 0; i < profile->function_count; i++) {
		struct pf_function *f = &profile->functions[i];

		f->name = f->nodes[0].name = profile->functions[0].name;
		f->file = f->nodes[0].file = profile->functions[0].file;
		f->line = f->nodes[0].line = profile->functions[0].line;
		f->nodes[0].entries = f->head;
	}
	int status = is_split_off(g->body) ? PF_OK : pf_parts_split(&g->body->parts, profile, g->error);
	if (status == PF_OK)
		status = pf_profile_canonicalise(profile, g->error);
	if (status == PF_OK) {
		profile->functions[0].rank = rank;
		g->body->function = &profile->functions[0];
	}
	return status;
}

/* What the profile has under the name that the function had: it is that function's from now on. */
static void gather_former(struct gathering *g)
{
	const struct pf_edits *edits = g->bodies->edits;
	struct pf_name *e;

	g->former = edits && !g->body->own ? pf_edits_former(edits, g->who->names[0], g->who->line) : NULL;
	if (!g->former)
		return;
	gather_own(g, g->former);
	if (g->status != PF_OK || !g->body->own)
		return;
	e = pf_nametable_find(&g->bodies->names, g->former, true);
	if (e)
		e->defined = e->taken = true;
	else
		g->status = pf_fail(g->error, PF_ENOMEM, "out of memory");
}

const struct pf_function *pf_bodies_own(struct pf_bodies *bodies, const struct pf_identity *who)
{
	struct pf_identity known = *who;
	known.file = pf_renames_of(&bodies->renames, who->file);
	struct pf_body body = { 0 };
	struct pf_error error;
	struct gathering g = { bodies, &known, &body, &error, linkage_of(bodies, &known), NULL, PF_OK, NULL };
	const struct pf_function *own = NULL;

	for (unsigned i = 0; i < who->name_count && !own; i++)
		own = find_own(&g, who->names[i], &body.stale);
	return own;
}

int pf_bodies_take(struct pf_bodies *bodies, const struct pf_identity *who, struct pf_body *body,
		   struct pf_error *error)
{
	struct pf_identity known = *who;
	known.file = pf_renames_of(&bodies->renames, who->file);
	struct gathering g = { bodies, &known, body, error, linkage_of(bodies, &known), NULL, PF_OK, NULL };

	memset(body, 0, sizeof *body);
	body->profile = pf_profile_alloc(pf_pfdo_unit(bodies->file));
	if (!body->profile)
		return pf_fail(error, PF_ENOMEM, "out of memory");
	for (unsigned i = 0; i < who->name_count && g.status == PF_OK; i++)
		gather_own(&g, who->names[i]);
	if (g.status == PF_OK)
		gather_former(&g);
	for (unsigned i = 0; i < who->name_count && g.status == PF_OK; i++)
		gather_left(&g, who->names[i]);
	for (unsigned i = 0; i < who->name_count && g.status == PF_OK; i++) {
		g.status = take_name(bodies, who, who->names[i], error);
		if (g.status == PF_OK)
			visit_hosts(&g, who->names[i]);
	}
	if (g.status == PF_OK && g.former)
		visit_hosts(&g, g.former);
	if (g.status == PF_OK && body->profile->function_count)
		g.status = unite(&g);
	if (g.status != PF_OK || !body->profile->function_count) {
		bool own = body->own;

		pf_body_release(body);
		body->own = own;
		return g.status;
	}
	return PF_OK;
}

void pf_body_share(const struct pf_body *body, const uint32_t *copies)
{
	pf_parts_share_function(&body->profile->functions[0], copies);
	pf_parts_share(&body->parts, body->function, copies);
}

void pf_body_release(struct pf_body *body)
{
	pf_parts_fini(&body->parts);
	pf_profile_free(body->profile);
	body->profile = NULL;
	body->function = NULL;
}
