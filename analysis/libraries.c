/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See libraries.h.  What is needed is named as it is looked up at run time (libfoo.so.1), and the file is often called
 * more (libfoo.so.1.2.3), with links in between that are not followed here: so a name matches as a beginning. */
#include "analysis/libraries.h"
#include "analysis/tree.h"
#include "converter/elf.h"
#include "support/cursor.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

struct search {
	PF_ARRAY(char *) needed;
	struct pf_libraries *libraries;
	bool found; /* another one in this round */
};

/* Appends a copy of TEXT to the array of strings A, unless it is in it; whether it is new is in *NEW. */
#define add_text(a, text, new) add_copy(&(a)->at, &(a)->count, &(a)->capacity, text, new)

static int add_copy(char ***at, size_t *count, size_t *capacity, const char *text, bool *new)
{
	*new = false;
	for (size_t i = 0; i < *count; i++) {
		if (strcmp((*at)[i], text) == 0)
			return PF_OK;
	}
	if (!pf_array_reserve(at, *count, capacity, 1, sizeof **at))
		return PF_ENOMEM;
	(*at)[*count] = strdup(text);
	if (!(*at)[*count])
		return PF_ENOMEM;
	++*count;
	*new = true;
	return PF_OK;
}

/* The names in ELF's DT_NEEDED entries. */
static int read_needed(struct search *s, struct pf_elf *elf)
{
	struct pf_elf_section *dynamic = pf_elf_find(elf, ".dynamic"), *strings = pf_elf_find(elf, ".dynstr");
	const uint8_t *entries, *text;
	uint64_t entries_size, text_size;
	struct pf_cursor c;
	int status = PF_OK;

	if (!dynamic || !strings || pf_elf_contents(elf, dynamic, &entries, &entries_size, NULL) < 0 ||
	    pf_elf_contents(elf, strings, &text, &text_size, NULL) < 0)
		return PF_OK; /* static */
	c = pf_cursor_over(entries, entries_size, dynamic->offset);
	while (status == PF_OK && pf_cursor_left(&c) >= 16) {
		uint64_t tag = pf_cursor_u64(&c), value = pf_cursor_u64(&c);
		struct pf_cursor name = pf_cursor_over(text, text_size, strings->offset);
		const char *string;
		bool new;

		if (tag != DT_NEEDED)
			continue;
		pf_cursor_bytes(&name, value);
		string = pf_cursor_string(&name);
		if (string && *string)
			status = add_text(&s->needed, string, &new);
	}
	return status;
}

static bool is_needed(const struct search *s, const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;

	for (size_t i = 0; i < s->needed.count; i++) {
		if (strncmp(base, s->needed.at[i], strlen(s->needed.at[i])) == 0)
			return true;
	}
	return false;
}

static int visit(void *context, const char *path)
{
	struct search *s = context;
	struct pf_elf elf;
	bool new;
	int status;

	if (!strstr(path, ".so") || !is_needed(s, path) || pf_elf_open(path, &elf, NULL) < 0)
		return PF_OK;
	status = add_text(&s->libraries->paths, path, &new);
	if (status == PF_OK && new)
		status = read_needed(s, &elf);
	s->found |= new;
	pf_elf_close(&elf);
	return status;
}

int pf_libraries_find(const char *program, const char *folder, struct pf_libraries *libraries, struct pf_error *error)
{
	struct search s = { .libraries = libraries, .found = true };
	struct pf_elf elf;
	int status;

	*libraries = (struct pf_libraries) { 0 };
	status = pf_elf_open(program, &elf, error);
	if (status < 0)
		return status;
	status = read_needed(&s, &elf);
	pf_elf_close(&elf);
	while (status == PF_OK && s.found) {
		s.found = false;
		status = pf_tree_walk(folder, visit, &s, error);
	}
	for (size_t i = 0; i < s.needed.count; i++)
		free(s.needed.at[i]);
	pf_array_fini(&s.needed);
	if (status < 0)
		pf_libraries_fini(libraries);
	return status == PF_ENOMEM ? pf_fail(error, status, "%s: out of memory", program) : status;
}

void pf_libraries_fini(struct pf_libraries *libraries)
{
	for (size_t i = 0; i < libraries->paths.count; i++)
		free(libraries->paths.at[i]);
	pf_array_fini(&libraries->paths);
}
