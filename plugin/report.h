/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What became of each function, for -fplugin-arg-pathfdo-report. */
#ifndef PF_PLUGIN_REPORT_H
#define PF_PLUGIN_REPORT_H

#include "plugin/gcc-compat.h"
#include "plugin/c-parts.h"

namespace pathfdo
{

/* MOVED has its counts, though it is declared in another line now; STALE has none, as it has changed too much. */
enum class found { matched, moved, stale, unmatched, all };

struct function_report {
	tree decl;
	found how;
	unsigned merged;                  /* instances added to the function's own record */
	unsigned aligned;                 /* positions found elsewhere, by what is around them */
	unsigned blocks[PF_SOURCE_COUNT]; /* by how their count was found */
	unsigned replayed, promoted, specialised;
	uint64_t head, total; /* of the merged record, as the profile counts */
};

/* Collects lines for one translation unit; written at its end in one go. */
void report_function(const function_report &function);
void report_inline(tree caller, const char *callee, uint64_t entries, const char *refusal);
void report_lost(tree caller, const char *callee, uint64_t entries);
void report_sibling(tree decl, tree other, uint64_t entries);

/* The truth mode's line: the figures of a function, and its counts block by block. */
void report_truth(tree decl, const pf_comparison &figures, const auto_vec<uint64_t> &estimate,
		  const auto_vec<uint64_t> &truth);

/* Appends the lines and the totals to the file that was asked for; nothing without one.  COMPILED: whether the profiled
 * binaries were compiled from this file, too (1, 0; negative: unknown); HASH: of the profile. */
void report_finish(const char *unit, int compiled, uint32_t hash);

} // namespace pathfdo

#endif
