/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See conversion.h.  The hard case is honesty: a conversion that maps next to nothing must fail, and one that maps some
 * must say how much. */
#include "converter/conversion.h"
#include "converter/build.h"
#include "converter/duplicates.h"
#include "converter/gate.h"
#include "converter/halves.h"
#include "converter/loading.h"
#include "profile/agreement.h"
#include "support/version.h"

static int compare_accounts(const void *a, const void *b)
{
	const struct pf_module_account *x = a, *y = b;

	if (x->branches != y->branches)
		return x->branches > y->branches ? -1 : 1;
	return strcmp(x->path, y->path);
}

/* What is known of the modules before functions are built; also after an error. */
static int open_accounts(struct pf_conversion *c)
{
	for (uint32_t i = 0; c->program.modules && i < c->traffic.modules.count; i++) {
		const struct pf_program_module *m = &c->program.modules[i];
		struct pf_module_account *account = pf_array_push(&c->accounts);

		if (!account)
			return PF_ENOMEM;
		*account = (struct pf_module_account) {
			.path = c->traffic.modules.at[i].path,
			.module = i,
			.state = m->state,
			.asked = m->asked,
			.several = c->traffic.modules.at[i].several,
			.reason = m->reason,
			.branches = c->traffic.modules.at[i].branches / PF_WEIGHT_ONE,
			.stubs = pf_program_stub_weight(m) / PF_WEIGHT_ONE,
			.plausibility = m->plausibility,
			.functions = (uint32_t)m->source.functions.count,
			.units = m->source.units,
			.units_read = m->source.units_read,
			.units_damaged = m->source.units_damaged,
			.units_missing = m->source.units_missing,
			.inlined = m->source.inlined,
			.inlined_nowhere = m->source.inlined_nowhere,
			.missing = m->source.missing,
		};
	}
	pf_array_sort(&c->accounts, compare_accounts);
	return PF_OK;
}

static int compare_folds(const void *a, const void *b)
{
	const struct pf_source_fold *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

/* Names of the functions that number FUNCTION is to the linker; NULL if it is only itself. */
static const char *names_of_fold(const struct pf_source *source, uint32_t function)
{
	struct pf_source_fold key = { .address = source->functions.at[function].nodes.at[0].entry };
	const struct pf_source_fold *fold =
	    source->folds.count > 0 ? bsearch(&key, source->folds.at, source->folds.count, sizeof key, compare_folds)
				    : NULL;

	return fold ? fold->names : NULL;
}

static bool is_undeclared(const struct pf_source *source, uint32_t function)
{
	return source->origins.at[source->functions.at[function].nodes.at[0].origin].undeclared;
}

static int build_module(struct pf_conversion *c, const struct pf_paths *paths, struct pf_module_account *account,
			struct pf_blocks *blocks)
{
	struct pf_program_module *m = &c->program.modules[account->module];
	struct pf_built built = { .mapped = m->mapped, .depth = account->depth, .blocks = blocks };
	uint64_t most = 0;
	int status = PF_OK;

	for (uint32_t i = 0; status == PF_OK && i < m->source.functions.count; i++) {
		const char *names = names_of_fold(&m->source, i);
		uint64_t before = built.mapped;

		status = pf_build_function(&c->program, paths, account->module, i, c->profile, &built);
		if (is_undeclared(&m->source, i))
			account->undeclared += built.mapped - before;
		if (!names || built.mapped == before)
			continue;
		account->folds++;
		account->folded += built.mapped - before;
		if (built.mapped - before > most) {
			most = built.mapped - before;
			account->fold = names;
		}
	}
	m->mapped = built.mapped;
	account->depth = built.depth;
	account->abroad = built.abroad / PF_WEIGHT_ONE;
	account->mapped = m->mapped / PF_WEIGHT_ONE;
	account->folded /= PF_WEIGHT_ONE;
	account->undeclared /= PF_WEIGHT_ONE;
	return status;
}

static int add_provenance(struct pf_conversion *c, const struct pf_recording *r, uint32_t module)
{
	const struct pf_traffic_module *m = &c->traffic.modules.at[module];
	struct pf_provenance *p = pf_profile_add_provenance(c->profile);
	char id[41];

	if (!p)
		return PF_ENOMEM;
	pf_build_id_text(m->build_id, m->build_id_size, id);
	p->kind = r->kind;
	p->event = pf_profile_intern(c->profile, r->event);
	p->binary = pf_profile_intern(c->profile, m->path);
	p->build_id = pf_profile_intern(c->profile, m->build_id_size ? id : "");
	p->period = r->period;
	p->samples = r->samples;
	p->lost = r->lost;
	p->first_ns = r->first_ns;
	p->last_ns = r->last_ns;
	p->tool = pf_profile_intern(c->profile, "pathfdo " PF_VERSION);
	return p->event && p->binary && p->build_id && p->tool ? PF_OK : PF_ENOMEM;
}

/* Whether R is a recording whose samples are used. */
static bool is_used(const struct pf_conversion *c, const struct pf_recording *r)
{
	return r->kind != PF_SOURCE_CLOCK || (c->traffic.edges.count == 0 && r->rank == c->traffic.rank);
}

/* Each recording goes with those of the used binaries in which it has samples. */
static int add_provenances(struct pf_conversion *c)
{
	int status = PF_OK;

	for (size_t r = 0; r < c->recordings.count; r++) {
		const struct pf_recording *recording = &c->recordings.at[r];

		for (size_t i = 0; i < recording->modules.count && is_used(c, recording) && status == PF_OK; i++) {
			if (c->program.modules[recording->modules.at[i]].source.functions.count > 0)
				status = add_provenance(c, recording, recording->modules.at[i]);
		}
	}
	return status;
}

static int add_compiled(struct pf_conversion *c)
{
	int status = PF_OK;

	for (uint32_t m = 0; m < c->traffic.modules.count; m++) {
		const struct pf_source *source = &c->program.modules[m].source;

		for (size_t i = 0; i < source->compiled.count && status == PF_OK; i++)
			status = pf_profile_add_compiled(c->profile, source->compiled.at[i].file);
	}
	return status;
}

/* Over the COUNT branches or blocks of what is used, which LOOKS saw, the share ALONE of it once. */
static int agree(struct pf_conversion *c, const struct pf_dealt *things, size_t count, uint64_t looks, double alone)
{
	double overlap;
	int status = pf_dealt_overlap(things, count, &overlap);

	if (status == PF_OK && count > 0)
		c->profile->agreement = pf_agreement_of(looks, overlap, alone);
	return status;
}

static int find_agreement_of_branches(struct pf_conversion *c)
{
	const struct pf_traffic *t = &c->traffic;
	struct pf_dealt *things = calloc(t->edges.count + 1, sizeof *things);
	double all = 0, alone = 0;
	size_t count = 0;
	int status;

	if (!things)
		return PF_ENOMEM;
	for (size_t i = 0; i < t->edges.count; i++) {
		const struct pf_traffic_edge *e = &t->edges.at[i];

		if (e->from_module == PF_NO_MODULE || c->program.modules[e->from_module].state != PF_MODULE_USED)
			continue;
		all += (double)e->weight;
		alone += e->look && e->look != PF_SEVERAL_LOOKS ? (double)e->weight : 0;
		things[count++] = e->dealt;
	}
	status = agree(c, things, count, t->bursts_used, all > 0 ? alone / all : 0);
	free(things);
	return status;
}

/* Each plain sample is a look of its own.  Where in a block it was taken is chance and says nothing of the block, so
 * halves that have other instructions of it agree. */
static int find_agreement_of_samples(struct pf_conversion *c, const struct pf_blocks *blocks)
{
	double all = 0, alone = 0;

	for (size_t i = 0; i < blocks->list.count; i++) {
		all += (double)blocks->list.at[i].all;
		alone += blocks->list.at[i].all == PF_WEIGHT_ONE ? PF_WEIGHT_ONE : 0;
	}
	return agree(c, blocks->list.at, blocks->list.count, (uint64_t)(all / PF_WEIGHT_ONE),
		     all > 0 ? alone / all : 0);
}

static int build_profile(struct pf_conversion *c, const struct pf_gate_input *input, struct pf_error *error)
{
	bool branches = c->traffic.edges.count > 0;
	struct pf_blocks blocks = { 0 };
	struct pf_paths paths = { 0 };
	int status = PF_OK;

	c->profile = pf_profile_alloc(branches ? PF_UNIT_EXECUTIONS : PF_UNIT_SAMPLES);
	if (!c->profile)
		status = PF_ENOMEM;
	if (status == PF_OK)
		status = pf_paths_prepare(&paths, &c->program);
	for (size_t i = 0; i < c->accounts.count && status == PF_OK; i++)
		status = build_module(c, &paths, &c->accounts.at[i], &blocks);
	pf_paths_fini(&paths);
	if (status == PF_OK)
		status = add_provenances(c);
	if (status == PF_OK)
		status = add_compiled(c);
	if (status == PF_OK)
		status = branches ? find_agreement_of_branches(c) : find_agreement_of_samples(c, &blocks);
	pf_array_fini(&blocks.list);
	if (status < 0)
		return pf_fail(error, status, "out of memory while building the profile");
	status = pf_gate_check(c->accounts.at, c->accounts.count, input, error);
	return status < 0 ? status : pf_profile_canonicalise(c->profile, error);
}

/* Adds one recording. */
static int take_in(struct pf_conversion *c, struct pf_known_files *known, const char *file,
		   const struct pf_intake_options *options, struct pf_error *error)
{
	struct pf_recording *recording = pf_array_push(&c->recordings);
	int status;

	if (!recording)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", file);
	status = pf_known_files_add(known, file, error);
	return status < 0 ? status : pf_intake_file(&c->traffic, file, options, recording, error);
}

static int take_all(struct pf_conversion *c, const char *const *files, size_t count,
		    const struct pf_convert_options *options, struct pf_error *error)
{
	struct pf_known_files known = { 0 };
	struct pf_intake_options intake = options->intake;
	int status = PF_OK;

	intake.others = count > 0 ? count - 1 : 0;
	for (size_t i = 0; i < count && status == PF_OK; i++)
		status = take_in(c, &known, files[i], &intake, error);
	pf_known_files_fini(&known);
	pf_traffic_settle(&c->traffic);
	return status;
}

/* Recordings to traffic by virtual addresses, and what is known of the binaries. */
static int load(struct pf_conversion *c, const char *const *files, size_t count,
		const struct pf_convert_options *options, struct pf_gate_input *input, struct pf_error *error)
{
	int status;

	*c = (struct pf_conversion) { 0 };
	status = pf_locate_check(&options->locate, error);
	if (status == PF_OK)
		status = take_all(c, files, count, options, error);
	*input = pf_gate_input(&c->traffic, options->locate.binary_count > 0);
	if (status == PF_OK)
		status = pf_gate_recorded(&c->traffic, input, error);
	if (status < 0)
		return status;
	status = pf_program_load(&c->program, &c->traffic, &options->locate, error);
	if (open_accounts(c) < 0)
		return pf_fail(error, PF_ENOMEM, "out of memory for %zu binaries", c->traffic.modules.count);
	return status;
}

int pf_convert(struct pf_conversion *c, const char *const *files, size_t count,
	       const struct pf_convert_options *options, struct pf_error *error)
{
	struct pf_gate_input input;
	int status = load(c, files, count, options, &input, error);

	return status < 0 ? status : build_profile(c, &input, error);
}

/* The account of the binary that fdata is of: the first that is used and was asked for, or is a program.  The others
 * are not used then. */
static struct pf_module_account *choose_one(struct pf_conversion *c, bool asked)
{
	struct pf_module_account *chosen = NULL;

	for (size_t i = 0; i < c->accounts.count; i++) {
		struct pf_module_account *a = &c->accounts.at[i];

		if (a->state != PF_MODULE_USED)
			continue;
		if (!chosen && (asked || pf_elf_is_program(&c->program.modules[a->module].binary.elf))) {
			chosen = a;
			continue;
		}
		a->state = PF_MODULE_NOT_ASKED;
		a->reason = "fdata is of one binary";
	}
	return chosen;
}

int pf_convert_fdata(struct pf_conversion *c, const char *const *files, size_t count,
		     const struct pf_convert_options *options, struct pf_buffer *out, struct pf_error *error)
{
	struct pf_convert_options own = *options;
	struct pf_module_account *account;
	struct pf_fdata_account fdata;
	struct pf_gate_input input;
	int status;

	own.intake.bare = own.locate.code_only = true;
	status = load(c, files, count, &own, &input, error);
	c->by_symbols = true;
	if (status < 0)
		return status;
	account = choose_one(c, options->locate.binary_count > 0);
	if (!account)
		return pf_fail(error, PF_EEMPTY,
			       "no program ran in the recording; name the library that is meant with -b");
	status = pf_fdata_print(&c->program, account->module, c->recordings.at[0].event, out, &fdata, error);
	account->mapped = fdata.known / PF_WEIGHT_ONE;
	account->functions = (uint32_t)fdata.functions;
	return status;
}

void pf_conversion_fini(struct pf_conversion *c)
{
	pf_program_fini(&c->program);
	pf_traffic_fini(&c->traffic);
	for (size_t i = 0; i < c->recordings.count; i++)
		pf_recording_fini(&c->recordings.at[i]);
	pf_array_fini(&c->recordings);
	pf_array_fini(&c->accounts);
	pf_profile_free(c->profile);
	c->profile = NULL;
}
