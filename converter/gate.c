/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See gate.h.  The hard case is a profile that is right but of nothing: three branches in the loader, of a recording
 * that was made in the kernel. */
#include "converter/gate.h"

#include <inttypes.h>

#define MOST_WEIGHT ((uint64_t)PF_WEIGHT_ONE << 54) /* sums of parts of it, also of negative ones, do not wrap */

/* Drops that say nothing against a recording of user code. */
static bool is_aside(enum pf_drop drop)
{
	return drop == PF_DROP_KERNEL || drop == PF_DROP_VDSO || drop == PF_DROP_OLDEST || drop == PF_DROP_DUPLICATE ||
	       drop == PF_DROP_WARM_UP || drop == PF_DROP_EVENT || drop == PF_DROP_PLAIN || drop == PF_DROP_SEQUENCE;
}

struct pf_gate_input pf_gate_input(const struct pf_traffic *t, bool asked)
{
	struct pf_gate_input input = { .asked = asked, .worst = PF_DROP_NONE };

	input.read = t->branches_read > 0 ? t->branches_read : t->samples_read;
	for (int drop = PF_DROP_NONE + 1; drop < PF_DROP_COUNT; drop++) {
		uint64_t count = t->drops[drop];

		if (drop == PF_DROP_SEQUENCE || (drop == PF_DROP_PLAIN && t->branches_read > 0))
			continue; /* not counted in branches */
		input.aside = pf_sum(input.aside, is_aside((enum pf_drop)drop) ? count : 0);
		if (count > input.worst_count) {
			input.worst = (enum pf_drop)drop;
			input.worst_count = count;
		}
	}
	return input;
}

/* USED are WHAT. */
static int fail_empty(uint64_t used, const char *what, const struct pf_gate_input *input, struct pf_error *error)
{
	const char *cure = pf_traffic_drop_cure(input->worst);

	if (input->worst_count == 0)
		return pf_fail(error, PF_EEMPTY,
			       "only %" PRIu64 " of the %" PRIu64
			       " branches or samples that were recorded %s; record a "
			       "longer run",
			       used, input->read, what);
	return pf_fail(
	    error, PF_EEMPTY,
	    "only %" PRIu64 " of the %" PRIu64 " branches or samples that were recorded %s; %" PRIu64 " are %s%s%s",
	    used, input->read, what, input->worst_count, pf_traffic_drop_name(input->worst), *cure ? ": " : "", cure);
}

static bool is_below(uint64_t part, uint64_t whole, unsigned permille)
{
	return (double)part * 1000 < (double)whole * permille;
}

/* The sum of all weights; UINT64_MAX if it is larger. */
static uint64_t weight_of(const struct pf_traffic *t)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < t->edges.count; i++)
		sum = pf_sum(sum, t->edges.at[i].weight);
	for (size_t i = 0; i < t->samples.count; i++)
		sum = pf_sum(sum, pf_multiple(t->samples.at[i].weight, PF_CLOCK_SCALE));
	return sum;
}

int pf_gate_recorded(const struct pf_traffic *t, const struct pf_gate_input *input, struct pf_error *error)
{
	uint64_t used = 0;

	if (weight_of(t) > MOST_WEIGHT)
		return pf_fail(error, PF_ELIMIT,
			       "there are more than 2^54 branches or 2^50 samples, which cannot be added up: convert "
			       "fewer recordings at once and merge the profiles, or give smaller counts");

	for (size_t i = 0; i < t->modules.count; i++)
		used = pf_sum(used, t->modules.at[i].branches / PF_WEIGHT_ONE);
	if (used > 0 && (used >= PF_READ_LEAST || !is_below(used, input->read, 1)))
		return PF_OK;
	return fail_empty(used, "are in the code of files", input, error);
}

/* The largest of the files that are not used; NULL if nothing is lost in one. */
static const struct pf_module_account *largest_unused(const struct pf_module_account *accounts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (accounts[i].state != PF_MODULE_USED && accounts[i].branches > 0)
			return &accounts[i];
	}
	return NULL;
}

/* Next to nothing is MAPPED: more of what was recorded is lost in files than in any other way, or it is not. */
static int fail_small(const struct pf_module_account *accounts, size_t count, uint64_t mapped,
		      const struct pf_gate_input *input, struct pf_error *error)
{
	const struct pf_module_account *largest = largest_unused(accounts, count);

	if (!largest || largest->branches < input->worst_count)
		return fail_empty(mapped, "have a source position", input, error);
	return pf_fail(error, PF_ENODEBUG,
		       "only %" PRIu64 " of the %" PRIu64
		       " branches or samples in user code have a source position; %" PRIu64 " are in %s (%s)%s",
		       mapped, input->read - input->aside, largest->branches, largest->path, largest->reason,
		       mapped == 0 || input->asked ? ""
						   : ". If the others are what you want, name their binaries with -b");
}

static int fail_used(const struct pf_module_account *hottest, uint64_t mapped, uint64_t branches,
		     struct pf_error *error)
{
	return pf_fail(error, PF_ENODEBUG,
		       "%s: only %" PRIu64 " of %" PRIu64
		       " branches or samples have a source position; is this the binary "
		       "that ran, and was all of it built with -g?",
		       hottest->path, mapped, branches);
}

int pf_gate_check(const struct pf_module_account *accounts, size_t count, const struct pf_gate_input *input,
		  struct pf_error *error)
{
	uint64_t branches = 0, mapped = 0;
	const struct pf_module_account *hottest = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct pf_module_account *a = &accounts[i];

		if (a->mapped > a->branches)
			return pf_fail(
			    error, PF_EINTERNAL,
			    "%s: internal error: %" PRIu64 " of its %" PRIu64
			    " branches have a source position, more than there are; please report this with the "
			    "binary and the recording",
			    a->path, a->mapped, a->branches);
		if (a->state != PF_MODULE_USED)
			continue;
		hottest = hottest ? hottest : a;
		branches = pf_sum(branches, a->branches);
		mapped = pf_sum(mapped, a->mapped);
	}
	if (branches > 0 && (mapped == 0 || is_below(mapped, branches, PF_MAPPED_ERROR)))
		return fail_used(hottest, mapped, branches, error);
	/* What was asked for is judged by itself: it can be a short program that calls much. */
	if (mapped == 0 || (!input->asked && mapped < PF_READ_LEAST && is_below(mapped, input->read, 1)))
		return fail_small(accounts, count, mapped, input, error);
	if (!input->asked && input->read > input->aside && is_below(mapped, input->read - input->aside, PF_USED_ERROR))
		return fail_small(accounts, count, mapped, input, error);
	return PF_OK;
}
