/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See split.h.  The hard case is a program that was moved, or built anew since: the id of each half decides, whatever
 * the path, and a file of the name with another id is told from none at all. */
#include "converter/split.h"
#include "converter/allowance.h"
#include "converter/die.h"
#include "converter/package.h"
#include "support/filename.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

bool pf_split_named(const struct pf_dwarf *dwarf, Dwarf_Die die, uint64_t id, struct pf_skeleton *skeleton)
{
	*skeleton = (struct pf_skeleton) { .id = id };
	if (!pf_die_string(dwarf, die, DW_AT_dwo_name, &skeleton->name) &&
	    !pf_die_string(dwarf, die, DW_AT_GNU_dwo_name, &skeleton->name))
		return false;
	pf_die_string(dwarf, die, DW_AT_comp_dir, &skeleton->folder);
	if (id == 0)
		pf_die_number(dwarf, die, DW_AT_GNU_dwo_id, &skeleton->id);
	return true;
}

/* Reads unit after unit until one has ID. */
static bool find_unit(struct pf_split *split, uint64_t id)
{
	struct pf_dwarf_header header;

	while (pf_dwarf_next(&split->dwarf, &header) > 0) {
		if (header.id == 0 && header.die)
			pf_die_number(&split->dwarf, header.die, DW_AT_GNU_dwo_id, &header.id);
		if (header.id == id && header.die) {
			split->unit = header.die;
			return true;
		}
		pf_die_release(&split->dwarf, header.die);
	}
	return false;
}

static int open_unit(struct pf_elf *elf, const struct pf_dwarf_piece *pieces, uint64_t id, struct pf_split *split,
		     struct pf_error *error)
{
	int status = pf_dwarf_open_split(elf, pieces, &split->dwarf, error);

	if (status == PF_OK && !find_unit(split, id))
		status = pf_fail(error, PF_EMISMATCH, "%s is of another build", elf->path);
	if (status == PF_OK)
		pf_allowance_raise(pieces ? pieces[PF_DWARF_INFO].size : elf->size);
	return status;
}

static int try_file(const char *path, uint64_t id, struct pf_split *split, struct pf_error *error)
{
	int status;

	if (access(path, F_OK) != 0)
		return PF_ENOTFOUND;
	status = pf_elf_open_object(path, &split->file, error);
	if (status == PF_OK)
		status = open_unit(&split->file, NULL, id, split, error);
	if (status < 0)
		pf_split_close(split);
	return status;
}

/* Candidate number TRY for the .dwo file that was written as WRITTEN; false if there are no more. */
static bool candidate(const struct pf_debug_files *files, const struct pf_skeleton *s, const char *written, int try,
		      char path[PATH_MAX])
{
	const char *binary = files->binary->path, *slash = strrchr(binary, '/'), *last = strrchr(s->name, '/');
	const char *between = *written == '/' ? "" : "/"; /* builds that tell no folder write names from their own on */
	int folder = slash ? (int)(slash - binary) : 1;

	binary = slash ? binary : ".";
	last = last ? last + 1 : s->name;
	switch (try) {
	case 0:
		snprintf(path, PATH_MAX, "%s%s%s", files->symfs ? files->symfs : "", files->symfs ? between : "",
			 written);
		return true;
	case 1:
		snprintf(path, PATH_MAX, "%s", written);
		return true;
	case 2:
		snprintf(path, PATH_MAX, "%.*s/%s", folder, binary, *s->name == '/' ? last : s->name);
		return true;
	case 3:
		snprintf(path, PATH_MAX, "%.*s/%s", folder, binary, last);
		return true;
	case 4:
		snprintf(path, PATH_MAX, "%s%s%s", files->debug_dir ? files->debug_dir : "", between, written);
		return files->debug_dir != NULL;
	case 5:
		snprintf(path, PATH_MAX, "%s/%s", files->debug_dir, last);
		return true;
	default:
		return false;
	}
}

static int search(const struct pf_debug_files *files, const struct pf_skeleton *s, const char *written,
		  struct pf_split *split, struct pf_error *error)
{
	char path[PATH_MAX];
	bool seen = false;

	for (int try = 0; candidate(files, s, written, try, path); try++) {
		int status = try_file(path, s->id, split, error);

		if (status == PF_OK || status == PF_ENOMEM)
			return status;
		seen |= status != PF_ENOTFOUND;
	}
	return seen ? PF_EMISMATCH : pf_fail(error, PF_ENOTFOUND, "%.900s is not there", written);
}

int pf_split_open(const struct pf_debug_files *files, const struct pf_skeleton *skeleton, struct pf_split *split,
		  struct pf_error *error)
{
	struct pf_dwarf_piece pieces[PF_DWARF_PARTS];
	char *written;
	int status;

	*split = (struct pf_split) { 0 };
	if (files->package && pf_package_find(files->package, skeleton->id, pieces)) {
		status = open_unit(files->package, pieces, skeleton->id, split, error);
		if (status < 0)
			pf_split_close(split);
		return status;
	}
	written = pf_filename_join(skeleton->folder, skeleton->name);
	if (!written)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", skeleton->name);
	status = search(files, skeleton, written, split, error);
	free(written);
	return status;
}

void pf_split_close(struct pf_split *split)
{
	if (split->unit)
		pf_die_release(&split->dwarf, split->unit);
	pf_dwarf_close(&split->dwarf);
	pf_elf_close(&split->file);
	*split = (struct pf_split) { 0 };
}
