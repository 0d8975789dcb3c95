/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See locate.h.  Hard case: several candidates of which the first that exists is a stale one; it is remembered as the
 * reason, and the search goes on. */
#include "converter/locate.h"
#include "converter/debuginfod.h"
#include "support/cursor.h"
#include "support/filename.h"
#include "support/infile.h"
#include "support/outfile.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>
#include <zlib.h>

#define SYSTEM_DEBUG_DIR "/usr/lib/debug"

/* The folders of debug files, in the order in which they are searched. */
struct debug_dirs {
	char of_root[PATH_MAX]; /* that of the root that --symfs names */
	const char *at[3];
	size_t count;
	bool servers; /* and servers are asked behind them */
};

/* perf does not always say how long an id is: behind it is what pads it to 4 bytes in the file, which is anything if
 * nothing does, and then zeroes. */
static bool same_id(const uint8_t *a, uint8_t a_size, const uint8_t *b, uint8_t b_size)
{
	const uint8_t *longer = a_size > b_size ? a : b;
	uint8_t least = a_size < b_size ? a_size : b_size, most = a_size < b_size ? b_size : a_size;

	if (least == 0 || memcmp(a, b, least) != 0)
		return false;
	while (most > least && longer[most - 1] == 0)
		most--;
	return most <= ((least + 3) & ~3);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Whether PATH, as the kernel gives it, is the first SIZE bytes of NAME. */
static bool is_called(const char *path, const char *name, size_t size)
{
	return strncmp(path, name, size) == 0 && (!path[size] || pf_filename_length(path) == size);
}

/* Whether NAME, of SIZE bytes, is PATH, or its last part. */
static bool ends_in(const char *path, const char *name, size_t size)
{
	return is_called(memchr(name, '/', size) ? path : base_name(path), name, size);
}

static bool has_path(const struct pf_asked *a, const struct pf_traffic_module *module)
{
	size_t size = strlen(a->real);
	bool is = is_called(module->path, a->real, size);

	for (size_t i = 0; i < module->names.count && !is; i++)
		is = is_called(module->names.at[i], a->real, size);
	return is && !a->recorded && size > 0 && !module->unnamed;
}

/* Whether MODULE is what A calls it: its path or the last part of that.  What has neither name nor build-id is what was
 * asked for. */
static bool has_name(const struct pf_asked *a, const struct pf_traffic_module *module)
{
	const char *name = a->recorded ? a->recorded : base_name(a->file);
	size_t size = a->recorded ? a->recorded_size : strlen(name);

	if (module->unnamed)
		return module->build_id_size == 0;
	if (a->by_path)
		return has_path(a, module);
	for (size_t i = 0; i < module->names.count; i++) {
		if (ends_in(module->names.at[i], name, size))
			return true;
	}
	return ends_in(module->path, name, size);
}

static bool has_id(const struct pf_asked *a, const struct pf_traffic_module *module)
{
	return same_id(a->build_id, a->build_id_size, module->build_id, module->build_id_size);
}

/* A build-id says more than a name: where a module has that of the file, another of the file's name is another file. */
const char *pf_locator_asked(const struct pf_locator *locator, const struct pf_traffic_module *module)
{
	const char *by_name = NULL;

	for (size_t i = 0; i < locator->asked.count; i++) {
		const struct pf_asked *a = &locator->asked.at[i];

		if (has_id(a, module))
			return a->file;
		if (has_name(a, module) && !(a->by_id && !a->recorded && module->build_id_size > 0))
			by_name = a->file;
	}
	return by_name;
}

/* Takes apart "RECORDED=FILE", unless there is a file of that name. */
static struct pf_asked parse_asked(const char *text)
{
	const char *equals = strchr(text, '=');

	if (!equals || equals == text || access(text, F_OK) == 0)
		return (struct pf_asked) { .file = text };
	return (struct pf_asked) { .file = equals + 1, .recorded = text, .recorded_size = (size_t)(equals - text) };
}

/* Looks for A among the modules of T. */
static int find_asked(struct pf_asked *a, const struct pf_traffic *t, struct pf_error *error)
{
	char id[41], known[600] = "";
	size_t used = 0;
	bool named = false;

	if (!realpath(a->file, a->real))
		a->real[0] = 0;
	for (size_t k = 0; k < t->modules.count; k++) {
		a->by_id |= has_id(a, &t->modules.at[k]);
		a->by_path |= has_path(a, &t->modules.at[k]);
		named |= has_name(a, &t->modules.at[k]);
	}
	if (a->by_id || a->by_path || named)
		return PF_OK;
	for (size_t k = 0; k < t->modules.count && used < sizeof known; k++)
		used +=
		    (size_t)snprintf(known + used, sizeof known - used, "%s%s", k ? ", " : "", t->modules.at[k].path);
	if (used >= sizeof known)
		strcpy(known + sizeof known - 4, "...");
	pf_build_id_text(a->build_id, a->build_id_size, id);
	return pf_fail(error, PF_ENOTFOUND,
		       "%s: build-id %s was not recorded; the recording has: %s. Name the binary that ran, with "
		       "-b RECORDED=%s if it had another name",
		       a->file, id, known, a->file);
}

/* What has neither name nor build-id can be only what was asked for, if that is one. */
static int check_unnamed(const struct pf_traffic *t, size_t asked, struct pf_error *error)
{
	for (size_t i = 0; i < t->modules.count && asked != 1; i++) {
		const struct pf_traffic_module *m = &t->modules.at[i];

		if (m->unnamed && m->build_id_size == 0)
			return pf_fail(
			    error, PF_ENOTFOUND,
			    "pre-aggregated text does not say which binary it is of: name that, and no other, "
			    "with -b");
	}
	return PF_OK;
}

/* Whether the code of ELF was taken out, as of a separate debug file, which has the sections of the program, but not
 * what was in those that are loaded. */
static bool is_without_code(const struct pf_elf *elf)
{
	bool empty = false;

	for (size_t i = 0; i < elf->sections.count; i++) {
		bool code = elf->sections.at[i].flags & SHF_EXECINSTR;

		if (code && elf->sections.at[i].type != SHT_NOBITS)
			return false;
		empty |= code;
	}
	return empty;
}

/* Opens FILE, which was asked for. */
static int open_asked(const char *file, struct pf_elf *elf, struct pf_error *error)
{
	int status = pf_elf_open(file, elf, error);

	if (status < 0 || !is_without_code(elf))
		return status;
	pf_elf_close(elf);
	return pf_fail(
	    error, PF_EMISMATCH,
	    "%s: is a separate debug file, without the code; name the program or library itself: what belongs to "
	    "it is found by build-id or debug link, below --debug-dir too",
	    file);
}

int pf_locate_check(const struct pf_locate_options *options, struct pf_error *error)
{
	int status = pf_infile_check_folder("--debug-dir", options->debug_dir, error);

	if (status == PF_OK)
		status = pf_infile_check_folder("--symfs", options->symfs, error);
	for (size_t i = 0; i < options->binary_count && status == PF_OK; i++) {
		struct pf_elf elf;

		status = open_asked(parse_asked(options->binaries[i]).file, &elf, error);
		if (status == PF_OK)
			pf_elf_close(&elf);
	}
	return status;
}

int pf_locator_init(struct pf_locator *locator, const struct pf_traffic *t, const struct pf_locate_options *options,
		    struct pf_error *error)
{
	int status = check_unnamed(t, options->binary_count, error);

	*locator = (struct pf_locator) { .options = options };
	for (size_t i = 0; i < options->binary_count && status == PF_OK; i++) {
		struct pf_asked *a = pf_array_push(&locator->asked);
		struct pf_elf elf;

		if (!a)
			return pf_fail(error, PF_ENOMEM, "%s: out of memory", options->binaries[i]);
		*a = parse_asked(options->binaries[i]);
		status = open_asked(a->file, &elf, error);
		if (status < 0)
			return status;
		memcpy(a->build_id, elf.build_id, sizeof a->build_id);
		a->build_id_size = elf.build_id_size;
		pf_elf_close(&elf);
		status = find_asked(a, t, error);
	}
	return status;
}

void pf_locator_fini(struct pf_locator *locator)
{
	pf_array_fini(&locator->asked);
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
	if (b->elf.note_id_size && found.note_id_size &&
	    (b->elf.note_id_size != found.note_id_size ||
	     memcmp(b->elf.note_id, found.note_id, found.note_id_size) != 0)) {
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

/* The name that the debug file of what has ID gets below DIRECTORY; false if there is none, since ID is too short or
 * too long for one. */
static bool name_by_id(char path[PATH_MAX], const char *directory, const uint8_t *id, uint64_t size)
{
	char text[2 * NAME_MAX + 1] = "";

	if (size < 2 || size > NAME_MAX)
		return false;
	for (uint64_t i = 0; i < size; i++)
		sprintf(text + 2 * i, "%02x", id[i]);
	return snprintf(path, PATH_MAX, "%s/.build-id/%.2s/%s.debug", directory, text, text + 2) < PATH_MAX;
}

/* Where servers had what has ID put; false, and why in B's reason if it has no other, where they have not. */
static bool fetch(struct pf_binary *b, const struct debug_dirs *dirs, const uint8_t *id, uint64_t size,
		  char path[PATH_MAX])
{
	char reason[sizeof b->reason] = "";
	bool found = dirs->servers && pf_debuginfod_find(id, size, path, reason, sizeof reason);

	if (!b->reason[0] && reason[0])
		snprintf(b->reason, sizeof b->reason, "no .debug_info in it, no separate debug file, and %.400s",
			 reason);
	return found;
}

static bool by_server(struct pf_binary *b, const struct debug_dirs *dirs)
{
	char path[PATH_MAX];

	return fetch(b, dirs, b->elf.note_id, b->elf.note_id_size, path) && try_debug(b, path, NULL);
}

static bool by_build_id(struct pf_binary *b, const struct debug_dirs *dirs)
{
	char path[PATH_MAX];

	for (size_t i = 0; i < dirs->count; i++) {
		if (name_by_id(path, dirs->at[i], b->elf.note_id, b->elf.note_id_size) && try_debug(b, path, NULL))
			return true;
	}
	return false;
}

/* REAL as it is called where the folder SYMFS is the root; as it is, if it is not below that. */
static const char *below_root(const char *real, const char *symfs)
{
	char root[PATH_MAX];
	size_t length = symfs && realpath(symfs, root) ? strlen(root) : 0;

	return length > 1 && strncmp(real, root, length) == 0 && real[length] == '/' ? real + length : real;
}

static bool by_debuglink(struct pf_binary *b, const struct debug_dirs *dirs, const char *symfs)
{
	uint32_t crc;
	const char *name = pf_elf_debuglink(&b->elf, &crc);
	char real[PATH_MAX], folder[PATH_MAX], path[3 * PATH_MAX];

	if (!name || !realpath(b->elf.path, real))
		return false;
	snprintf(folder, sizeof folder, "%.*s", (int)(base_name(real) - real - 1), real);
	snprintf(path, sizeof path, "%s/%s", folder, name);
	if (strcmp(path, real) != 0 && try_debug(b, path, &crc))
		return true;
	snprintf(path, sizeof path, "%s/.debug/%s", folder, name);
	if (try_debug(b, path, &crc))
		return true;
	for (size_t i = 0; i < dirs->count; i++) {
		snprintf(path, sizeof path, "%s%s/%s", dirs->at[i], below_root(folder, symfs), name);
		if (try_debug(b, path, &crc))
			return true;
		snprintf(path, sizeof path, "%s/%s", dirs->at[i], name);
		if (try_debug(b, path, &crc))
			return true;
	}
	return false;
}

static bool try_supplement(struct pf_binary *b, const char *path, const uint8_t *id, uint64_t size)
{
	if (access(path, F_OK) != 0 || pf_elf_open_object(path, &b->supplement, NULL) < 0)
		return false;
	if (pf_elf_is_supplement(&b->supplement, id, size) && pf_elf_find(&b->supplement, ".debug_info"))
		return true;
	pf_elf_close(&b->supplement);
	return false;
}

/* Finds what the debug information needs beside itself: by its name, from the folder of the file that names it, and by
 * its build-id.  Without it, functions would have no names: then there is no debug information. */
static void find_supplement(struct pf_binary *b, const struct debug_dirs *dirs, const char *symfs)
{
	char real[PATH_MAX], path[2 * PATH_MAX], text[41];
	const uint8_t *id;
	uint64_t size;
	const char *name = b->debug ? pf_elf_supplement(b->debug, &id, &size) : NULL;

	if (!name)
		return;
	if (!realpath(b->debug->path, real))
		real[0] = 0;
	snprintf(path, sizeof path, "%.*s%s", *name == '/' ? 0 : (int)(base_name(real) - real), real, name);
	if (try_supplement(b, path, id, size))
		return;
	snprintf(path, sizeof path, "%s%s", symfs ? symfs : "", name);
	if (symfs && *name == '/' && try_supplement(b, path, id, size))
		return;
	for (size_t i = 0; i < dirs->count; i++) {
		if (name_by_id(path, dirs->at[i], id, size) && try_supplement(b, path, id, size))
			return;
	}
	if (fetch(b, dirs, id, size, path) && try_supplement(b, path, id, size))
		return;
	pf_build_id_text(id, size < 20 ? (uint8_t)size : 20, text);
	snprintf(b->reason, sizeof b->reason,
		 "its supplementary file %.300s of dwz, with build-id %s, is not there; install it as well", name,
		 text);
	b->debug = NULL;
}

static bool try_package(struct pf_binary *b, const char *path)
{
	if (access(path, F_OK) != 0 || pf_elf_open_object(path, &b->package, NULL) < 0)
		return false;
	if (pf_elf_find(&b->package, ".debug_cu_index"))
		return true;
	pf_elf_close(&b->package);
	return false;
}

/* Whether what it has of units is another's is seen by their ids (split.h). */
static void find_package(struct pf_binary *b, const char *debug_dir)
{
	char path[2 * PATH_MAX];

	if (!b->debug)
		return;
	snprintf(path, sizeof path, "%s.dwp", b->elf.path);
	if (try_package(b, path))
		return;
	snprintf(path, sizeof path, "%s.dwp", b->debug->path);
	if (try_package(b, path) || !debug_dir)
		return;
	snprintf(path, sizeof path, "%s/%s.dwp", debug_dir, base_name(b->elf.path));
	try_package(b, path);
}

static void list_dirs(struct debug_dirs *dirs, const struct pf_locate_options *options, bool named)
{
	dirs->count = 0;
	dirs->servers = named;
	if (options->debug_dir)
		dirs->at[dirs->count++] = options->debug_dir;
	if (options->symfs && snprintf(dirs->of_root, PATH_MAX, "%s" SYSTEM_DEBUG_DIR, options->symfs) < PATH_MAX)
		dirs->at[dirs->count++] = dirs->of_root;
	dirs->at[dirs->count++] = SYSTEM_DEBUG_DIR;
}

/* NAMED: it was the user who named the binary. */
static void find_debug(struct pf_binary *b, const struct pf_locate_options *options, bool named)
{
	struct debug_dirs dirs;

	list_dirs(&dirs, options, named);
	if (pf_elf_find(&b->elf, ".debug_info"))
		b->debug = &b->elf;
	else if (!by_build_id(b, &dirs) && !by_debuglink(b, &dirs, options->symfs) && !by_server(b, &dirs) &&
		 !b->reason[0])
		snprintf(b->reason, sizeof b->reason, "no .debug_info in it, and no separate debug file%s",
			 pf_debuginfod_is_set() && !named ? "; debuginfod is asked for what -b names" : "");
	find_supplement(b, &dirs, options->symfs);
	find_package(b, options->debug_dir);
}

/* The file that was recorded as RECORDED: below --symfs, as it is, or what is there after it was deleted.  False if
 * there is none. */
static bool find_recorded(const char *recorded, const char *symfs, char path[PATH_MAX])
{
	size_t size = strlen(recorded), there = pf_filename_length(recorded);
	bool deleted = there < size;

	for (int cut = 0; cut <= deleted; cut++) {
		int length = (int)(cut ? there : size);

		if (symfs) {
			snprintf(path, PATH_MAX, "%s%s%.*s", symfs, *recorded == '/' ? "" : "/", length, recorded);
			if (access(path, F_OK) == 0)
				return true;
		}
		snprintf(path, PATH_MAX, "%.*s", length, recorded);
		if (access(path, F_OK) == 0)
			return true;
	}
	return false;
}

/* Opens FILE as MODULE; NAMED: it was the user who named it. */
static int open_file(const struct pf_locate_options *options, const struct pf_traffic_module *module, const char *file,
		     bool named, struct pf_binary *binary, struct pf_error *error)
{
	int status;

	*binary = (struct pf_binary) { 0 };
	status = pf_elf_open(file, &binary->elf, error);
	if (status == PF_OK)
		status = check_build_id(module, &binary->elf, error);
	if (status < 0) {
		pf_elf_close(&binary->elf);
		return status;
	}
	if (!options->code_only)
		find_debug(binary, options, named);
	status = pf_elf_load_symbols(&binary->elf, &binary->elf, error);
	if (status == PF_OK && binary->separate.path)
		status = pf_elf_load_symbols(&binary->elf, &binary->separate, error);
	if (status < 0)
		pf_binary_close(binary);
	return status < 0 ? status : 1;
}

/* Opens what is here as RECORDED, a name of MODULE. */
static int open_recorded(const struct pf_locate_options *options, const struct pf_traffic_module *module,
			 const char *recorded, struct pf_binary *binary, struct pf_error *error)
{
	char path[PATH_MAX];

	if (!find_recorded(recorded, options->symfs, path))
		return pf_fail(error, PF_ENOTFOUND, "%s: not on this machine; name it with -b or give --symfs",
			       recorded);
	return open_file(options, module, path, options->all_named, binary, error);
}

static bool is_complete(const struct pf_locate_options *options, const struct pf_binary *binary)
{
	return binary->debug || options->code_only;
}

/* By the first of MODULE's names that is here with its debug information; else by the first that is here: the others
 * can be in a container that is gone, or be stripped. */
static int open_any(const struct pf_locate_options *options, const struct pf_traffic_module *module,
		    struct pf_binary *binary, struct pf_error *error)
{
	int status = open_recorded(options, module, module->path, binary, error);

	for (size_t i = 0; i < module->names.count && !(status > 0 && is_complete(options, binary)); i++) {
		struct pf_binary found;
		int other = open_recorded(options, module, module->names.at[i], &found, NULL);
		bool better;

		if (other < 0)
			continue;
		better = status < 0 || is_complete(options, &found);
		pf_binary_close(&found);
		if (better && status > 0)
			pf_binary_close(binary);
		if (better) /* once more, since a binary points into itself */
			status = open_recorded(options, module, module->names.at[i], binary, error);
	}
	return status;
}

int pf_binary_open(const struct pf_locator *locator, const struct pf_traffic_module *module, struct pf_binary *binary,
		   struct pf_error *error)
{
	const char *asked = pf_locator_asked(locator, module);

	*binary = (struct pf_binary) { 0 };
	if (asked)
		return open_file(locator->options, module, asked, true, binary, error);
	return locator->options->binary_count > 0 ? 0 : open_any(locator->options, module, binary, error);
}

void pf_binary_close(struct pf_binary *binary)
{
	pf_elf_close(&binary->elf);
	pf_elf_close(&binary->separate);
	pf_elf_close(&binary->supplement);
	pf_elf_close(&binary->package);
	binary->debug = NULL;
}

int pf_binary_spare(const struct pf_binary *binary, const char *output, struct pf_error *error)
{
	const char *const paths[] = { binary->elf.path, binary->separate.path, binary->supplement.path,
				      binary->package.path };
	int status = PF_OK;

	for (size_t i = 0; i < sizeof paths / sizeof paths[0] && status == PF_OK; i++)
		status = pf_outfile_spares(output, paths[i], error);
	return status;
}
