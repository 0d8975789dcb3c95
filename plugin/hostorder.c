/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a function had inlined and does not inline again is its callee's own, and has to be known when the callee's turn
 * comes.  Callers first is an order for that as long as nothing calls itself by way of others; within such a circle the
 * call graph knows no first one, but the profile does: the functions into which another was inlined come before it,
 * those between, too, as an instance that is left takes with it what is inlined in it.
 *
 * The hard case is a circle in that, too, of functions that were inlined into each other.  It is cut where the search
 * for hosts comes back to a function whose own hosts are still being looked for.  So none must be seen where there is
 * none: a name that many functions share, such as operator(), is not enough to tell who a host is.  The search keeps
 * its own stack, as the chain of hosts in a foreign profile may be as long as the file has functions. */
#include "plugin/hostorder.h"
#include "support/array.h"
#include "support/search.h"

#include <stdlib.h>
#include <string.h>

struct named {
	const char *name;
	uint32_t function;
};

struct hosts {
	PF_ARRAY(struct named) names; /* sorted */
	PF_ARRAY(uint32_t) hosts;     /* of all functions, those of function I from FIRST[I] up to FIRST[I + 1] */
	size_t *first;
	const struct pf_host_source *source;
	const struct pf_identity *const *who;
	const struct pf_identity *sought; /* the function whose hosts are listed */
	const char *name;                 /* by this name of it */
	int status;
};

static int compare_names(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->function > y->function) - (x->function < y->function);
}

static bool list_names(struct hosts *h, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		for (unsigned n = 0; n < h->who[i]->name_count; n++) {
			struct named *named = pf_array_push(&h->names);

			if (!named)
				return false;
			*named = (struct named) { h->who[i]->names[n], i };
		}
	}
	if (h->names.count)
		qsort(h->names.at, h->names.count, sizeof *h->names.at, compare_names);
	return true;
}

static bool may_be(const struct hosts *h, const struct pf_identity *who, const struct pf_node *node)
{
	return h->source->may_be(h->source->closure, who, node);
}

/* Several functions may be what NODE is of; whichever it is, it is before the other then. */
static void note(struct hosts *h, const struct pf_node *node)
{
	struct pf_search search = pf_search_over(h->names.count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, strcmp(h->names.at[search.middle].name, node->name) < 0);
	for (size_t i = search.low; i < h->names.count && strcmp(h->names.at[i].name, node->name) == 0; i++) {
		uint32_t function = h->names.at[i].function, *host;

		if (!may_be(h, h->who[function], node))
			continue;
		host = pf_array_push(&h->hosts);
		if (host)
			*host = function;
		else
			h->status = PF_ENOMEM;
	}
}

/* Around each instance of the function that is sought: F, and what F had inlined there. */
static void note_instances(struct hosts *h, const struct pf_function *f)
{
	bool any = false;

	for (uint32_t n = 1; n < f->node_count; n++) {
		if (strcmp(f->nodes[n].name, h->name) != 0 || !may_be(h, h->sought, &f->nodes[n]))
			continue;
		if (!any)
			note(h, &f->nodes[0]);
		any = true;
		for (uint32_t around = f->nodes[n].parent; around; around = f->nodes[around].parent)
			note(h, &f->nodes[around]);
	}
}

static int note_host(const char *name, void *closure)
{
	struct hosts *h = closure;
	const struct pf_function *functions;
	uint32_t count;

	h->status = h->source->load(h->source->closure, name, &functions, &count);
	for (uint32_t i = 0; h->status == PF_OK && i < count; i++)
		note_instances(h, &functions[i]);
	return h->status != PF_OK;
}

static int list_hosts(struct hosts *h, uint32_t count)
{
	int status = PF_OK;

	for (uint32_t i = 0; i < count && status == PF_OK; i++) {
		h->first[i] = h->hosts.count;
		h->sought = h->who[i];
		for (unsigned n = 0; n < h->sought->name_count && status == PF_OK; n++) {
			h->name = h->sought->names[n];
			status = pf_pfdo_hosts(h->source->file, h->name, note_host, h);
			status = h->status == PF_OK ? status : h->status;
		}
	}
	h->first[count] = h->hosts.count;
	return status;
}

struct search {
	const struct hosts *hosts;
	size_t *next;    /* the host of each function that is looked at next */
	bool *found;     /* the function is in the order, or on the way to it */
	uint32_t *stack; /* functions whose hosts are looked for, each a host of the one before */
	uint32_t *order, done;
};

static void place(struct search *s, uint32_t function)
{
	uint32_t depth = 1;

	s->stack[0] = function;
	s->found[function] = true;
	while (depth) {
		uint32_t at = s->stack[depth - 1], host;

		if (s->next[at] == s->hosts->first[at + 1]) {
			s->order[s->done++] = at;
			depth--;
			continue;
		}
		host = s->hosts->hosts.at[s->next[at]++];
		if (s->found[host])
			continue;
		s->found[host] = true;
		s->stack[depth++] = host;
	}
}

static int place_all(const struct hosts *h, uint32_t count, uint32_t *order)
{
	struct search s = { .hosts = h, .order = order };
	int status = PF_ENOMEM;

	s.next = calloc((size_t)count + 1, sizeof *s.next);
	s.found = calloc((size_t)count + 1, sizeof *s.found);
	s.stack = calloc((size_t)count + 1, sizeof *s.stack);
	if (s.next && s.found && s.stack) {
		memcpy(s.next, h->first, count * sizeof *s.next);
		for (uint32_t i = 0; i < count; i++) {
			if (!s.found[i])
				place(&s, i);
		}
		status = PF_OK;
	}
	free(s.next);
	free(s.found);
	free(s.stack);
	return status;
}

int pf_host_order(const struct pf_host_source *source, const struct pf_identity *const *who, uint32_t count,
		  uint32_t *order)
{
	struct hosts h = { .first = calloc((size_t)count + 1, sizeof *h.first), .source = source, .who = who };
	int status = PF_ENOMEM;

	if (h.first && list_names(&h, count))
		status = list_hosts(&h, count);
	if (status == PF_OK)
		status = place_all(&h, count, order);
	pf_array_fini(&h.names);
	pf_array_fini(&h.hosts);
	free(h.first);
	return status;
}
