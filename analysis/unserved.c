/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See unserved.h.  The hard case is a recording with several of these faults, as a system-wide one by the clock has:
 * what is told is what another recording must do otherwise, before what another name of the binary would mend. */
#include "analysis/unserved.h"
#include "converter/gate.h"

#include <inttypes.h>
#include <stdio.h>

#define NAMED 3 /* binaries that ran most, which are told */

static int fail_without_order(const char *path, const struct pf_traffic *t, struct pf_error *error)
{
	if (t->branches_read > 0)
		return pf_fail(error, PF_EEMPTY,
			       "%s: what was recorded of it is how often each branch was taken, not in which order, as "
			       "record --all does; record it with --source=soft, without --all",
			       path);
	return pf_fail(
	    error, PF_EEMPTY,
	    "%s: what was recorded are plain samples, which do not tell the way between them; record it with "
	    "--source=soft, or --source=lbr",
	    path);
}

static int compare_modules(const void *a, const void *b)
{
	const struct pf_traffic_module *x = *(const struct pf_traffic_module *const *)a,
				       *y = *(const struct pf_traffic_module *const *)b;

	if (x->branches != y->branches)
		return x->branches > y->branches ? -1 : 1;
	return strcmp(x->path, y->path);
}

static int fail_elsewhere(const char *path, const struct pf_traffic *t, struct pf_error *error)
{
	const struct pf_traffic_module **all = calloc(t->modules.count + 1, sizeof *all);
	char ran[1000] = "";
	size_t used = 0;

	if (!all)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", path);
	for (size_t i = 0; i < t->modules.count; i++)
		all[i] = &t->modules.at[i];
	qsort(all, t->modules.count, sizeof *all, compare_modules);
	for (size_t i = 0; i < t->modules.count && i < NAMED && all[i]->branches > 0; i++)
		used += (size_t)snprintf(ran + used, sizeof ran - used, "%s%.300s", i ? ", " : "", all[i]->path);
	free(all);
	return pf_fail(error, PF_EEMPTY,
		       "%s: nothing that was recorded ran in it; name the binary that ran: most was in %s", path, ran);
}

int pf_unserved(struct pf_subject *s, const struct pf_traffic *t, bool vectors, struct pf_error *error)
{
	const char *path = s->module.binary.elf.path;
	struct pf_gate_input input = pf_gate_input(t, true);
	uint64_t own = 0;
	int status;

	if (s->other_id)
		return pf_fail(error, PF_EMISMATCH,
			       "%s: another build was recorded (its build-id differs); name the binary that ran", path);
	status = pf_gate_recorded(t, &input, error);
	if (status < 0)
		return status;
	if (vectors && t->bursts_read == 0)
		return fail_without_order(path, t, error);
	for (size_t i = 0; i < t->modules.count; i++)
		own = pf_sum(own, pf_subject_is(s, &t->modules.at[i]) ? t->modules.at[i].branches / PF_WEIGHT_ONE : 0);
	if (own == 0)
		return fail_elsewhere(path, t, error);
	return pf_fail(error, PF_EEMPTY,
		       "%s: none of the %" PRIu64 " branches or samples in it is in a function with debug information; "
		       "compile all of it with -g",
		       path, own);
}

static bool has_stacks(const struct pf_perf_file *file)
{
	for (uint32_t i = 0; i < pf_perf_attr_count(file); i++) {
		if (pf_perf_attr(file, i)->sample_type & PERF_SAMPLE_BRANCH_STACK)
			return true;
	}
	return false;
}

int pf_unserved_vectors(const char *path, const struct pf_perf_file *file, const struct pf_vectors *v,
			struct pf_error *error)
{
	bool stacks = has_stacks(file);

	if (v && v->count_count > 0)
		return pf_fail(error, PF_EEMPTY,
			       "%s: it has how often each branch was taken, not in which order; record without --all, "
			       "or give this command --all and the program",
			       path);
	if (v)
		return pf_fail(error, PF_EEMPTY, "%s: there are no vectors in it; record a longer run", path);
	return pf_fail(error, PF_EEMPTY,
		       "%s: there are no branch vectors in it, but %s; record with 'pathfdo record --source=soft'%s",
		       path,
		       pf_perf_aggregates(file) ? "sums"
		       : stacks                 ? "branch stacks"
						: "plain samples",
		       stacks ? ", without --raw" : "");
}
