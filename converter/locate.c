/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See locate.h.  Hard case: several candidates of which the first that exists is a stale one; it is remembered as the
 * reason, and the search goes on. */
#include "converter/locate.h"
#include "support/cursor.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>
#include <zlib.h>

#define SYSTEM_DEBUG_DIR "/usr/lib/debug"

void pf_build_id_text(const uint8_t *id, uint8_t size, char text[41])
{
	strcpy(text, "unknown");
	for (uint8_t i = 0; i < size && i < 20; i++)
		snprintf(text + 2 * i, 3, "%02x", id[i]);
}

static bool same_id(const uint8_t *a, uint8_t a_size, const uint8_t *b, uint8_t b_size)
{
	return a_size > 0 && a_size == b_size && memcmp(a, b, a_size) == 0;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Whether the file at PATH can be that of MODULE: 1 by build-id, 0 not, and when only its name fits 2. */
static int candidate(const char *path, const struct pf_traffic_module *module)
{
	struct pf_elf elf;
	int fits = strcmp(base_name(path), base_name(module->path)) == 0 ? 2 : 0;

	if (pf_elf_open(path, &elf, NULL) < 0)
		return fits;
	if (same_id(elf.build_id, elf.build_id_size, module->build_id, module->build_id_size))
		fits = 1;
	pf_elf_close(&elf);
	return fits;
}

/* The file that was asked for and is MODULE, or NULL. */
static const char *asked_for(const struct pf_traffic_module *module, const struct pf_locate_options *options)
{
	const char *by_name = NULL;

	for (size_t i = 0; i < options->binary_count; i++) {
		int fits = candidate(options->binaries[i], module);

		if (fits == 1)
			return options->binaries[i];
		if (fits == 2)
			by_name = options->binaries[i];
	}
	return by_name;
}

int pf_locate_check(const struct pf_traffic *t, const struct pf_locate_options *options, struct pf_error *error)
{
	for (size_t i = 0; i < options->binary_count; i++) {
		const char *path = options->binaries[i];
		struct pf_elf elf;
		int status = pf_elf_open(path, &elf, error);
		char id[41], known[600] = "";
		bool found = false;

		if (status < 0)
			return status;
		for (size_t k = 0; k < t->modules.count; k++) {
			found |= candidate(path, &t->modules.at[k]) != 0;
			snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", k ? ", " : "",
				 t->modules.at[k].path);
		}
		pf_build_id_text(elf.build_id, elf.build_id_size, id);
		pf_elf_close(&elf);
		if (!found)
			return pf_fail(
			    error, PF_ENOTFOUND,
			    "%s: build-id %s was not recorded; the recording has: %s. Name the binary that ran", path,
			    id, known);
	}
	return PF_OK;
}

static int check_build_id(const struct pf_traffic_module *module, const struct pf_elf *elf, struct pf_error *error)
{
	char recorded[41], found[41];

	if (module->build_id_size == 0 ||
	    same_id(module->build_id, module->build_id_size, elf->build_id, elf->build_id_size))
		return PF_OK;
	pf_build_id_text(module->build_id, module->build_id_size, recorded);
	pf_build_id_text(elf->build_id, elf->build_id_size, found);
	return pf_fail(error, PF_EMISMATCH,
		       "%s: build-id is %s, but %s was recorded with build-id %s; "
		       "name the binary that ran with -b, or only those to convert",
		       elf->path, found, module->path, recorded);
}

/* Whether PATH is a debug file that belongs to ELF; *CRC is checked if it is given. */
static bool try_debug(struct pf_binary *b, const char *path, const uint32_t *crc)
{
	struct pf_elf found;
	struct pf_error error;

	if (access(path, F_OK) != 0)
		return false;
	if (pf_elf_open(path, &found, &error) < 0) {
		snprintf(b->reason, sizeof b->reason, "%.500s", error.text);
		return false;
	}
	if (b->elf.build_id_size && found.build_id_size &&
	    !same_id(b->elf.build_id, b->elf.build_id_size, found.build_id, found.build_id_size)) {
		snprintf(b->reason, sizeof b->reason, "%.400s has another build-id", path);
	} else if (crc && crc32_z(0, found.bytes, found.size) != *crc) {
		snprintf(b->reason, sizeof b->reason, "%.400s does not have the CRC in .gnu_debuglink", path);
	} else if (!pf_elf_find(&found, ".debug_info")) {
		snprintf(b->reason, sizeof b->reason, "%.400s has no .debug_info", path);
	} else {
		b->separate = found;
		b->debug = &b->separate;
		b->reason[0] = 0;
		return true;
	}
	pf_elf_close(&found);
	return false;
}

static bool by_build_id(struct pf_binary *b, const char *directory)
{
	char path[PATH_MAX], id[41];

	if (!directory || b->elf.build_id_size < 2)
		return false;
	pf_build_id_text(b->elf.build_id, b->elf.build_id_size, id);
	snprintf(path, sizeof path, "%s/.build-id/%.2s/%s.debug", directory, id, id + 2);
	return try_debug(b, path, NULL);
}

static bool by_debuglink(struct pf_binary *b, const char *debug_dir)
{
	uint32_t crc;
	const char *name = pf_elf_debuglink(&b->elf, &crc);
	char real[PATH_MAX], folder[PATH_MAX], path[3 * PATH_MAX];
	const char *const roots[] = { debug_dir, SYSTEM_DEBUG_DIR };

	if (!name || !realpath(b->elf.path, real))
		return false;
	snprintf(folder, sizeof folder, "%.*s", (int)(base_name(real) - real - 1), real);
	snprintf(path, sizeof path, "%s/%s", folder, name);
	if (strcmp(path, real) != 0 && try_debug(b, path, &crc))
		return true;
	snprintf(path, sizeof path, "%s/.debug/%s", folder, name);
	if (try_debug(b, path, &crc))
		return true;
	for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++) {
		if (!roots[i])
			continue;
		snprintf(path, sizeof path, "%s%s/%s", roots[i], folder, name);
		if (try_debug(b, path, &crc))
			return true;
		snprintf(path, sizeof path, "%s/%s", roots[i], name);
		if (try_debug(b, path, &crc))
			return true;
	}
	return false;
}

static void find_debug(struct pf_binary *b, const struct pf_locate_options *options)
{
	if (pf_elf_find(&b->elf, ".debug_info")) {
		b->debug = &b->elf;
		return;
	}
	if (by_build_id(b, options->debug_dir) || by_build_id(b, SYSTEM_DEBUG_DIR) ||
	    by_debuglink(b, options->debug_dir))
		return;
	if (!b->reason[0])
		snprintf(b->reason, sizeof b->reason, "no .debug_info in it, and no separate debug file");
}

int pf_binary_open(const struct pf_traffic_module *module, const struct pf_locate_options *options,
		   struct pf_binary *binary, struct pf_error *error)
{
	const char *asked = asked_for(module, options);
	char path[PATH_MAX];
	int status;

	*binary = (struct pf_binary) { 0 };
	if (!asked && options->binary_count > 0)
		return 0;
	snprintf(path, sizeof path, "%s%s", options->symfs ? options->symfs : "", module->path);
	if (!asked && access(path, F_OK) != 0 && options->symfs)
		snprintf(path, sizeof path, "%s", module->path);
	if (!asked && access(path, F_OK) != 0)
		return pf_fail(error, PF_ENOTFOUND, "%s: not on this machine; name it with -b or give --symfs", path);
	status = pf_elf_open(asked ? asked : path, &binary->elf, error);
	if (status == PF_OK)
		status = check_build_id(module, &binary->elf, error);
	if (status < 0) {
		pf_elf_close(&binary->elf);
		return status;
	}
	find_debug(binary, options);
	status = pf_elf_load_symbols(&binary->elf, &binary->elf, error);
	if (status == PF_OK && binary->separate.path)
		status = pf_elf_load_symbols(&binary->elf, &binary->separate, error);
	if (status < 0)
		pf_binary_close(binary);
	return status < 0 ? status : 1;
}

void pf_binary_close(struct pf_binary *binary)
{
	pf_elf_close(&binary->elf);
	pf_elf_close(&binary->separate);
	binary->debug = NULL;
}
