/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report: one JSON object a line, so that a build's thousands of compiles can share a file and a script can add
 * them up.  All lines of a translation unit go out in a single append, which the kernel does not interleave with the
 * appends of other compiles. */
#include "plugin/report.h"
#include "plugin/settings.h"
#include "plugin/warnings.h"

#include <fcntl.h>

namespace pathfdo
{

namespace
{

pf_buffer lines;
unsigned functions[(int)found::all];
unsigned blocks[PF_SOURCE_COUNT];
unsigned aligned, replayed, refused, promoted, specialised;

const char *const source_names[] = { "exact", "column", "line", "class", "branch", "inferred" };
const char *const found_names[] = { "matched", "moved", "stale", "unmatched" };

const char *name_of(tree decl)
{
	return IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(decl));
}

void put_sources(const unsigned *counts)
{
	pf_buffer_printf(&lines, ",\"blocks\":{");
	for (unsigned i = 0; i < PF_SOURCE_COUNT; i++)
		pf_buffer_printf(&lines, "%s\"%s\":%u", i ? "," : "", source_names[i], counts[i]);
	pf_buffer_printf(&lines, "}");
}

bool write_all(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	ssize_t written = fd < 0 ? -1 : write(fd, lines.data, lines.size);

	if (fd >= 0)
		close(fd);
	return written == (ssize_t)lines.size;
}

} // namespace

void report_function(const function_report &f)
{
	expanded_location where = expand_location(DECL_SOURCE_LOCATION(f.decl));

	functions[(int)f.how]++;
	for (unsigned i = 0; i < PF_SOURCE_COUNT; i++)
		blocks[i] += f.blocks[i];
	aligned += f.aligned;
	replayed += f.replayed;
	promoted += f.promoted;
	specialised += f.specialised;
	if (!options.report)
		return;
	pf_buffer_printf(&lines, "{\"function\":");
	pf_json_put_string(&lines, name_of(f.decl));
	pf_buffer_printf(&lines, ",\"file\":");
	pf_json_put_string(&lines, where.file ? where.file : "");
	pf_buffer_printf(&lines, ",\"line\":%d,\"found\":\"%s\"", where.line, found_names[(int)f.how]);
	if (f.how != found::unmatched) {
		pf_buffer_printf(&lines,
				 ",\"head\":%llu,\"total\":%llu,\"merged\":%u,\"aligned\":%u,\"replayed\":%u,"
				 "\"promoted\":%u,\"specialised\":%u",
				 (unsigned long long)f.head, (unsigned long long)f.total, f.merged, f.aligned,
				 f.replayed, f.promoted, f.specialised);
		put_sources(f.blocks);
	}
	pf_buffer_printf(&lines, "}\n");
}

static void put_instance(const char *what, tree caller, const char *callee, uint64_t entries, const char *reason)
{
	if (!options.report)
		return;
	pf_buffer_printf(&lines, "{\"%s\":", what);
	pf_json_put_string(&lines, callee);
	pf_buffer_printf(&lines, ",\"into\":");
	pf_json_put_string(&lines, name_of(caller));
	pf_buffer_printf(&lines, ",\"entries\":%llu", (unsigned long long)entries);
	if (reason) {
		pf_buffer_printf(&lines, ",\"reason\":");
		pf_json_put_string(&lines, reason);
	}
	pf_buffer_printf(&lines, "}\n");
}

void report_inline(tree caller, const char *callee, uint64_t entries, const char *refusal)
{
	refused += refusal != nullptr;
	put_instance(refusal ? "refused" : "inlined", caller, callee, entries, refusal);
}

void report_lost(tree caller, const char *callee, uint64_t entries)
{
	put_instance("lost", caller, callee, entries, "the callee was compiled before its caller");
}

void report_sibling(tree decl, tree other, uint64_t entries)
{
	if (!options.report)
		return;
	pf_buffer_printf(&lines, "{\"borrowed\":");
	pf_json_put_string(&lines, name_of(decl));
	pf_buffer_printf(&lines, ",\"from\":");
	pf_json_put_string(&lines, name_of(other));
	pf_buffer_printf(&lines, ",\"calls\":%llu}\n", (unsigned long long)entries);
}

static void put_counts(const char *key, const auto_vec<uint64_t> &counts)
{
	pf_buffer_printf(&lines, ",\"%s\":[", key);
	for (unsigned i = 0; i < counts.length(); i++)
		pf_buffer_printf(&lines, "%s%llu", i ? "," : "", (unsigned long long)counts[i]);
	pf_buffer_printf(&lines, "]");
}

void report_truth(tree decl, const pf_comparison &figures, const auto_vec<uint64_t> &estimate,
		  const auto_vec<uint64_t> &truth)
{
	if (!options.report)
		return;
	pf_buffer_printf(&lines, "{\"truth\":");
	pf_json_put_string(&lines, name_of(decl));
	pf_buffer_printf(&lines,
			 ",\"block_error\":%.4f,\"branch_error\":%.4f,\"branch_weight\":%.0f,\"misdirected\":%.0f",
			 pf_compare_block_error(&figures), pf_compare_branch_error(&figures), figures.branch_weight,
			 figures.misdirected);
	put_counts("estimate", estimate);
	put_counts("gcov", truth);
	pf_buffer_printf(&lines, "}\n");
}

void report_finish(const char *unit, int compiled, uint32_t hash)
{
	if (!options.report)
		return;
	pf_buffer_printf(&lines, "{\"unit\":");
	pf_json_put_string(&lines, unit);
	pf_buffer_printf(&lines,
			 ",\"matched\":%u,\"stale\":%u,\"unmatched\":%u,\"aligned\":%u,\"replayed\":%u,\"refused\":%u,"
			 "\"promoted\":%u,"
			 "\"specialised\":%u",
			 functions[(int)found::matched] + functions[(int)found::moved], functions[(int)found::stale],
			 functions[(int)found::unmatched], aligned, replayed, refused, promoted, specialised);
	put_sources(blocks);
	pf_buffer_printf(&lines, ",\"hash\":\"%08x\"", hash);
	if (compiled >= 0)
		pf_buffer_printf(&lines, ",\"compiled\":%s", compiled ? "true" : "false");
	pf_buffer_printf(&lines, ",\"folder\":");
	pf_json_put_string(&lines, get_src_pwd());
	pf_buffer_printf(&lines, "}\n");
	if (lines.failed || !write_all(options.report))
		warn(warning::missing, UNKNOWN_LOCATION, "cannot append to the report %qs: %m", options.report);
	pf_buffer_fini(&lines);
}

} // namespace pathfdo
