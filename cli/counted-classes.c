/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See counted-classes.h.  The hard case is a program of which nothing was measured, where nothing is dense or sparse:
 * it has hot and cold alone. */
#include "cli/counted-classes.h"

#include "cli/percent.h"

#include <inttypes.h>

static const char *name_of(const struct pf_counted_classes *classes, int class)
{
	return classes->measured || class == PF_COUNTED_COLD ? pf_counted_class_names[class] : "hot";
}

static void put_groups(struct pf_buffer *out, const struct pf_counted_classes *classes, const char *what,
		       const struct pf_counted_group *groups, bool with_paths)
{
	const char *comma = "";

	pf_buffer_printf(out, "  %s:", what);
	for (int i = 0; i < PF_COUNTED_CLASSES; i++) {
		const struct pf_counted_group *g = &groups[i];

		if (!classes->measured && i == PF_COUNTED_SPARSE)
			continue;
		pf_buffer_printf(out, "%s %" PRIu64 " %s with %.2f%%", comma, g->members, name_of(classes, i),
				 pf_percent(g->metric, classes->metric));
		if (with_paths && g->members > 0)
			pf_buffer_printf(out, " in %.1f paths each", pf_share(g->paths, g->members));
		comma = ",";
	}
	pf_buffer_printf(out, "\n");
}

void pf_counted_classes_put(struct pf_buffer *out, const struct pf_counted_classes *classes)
{
	pf_buffer_printf(out, "of %" PRIu64 " %s; hot are %.4g%% or more", classes->metric,
			 classes->measured ? classes->measured : "executions", 100 * classes->threshold);
	if (classes->measured)
		pf_buffer_printf(out, ", dense those with more than %.1f for each line that ran, the average",
				 pf_share(classes->metric, classes->lines));
	pf_buffer_printf(out, "\n");
	put_groups(out, classes, "paths", classes->paths, false);
	put_groups(out, classes, "functions", classes->functions, true);
}

static void put_json_groups(struct pf_buffer *out, const struct pf_counted_classes *classes, const char *what,
			    const struct pf_counted_group *groups)
{
	const char *comma = "";

	pf_buffer_printf(out, ",\n  \"%s\": {", what);
	for (int i = 0; i < PF_COUNTED_CLASSES; i++) {
		if (!classes->measured && i == PF_COUNTED_SPARSE)
			continue;
		pf_buffer_printf(out,
				 "%s\"%s\": {\"members\": %" PRIu64 ", \"paths\": %" PRIu64 ", \"metric\": %" PRIu64
				 ", \"lines\": %" PRIu64 "}",
				 comma, name_of(classes, i), groups[i].members, groups[i].paths, groups[i].metric,
				 groups[i].lines);
		comma = ", ";
	}
	pf_buffer_printf(out, "}");
}

void pf_counted_classes_put_json(struct pf_buffer *out, const struct pf_counted_classes *classes)
{
	pf_buffer_printf(
	    out, ",\n\"classes\": {\"by\": \"%s\", \"threshold\": %.8f, \"metric\": %" PRIu64 ", \"lines\": %" PRIu64,
	    classes->measured ? classes->measured : "executions", classes->threshold, classes->metric, classes->lines);
	put_json_groups(out, classes, "paths", classes->paths);
	put_json_groups(out, classes, "functions", classes->functions);
	pf_buffer_printf(out, "}");
}
