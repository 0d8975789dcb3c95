/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The chunk of a .pfdo file that lists what the profiled binaries were compiled from.  A compile whose file matches
 * nothing looks for one name among perhaps 50,000, so entries are sorted by a key of the name's last component.  Hard
 * case: names like main.c, of which there may be hundreds: they stand together, and each is looked at. */
#include "profile/compiled.h"
#include "profile/arena.h"
#include "profile/pfdo-compiled.h"
#include "profile/pfdo.h"
#include "support/search.h"

#include <stdlib.h>
#include <string.h>

struct entry {
	uint32_t key, name; /* name: offset in the string table */
};

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

int pf_pfdo_encode_compiled(const struct pf_profile *profile, struct pf_buffer *out)
{
	uint32_t count = profile->compiled_count;
	struct entry *entries = calloc((size_t)count + 1, sizeof *entries);

	if (!entries)
		return PF_ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		entries[i] = (struct entry) { .key = pf_compiled_key(profile->compiled[i]),
					      .name = *pf_arena_mark(profile->compiled[i]) - 1 };
	qsort(entries, count, sizeof *entries, compare_entries);
	for (uint32_t i = 0; i < count; i++) {
		pf_buffer_u32(out, entries[i].key);
		pf_buffer_u32(out, entries[i].name);
	}
	free(entries);
	return PF_OK;
}

static int read_entry(struct pf_pfdo *file, uint64_t index, struct entry *entry, struct pf_error *error)
{
	struct pf_cursor c;
	int status =
	    pf_pfdo_view(file, PF_CHUNK_COMPILED, index * PF_PFDO_COMPILED_ENTRY, PF_PFDO_COMPILED_ENTRY, &c, error);

	if (status < 0)
		return status;
	entry->key = pf_cursor_u32(&c);
	entry->name = pf_cursor_u32(&c);
	return PF_OK;
}

static int add_name(struct pf_pfdo *file, const struct entry *entry, uint64_t at, struct pf_profile *profile,
		    struct pf_error *error)
{
	const char *name = pf_pfdo_string(file, entry->name, error);
	int status;

	if (!name)
		return PF_EFORMAT;
	if (entry->key != pf_compiled_key(name))
		return pf_pfdo_damaged(file->path, at, "a source file under another's key", error);
	status = pf_profile_add_compiled(profile, name);
	if (status == PF_ELIMIT)
		return pf_pfdo_damaged(file->path, at, "a source file whose name is too long", error);
	return status < 0 ? pf_fail(error, status, "%s: out of memory", file->path) : PF_OK;
}

int pf_pfdo_decode_compiled(struct pf_pfdo *file, struct pf_profile *profile, struct pf_error *error)
{
	const struct pf_pfdo_part *part = &file->parts[PF_CHUNK_COMPILED];
	struct entry entry, previous = { 0 };
	int status = PF_OK;

	if (part->size % PF_PFDO_COMPILED_ENTRY)
		return pf_pfdo_damaged(file->path, part->offset, "a list of source files with half an entry", error);
	for (uint64_t i = 0; i < part->size / PF_PFDO_COMPILED_ENTRY && status == PF_OK; i++) {
		uint64_t at = part->offset + i * PF_PFDO_COMPILED_ENTRY;

		status = read_entry(file, i, &entry, error);
		if (status == PF_OK && i && compare_entries(&previous, &entry) >= 0)
			status = pf_pfdo_damaged(file->path, at, "source files out of order", error);
		if (status == PF_OK)
			status = add_name(file, &entry, at, profile, error);
		previous = entry;
	}
	return status;
}

/* The first entry of KEY or behind it. */
static int find_first(struct pf_pfdo *file, uint64_t count, uint32_t key, uint64_t *first, struct pf_error *error)
{
	struct pf_search search = pf_search_over(count);
	int status = PF_OK;

	while (pf_search_goes_on(&search) && status == PF_OK) {
		struct entry entry = { 0 };

		status = read_entry(file, search.middle, &entry, error);
		pf_search_step(&search, entry.key < key);
	}
	*first = search.low;
	return status;
}

/* Whether a file that IS NAME is listed; as pf_pfdo_compiled. */
static int find(struct pf_pfdo *file, const char *name, bool (*is)(const char *, const char *), struct pf_error *error)
{
	uint64_t count = file->parts[PF_CHUNK_COMPILED].size / PF_PFDO_COMPILED_ENTRY, at;
	uint32_t key = pf_compiled_key(name);
	int status = count ? find_first(file, count, key, &at, error) : PF_ENOTFOUND;

	for (; status == PF_OK && at < count; at++) {
		struct entry entry;
		const char *listed;

		status = read_entry(file, at, &entry, error);
		if (status < 0 || entry.key != key)
			break;
		listed = pf_pfdo_string(file, entry.name, error);
		if (!listed)
			return PF_EFORMAT;
		if (is(listed, name))
			return 1;
	}
	return status;
}

int pf_pfdo_compiled(struct pf_pfdo *file, const char *name, struct pf_error *error)
{
	return find(file, name, pf_compiled_alike, error);
}

static bool is_equal(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

bool pf_pfdo_lists(struct pf_pfdo *file, const char *name)
{
	struct pf_error error;

	return find(file, name, is_equal, &error) == 1;
}
