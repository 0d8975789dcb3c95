/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See countedclasses.h.  The paper has misses for each instruction; what there is one of here for each compiler's block
 * are source lines, which people can count after it.  The hard case is a path without any: it counts as one. */
#include "analysis/countedclasses.h"

#include "profile/saturate.h"

#include <stdlib.h>

const char *const pf_counted_class_names[PF_COUNTED_CLASSES] = { "dense", "sparse", "cold" };

uint64_t pf_counted_metric(const struct pf_counted_classes *classes, const struct pf_counted_path *path)
{
	return classes->measured ? path->took : path->count;
}

uint64_t pf_counted_path_length(const struct pf_counted_function *f, const struct pf_counted_path *path,
				uint32_t *blocks)
{
	uint32_t count = pf_counted_blocks(f, path->number, blocks);
	uint64_t lines = 0;

	for (uint32_t i = 0; i < count; i++)
		lines += f->first_line[blocks[i] + 1] - f->first_line[blocks[i]];
	return lines ? lines : 1;
}

enum pf_counted_class pf_counted_class_of(const struct pf_counted_classes *classes, uint64_t metric, uint64_t lines)
{
	if (metric == 0 || (double)metric < classes->threshold * (double)classes->metric)
		return PF_COUNTED_COLD;
	if (!classes->measured || (double)metric * (double)classes->lines > (double)classes->metric * (double)lines)
		return PF_COUNTED_DENSE;
	return PF_COUNTED_SPARSE;
}

static void add(struct pf_counted_group *group, uint64_t paths, uint64_t metric, uint64_t lines)
{
	group->members++;
	group->paths += paths;
	group->metric = pf_count_add(group->metric, metric);
	group->lines = pf_count_add(group->lines, lines);
}

/* Lines that all executions of PATH ran. */
static uint64_t lines_of(const struct pf_counted_function *f, const struct pf_counted_path *path, uint32_t *blocks)
{
	uint64_t length = pf_counted_path_length(f, path, blocks);

	return path->count > UINT64_MAX / length ? UINT64_MAX : path->count * length;
}

/* What the paths of F have, added to the program's, or sorted into classes. */
static bool go_through(struct pf_counted_classes *classes, const struct pf_counted_function *f, bool sort)
{
	uint32_t *blocks = calloc((size_t)f->graph->block_count + 1, sizeof *blocks);
	uint64_t metric = 0, lines = 0;

	for (size_t i = 0; i < f->paths.count && blocks; i++) {
		uint64_t own = pf_counted_metric(classes, &f->paths.at[i]), ran = lines_of(f, &f->paths.at[i], blocks);

		metric = pf_count_add(metric, own);
		lines = pf_count_add(lines, ran);
		if (sort)
			add(&classes->paths[pf_counted_class_of(classes, own, ran)], 1, own, ran);
	}
	free(blocks);
	if (!sort) {
		classes->metric = pf_count_add(classes->metric, metric);
		classes->lines = pf_count_add(classes->lines, lines);
	} else if (f->paths.count > 0) {
		add(&classes->functions[pf_counted_class_of(classes, metric, lines)], f->paths.count, metric, lines);
	}
	return blocks != NULL;
}

int pf_counted_classify(struct pf_counted_classes *classes, const struct pf_counted *c, double threshold,
			struct pf_error *error)
{
	bool good = true;

	*classes = (struct pf_counted_classes) { .measured = c->took > 0 ? c->metric : NULL, .threshold = threshold };
	for (int sort = 0; sort < 2; sort++) {
		for (size_t i = 0; i < c->functions.count && good; i++)
			good = go_through(classes, &c->functions.at[i], sort);
	}
	return good ? PF_OK : pf_fail(error, PF_ENOMEM, "out of memory for the classes of counted paths");
}
