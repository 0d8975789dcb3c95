/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See coverage-lines.h: what other tools read.  The hard case is a line that belongs to several functions (a macro, a
 * template's instances): both formats have one record for it in a file, of the sum. */
#include "analysis/coverage-lines.h"
#include "profile/json.h"
#include "support/version.h"

#include <inttypes.h>
#include <unistd.h>

/* The lines of one file or of one function in it: [first, end). */
struct extent {
	size_t first, end;
};

static bool same_function(const struct pf_coverage_line *a, const struct pf_coverage_line *b)
{
	return a->function_line == b->function_line && a->name_size == b->name_size &&
	       memcmp(a->function, b->function, a->name_size) == 0;
}

static struct extent file_at(const struct pf_coverage_lines *lines, size_t first)
{
	struct extent e = { first, first };

	while (e.end < lines->list.count && strcmp(lines->list.at[e.end].file, lines->list.at[first].file) == 0)
		e.end++;
	return e;
}

static struct extent function_at(const struct pf_coverage_lines *lines, size_t first, size_t end)
{
	struct extent e = { first, first };

	while (e.end < end && same_function(&lines->list.at[e.end], &lines->list.at[first]))
		e.end++;
	return e;
}

/* How often a function began: the count of the line of its first instruction, else of its hottest line. */
static uint64_t calls_of(const struct pf_coverage_lines *lines, struct extent e)
{
	uint64_t most = 0;

	for (size_t i = e.first; i < e.end; i++) {
		const struct pf_coverage_line *line = &lines->list.at[i];

		if (line->entry)
			return line->count;
		most = line->count > most ? line->count : most;
	}
	return most;
}

static int compare_line_numbers(const void *a, const void *b)
{
	const struct pf_coverage_line *x = a, *y = b;

	return (x->line > y->line) - (x->line < y->line);
}

/* Where a function of LINES begins: its declaration; without one, the first line that it has. */
static uint32_t beginning_of(const struct pf_coverage_lines *lines, struct extent e)
{
	const struct pf_coverage_line *first = &lines->list.at[e.first];

	return first->function_line ? first->function_line : first->line;
}

/* Appends to the COUNT lines of LIST the beginnings of the functions of FILE that have no code there, and gives the new
 * count: gcov counts a function's calls in the line that names it, and lcov refuses a function whose line has no count.
 */
static size_t add_beginnings(struct pf_coverage_line *list, size_t count, const struct pf_coverage_lines *lines,
			     struct extent file)
{
	for (size_t at = file.first; at < file.end;) {
		struct extent e = function_at(lines, at, file.end);
		uint32_t beginning = beginning_of(lines, e);
		bool there = lines->list.at[at].elsewhere;

		for (size_t i = e.first; i < e.end; i++)
			there |= lines->list.at[i].line == beginning;
		if (!there) {
			list[count] = lines->list.at[at];
			list[count].line = beginning;
			list[count].count = calls_of(lines, e);
			list[count].instructions = 1;
			list[count].covered = list[count].count > 0;
			count++;
		}
		at = e.end;
	}
	return count;
}

/* The lines of FILE by their numbers, each once, in a new array of which *COUNT elements are used; NULL without
 * memory. */
static struct pf_coverage_line *lines_of(const struct pf_coverage_lines *lines, struct extent file, size_t *count)
{
	struct pf_coverage_line *list = calloc(2 * (file.end - file.first) + 1, sizeof *list);
	size_t all, kept = 0;

	if (!list)
		return NULL;
	memcpy(list, &lines->list.at[file.first], (file.end - file.first) * sizeof *list);
	all = add_beginnings(list, file.end - file.first, lines, file);
	qsort(list, all, sizeof *list, compare_line_numbers);
	for (size_t i = 0; i < all; i++) {
		struct pf_coverage_line *same =
		    kept > 0 && list[kept - 1].line == list[i].line ? &list[kept - 1] : NULL;

		if (!same) {
			list[kept++] = list[i];
			continue;
		}
		same->count = pf_sum(same->count, list[i].count);
		same->instructions += list[i].instructions;
		same->covered += list[i].covered;
	}
	*count = kept;
	return list;
}

static void put_lcov_functions(struct pf_buffer *out, const struct pf_coverage_lines *lines, struct extent file)
{
	size_t found = 0, hit = 0;

	for (size_t at = file.first; at < file.end;) {
		struct extent e = function_at(lines, at, file.end);
		const struct pf_coverage_line *l = &lines->list.at[at];
		uint64_t calls = calls_of(lines, e);

		at = e.end;
		if (l->elsewhere)
			continue;
		pf_buffer_printf(out, "FN:%" PRIu32 ",%.*s\n", beginning_of(lines, e), (int)l->name_size, l->function);
		pf_buffer_printf(out, "FNDA:%" PRIu64 ",%.*s\n", calls, (int)l->name_size, l->function);
		found++;
		hit += calls > 0;
	}
	pf_buffer_printf(out, "FNF:%zu\nFNH:%zu\n", found, hit);
}

static void put_lcov_file(struct pf_buffer *out, const struct pf_coverage_lines *lines, struct extent file)
{
	size_t count = 0, hit = 0;
	struct pf_coverage_line *list = lines_of(lines, file, &count);

	out->failed |= !list;
	pf_buffer_printf(out, "TN:\nSF:%s\n", lines->list.at[file.first].file);
	put_lcov_functions(out, lines, file);
	for (size_t i = 0; list && i < count; i++) {
		pf_buffer_printf(out, "DA:%" PRIu32 ",%" PRIu64 "\n", list[i].line, list[i].count);
		hit += list[i].count > 0;
	}
	pf_buffer_printf(out, "LF:%zu\nLH:%zu\nend_of_record\n", count, hit);
	free(list);
}

/* Whether the first SIZE bytes of NAME are on one line. */
static bool is_one_line(const char *name, size_t size)
{
	return !memchr(name, '\n', size) && !memchr(name, '\r', size);
}

int pf_coverage_put_lcov(struct pf_buffer *out, const struct pf_coverage_lines *lines, struct pf_error *error)
{
	for (size_t i = 0; i < lines->list.count; i++) {
		const struct pf_coverage_line *l = &lines->list.at[i];

		if (!is_one_line(l->file, strlen(l->file)) || !is_one_line(l->function, l->name_size))
			return pf_fail(error, PF_EUNSUPPORTED,
				       "the name of a source, or of its function at line %" PRIu32
				       ", has a newline in it, "
				       "which lcov's tracefile cannot have; gcov's JSON (--gcov) can",
				       l->line);
	}
	for (size_t at = 0; at < lines->list.count;) {
		struct extent file = file_at(lines, at);

		put_lcov_file(out, lines, file);
		at = file.end;
	}
	return PF_OK;
}

static void put_name(struct pf_buffer *out, const struct pf_coverage_line *l)
{
	char *name = strndup(l->function, l->name_size);

	out->failed |= !name;
	pf_json_put_string(out, name ? name : "");
	free(name);
}

static void put_gcov_functions(struct pf_buffer *out, const struct pf_coverage_lines *lines, struct extent file)
{
	bool first = true;

	for (size_t at = file.first; at < file.end;) {
		struct extent e = function_at(lines, at, file.end);
		uint32_t blocks = 0, executed = 0;

		for (size_t i = e.first; i < e.end; i++) {
			blocks++;
			executed += lines->list.at[i].covered > 0;
		}
		if (lines->list.at[at].elsewhere) {
			at = e.end;
			continue;
		}
		pf_buffer_printf(out, "%s{\"name\": ", first ? "" : ", ");
		first = false;
		put_name(out, &lines->list.at[at]);
		pf_buffer_printf(out, ", \"demangled_name\": ");
		put_name(out, &lines->list.at[at]);
		pf_buffer_printf(out,
				 ", \"start_line\": %" PRIu32 ", \"start_column\": 1, \"end_line\": %" PRIu32
				 ", \"end_column\": 1, \"blocks\": %" PRIu32 ", \"blocks_executed\": %" PRIu32
				 ", \"execution_count\": %" PRIu64 "}",
				 beginning_of(lines, e), lines->list.at[e.end - 1].line, blocks, executed,
				 calls_of(lines, e));
		at = e.end;
	}
}

static void put_gcov_file(struct pf_buffer *out, const struct pf_coverage_lines *lines, struct extent file)
{
	size_t count = 0;
	struct pf_coverage_line *list = lines_of(lines, file, &count);

	out->failed |= !list;
	pf_buffer_printf(out, "{\"file\": ");
	pf_json_put_string(out, lines->list.at[file.first].file);
	pf_buffer_printf(out, ", \"functions\": [");
	put_gcov_functions(out, lines, file);
	pf_buffer_printf(out, "], \"lines\": [");
	for (size_t i = 0; list && i < count; i++) {
		pf_buffer_printf(out, "%s{\"line_number\": %" PRIu32 ", \"function_name\": ", i ? ", " : "",
				 list[i].line);
		put_name(out, &list[i]);
		pf_buffer_printf(out, ", \"count\": %" PRIu64 ", \"unexecuted_block\": %s, \"branches\": []}",
				 list[i].count, list[i].covered < list[i].instructions ? "true" : "false");
	}
	pf_buffer_printf(out, "]}");
	free(list);
}

void pf_coverage_put_gcov(struct pf_buffer *out, const struct pf_coverage_lines *lines, const char *binary)
{
	char *folder = getcwd(NULL, 0);

	out->failed |= !folder;
	pf_buffer_printf(out, "{\"format_version\": \"1\", \"gcc_version\": \"pathfdo " PF_VERSION "\", "
			      "\"current_working_directory\": ");
	pf_json_put_string(out, folder ? folder : "");
	pf_buffer_printf(out, ", \"data_file\": ");
	pf_json_put_string(out, binary);
	pf_buffer_printf(out, ", \"files\": [");
	for (size_t at = 0; at < lines->list.count;) {
		struct extent file = file_at(lines, at);

		pf_buffer_printf(out, "%s", at ? ", " : "");
		put_gcov_file(out, lines, file);
		at = file.end;
	}
	pf_buffer_printf(out, "]}\n");
	free(folder);
}
