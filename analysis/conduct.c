/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See conduct.h.  Everything is asked for in the same order each time; what the journal has is not done again.  The
 * hard case is what all results silently depend on: compilers, our own tools, other processes at work in the same
 * folder. */
#include "analysis/conduct.h"
#include "analysis/collect.h"
#include "analysis/findings.h"
#include "analysis/instructions.h"
#include "analysis/measure.h"
#include "analysis/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static bool lies_in(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* Folders of a comparison are made anew and removed: somebody else's `build' or `data' must not be among them. */
static int check_work(const struct pf_plan *plan, const char *mark, struct pf_error *error)
{
	const struct dirent *entry;
	DIR *directory = pf_tree_has(mark) ? NULL : opendir(plan->work);
	int status = PF_OK;

	while (directory && status == PF_OK && (entry = readdir(directory))) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			status = pf_fail(error, PF_EINVAL,
					 "%s has %s in it, and is no folder of a comparison; give an empty one, or a "
					 "new one, with --work",
					 plan->work, entry->d_name);
	}
	if (directory)
		closedir(directory);
	return status;
}

static int lock(const struct pf_plan *plan, int *fd, struct pf_error *error)
{
	char path[PATH_MAX];
	int status;

	if (pf_tree_make(plan->work, error) < 0)
		return PF_EIO;
	pf_plan_path(plan, "lock", NULL, path);
	status = check_work(plan, path, error);
	if (status < 0)
		return status;
	*fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (*fd < 0)
		return pf_fail(error, PF_EIO, "%s: cannot write: %s", path, strerror(errno));
	if (flock(*fd, LOCK_EX | LOCK_NB) == 0)
		return PF_OK;
	close(*fd);
	*fd = -1;
	return pf_fail(error, PF_EINVAL, "another comparison is at work in %s; wait for it, or give another --work",
		       plan->work);
}

/* Adds the file NAME beside the tool, if it is there. */
static int digest_beside(struct pf_contest *c, const char *name, struct pf_error *error)
{
	const char *tool = c->plan->tool, *slash = strrchr(tool, '/');
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%.*s/%s", slash ? (int)(slash - tool) : 0, tool, name);
	return pf_tree_has(path) ? pf_digest_file(&c->tool_key, path, error) : PF_OK;
}

/* pathfdo with the plugins and the recorder that it uses; installed ones are told by the command's own version. */
static int digest_tools(struct pf_contest *c, struct pf_error *error)
{
	static const char *const beside[] = { "pathfdo.so", "libpathfdo-recorder.so",
					      "../lib/pathfdo/libpathfdo-recorder.so" };
	int status;

	c->tool_key = PF_DIGEST_START;
	status = pf_digest_file(&c->tool_key, c->plan->tool, error);
	for (size_t i = 0; status == PF_OK && i < sizeof beside / sizeof beside[0]; i++)
		status = digest_beside(c, beside[i], error);
	for (unsigned release = 12; status == PF_OK && release < 100; release++) {
		char name[32];

		snprintf(name, sizeof name, "pathfdo-%u.so", release);
		status = digest_beside(c, name, error);
	}
	return status;
}

/* What counts instructions builds nothing: it is there only when they are asked for. */
static int digest_versions(struct pf_contest *c, const json_t *versions, struct pf_error *error)
{
	json_t *builders = json_copy((json_t *)versions);
	char *text;

	json_object_del(builders, "valgrind");
	text = json_dumps(builders, JSON_SORT_KEYS);
	json_decref(builders);
	if (!text)
		return pf_fail(error, PF_ENOMEM, "out of memory");
	c->source_key = pf_digest_string(c->source_key, text);
	c->valgrind_key = pf_digest_string(PF_DIGEST_START, json_string_value(json_object_get(versions, "valgrind")));
	free(text);
	return PF_OK;
}

enum phase { BASE, VARIANTS, OUTPUTS, OVERHEAD, TIMES, INSTRUCTIONS };

/* What is left from PHASE on, for the estimate of the time.  Variants that were dropped need nothing more. */
static void count_work(struct pf_contest *c, enum phase phase)
{
	const struct pf_plan *p = c->plan;
	unsigned variants = 0, trainings = 0, collected = 0, instr = p->wanted[PF_VARIANT_INSTR];
	unsigned *left = c->left;

	for (unsigned b = 0; b < PF_BUILDS; b++) {
		bool there = pf_plan_has(p, b) && !*c->entries[b].error;
		bool trained = there && (pf_variant_is_recorded(b) || b == PF_VARIANT_INSTR);

		variants += there;
		trainings += trained;
		collected += trained && b < PF_VARIANTS;
	}
	memset(left, 0, sizeof c->left);
	if (phase <= VARIANTS)
		left[PF_WORK_BUILD] = variants + instr - (phase > BASE);
	if (phase <= VARIANTS)
		left[PF_WORK_TRAIN] = trainings + (phase == BASE);
	if (phase <= OUTPUTS)
		left[PF_WORK_TRAIN] += p->times ? variants : 1;
	if (phase <= OVERHEAD && p->times && collected > 0)
		left[PF_WORK_TRAIN] += pf_collect_rounds(p) * (1 + collected);
	if (phase <= TIMES && p->times)
		left[PF_WORK_REFERENCE] = (unsigned)p->reference_count * (1 + p->pairs * (variants + 1));
	if (p->instructions)
		left[PF_WORK_CALLGRIND] = variants;
}

static int do_phase(struct pf_contest *c, enum phase phase, struct pf_error *error)
{
	count_work(c, phase);
	switch (phase) {
	case BASE:
		return pf_collect_base(c, error);
	case VARIANTS:
		return pf_collect_variants(c, error);
	case OUTPUTS:
		return pf_measure_outputs(c, c->plan->train, "train", "the training run", error);
	case OVERHEAD:
		return c->plan->times ? pf_collect_overhead(c, error) : PF_OK;
	case TIMES:
		return c->plan->times ? pf_measure_times(c, error) : PF_OK;
	default:
		return c->plan->instructions ? pf_instructions_measure(c, error) : PF_OK;
	}
}

static int work(struct pf_contest *c, struct pf_error *error)
{
	int status = PF_OK;

	for (int phase = BASE; status == PF_OK && phase <= INSTRUCTIONS; phase++) {
		if (!*c->entries[PF_VARIANT_BASE].error)
			status = do_phase(c, (enum phase)phase, error);
	}
	return status;
}

/* That GCC's own reader cannot make use of a profile, or dies of it, is a result. */
static unsigned count_faults(const struct pf_contest *c)
{
	unsigned faults = 0;

	for (unsigned v = 0; v < PF_VARIANTS; v++) {
		if (c->plan->wanted[v] && *c->entries[v].error)
			faults += v != PF_VARIANT_AFDO && !c->plan->excused[v];
	}
	return faults;
}

static int run(struct pf_contest *c, json_t *versions, json_t **findings, unsigned *faults, struct pf_error *error)
{
	int status = digest_versions(c, versions, error);
	struct pf_error ignored;

	if (status == PF_OK)
		status = digest_tools(c, error);
	if (status == PF_OK)
		status = work(c, error);
	pf_contest_place(c, -1, status == PF_OK ? error : &ignored);
	if (status < 0)
		return status;
	*faults = count_faults(c);
	*findings = pf_findings_make(c, versions);
	return *findings ? PF_OK : pf_fail(error, PF_ENOMEM, "out of memory");
}

int pf_compare_run(struct pf_plan *plan, pf_progress *progress, void *context, json_t **findings, unsigned *faults,
		   struct pf_error *error)
{
	struct pf_contest contest = { .in_place = -1 };
	json_t *versions = NULL;
	int fd = -1, status = pf_plan_detect(plan, error);

	*findings = NULL;
	*faults = 0;
	if (status == PF_OK && lies_in(plan->work, plan->source))
		status = pf_fail(error, PF_EINVAL,
				 "%s lies in the source folder %s, all of which is copied; give another --work",
				 plan->work, plan->source);
	if (status == PF_OK)
		status = lock(plan, &fd, error);
	if (status < 0)
		return status;
	pf_command_attend();
	status = pf_contest_init(&contest, plan, error);
	contest.progress = progress;
	contest.context = context;
	if (status == PF_OK)
		versions = pf_findings_versions(plan);
	if (status == PF_OK && !versions)
		status = pf_fail(error, PF_EIO, "cannot ask the compiler for its version");
	if (status == PF_OK && plan->instructions && !json_object_get(versions, "valgrind"))
		status = pf_fail(error, PF_ENOTFOUND,
				 "instructions are counted by valgrind, which is not there (Debian: "
				 "apt-get install valgrind)");
	if (status == PF_OK)
		status = pf_plan_digest(plan, &contest.source_key, error);
	if (status == PF_OK)
		status = run(&contest, versions, findings, faults, error);
	if (pf_command_interrupted())
		status = pf_fail(error, PF_EIO, "interrupted; the same command goes on from here (%s)", plan->work);
	json_decref(versions);
	pf_contest_fini(&contest);
	close(fd);
	return status;
}
