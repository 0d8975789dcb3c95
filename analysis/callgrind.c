/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See callgrind.h.  The hard case is an address that stands under several functions, which were inlined there: its
 * counts add up. */
#include "analysis/callgrind.h"
#include "analysis/callgrind-text.h"
#include "support/filename.h"
#include "support/search.h"

static int add_count(const struct pf_callgrind_text *t, struct pf_exact_counts *counts, struct pf_error *error)
{
	struct pf_exact_count *new = pf_array_push(&counts->list);

	if (!new)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", t->text.path);
	*new = (struct pf_exact_count) { t->address, t->count };
	return PF_OK;
}

static int compare_counts(const void *a, const void *b)
{
	const struct pf_exact_count *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static void add_up(struct pf_exact_counts *counts)
{
	size_t kept = 0;

	pf_array_sort(&counts->list, compare_counts);
	for (size_t i = 0; i < counts->list.count; i++) {
		struct pf_exact_count *c = &counts->list.at[i];

		if (kept > 0 && counts->list.at[kept - 1].address == c->address)
			counts->list.at[kept - 1].count += c->count;
		else
			counts->list.at[kept++] = *c;
	}
	counts->list.count = kept;
}

static int read_counts(struct pf_callgrind_text *t, const char *object, struct pf_exact_counts *counts,
		       struct pf_error *error)
{
	bool found = false, inside = false;
	int status;

	while ((status = pf_callgrind_text_next(t, error)) > 0) {
		if (status == PF_CALLGRIND_OBJECT) {
			inside = strcmp(pf_filename_base(pf_callgrind_text_name(&t->objects, t->object)), object) == 0;
			found |= inside;
		} else if (status == PF_CALLGRIND_COSTS && inside && t->count > 0) {
			status = add_count(t, counts, error);
			if (status < 0)
				break;
		}
	}
	if (status == PF_OK && !t->instructions)
		status = pf_callgrind_text_fail(t, "no file of callgrind with instructions", error);
	if (status == PF_OK && !found)
		status = pf_fail(error, PF_ENOTFOUND, "%s: holds no object '%s'; run this very binary under callgrind",
				 t->text.path, object);
	add_up(counts);
	return status;
}

int pf_callgrind_parse(const void *bytes, size_t size, const char *path, const char *object,
		       struct pf_exact_counts *counts, struct pf_error *error)
{
	struct pf_callgrind_text text;
	int status;

	*counts = (struct pf_exact_counts) { 0 };
	pf_callgrind_text_over(&text, bytes, size, path);
	status = read_counts(&text, pf_filename_base(object), counts, error);
	pf_callgrind_text_close(&text);
	return status;
}

int pf_callgrind_read(const char *path, const char *object, struct pf_exact_counts *counts, struct pf_error *error)
{
	struct pf_callgrind_text text;
	int status = pf_callgrind_text_open(&text, path, error);

	*counts = (struct pf_exact_counts) { 0 };
	if (status == PF_OK)
		status = read_counts(&text, pf_filename_base(object), counts, error);
	pf_callgrind_text_close(&text);
	return status;
}

void pf_exact_counts_fini(struct pf_exact_counts *counts)
{
	pf_array_fini(&counts->list);
}

uint64_t pf_exact_count(const struct pf_exact_counts *counts, uint64_t address)
{
	struct pf_search search = pf_search_over(counts->list.count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, counts->list.at[search.middle].address < address);
	return search.low < counts->list.count && counts->list.at[search.low].address == address
		   ? counts->list.at[search.low].count
		   : 0;
}
