/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See loading.h.  The hard case is a recording of many programs and libraries, most of them without debug information,
 * some not here and some in another version: they are noted and left out, and only when what was asked for, or nothing
 * at all, can be mapped is that an error. */
#include "converter/loading.h"
#include "converter/mapping.h"
#include "converter/placing.h"
#include "converter/plausible.h"
#include "support/filename.h"

#include <stdio.h>

/* Leaves M out, for the reason in ERROR, unless that is no fault of the file or it was asked for. */
static int leave_out(struct pf_program_module *m, enum pf_module_state state, int status, const struct pf_error *error)
{
	if (status == PF_ENOMEM || m->asked)
		return status;
	m->state = state;
	snprintf(m->reason, sizeof m->reason, "%.*s", (int)sizeof m->reason - 1, error->text);
	return PF_OK;
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
	if (status == PF_OK && pf_program_list_extents(m) < 0)
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
	int there = (int)pf_filename_length(path); /* -b names it as well without the kernel's mark */

	if (p->modules[module].state == PF_MODULE_MISSING && pf_mapping_is_memory(path))
		return pf_fail(error, PF_ENOTFOUND,
			       "%s: ran from memory (memfd), which is no more; name the file of which that was a copy "
			       "with -b FILE, which is known by its build-id",
			       path);
	if (p->modules[module].state == PF_MODULE_MISSING)
		return pf_fail(
		    error, PF_ENOTFOUND,
		    "%.*s: was recorded, but is not on this machine; name it with -b (-b %.*s=FILE if it has "
		    "another name here) or give --symfs (to convert only libraries, name them with -b)",
		    there, path, there, path);
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
