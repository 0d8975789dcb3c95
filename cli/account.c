/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See account.h.  The hard case is number: a system-wide recording has thousands of binaries, of which a few matter. */
#include "cli/account.h"
#include "cli/output.h"
#include "cli/percent.h"
#include "converter/events.h"
#include "converter/gate.h"
#include "support/filename.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODULES_SHOWN 20
#define SHARE_WORTH 50.0 /* percent that are used below which it is told that the rest cannot gain */
#define SHARE_SHOWN 1.0  /* percent of all from which a file is named that was not asked for */
#define SHARE_CURED 10   /* percent of all from which a loss is worth its cure */

struct loss {
	enum pf_drop drop;
	uint64_t count;
};

static int compare_losses(const void *a, const void *b)
{
	const struct loss *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->drop < y->drop ? -1 : x->drop > y->drop;
}

static void print_losses(const struct pf_traffic *t, bool failed)
{
	uint64_t read = pf_sum(t->branches_read, t->samples_read);
	struct loss losses[PF_DROP_COUNT] = { 0 };

	for (int drop = 0; drop < PF_DROP_COUNT; drop++)
		losses[drop] = (struct loss) { (enum pf_drop)drop, t->drops[drop] };
	qsort(losses, PF_DROP_COUNT, sizeof *losses, compare_losses);
	for (int i = 0; i < PF_DROP_COUNT && losses[i].count > 0; i++) {
		const char *cure = pf_traffic_drop_cure(losses[i].drop);
		bool cured = *cure && (failed || pf_percent(losses[i].count, read) >= SHARE_CURED);

		fprintf(stderr, "  dropped %" PRIu64 " %s%s%s\n", losses[i].count, pf_traffic_drop_name(losses[i].drop),
			cured ? ": " : "", cured ? cure : "");
	}
	if (t->lost > 0)
		fprintf(stderr, "  lost by the recording: %" PRIu64 "\n", t->lost);
}

static void print_input(const struct pf_traffic *t)
{
	if (t->bursts_read > 0)
		fprintf(stderr, "  read %" PRIu64 " vectors, used %" PRIu64 "\n", t->bursts_read, t->bursts_used);
	if (t->branches_read > 0)
		fprintf(stderr, "  read %" PRIu64 " branches, used %" PRIu64 ", %zu distinct\n", t->branches_read,
			t->branches_used, t->edges.count);
	if (t->samples_read > 0)
		fprintf(stderr, "  read %" PRIu64 " plain samples, used %" PRIu64 "\n", t->samples_read,
			t->samples_used);
}

/* The recordings that have several events, of which one is used. */
static void print_events(const struct pf_conversion *c)
{
	for (size_t i = 0; i < c->recordings.count; i++) {
		const struct pf_recording *r = &c->recordings.at[i];

		if (r->others && *r->others)
			fprintf(stderr, "  recording %zu: used the samples of %s, left out %s\n", i + 1,
				pf_output_name(r->event), pf_output_name(r->others));
	}
}

/* The other names of what is the same by its build-id. */
static void print_names(const struct pf_conversion *c, const struct pf_module_account *a)
{
	const struct pf_traffic_module *m = &c->traffic.modules.at[a->module];

	if (m->names.count == 1)
		fprintf(stderr, "    with %s, which has the same build-id\n", pf_output_name(m->names.at[0]));
	else if (m->names.count > 1)
		fprintf(stderr, "    with %s and %zu other%s that have the same build-id\n",
			pf_output_name(m->names.at[0]), m->names.count - 1, m->names.count == 2 ? "" : "s");
}

/* BY_SYMBOLS: it has functions with symbols, not source positions. */
static void print_used(const struct pf_module_account *a, double share, bool by_symbols)
{
	const struct pf_plausibility *p = &a->plausibility;

	if (a->mapped == 0) {
		fprintf(stderr, "  %s: %.1f%% of all, nothing of it mapped\n", pf_output_name(a->path), share);
		return;
	}
	fprintf(stderr, "  %s: %.1f%% of all, %.1f%% of it %s", pf_output_name(a->path), share,
		pf_percent(a->mapped, a->branches), by_symbols ? "in functions with symbols" : "mapped to source");
	if (a->stubs > 0)
		fprintf(stderr, ", %.1f%% in stubs", pf_percent(a->stubs, a->branches));
	fprintf(stderr, "; %u function%s", a->functions, a->functions == 1 ? "" : "s");
	if (!by_symbols)
		fprintf(stderr, ", inlined up to %u deep", a->depth);
	fputc('\n', stderr);
	if (p->at_none > 0 || p->through > 0)
		fprintf(stderr,
			"  dropped as impossible: %.3f%% are at no branch instruction, %.3f%% ran over a jump\n",
			pf_percent(p->at_none, p->branches), pf_percent(p->through, p->runs));
	if (pf_percent(a->abroad, a->branches) >= SHARE_SHOWN)
		fprintf(stderr,
			"  %.1f%% of it at lines of other files than those of its functions (#include within them, "
			"#line, inlined code that has lost its scope), which a position does not tell: annotate shows "
			"them at these lines of the functions' files\n",
			pf_percent(a->abroad, a->branches));
	if (a->units_damaged > 0)
		fprintf(stderr, "  warning: %s: %u of its %u units of debug information cannot be read\n",
			pf_output_name(a->path), a->units_damaged, a->units);
}

static void print_modules(const struct pf_conversion *c)
{
	uint64_t total = 0, used = 0, rest = 0;
	size_t shown = 0, others = 0;

	for (size_t i = 0; i < c->accounts.count; i++)
		total = pf_sum(total, c->accounts.at[i].branches);
	for (size_t i = 0; i < c->accounts.count; i++) {
		const struct pf_module_account *a = &c->accounts.at[i];
		double share = pf_percent(a->branches, total);

		if (a->state == PF_MODULE_USED && (a->branches > 0 || a->asked)) {
			print_used(a, share, c->by_symbols);
			print_names(c, a);
			used = pf_sum(used, a->branches);
		} else if (a->asked || a->state == PF_MODULE_UNUSABLE ||
			   (share >= SHARE_SHOWN && !pf_program_is_recorder(a->path) && shown++ < MODULES_SHOWN)) {
			fprintf(stderr, "  %s: %.1f%% of all, not used: %s\n", pf_output_name(a->path), share,
				pf_output_name(a->reason));
			print_names(c, a);
		} else {
			others++;
			rest = pf_sum(rest, a->branches);
		}
	}
	if (others > 0)
		fprintf(stderr, "  %zu other files: %.1f%% of all\n", others, pf_percent(rest, total));
	if (used > 0 && pf_percent(used, total) < SHARE_WORTH)
		fprintf(stderr, "  a build with this profile can speed up only the %.1f%% that are used\n",
			pf_percent(used, total));
}

static void warn_of_folds(const struct pf_module_account *a)
{
	if (a->folds > 0)
		fprintf(
		    stderr,
		    "pathfdo convert: warning: %s: the linker made one of functions with the same code (--icf): %u of "
		    "those that ran, %.1f%% of its branches, among them %s; only one of each has the counts, so link "
		    "the program that is recorded with --icf=none\n",
		    pf_output_name(a->path), a->folds, pf_percent(a->folded, a->branches), pf_output_name(a->fold));
}

/* Positions count from the declaration: without it they are of no use to a build. */
static void warn_of_undeclared(const struct pf_module_account *a)
{
	if (a->undeclared > a->mapped / 1000.0 * (1000 - PF_MAPPED_WARNING))
		fprintf(stderr,
			"pathfdo convert: warning: %s: %.1f%% of its branches are in functions whose debug information "
			"does not say where they are declared (assembly, clang's -gline-tables-only); no build can use "
			"their counts: compile them with -g\n",
			pf_output_name(a->path), pf_percent(a->undeclared, a->branches));
}

/* A build looks for what was inlined by the line of its call. */
static void warn_of_calls(const struct pf_module_account *a)
{
	if (a->inlined_nowhere > a->inlined / 2)
		fprintf(stderr,
			"pathfdo convert: warning: %s: of %" PRIu32 " of its %" PRIu32 " inlined calls the debug "
			"information does not say where they are (-gdwarf-2 -gstrict-dwarf); no build can use their "
			"counts: compile it without -gstrict-dwarf\n",
			pf_output_name(a->path), a->inlined_nowhere, a->inlined);
}

/* Addresses of several builds are mixed then. */
static void warn_of_several(const struct pf_module_account *a)
{
	if (a->several && a->state == PF_MODULE_USED && a->branches > 0)
		fprintf(
		    stderr,
		    "pathfdo convert: warning: %s: the recording has several builds of it (containers can each have "
		    "their own) and does not say which of them ran where; record with perf record "
		    "--buildid-mmap\n",
		    pf_output_name(a->path));
}

/* Did a file that can be the one that was named with the same -b run: another of its name, or the same, deleted since?
 */
static bool ran_as_another(const struct pf_conversion *c, const struct pf_module_account *a)
{
	const char *name = pf_filename_base(a->path);
	size_t length = pf_filename_length(name);

	for (size_t i = 0; i < c->accounts.count; i++) {
		const struct pf_module_account *other = &c->accounts.at[i];
		const char *its = pf_filename_base(other->path);

		if (other->asked && other->branches > 0 && pf_filename_length(its) == length &&
		    strncmp(its, name, length) == 0)
			return true;
	}
	return false;
}

/* Named, and yet nothing of it is in the profile: another name than was meant, or a part that the run has no use for.
 */
static void warn_of_nothing(const struct pf_conversion *c, const struct pf_module_account *a)
{
	if (a->asked && a->state == PF_MODULE_USED && a->branches == 0 && !ran_as_another(c, a))
		fprintf(stderr,
			"pathfdo convert: warning: %s: was named with -b, and nothing that was recorded ran in it\n",
			pf_output_name(a->path));
}

/* The part of the account that is worth reading even when it is not asked for.  Stubs are the linker's and the
 * compiler's: that they have no source is no fault of the build. */
static void print_warnings(const struct pf_conversion *c)
{
	for (size_t i = 0; i < c->accounts.count; i++) {
		const struct pf_module_account *a = &c->accounts.at[i];
		uint64_t compiled = a->branches > a->stubs ? a->branches - a->stubs : 0;

		if (a->state == PF_MODULE_UNUSABLE && a->branches > 0)
			fprintf(stderr, "pathfdo convert: warning: left out: %s\n", pf_output_name(a->reason));
		else if (a->state == PF_MODULE_USED && !c->by_symbols &&
			 a->mapped < compiled / 1000.0 * PF_MAPPED_WARNING)
			fprintf(
			    stderr,
			    "pathfdo convert: warning: %s: only %.1f%% of its branches have a source position; "
			    "the rest is built without -g (assembly, static libraries), or the compiler has given it "
			    "no line\n",
			    pf_output_name(a->path), pf_percent(a->mapped, compiled));
		if (a->state == PF_MODULE_USED && a->units_missing > 0)
			fprintf(stderr,
				"pathfdo convert: warning: %s: %u of its %u units have no debug information: %s; keep "
				"the .dwo files of the build, or pack them as %s.dwp (llvm-dwp)\n",
				pf_output_name(a->path), a->units_missing, a->units, pf_output_name(a->missing),
				pf_filename_base(pf_output_name(a->path)));
		warn_of_folds(a);
		warn_of_undeclared(a);
		warn_of_calls(a);
		warn_of_several(a);
		warn_of_nothing(c, a);
	}
}

/* What was asked for can be little of what ran, and a short run is little of anything. */
static void warn_of_little(const struct pf_conversion *c)
{
	uint64_t mapped = 0;
	bool asked = false;

	for (size_t i = 0; i < c->accounts.count; i++) {
		asked |= c->accounts.at[i].asked;
		mapped = pf_sum(mapped, c->accounts.at[i].mapped);
	}
	if (mapped < PF_READ_LEAST)
		fprintf(stderr,
			"pathfdo convert: warning: %s only %" PRIu64
			" of the branches or samples that were recorded; record a longer run\n",
			asked ? "what was asked for ran" : "the profile is of", mapped);
}

/* Branch stacks are right whatever event took them; plain samples are as good as theirs. */
static void warn_of_event(const struct pf_conversion *c)
{
	if (c->traffic.edges.count > 0 || c->traffic.rank < PF_RANK_HARDWARE)
		return;
	for (size_t i = 0; i < c->recordings.count; i++) {
		const struct pf_recording *r = &c->recordings.at[i];

		if (r->rank != c->traffic.rank)
			continue;
		fprintf(stderr,
			"pathfdo convert: warning: the samples are of %s, which do not tell what the time is spent "
			"on; record cycles or cpu-clock\n",
			pf_output_name(r->event));
		return;
	}
}

void pf_account_print(const struct pf_conversion *c, bool quiet, bool failed)
{
	if (c->traffic.branches_read == 0 && c->traffic.samples_read == 0)
		return;
	if (!quiet || failed) {
		fprintf(stderr, "pathfdo convert:\n");
		print_input(&c->traffic);
		print_events(c);
		print_losses(&c->traffic, failed);
		print_modules(c);
	}
	if (!failed) {
		print_warnings(c);
		warn_of_little(c);
		warn_of_event(c);
	}
}
