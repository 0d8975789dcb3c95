/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `pathfdo coverage`: which code of a binary is known to have run, from recordings.  The hard case is what a reader
 * takes it for: code that is not covered may have run, and the text says so. */
#include "analysis/coverage-lines.h"
#include "analysis/coverage-truth.h"
#include "analysis/vector-files.h"
#include "cli/commands.h"
#include "cli/demangle.h"
#include "cli/output.h"
#include "cli/percent.h"
#include "cli/source-age.h"
#include "cli/spool.h"
#include "cli/vector-options.h"
#include "profile/json.h"
#include "support/outfile.h"

#include <inttypes.h>

static const char usage_text[] =
    "usage: pathfdo coverage [OPTION]... -b BINARY FILE...\n\n"
    "Tells which code of BINARY is known to have run, from perf.data files with branch vectors; several add up.\n\n"
    "  -b, --binary=FILE      the program or library that was recorded\n"
    "      --kind=KIND        what the lists and files hold: single, single-dominators, vectors, dominators (vectors "
    "and\n"
    "                         what dominates them; the default), calls (and what is called from there)\n"
    "      --list=WHAT        print functions, lines or instructions\n"
    "      --lcov=FILE        write lcov's tracefile, for genhtml\n"
    "      --gcov=FILE        write gcov's JSON\n"
    "      --against=FILE     compare with exact counts: of valgrind --tool=callgrind --dump-instr=yes\n"
    "      --weight=HOW       what a vector counts: rate (default), period, none\n"
    "      --length=N         use only the first N branches of each vector\n"
    "      --every=N          use only each N-th vector\n"
    "      --json             print JSON\n"
    "      --debug-dir=DIR    search separate debug files here before /usr/lib/debug\n"
    "      --symfs=DIR        prefix of the recorded paths\n"
    "  -h, --help             this text\n";

enum list { LIST_NONE, LIST_FUNCTIONS, LIST_LINES, LIST_INSTRUCTIONS };
enum { OPTION_KIND = 256, OPTION_LIST, OPTION_LCOV, OPTION_GCOV };

static const struct option options_table[] = {
	{ "kind", required_argument, NULL, OPTION_KIND },
	{ "list", required_argument, NULL, OPTION_LIST },
	{ "lcov", required_argument, NULL, OPTION_LCOV },
	{ "gcov", required_argument, NULL, OPTION_GCOV },
	PF_VECTOR_OPTIONS,
	{ 0 },
};

static const char *const kind_names[] = { "single", "single-dominators", "vectors", "dominators", "calls" };
static const char *const list_names[] = { "none", "functions", "lines", "instructions" };

struct request {
	struct pf_vector_options common;
	uint32_t kind, list;
	const char *lcov, *gcov;
};

/* Of what is written and printed, one thing alone can be on standard output. */
static bool check_outputs(const struct request *r)
{
	int files = pf_output_is_standard(r->lcov) + pf_output_is_standard(r->gcov);

	if (pf_output_is_same(r->lcov, r->gcov)) {
		fprintf(stderr, "pathfdo coverage: --lcov and --gcov are one file: name two\n");
		return false;
	}
	if (files == 0 || (files == 1 && !r->common.json && r->list == LIST_NONE))
		return true;
	fprintf(stderr, "pathfdo coverage: only one thing at a time can go to standard output: name files\n");
	return false;
}

/* All that is shown. */
struct findings {
	const struct request *request;
	struct pf_subject subject;
	struct pf_traffic traffic;
	struct pf_coverage coverage;
	struct pf_coverage_lines lines;
	struct pf_exact_counts exact;
	struct pf_coverage_truth truth;
	struct pf_buffer out;
};

static bool choose(const char *name, const char *text, const char *const *names, uint32_t count, uint32_t *value)
{
	for (uint32_t i = 0; i < count; i++) {
		if (strcmp(text, names[i]) == 0) {
			*value = i;
			return true;
		}
	}
	fprintf(stderr, "pathfdo coverage: --%s=%s: there is no such %s\n", name, text, name);
	return false;
}

static bool parse(int argc, char **argv, struct request *r)
{
	bool good = true;
	int option;

	optind = 1;
	while (good && (option = getopt_long(argc, argv, "b:h", options_table, NULL)) >= 0) {
		switch (option) {
		case OPTION_KIND:
			good = choose("kind", optarg, kind_names, PF_COVERAGE_KINDS, &r->kind);
			break;
		case OPTION_LIST:
			good = choose("list", optarg, list_names, LIST_INSTRUCTIONS + 1, &r->list);
			break;
		case OPTION_LCOV:
			r->lcov = optarg;
			break;
		case OPTION_GCOV:
			r->gcov = optarg;
			break;
		default:
			good = pf_vector_option(&r->common, option);
		}
	}
	return good && check_outputs(r);
}

static void put_truth(struct findings *f)
{
	const struct pf_coverage_truth *t = &f->truth;

	pf_buffer_printf(&f->out,
			 "\nof %" PRIu64 " instructions that ran, by the exact counts:\n%-31s  found   wrong\n",
			 t->executed, "");
	for (int kind = 0; kind < PF_COVERAGE_KINDS; kind++)
		pf_buffer_printf(&f->out, "  %-29s %5.1f%%  %5.1f%%\n", pf_coverage_name((enum pf_coverage_kind)kind),
				 pf_percent(t->found[kind], t->executed), pf_percent(t->wrong[kind], t->executed));
	pf_buffer_printf(&f->out, "relative entropy: %.3f bits (single block), %.3f bits (vectors)\n",
			 t->entropy_single, t->entropy_vectors);
	pf_buffer_printf(&f->out, "found of each tenth, the most frequent first:");
	for (int tenth = 0; tenth < PF_COVERAGE_TENTHS; tenth++)
		pf_buffer_printf(&f->out, " %.0f%%", 100 * t->tenths[tenth][f->request->kind]);
	pf_buffer_printf(&f->out, "\n");
}

static void put_summary(struct findings *f)
{
	const struct pf_coverage *c = &f->coverage;
	const struct pf_traffic *t = &f->traffic;

	pf_buffer_printf(&f->out, "%s: %" PRIu64 " instructions in functions with debug information\n",
			 pf_output_name(f->request->common.binary), c->instructions);
	if (c->vectors > 0 || t->samples_read == 0)
		pf_buffer_printf(&f->out, "read %" PRIu64 " vectors, used %" PRIu64 "\n", c->vectors, c->used);
	if (t->samples_read > 0)
		pf_buffer_printf(&f->out, "read %" PRIu64 " plain samples, used %" PRIu64 ": each saw a single block\n",
				 t->samples_read, t->samples_used);
	if (c->vectors == 0 && t->branches_read > 0)
		pf_buffer_printf(&f->out, "read %" PRIu64 " branches that were only counted\n", t->branches_read);
	for (int kind = 0; kind < PF_COVERAGE_KINDS; kind++)
		pf_buffer_printf(&f->out, "  %-29s %8" PRIu64 "  %5.1f%%\n",
				 pf_coverage_name((enum pf_coverage_kind)kind), c->covered[kind],
				 pf_percent(c->covered[kind], c->instructions));
	pf_buffer_printf(&f->out, "What is covered did run; what is not may have run unseen.\n");
	if (f->request->common.against)
		put_truth(f);
}

/* Instructions of function INDEX, of them covered, and how often it was seen to begin. */
static void sum_function(const struct findings *f, uint32_t index, uint32_t *all, uint32_t *covered)
{
	const struct pf_codegraph *m = &f->subject.functions.at[index].machine;

	*all = *covered = 0;
	for (uint32_t b = 0; b < m->block_count; b++) {
		const struct pf_coverage_block *block = &f->coverage.functions[index].blocks[b];

		*all += block->live ? m->blocks[b].count : 0;
		*covered += block->kinds >> f->request->kind & 1 ? m->blocks[b].count : 0;
	}
}

static void put_functions(struct findings *f, bool json)
{
	for (uint32_t i = 0; i < f->subject.functions.count; i++) {
		const struct pf_subject_function *function = &f->subject.functions.at[i];
		char *name = strndup(function->name, function->name_size);
		uint32_t all, covered;

		sum_function(f, i, &all, &covered);
		f->out.failed |= !name;
		if (json) {
			pf_buffer_printf(&f->out, "%s\n    {\"name\": ", i ? "," : "");
			pf_json_put_string(&f->out, name ? name : "");
			pf_buffer_printf(&f->out,
					 ", \"address\": %" PRIu64 ", \"instructions\": %" PRIu32
					 ", \"covered\": %" PRIu32 "}",
					 function->entry, all, covered);
		} else {
			char *shown = name ? pf_demangle(name) : NULL;

			f->out.failed |= !shown;
			pf_buffer_printf(&f->out, "%6.1f%% %6" PRIu32 " of %6" PRIu32 "  %s\n",
					 pf_percent(covered, all), covered, all, shown ? shown : "");
			free(shown);
		}
		free(name);
	}
}

static void put_lines(struct findings *f, bool json)
{
	for (size_t i = 0; i < f->lines.list.count; i++) {
		const struct pf_coverage_line *line = &f->lines.list.at[i];
		char *function = strndup(line->function, line->name_size);
		const char *name = function ? function : "";

		f->out.failed |= !function;
		if (!json) {
			pf_buffer_printf(&f->out, "%10" PRIu64 "  %s:%" PRIu32 "  %s\n", line->count,
					 pf_output_name(line->file), line->line, pf_output_name(name));
			free(function);
			continue;
		}
		pf_buffer_printf(&f->out, "%s\n    {\"file\": ", i ? "," : "");
		pf_json_put_string(&f->out, line->file);
		pf_buffer_printf(&f->out, ", \"function\": ");
		pf_json_put_string(&f->out, name);
		free(function);
		pf_buffer_printf(&f->out,
				 ", \"line\": %" PRIu32 ", \"count\": %" PRIu64 ", \"instructions\": %" PRIu32
				 ", \"covered\": %" PRIu32 "}",
				 line->line, line->count, line->instructions, line->covered);
	}
}

static void put_block(struct findings *f, uint32_t index, uint32_t b, bool json, const char **comma)
{
	const struct pf_subject_function *function = &f->subject.functions.at[index];
	const struct pf_coverage_block *block = &f->coverage.functions[index].blocks[b];
	bool covered = block->kinds >> f->request->kind & 1;

	for (uint32_t i = 0; block->live && i < function->machine.blocks[b].count; i++) {
		uint32_t insn = function->machine.blocks[b].first + i, line;
		const char *file = pf_subject_line(&f->subject, index, insn, &line);
		uint64_t address = function->code.insns.at[insn].address;

		if (!json) {
			pf_buffer_printf(&f->out, "%#10" PRIx64 "  %s %10.2f  %s:%" PRIu32 "\n", address,
					 covered ? "covered" : "-      ", (double)block->seen / PF_WEIGHT_ONE,
					 pf_output_name(file), line);
			continue;
		}
		pf_buffer_printf(
		    &f->out, "%s\n    {\"address\": %" PRIu64 ", \"covered\": %s, \"seen\": %.4f, \"file\": ", *comma,
		    address, covered ? "true" : "false", (double)block->seen / PF_WEIGHT_ONE);
		pf_json_put_string(&f->out, file);
		pf_buffer_printf(&f->out, ", \"line\": %" PRIu32 "}", line);
		*comma = ",";
	}
}

static void put_list(struct findings *f, bool json)
{
	const char *comma = "";

	if (f->request->list == LIST_FUNCTIONS)
		put_functions(f, json);
	if (f->request->list == LIST_LINES)
		put_lines(f, json);
	for (uint32_t i = 0; f->request->list == LIST_INSTRUCTIONS && i < f->subject.functions.count; i++) {
		for (uint32_t b = 0; b < f->subject.functions.at[i].machine.block_count; b++)
			put_block(f, i, b, json, &comma);
	}
}

static void put_json_truth(struct findings *f, int kind)
{
	const struct pf_coverage_truth *t = &f->truth;

	pf_buffer_printf(&f->out, ", \"found\": %" PRIu64 ", \"wrong\": %" PRIu64 ", \"tenths\": [", t->found[kind],
			 t->wrong[kind]);
	for (int tenth = 0; tenth < PF_COVERAGE_TENTHS; tenth++)
		pf_buffer_printf(&f->out, "%s%.4f", tenth ? ", " : "", t->tenths[tenth][kind]);
	pf_buffer_printf(&f->out, "]");
}

static void put_json(struct findings *f)
{
	const struct pf_coverage *c = &f->coverage;
	bool against = f->request->common.against != NULL;

	pf_buffer_printf(&f->out, "{\"binary\": ");
	pf_json_put_string(&f->out, f->request->common.binary);
	pf_buffer_printf(&f->out,
			 ", \"vectors\": %" PRIu64 ", \"used\": %" PRIu64 ", \"instructions\": %" PRIu64
			 ",\n  \"kinds\": {",
			 c->vectors, c->used, c->instructions);
	for (int kind = 0; kind < PF_COVERAGE_KINDS; kind++) {
		pf_buffer_printf(&f->out, "%s\n    \"%s\": {\"covered\": %" PRIu64, kind ? "," : "", kind_names[kind],
				 c->covered[kind]);
		if (against)
			put_json_truth(f, kind);
		pf_buffer_printf(&f->out, "}");
	}
	pf_buffer_printf(&f->out, "}");
	if (against)
		pf_buffer_printf(&f->out,
				 ",\n  \"executed\": %" PRIu64 ", \"entropy\": {\"single\": %.6f, \"vectors\": %.6f}",
				 f->truth.executed, f->truth.entropy_single, f->truth.entropy_vectors);
	if (f->request->list != LIST_NONE) {
		pf_buffer_printf(&f->out, ",\n  \"%s\": [", list_names[f->request->list]);
		put_list(f, true);
		pf_buffer_printf(&f->out, "]");
	}
	pf_buffer_printf(&f->out, "}\n");
}

/* Nothing that is read may be written. */
static int spare_inputs(const struct request *r, const char *path, const char *const *files, size_t count,
			struct pf_error *error)
{
	int status = pf_outfile_spares(path, r->common.binary, error);

	if (status == PF_OK)
		status = pf_outfile_spares(path, r->common.against, error);
	for (size_t i = 0; i < count && status == PF_OK; i++)
		status = pf_outfile_spares(path, files[i], error);
	return status;
}

static int write_file(const char *path,
		      int (*put)(struct pf_buffer *out, const struct findings *f, struct pf_error *error),
		      const struct findings *f, struct pf_error *error)
{
	struct pf_buffer out = { 0 };
	int status = path ? put(&out, f, error) : PF_OK;

	if (path && status == PF_OK)
		status = out.failed ? pf_fail(error, PF_ENOMEM, "%s: out of memory", path)
				    : pf_outfile_write(path, out.data, out.size, error);
	pf_buffer_fini(&out);
	return status;
}

static int put_lcov(struct pf_buffer *out, const struct findings *f, struct pf_error *error)
{
	return pf_coverage_put_lcov(out, &f->lines, error);
}

static int put_gcov(struct pf_buffer *out, const struct findings *f, struct pf_error *error)
{
	(void)error;
	pf_coverage_put_gcov(out, &f->lines, f->request->common.binary);
	return PF_OK;
}

/* They take each instruction of the program once more: of a large one, gigabytes. */
static bool wants_lines(const struct request *r)
{
	return r->lcov || r->gcov || r->list == LIST_LINES;
}

static int find_out(struct findings *f, const char *const *files, size_t count, struct pf_error *error)
{
	const struct pf_vector_options *o = &f->request->common;
	struct pf_listener listener = pf_coverage_listener(&f->coverage);
	int status = spare_inputs(f->request, f->request->lcov, files, count, error);

	if (status == PF_OK)
		status = spare_inputs(f->request, f->request->gcov, files, count, error);
	if (status == PF_OK)
		status = pf_subject_open(&f->subject, o->binary, o->debug_dir, o->symfs, error);
	if (status == PF_OK)
		status = pf_program_spare(&f->subject.module, f->request->lcov, error);
	if (status == PF_OK)
		status = pf_program_spare(&f->subject.module, f->request->gcov, error);
	pf_coverage_init(&f->coverage, &f->subject, o->length, o->every);
	if (status == PF_OK)
		status = pf_vector_files_read(&f->traffic, files, count, o->weighting, &listener, error);
	if (status == PF_OK)
		status = pf_subject_check(&f->subject, &f->traffic, error);
	if (status == PF_OK)
		status = pf_coverage_finish(&f->coverage, &f->traffic, error);
	if (status == PF_OK && wants_lines(f->request) &&
	    pf_coverage_lines_make(&f->lines, &f->coverage, (enum pf_coverage_kind)f->request->kind))
		status = pf_fail(error, PF_ENOMEM, "%s: out of memory", o->binary);
	if (status == PF_OK && o->against)
		status = pf_callgrind_read(o->against, o->binary, &f->exact, error);
	if (status == PF_OK && o->against)
		status = pf_coverage_compare(&f->coverage, &f->exact, &f->truth, error);
	if (status == PF_OK)
		status = write_file(f->request->lcov, put_lcov, f, error);
	if (status == PF_OK)
		status = write_file(f->request->gcov, put_gcov, f, error);
	return status;
}

/* Whoever shows the source beside the counts does not know when the binary was built. */
static void warn_of_newer(const struct findings *f)
{
	struct timespec made = pf_source_age_of_file(f->request->common.binary);
	const char *last = "";

	for (size_t i = 0; i < f->lines.list.count; i++) {
		const char *file = f->lines.list.at[i].file;

		if (strcmp(file, last) != 0 && pf_source_age_is_later(pf_source_age_of_file(file), made))
			fprintf(stderr, "pathfdo coverage: warning: %s: " PF_SOURCE_AGE_NEWER "\n",
				pf_output_name(file));
		last = file;
	}
}

static int show(struct findings *f)
{
	warn_of_newer(f);
	if (pf_output_is_standard(f->request->lcov) || pf_output_is_standard(f->request->gcov))
		return 0;
	if (f->request->common.json)
		put_json(f);
	else
		put_summary(f);
	if (!f->request->common.json && f->request->list != LIST_NONE) {
		pf_buffer_printf(&f->out, "\n");
		put_list(f, false);
	}
	if (f->out.failed) {
		fprintf(stderr, "pathfdo coverage: out of memory for what is to be shown\n");
		return PF_EXIT_FAILURE;
	}
	fwrite(f->out.data, 1, f->out.size, stdout);
	return 0;
}

static int cover(const struct request *r, const char *const *files, size_t count)
{
	struct findings f = { .request = r };
	struct pf_error error;
	int status = find_out(&f, files, count, &error) == PF_OK ? show(&f) : -1;

	if (status < 0)
		fprintf(stderr, "pathfdo coverage: %s\n", error.text);
	pf_coverage_lines_fini(&f.lines);
	pf_coverage_fini(&f.coverage);
	pf_traffic_fini(&f.traffic);
	pf_exact_counts_fini(&f.exact);
	pf_subject_close(&f.subject);
	pf_buffer_fini(&f.out);
	return status < 0 ? PF_EXIT_FAILURE : status;
}

int pf_cmd_coverage(int argc, char **argv)
{
	struct request r = { .common = { .command = "coverage", .every = 1 }, .kind = PF_COVERAGE_VECTORS_DOMINATORS };
	bool good = parse(argc, argv, &r);
	const char **files = (const char **)argv + optind;
	size_t count = (size_t)(argc - optind);
	int status;

	if (good && r.common.help) {
		fputs(usage_text, stdout);
		return 0;
	}
	if (!good || !pf_vector_options_complete(&r.common, argc - optind)) {
		fprintf(stderr, "`pathfdo coverage --help` tells the options.\n");
		return PF_EXIT_USAGE;
	}
	status = pf_spool("coverage", files, count);
	return status ? status : cover(&r, files, count);
}
