/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See program.h.  The hard case is a recording of many programs and libraries, most of them without debug information,
 * some not here and some in another version: they are noted and left out, and only when what was asked for, or nothing
 * at all, can be mapped is that an error. */
#include "converter/mapping.h"
#include "converter/program.h"
#include "converter/placing.h"
#include "converter/plausible.h"
#include "support/filename.h"
#include "support/search.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define RECORDER "libpathfdo-recorder.so"

static int compare_extents(const void *a, const void *b)
{
	const struct pf_extent *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->function < y->function ? -1 : x->function > y->function;
}

static int list_extents(struct pf_program_module *m)
{
	for (size_t i = 0; i < m->source.functions.count; i++) {
		const struct pf_source_function *f = &m->source.functions.at[i];

		for (uint32_t k = 0; k < f->nodes.at[0].range_count; k++) {
			struct pf_extent *new = pf_array_push(&m->extents);

			if (!new)
				return PF_ENOMEM;
			*new = (struct pf_extent) { f->ranges.at[k].start, f->ranges.at[k].end, (uint32_t)i };
		}
	}
	pf_array_sort(&m->extents, compare_extents);
	return PF_OK;
}

/* Leaves M out, for the reason in ERROR, unless that is no fault of the file or it was asked for. */
static int leave_out(struct pf_program_module *m, enum pf_module_state state, int status, const struct pf_error *error)
{
	if (status == PF_ENOMEM || m->asked)
		return status;
	m->state = state;
	snprintf(m->reason, sizeof m->reason, "%.*s", (int)sizeof m->reason - 1, error->text);
	return PF_OK;
}

bool pf_program_is_recorder(const char *path)
{
	return strcmp(pf_filename_base(path), RECORDER) == 0;
}

static int open_module(struct pf_program *p, const struct pf_locator *locator, uint32_t index, struct pf_error *error)
{
	const struct pf_traffic_module *recorded = &p->traffic->modules.at[index];
	struct pf_program_module *m = &p->modules[index];
	int status;

	m->recorded_id = recorded->build_id_size > 0;
	m->asked = pf_locator_asked(locator, recorded) != NULL;
	if (!m->asked && pf_program_is_recorder(recorded->path)) {
		m->state = PF_MODULE_NOT_ASKED;
		snprintf(m->reason, sizeof m->reason, "the recorder itself");
		return PF_OK;
	}
	status = pf_binary_open(locator, recorded, &m->binary, error);
	if (status == 0) {
		m->state = PF_MODULE_NOT_ASKED;
		snprintf(m->reason, sizeof m->reason, "not named with -b");
	} else if (status == PF_ENOTFOUND) {
		m->state = PF_MODULE_MISSING;
		snprintf(m->reason, sizeof m->reason, "no such file here");
	} else if (status < 0) {
		return leave_out(m, PF_MODULE_UNUSABLE, status, error);
	} else if (!m->binary.debug && !locator->options->code_only) {
		m->state = PF_MODULE_NO_DEBUG;
		snprintf(m->reason, sizeof m->reason, "%s", m->binary.reason);
		if (m->asked)
			return pf_fail(error, PF_ENODEBUG, "%s: no debug information (%s); " PF_LOCATE_CURE,
				       m->binary.elf.path, m->binary.reason);
	}
	return PF_OK;
}

static int read_module(struct pf_program_module *m, const struct pf_locate_options *options, struct pf_error *error)
{
	struct pf_binary *b = &m->binary;
	const struct pf_debug_files files = {
		.binary = &b->elf,
		.debug = b->debug,
		.supplement = b->supplement.path ? &b->supplement : NULL,
		.package = b->package.path ? &b->package : NULL,
		.debug_dir = options->debug_dir,
		.symfs = options->symfs,
	};
	int status;

	pf_placing_sort(m);
	if (m->state != PF_MODULE_USED || options->code_only)
		return PF_OK;
	status = pf_source_read(&files, m->touched.at, m->touched.count, &m->source, error);
	/* Of a binary in which nothing ran, only what it was compiled from is of interest. */
	if (m->touched.count == 0)
		return PF_OK;
	if (status == PF_OK && list_extents(m) < 0)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", m->binary.elf.path);
	if (status == PF_OK)
		status = pf_plausible_samples(m, error);
	if (status == PF_OK)
		return PF_OK;
	pf_source_fini(&m->source);
	m->extents.count = 0;
	return leave_out(m, PF_MODULE_UNUSABLE, status, error);
}

static int fail_unused(const struct pf_program *p, uint32_t module, struct pf_error *error)
{
	const char *path = p->traffic->modules.at[module].path;

	if (p->modules[module].state == PF_MODULE_MISSING && pf_mapping_is_memory(path))
		return pf_fail(error, PF_ENOTFOUND,
			       "%s: ran from memory (memfd), which is no more; name the file of which that was a copy "
			       "with -b FILE, which is known by its build-id",
			       path);
	if (p->modules[module].state == PF_MODULE_MISSING)
		return pf_fail(error, PF_ENOTFOUND,
			       "%s: was recorded, but is not on this machine; name it with -b (-b %s=FILE if it has "
			       "another name here) or give --symfs (to convert only libraries, name them with -b)",
			       path, path);
	if (p->modules[module].state == PF_MODULE_UNUSABLE)
		return pf_fail(error, PF_EMISMATCH, "%.900s", p->modules[module].reason);
	return pf_fail(error, PF_ENODEBUG,
		       "%s: no debug information (%s); " PF_LOCATE_CURE
		       " (to convert only libraries, name them with -b)",
		       path, p->modules[module].reason);
}

/* Whether module INDEX is a program, as far as can be told. */
static bool is_program(const struct pf_program *p, uint32_t index)
{
	const struct pf_program_module *m = &p->modules[index];

	return m->binary.elf.path ? pf_elf_is_program(&m->binary.elf)
				  : !pf_elf_is_library_name(p->traffic->modules.at[index].path);
}

/* Fails if nothing can be used, or if of the programs that ran none can: a profile of the C library alone is not what
 * anybody meant. */
static int check_any_used(const struct pf_program *p, struct pf_error *error)
{
	const struct pf_traffic *t = p->traffic;
	uint32_t hottest = UINT32_MAX, program = UINT32_MAX;
	bool used = false, program_used = false;

	for (uint32_t i = 0; i < t->modules.count; i++) {
		const struct pf_program_module *m = &p->modules[i];
		uint64_t branches = t->modules.at[i].branches;

		used |= m->state == PF_MODULE_USED;
		program_used |= m->state == PF_MODULE_USED && is_program(p, i);
		if (hottest == UINT32_MAX || branches > t->modules.at[hottest].branches)
			hottest = i;
		if (m->state != PF_MODULE_USED && m->state != PF_MODULE_NOT_ASKED && is_program(p, i) &&
		    (program == UINT32_MAX || branches > t->modules.at[program].branches))
			program = i;
	}
	if (hottest == UINT32_MAX)
		return pf_fail(error, PF_EEMPTY, "the recording has no sample in any file's code; record a longer run");
	if (program != UINT32_MAX && !program_used)
		return fail_unused(p, program, error);
	return used ? PF_OK : fail_unused(p, hottest, error);
}

static int open_modules(struct pf_program *p, const struct pf_locate_options *options, struct pf_error *error)
{
	struct pf_locator locator;
	int status = pf_locator_init(&locator, p->traffic, options, error);

	for (uint32_t i = 0; i < p->traffic->modules.count && status == PF_OK; i++)
		status = open_module(p, &locator, i, error);
	pf_locator_fini(&locator);
	return status;
}

/* Leaves out the binaries that cannot have made their branches, and places what is possible. */
static int place(struct pf_program *p, struct pf_error *error)
{
	bool *impossible = calloc(p->traffic->edges.count + 1, sizeof *impossible);
	int status = impossible ? pf_plausible_branches(p, impossible, error)
				: pf_fail(error, PF_ENOMEM, "out of memory for %zu branches", p->traffic->edges.count);

	for (uint32_t i = 0; i < p->traffic->modules.count && status == PF_OK; i++) {
		status = pf_plausible_check(&p->modules[i], error);
		if (status < 0) {
			pf_binary_close(&p->modules[i].binary);
			status = leave_out(&p->modules[i], PF_MODULE_UNUSABLE, status, error);
		}
	}
	if (status == PF_OK)
		status = pf_placing_run(p, impossible, error);
	free(impossible);
	return status;
}

int pf_program_load(struct pf_program *p, const struct pf_traffic *t, const struct pf_locate_options *options,
		    struct pf_error *error)
{
	struct pf_error local;
	int status;

	error = error ? error : &local;
	*p = (struct pf_program) { .traffic = t };
	p->modules = calloc(t->modules.count + 1, sizeof *p->modules);
	p->edges = calloc(t->edges.count + 1, sizeof *p->edges);
	if (!p->modules || !p->edges)
		return pf_fail(error, PF_ENOMEM, "out of memory for %zu branches", t->edges.count);
	status = open_modules(p, options, error);
	if (status == PF_OK)
		status = place(p, error);
	for (uint32_t i = 0; i < t->modules.count && status == PF_OK; i++)
		status = read_module(&p->modules[i], options, error);
	return status == PF_OK ? check_any_used(p, error) : status;
}

void pf_program_fini(struct pf_program *p)
{
	for (uint32_t i = 0; p->modules && i < p->traffic->modules.count; i++) {
		struct pf_program_module *m = &p->modules[i];

		pf_source_fini(&m->source);
		pf_binary_close(&m->binary);
		pf_array_fini(&m->jumps);
		pf_array_fini(&m->arrivals);
		pf_array_fini(&m->levels);
		pf_array_fini(&m->touched);
		pf_array_fini(&m->extents);
		pf_array_fini(&m->samples);
		pf_array_fini(&m->values);
	}
	free(p->modules);
	free(p->edges);
	*p = (struct pf_program) { 0 };
}

bool pf_program_address(const struct pf_program *p, uint32_t module, uint64_t offset, uint64_t *address)
{
	const struct pf_elf *elf = module == PF_NO_MODULE ? NULL : &p->modules[module].binary.elf;
	uint64_t left;

	if (!elf || !elf->path)
		return false;
	if (!p->traffic->modules.at[module].unnamed)
		return pf_elf_address(elf, offset, address);
	*address = offset;
	return pf_elf_code(elf, offset, &left) != NULL;
}

uint32_t pf_program_function(const struct pf_program *p, uint32_t module, uint64_t address)
{
	const struct pf_program_module *m = &p->modules[module];
	struct pf_search search = pf_search_over(m->extents.count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, m->extents.at[search.middle].start <= address);
	return search.low > 0 && address < m->extents.at[search.low - 1].end ? m->extents.at[search.low - 1].function
									     : UINT32_MAX;
}

/* Of a function with several targets (target_clones) debug information has the source's name for all versions; their
 * symbols tell them apart by a word behind a dot.  (A mere number tells nested functions of one name apart.) */
static bool is_version(const char *symbol, size_t length, const char *name)
{
	size_t common = strlen(name);

	return length > common + 1 && strncmp(symbol, name, common) == 0 && symbol[common] == '.' &&
	       isalpha((unsigned char)symbol[common + 1]);
}

static bool is_plain(const char *name)
{
	for (; isalnum((unsigned char)*name) || *name == '_'; name++)
		;
	return !*name;
}

/* Whether the plain NAME stands in the mangled SYMBOL, behind its length.  A digit before that is of another length,
 * but in what is in a namespace without a name. */
static bool has_name(const char *symbol, const char *name)
{
	static const char nameless[] = "_GLOBAL__N_1";
	char number[24];
	int digits = snprintf(number, sizeof number, "%zu", strlen(name));

	for (const char *at = strstr(symbol, name); at; at = strstr(at + 1, name)) {
		ptrdiff_t before = at - digits - symbol, inside = before - (ptrdiff_t)strlen(nameless);

		if (before > 0 && memcmp(symbol + before, number, (size_t)digits) == 0 &&
		    (!isdigit((unsigned char)symbol[before - 1]) ||
		     (inside > 0 && memcmp(symbol + inside, nameless, strlen(nameless)) == 0)))
			return true;
	}
	return false;
}

/* Whether SYMBOL can be that of what the source calls NAME, and debug information has no linkage name of: what only its
 * file sees.  Functions with the same code, which the compiler makes one of, too, have all their symbols at one
 * address, those that others see first. */
static bool is_mangled(const char *symbol, const char *name)
{
	const char *plain = name + (*name == '~');

	if (strncmp(symbol, "_Z", 2) != 0 || strncmp(name, "_Z", 2) == 0)
		return false;
	if (strcmp(name, "operator()") == 0)
		return strstr(symbol, "cl") != NULL;
	return !is_plain(plain) || has_name(symbol, plain);
}

const char *pf_program_name(const struct pf_program_module *m, uint32_t function, size_t *length)
{
	const struct pf_source_node *root = &m->source.functions.at[function].nodes.at[0];
	const char *name = m->source.origins.at[root->origin].name;
	const struct pf_elf *elf = &m->binary.elf;
	const struct pf_elf_symbol *symbol = pf_elf_symbol_at(elf, root->entry);

	for (; symbol && symbol < elf->symbols.at + elf->symbols.count && symbol->address == root->entry; symbol++) {
		*length = pf_name_elide(symbol->name);
		if (is_mangled(symbol->name, name) || is_version(symbol->name, *length, name))
			return symbol->name;
	}
	*length = strlen(name);
	return name;
}

size_t pf_program_first_jump(const struct pf_program_module *m, uint64_t address)
{
	struct pf_search search = pf_search_over(m->jumps.count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, m->jumps.at[search.middle].from < address);
	return search.low;
}

size_t pf_program_first_arrival(const struct pf_program_module *m, uint64_t address)
{
	struct pf_search search = pf_search_over(m->arrivals.count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, m->arrivals.at[search.middle].to < address);
	return search.low;
}

uint64_t pf_program_level(const struct pf_program_module *m, uint64_t address)
{
	struct pf_search search = pf_search_over(m->levels.count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, m->levels.at[search.middle].address <= address);
	return search.low > 0 ? m->levels.at[search.low - 1].sum : 0;
}
