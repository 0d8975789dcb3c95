/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See subject.h.  The hard case is what a binary holds beside functions with debug information: code of other
 * languages, start-up code, stubs of the linker.  It belongs to no function here, and counts nowhere. */
#include "analysis/subject.h"
#include "converter/plausible.h"
#include "support/filename.h"
#include "support/search.h"

static int compare_addresses(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Opens the file as if a recording of it alone had asked for it. */
static int open_binary(struct pf_subject *s, const char *file, const struct pf_locate_options *options,
		       struct pf_error *error)
{
	struct pf_locate_options named = *options;
	struct pf_traffic recorded = { 0 };
	struct pf_locator locator = { 0 };
	uint32_t module = pf_traffic_module(&recorded, file, NULL, 0);
	int status = module == PF_NO_MODULE ? pf_fail(error, PF_ENOMEM, "%s: out of memory", file) : PF_OK;

	named.all_named = true;
	if (status == PF_OK)
		status = pf_locator_init(&locator, &recorded, &named, error);
	if (status == PF_OK)
		status = pf_binary_open(&locator, &recorded.modules.at[module], &s->module.binary, error);
	pf_locator_fini(&locator);
	pf_traffic_fini(&recorded);
	if (status > 0 && !s->module.binary.debug)
		return pf_fail(error, PF_ENODEBUG, "%s: no debug information (%s); " PF_LOCATE_CURE, file,
			       s->module.binary.reason);
	return status < 0 ? status : PF_OK;
}

/* All addresses at which a function begins. */
static int list_entries(struct pf_program_module *m)
{
	const struct pf_elf *elf = &m->binary.elf;

	for (size_t i = 0; i < elf->symbols.count; i++) {
		uint64_t *new = pf_array_push(&m->touched);

		if (!new)
			return PF_ENOMEM;
		*new = elf->symbols.at[i].address;
	}
	pf_array_sort(&m->touched, compare_addresses);
	return PF_OK;
}

static int read_source(struct pf_subject *s, const struct pf_locate_options *options, struct pf_error *error)
{
	struct pf_binary *b = &s->module.binary;
	const struct pf_debug_files files = {
		.binary = &b->elf,
		.debug = b->debug,
		.supplement = b->supplement.path ? &b->supplement : NULL,
		.package = b->package.path ? &b->package : NULL,
		.debug_dir = options->debug_dir,
		.symfs = options->symfs,
	};

	return pf_source_read(&files, s->module.touched.at, s->module.touched.count, &s->module.source, error);
}

/* Where function INDEX of the source begins. */
static uint64_t entry_of(const struct pf_source_function *f)
{
	uint64_t entry = f->nodes.at[0].entry;

	for (uint32_t k = 0; entry == 0 && k < f->nodes.at[0].range_count; k++)
		entry = f->ranges.at[f->nodes.at[0].first_range + k].start;
	return entry;
}

static int list_functions(struct pf_subject *s)
{
	for (uint32_t i = 0; i < s->module.source.functions.count; i++) {
		const struct pf_source_function *f = &s->module.source.functions.at[i];
		struct pf_subject_function *new = pf_array_push(&s->functions);

		if (!new)
			return PF_ENOMEM;
		new->name = pf_program_name(&s->module, i, &new->name_size);
		new->entry = entry_of(f);
	}
	return pf_program_list_extents(&s->module);
}

int pf_subject_open(struct pf_subject *s, const char *file, const char *debug_dir, const char *symfs,
		    struct pf_error *error)
{
	const struct pf_locate_options options = {
		.binaries = &file, .binary_count = 1, .debug_dir = debug_dir, .symfs = symfs
	};
	int status;

	*s = (struct pf_subject) { 0 };
	status = pf_locate_check(&options, error);
	if (status == PF_OK)
		status = open_binary(s, file, &options, error);
	if (status == PF_OK && list_entries(&s->module) < 0)
		status = pf_fail(error, PF_ENOMEM, "%s: out of memory", file);
	if (status == PF_OK)
		status = read_source(s, &options, error);
	if (status == PF_OK && list_functions(s) < 0)
		status = pf_fail(error, PF_ENOMEM, "%s: out of memory", file);
	return status;
}

void pf_subject_close(struct pf_subject *s)
{
	for (size_t i = 0; i < s->functions.count; i++) {
		pf_codegraph_fini(&s->functions.at[i].machine);
		pf_code_fini(&s->functions.at[i].code);
	}
	pf_array_fini(&s->functions);
	pf_array_fini(&s->module.extents);
	pf_source_fini(&s->module.source);
	pf_binary_close(&s->module.binary);
	pf_array_fini(&s->module.touched);
	*s = (struct pf_subject) { 0 };
}

/* Whether RECORDED has ELF's own name, which the kernel marks where the file was deleted since. */
static bool is_called(const struct pf_elf *elf, const char *recorded)
{
	const char *name = pf_filename_base(elf->path), *base = pf_filename_base(recorded);

	return strcmp(base, name) == 0 ||
	       (strlen(name) == pf_filename_length(base) && strncmp(base, name, strlen(name)) == 0);
}

bool pf_subject_is(struct pf_subject *s, const struct pf_traffic_module *module)
{
	const struct pf_elf *elf = &s->module.binary.elf;
	bool named = is_called(elf, module->path), same;

	for (size_t i = 0; i < module->names.count && !named; i++)
		named = is_called(elf, module->names.at[i]);
	if (module->unnamed && module->build_id_size == 0)
		return true;
	if (elf->build_id_size == 0 || module->build_id_size == 0)
		return named;
	same = elf->build_id_size == module->build_id_size &&
	       memcmp(elf->build_id, module->build_id, elf->build_id_size) == 0;
	s->other_id |= named && !same;
	return same;
}

bool pf_subject_address(const struct pf_subject *s, const struct pf_traffic_module *module, uint64_t offset,
			uint64_t *address)
{
	const struct pf_elf *elf = &s->module.binary.elf;
	uint64_t left;

	if (!module->unnamed)
		return pf_elf_address(elf, offset, address);
	*address = offset;
	return pf_elf_code(elf, offset, &left) != NULL;
}

static int compare_samples(const void *a, const void *b)
{
	const struct pf_traffic_sample *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* The plain samples of M, which is number INDEX of T and the binary. */
static int take_samples(const struct pf_subject *s, struct pf_program_module *m, const struct pf_traffic *t,
			uint32_t index)
{
	for (size_t i = 0; i < t->samples.count; i++) {
		struct pf_traffic_sample sample = t->samples.at[i], *new;

		if (sample.module != index ||
		    !pf_subject_address(s, &t->modules.at[index], sample.offset, &sample.offset))
			continue;
		new = pf_array_push(&m->samples);
		if (!new)
			return PF_ENOMEM;
		*new = sample;
	}
	pf_array_sort(&m->samples, compare_samples);
	return PF_OK;
}

/* Those modules of P that are the binary have its code; it stays the subject's. */
static int lend(struct pf_subject *s, struct pf_program *p)
{
	int status = PF_OK;

	for (uint32_t i = 0; i < p->traffic->modules.count && status == PF_OK; i++) {
		const struct pf_traffic_module *recorded = &p->traffic->modules.at[i];
		struct pf_program_module *m = &p->modules[i];

		if (!pf_subject_is(s, recorded))
			continue;
		m->binary.elf = s->module.binary.elf;
		m->recorded_id = recorded->build_id_size > 0 && m->binary.elf.build_id_size > 0;
		m->extents.at = s->module.extents.at;
		m->extents.count = s->module.extents.count;
		status = take_samples(s, m, p->traffic, i);
	}
	return status;
}

static int check_modules(const struct pf_program *p, struct pf_error *error)
{
	int status = PF_OK;

	for (uint32_t i = 0; i < p->traffic->modules.count && status == PF_OK; i++) {
		status = pf_plausible_check(&p->modules[i], error);
		if (status == PF_OK)
			status = pf_plausible_samples(&p->modules[i], error);
	}
	return status;
}

int pf_subject_check(struct pf_subject *s, const struct pf_traffic *t, struct pf_error *error)
{
	struct pf_program p = { .traffic = t, .modules = calloc(t->modules.count + 1, sizeof *p.modules) };
	bool *impossible = calloc(t->edges.count + 1, sizeof *impossible);
	int status = p.modules && impossible ? lend(s, &p) : PF_ENOMEM;

	if (status < 0)
		pf_fail(error, status, "%s: out of memory", s->module.binary.elf.path);
	else
		status = pf_plausible_branches(&p, impossible, error);
	if (status == PF_OK)
		status = check_modules(&p, error);
	for (size_t i = 0; p.modules && i < t->modules.count; i++)
		pf_array_fini(&p.modules[i].samples);
	free(p.modules);
	free(impossible);
	return status;
}

uint32_t pf_subject_find(const struct pf_subject *s, uint64_t address)
{
	return pf_program_function(&s->module, address);
}

const struct pf_subject_function *pf_subject_function(struct pf_subject *s, uint32_t index)
{
	struct pf_subject_function *f = &s->functions.at[index];
	const struct pf_source *source = &s->module.source;
	const struct pf_elf *elf = &s->module.binary.elf;

	if (f->read)
		return f;
	if (pf_code_read(elf, source, &source->functions.at[index], NULL, 0, &f->code) < 0 ||
	    pf_codegraph_read(&f->machine, elf, &f->code, f->entry) < 0)
		return NULL;
	f->read = true;
	return f;
}

uint32_t pf_subject_insn(const struct pf_subject_function *f, uint64_t address)
{
	struct pf_search search = pf_search_over(f->code.insns.count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, f->code.insns.at[search.middle].address <= address);
	return search.low > 0 ? (uint32_t)search.low - 1 : 0;
}

const char *pf_subject_line(const struct pf_subject *s, uint32_t index, uint32_t insn, uint32_t *line)
{
	const struct pf_insn *i = &s->functions.at[index].code.insns.at[insn];
	const struct pf_source *source = &s->module.source;
	const struct pf_source_function *f = &source->functions.at[index];
	const struct pf_origin *origin = &source->origins.at[f->nodes.at[i->node].origin];

	*line = i->placed ? (uint32_t)((int64_t)origin->line + i->position.line) : 0;
	return pf_code_file(source, f, i, NULL);
}
