/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `pathfdo paths`: the paths of a binary's functions and how often each ran, from recordings.  The hard case is what a
 * path is called: its number says nothing to people, so its source lines are told, and its blocks in JSON. */
#include "analysis/countedpaths.h"
#include "analysis/path-lines.h"
#include "analysis/path-vectors.h"
#include "analysis/pathfile.h"
#include "analysis/unserved.h"
#include "analysis/vector-files.h"
#include "cli/commands.h"
#include "cli/counted-paths.h"
#include "cli/demangle.h"
#include "cli/output.h"
#include "cli/path-profile-page.h"
#include "cli/path-request.h"
#include "cli/source-age.h"
#include "cli/spool.h"
#include "converter/duplicates.h"
#include "profile/json.h"
#include "support/filename.h"
#include "support/outfile.h"

#include <inttypes.h>

#define MOST_LINES 12 /* of a path in text */

/* All that is shown. */
struct findings {
	const struct pf_path_request *request;
	struct pf_subject subject;
	struct pf_traffic traffic;
	struct pf_path_profile profile, exact;
	struct pf_path_vectors vectors;
	struct pf_path_accuracy accuracy;
	struct pf_path_lines lines; /* compared with what the program counted itself */
	bool by_lines;
	double flow; /* share that the hot paths have */
	size_t hot;
	struct pf_buffer out;
};

static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

/* What is known of the vectors: lengths as in the thesis's Table 4.1, boundaries as in its Figure 4.3. */
struct lengths {
	double initial, extended, function, loop;
};

static struct lengths lengths_of(const struct pf_walk_statistics *s)
{
	double all = (double)(s->instructions + s->extended);

	return (struct lengths) {
		.initial = ratio((double)s->instructions, (double)s->vectors),
		.extended = ratio(all, (double)s->vectors),
		.function = ratio(all, (double)s->function_pieces),
		.loop = ratio(all, (double)s->loop_pieces),
	};
}

static double sum_wholes(const struct pf_path_profile *p)
{
	double sum = 0;

	for (size_t i = 0; i < p->wholes.count; i++)
		sum += p->wholes.at[i].whole;
	return sum;
}

static double sum_parts(const struct pf_path_profile *p)
{
	double sum = 0;

	for (size_t i = 0; i < p->wholes.count; i++)
		sum += p->wholes.at[i].touches;
	for (size_t i = 0; i < p->partials.count; i++)
		sum += p->partials.at[i].weight;
	return sum;
}

/* The blocks of a path, COUNT of them; NULL without memory. */
static uint32_t *blocks_of(const struct findings *f, const struct pf_path_flow *flow, uint32_t *count)
{
	const struct pf_pathnumber *n = &f->profile.walk.numbers[flow->function];
	uint32_t *blocks = calloc((size_t)n->graph->block_count + 1, sizeof *blocks);

	*count = blocks ? pf_path_blocks(&f->profile, flow, blocks) : 0;
	return blocks;
}

/* The source lines of a path, in its order. */
static void put_lines(struct findings *f, const struct pf_path_flow *flow, const uint32_t *blocks, uint32_t count)
{
	const struct pf_subject_function *function = &f->subject.functions.at[flow->function];
	const char *last_file = "";
	uint32_t last = 0, shown = 0;

	for (uint32_t i = 0; i < count && shown <= MOST_LINES; i++) {
		const struct pf_code_block *b = &function->machine.blocks[blocks[i]];

		for (uint32_t k = 0; k < b->count && shown <= MOST_LINES; k++) {
			uint32_t line;
			const char *file = pf_subject_line(&f->subject, flow->function, b->first + k, &line);

			if (line == 0 || (line == last && strcmp(file, last_file) == 0))
				continue;
			if (shown++ == MOST_LINES)
				pf_buffer_printf(&f->out, " ...");
			else if (strcmp(file, last_file) != 0)
				pf_buffer_printf(&f->out, " %s:%" PRIu32, pf_output_name(pf_filename_base(file)), line);
			else
				pf_buffer_printf(&f->out, " %" PRIu32, line);
			last = line;
			last_file = file;
		}
	}
}

/* The function's name as people write it; the caller's, to free. */
static char *name_of(struct findings *f, uint32_t index)
{
	const struct pf_subject_function *function = &f->subject.functions.at[index];
	char *name = strndup(function->name, function->name_size), *shown = name ? pf_demangle(name) : NULL;

	f->out.failed |= !shown;
	free(name);
	return shown;
}

static void put_path(struct findings *f, const struct pf_path_flow *flow)
{
	uint32_t count = 0, *blocks = blocks_of(f, flow, &count);
	char *name = name_of(f, flow->function);

	f->out.failed |= !blocks;
	pf_buffer_printf(&f->out, "%6.2f%% %10.1f  %s %" PRIu64 "  ", 100 * ratio(flow->weight, f->profile.total),
			 flow->weight, name ? name : "", flow->number);
	free(name);
	if (blocks)
		put_lines(f, flow, blocks, count);
	pf_buffer_printf(&f->out, "\n");
	free(blocks);
}

static void put_link(struct findings *f, const struct pf_path_link *l)
{
	char *before = name_of(f, l->before_function), *name = name_of(f, l->function);
	const struct pf_subject_function *caller = &f->subject.functions.at[l->before_function];

	pf_buffer_printf(&f->out, "%10.1f  ", l->weight);
	if (l->kind == PF_LINK_LOOP)
		pf_buffer_printf(&f->out, "%s: %" PRIu64 " then %" PRIu64 "\n", name ? name : "", l->before, l->number);
	else
		pf_buffer_printf(&f->out, "%s at %#" PRIx64 " calls %s: %" PRIu64 "\n", before ? before : "",
				 caller->code.insns.at[caller->machine.blocks[l->before].first].address,
				 name ? name : "", l->number);
	free(before);
	free(name);
}

static void put_comparison(struct findings *f)
{
	if (f->by_lines)
		pf_buffer_printf(
		    &f->out,
		    "exact, by source lines, in functions with %.2f%% of all executions: %zu sets of lines; "
		    "%.2f%% of the flow here has the lines of one of them\n",
		    100 * f->lines.comparable, f->lines.sets, 100 * f->lines.equal);
	else
		pf_buffer_printf(&f->out, "exact: %zu paths\n", f->exact.flows.count);
	pf_buffer_printf(&f->out, "  %zu hot with %.2f%%; accuracy %.2f%%, overlap of all %.2f%%\n", f->accuracy.hot,
			 100 * f->accuracy.flow, 100 * f->accuracy.accuracy, 100 * f->accuracy.overlap);
}

static void put_text(struct findings *f)
{
	const struct pf_walk_statistics *s = &f->profile.walk.statistics;
	struct lengths l = lengths_of(s);

	pf_buffer_printf(
	    &f->out,
	    "%s: read %" PRIu64 " vectors, used %" PRIu64 "\n"
	    "instructions of the program in a vector: %.1f; %.1f with what the flow graph adds to its ends;\n"
	    "  %.1f after a cut at each function boundary, %.1f after one at each loop's end, too\n",
	    pf_output_name(f->request->common.binary), f->vectors.vectors, f->vectors.used, l.initial, l.extended,
	    l.function, l.loop);
	pf_buffer_printf(&f->out, "vectors that cross no function boundary, one, two, three, more:");
	for (int i = 0; i < PF_WALK_CROSSINGS; i++)
		pf_buffer_printf(&f->out, " %.1f%%", 100 * ratio((double)s->crossings[i], (double)s->vectors));
	pf_buffer_printf(&f->out,
			 "\npaths seen whole: %.1f; in part: %.1f; transfers that the flow graph has not: %" PRIu64 "\n"
			 "%zu paths, of which %zu have %.4g%% of the flow or more, together %.2f%%\n",
			 sum_wholes(&f->profile), sum_parts(&f->profile), s->strays, f->profile.flows.count, f->hot,
			 100 * f->request->threshold, 100 * f->flow);
	if (f->request->common.against)
		put_comparison(f);
	pf_buffer_printf(&f->out, "\n");
	for (size_t i = 0; i < f->profile.flows.count && i < f->request->top; i++)
		put_path(f, &f->profile.flows.at[i]);
	if (f->request->links > 0)
		pf_buffer_printf(&f->out, "\nsuccessions of %zu kinds:\n", f->profile.links.count);
	for (size_t i = 0; i < f->profile.links.count && i < f->request->links; i++)
		put_link(f, &f->profile.links.at[i]);
}

static void put_json_path(struct findings *f, const struct pf_path_flow *flow)
{
	const struct pf_subject_function *function = &f->subject.functions.at[flow->function];
	char *name = strndup(function->name, function->name_size);
	uint32_t count = 0, *blocks = blocks_of(f, flow, &count);

	f->out.failed |= !blocks || !name;
	pf_buffer_printf(&f->out, "{\"function\": ");
	pf_json_put_string(&f->out, name ? name : "");
	pf_buffer_printf(&f->out,
			 ", \"address\": %" PRIu64 ", \"number\": %" PRIu64 ", \"count\": %.4f, \"flow\": %.8f, "
			 "\"blocks\": [",
			 function->entry, flow->number, flow->weight, ratio(flow->weight, f->profile.total));
	for (uint32_t i = 0; blocks && i < count; i++)
		pf_buffer_printf(&f->out, "%s%" PRIu64, i ? ", " : "",
				 function->code.insns.at[function->machine.blocks[blocks[i]].first].address);
	pf_buffer_printf(&f->out, "]}");
	free(blocks);
	free(name);
}

static void put_json_link(struct findings *f, const struct pf_path_link *l, const char *comma)
{
	const struct pf_subject_function *from = &f->subject.functions.at[l->before_function];
	uint64_t before = l->before;

	if (l->kind == PF_LINK_CALL)
		before = from->code.insns.at[from->machine.blocks[before].first].address;
	pf_buffer_printf(&f->out,
			 "%s\n    {\"kind\": \"%s\", \"from\": %" PRIu64 ", \"%s\": %" PRIu64 ", \"to\": %" PRIu64
			 ", \"number\": %" PRIu64 ", \"count\": %.4f}",
			 comma, l->kind == PF_LINK_LOOP ? "loop" : "call", from->entry,
			 l->kind == PF_LINK_LOOP ? "before" : "block", before,
			 f->subject.functions.at[l->function].entry, l->number, l->weight);
}

static void put_json_comparison(struct findings *f)
{
	pf_buffer_printf(&f->out, "  \"exact\": {\"paths\": %zu, \"hot\": %zu, \"flow\": %.8f, \"total\": %.4f",
			 f->by_lines ? f->lines.sets : f->exact.flows.count, f->accuracy.hot, f->accuracy.flow,
			 f->by_lines ? f->lines.total : f->exact.total);
	if (f->by_lines)
		pf_buffer_printf(&f->out, ", \"by\": \"lines\", \"comparable\": %.8f, \"equal\": %.8f",
				 f->lines.comparable, f->lines.equal);
	pf_buffer_printf(&f->out, "},\n  \"accuracy\": %.8f, \"overlap\": %.8f,\n", f->accuracy.accuracy,
			 f->accuracy.overlap);
}

static void put_json(struct findings *f)
{
	const struct pf_walk_statistics *s = &f->profile.walk.statistics;
	struct lengths l = lengths_of(s);

	pf_buffer_printf(&f->out, "{\"binary\": ");
	pf_json_put_string(&f->out, f->request->common.binary);
	pf_buffer_printf(
	    &f->out,
	    ", \"vectors\": %" PRIu64 ", \"used\": %" PRIu64
	    ",\n  \"lengths\": {\"initial\": %.4f, \"extended\": %.4f, \"function\": %.4f, \"loop\": %.4f},\n"
	    "  \"crossings\": [",
	    f->vectors.vectors, f->vectors.used, l.initial, l.extended, l.function, l.loop);
	for (int i = 0; i < PF_WALK_CROSSINGS; i++)
		pf_buffer_printf(&f->out, "%s%" PRIu64, i ? ", " : "", s->crossings[i]);
	pf_buffer_printf(&f->out,
			 "],\n  \"whole\": %.4f, \"part\": %.4f, \"unspread\": %.4f, \"strays\": %" PRIu64
			 ", \"paths\": %zu,\n  \"hot\": {\"threshold\": %.8f, \"paths\": %zu, \"flow\": %.8f},\n",
			 sum_wholes(&f->profile), sum_parts(&f->profile), f->profile.unspread, s->strays,
			 f->profile.flows.count, f->request->threshold, f->hot, f->flow);
	if (f->request->common.against)
		put_json_comparison(f);
	pf_buffer_printf(&f->out, "  \"top\": [");
	for (size_t i = 0; i < f->profile.flows.count && i < f->request->top; i++) {
		pf_buffer_printf(&f->out, "%s\n    ", i ? "," : "");
		put_json_path(f, &f->profile.flows.at[i]);
	}
	pf_buffer_printf(&f->out, "],\n  \"links\": [");
	for (size_t i = 0; i < f->profile.links.count && i < f->request->links; i++)
		put_json_link(f, &f->profile.links.at[i], i ? "," : "");
	pf_buffer_printf(&f->out, "]}\n");
}

/* Adds the path profile PATH to P. */
static int load(struct pf_path_profile *p, const char *path, struct pf_error *error)
{
	struct pf_pathfile file;
	int status = pf_pathfile_read(&file, path, error);

	if (status == PF_OK)
		status = pf_pathfile_load(&file, path, p, error);
	pf_pathfile_fini(&file);
	return status;
}

static int compare_lines(struct findings *f, const char *path, struct pf_error *error)
{
	struct pf_counted counted = { 0 };
	int status = pf_counted_paths_read(&counted, path, error);

	if (status == PF_OK)
		status = pf_counted_finish(&counted, error);
	if (status == PF_OK)
		status = pf_path_lines_compare(&f->profile, &counted, f->request->threshold, &f->lines, error);
	f->accuracy = f->lines.accuracy;
	f->by_lines = true;
	pf_counted_fini(&counted);
	return status;
}

static int compare(struct findings *f, struct pf_error *error)
{
	const char *path = f->request->common.against;
	int status = PF_OK;

	if (pf_counted_paths_are(path))
		return compare_lines(f, path, error);
	if (pf_path_profile_init(&f->exact, &f->subject) < 0)
		status = pf_fail(error, PF_ENOMEM, "%s: out of memory", path);
	if (status == PF_OK)
		status = load(&f->exact, path, error);
	if (status == PF_OK && f->exact.wholes.count == 0)
		status = pf_fail(error, PF_EEMPTY, "%s: holds no path", path);
	if (status == PF_OK && pf_path_profile_credit(&f->exact, PF_CREDIT_NONE) < 0)
		status = pf_fail(error, PF_ENOMEM, "%s: out of memory", path);
	if (status == PF_OK && !(f->exact.total > 0))
		status = pf_fail(error, PF_EEMPTY, "%s: holds no path that ran", path);
	if (status == PF_OK && !(f->profile.total > 0))
		status = pf_fail(error, PF_EEMPTY, "no path ran, by what is compared with %s", path);
	if (status == PF_OK && pf_path_compare(&f->profile, &f->exact, f->request->threshold, &f->accuracy) < 0)
		status = pf_fail(error, PF_ENOMEM, "%s: out of memory", path);
	return status;
}

/* Nothing of FILES, of which there are COUNT, is in the binary's functions. */
static int fail_empty(struct findings *f, const char *const *files, size_t count, struct pf_error *error)
{
	if (!f->request->exact)
		return pf_unserved(&f->subject, &f->traffic, true, error);
	return pf_fail(error, PF_EEMPTY, "%s: holds no path%s", files[0], count > 1 ? ", nor do the other files" : "");
}

/* Nothing that is read may be written. */
static int spare_inputs(const struct pf_path_request *r, const char *output, const char *const *files, size_t count,
			struct pf_error *error)
{
	int status = pf_outfile_spares(output, r->common.binary, error);

	for (size_t i = 0; i < count && status == PF_OK; i++)
		status = pf_outfile_spares(output, files[i], error);
	if (status == PF_OK && r->common.against)
		status = pf_outfile_spares(output, r->common.against, error);
	return status;
}

static int write_profile(struct findings *f, const char *const *files, size_t count, struct pf_error *error)
{
	const char *output = f->request->output;
	struct pf_buffer out = { 0 };
	int status = spare_inputs(f->request, output, files, count, error);

	if (status == PF_OK) {
		pf_pathfile_put(&out, &f->profile);
		status = out.failed ? pf_fail(error, PF_ENOMEM, "%s: out of memory", output)
				    : pf_outfile_write(output, out.data, out.size, error);
	}
	pf_buffer_fini(&out);
	return status;
}

static int take_in(struct findings *f, const char *const *files, size_t count, struct pf_error *error)
{
	struct pf_listener listener = pf_path_vectors_listener(&f->vectors);
	struct pf_known_files known = { .counts = true };
	int status = PF_OK;

	for (size_t i = 0; f->request->exact && i < count && status == PF_OK; i++) {
		status = pf_known_files_add(&known, files[i], error);
		if (status == PF_OK)
			status = load(&f->profile, files[i], error);
	}
	pf_known_files_fini(&known);
	if (!f->request->exact)
		status =
		    pf_vector_files_read(&f->traffic, files, count, f->request->common.weighting, &listener, error);
	if (status == PF_OK)
		status = pf_subject_check(&f->subject, &f->traffic, error);
	if (status == PF_OK && f->profile.wholes.count == 0 && f->profile.partials.count == 0)
		status = fail_empty(f, files, count, error);
	return status;
}

static int find_out(struct findings *f, const char *const *files, size_t count, struct pf_error *error)
{
	const struct pf_vector_options *o = &f->request->common;
	const char *html = f->request->html;
	int status = html ? spare_inputs(f->request, html, files, count, error) : PF_OK;

	if (status == PF_OK)
		status = pf_subject_open(&f->subject, o->binary, o->debug_dir, o->symfs, error);
	if (status == PF_OK)
		status = pf_program_spare(&f->subject.module, html, error);
	if (status == PF_OK)
		status = pf_program_spare(&f->subject.module, f->request->output, error);
	pf_path_vectors_init(&f->vectors, &f->profile, o->length, o->every);
	if (status == PF_OK && pf_path_profile_init(&f->profile, &f->subject) < 0)
		status = pf_fail(error, PF_ENOMEM, "%s: out of memory", o->binary);
	if (status == PF_OK)
		status = take_in(f, files, count, error);
	if (status == PF_OK && pf_path_profile_credit(&f->profile, f->request->credit) < 0)
		status = pf_fail(error, PF_ENOMEM, "%s: out of memory", o->binary);
	if (status == PF_OK)
		f->hot = pf_path_hot(&f->profile, f->request->threshold, &f->flow);
	if (status == PF_OK && o->against)
		status = compare(f, error);
	if (status == PF_OK && f->request->output)
		status = write_profile(f, files, count, error);
	return status;
}

/* The page; -1, and said, if it cannot be made. */
static int write_page(struct findings *f)
{
	struct pf_heat_sources sources = { .folders = f->request->folders,
					   .output = f->request->html,
					   .made = pf_source_age_of_file(f->request->common.binary) };
	struct pf_path_page page = { .name = f->request->common.binary, .sources = &sources, .metric = "executions" };
	struct pf_error error;
	char summary[200];
	int status;

	snprintf(summary, sizeof summary,
		 "%zu paths, of which %zu have %.4g%% of the flow or more, together %.2f%%. Counts are estimates.",
		 f->profile.flows.count, f->hot, 100 * f->request->threshold, 100 * f->flow);
	page.summary = summary;
	if (!pf_path_profile_page_put(&f->out, &f->subject, &f->profile, f->request->top, &page))
		status = pf_fail(&error, PF_ENOMEM, "out of memory for what is to be shown");
	else
		status = pf_heat_spare(&sources, &error);
	if (status == PF_OK)
		status = pf_outfile_write(f->request->html, f->out.data, f->out.size, &error);
	if (status < 0)
		fprintf(stderr, "pathfdo paths: %s\n", error.text);
	return status < 0 ? PF_EXIT_FAILURE : 0;
}

static int show(struct findings *f)
{
	if (f->request->html)
		return write_page(f);
	if (pf_output_is_standard(f->request->output))
		return 0;
	if (f->request->common.json)
		put_json(f);
	else
		put_text(f);
	if (f->out.failed) {
		fprintf(stderr, "pathfdo paths: out of memory for what is to be shown\n");
		return PF_EXIT_FAILURE;
	}
	fwrite(f->out.data, 1, f->out.size, stdout);
	return 0;
}

static int profile(const struct pf_path_request *r, const char *const *files, size_t count)
{
	struct findings f = { .request = r };
	struct pf_error error;
	int status = find_out(&f, files, count, &error) == PF_OK ? show(&f) : -1;

	if (status < 0)
		fprintf(stderr, "pathfdo paths: %s\n", error.text);
	pf_path_vectors_fini(&f.vectors);
	pf_path_profile_fini(&f.profile);
	pf_path_profile_fini(&f.exact);
	pf_traffic_fini(&f.traffic);
	pf_subject_close(&f.subject);
	pf_buffer_fini(&f.out);
	return status < 0 ? PF_EXIT_FAILURE : status;
}

/* What was given that changes nothing of counted paths: they are whole. */
static const char *idle_option(const struct pf_path_request *r)
{
	const struct {
		bool given;
		const char *option;
	} options[] = {
		{ r->output, "--output" },
		{ r->common.against, "--against" },
		{ r->common.length, "--length" },
		{ r->common.every != 1, "--every" },
		{ r->common.weighting != 0, "--weight" },
		{ r->links, "--links" },
		{ r->credit != 0, "--credit" },
	};

	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (options[i].given)
			return options[i].option;
	return NULL;
}

int pf_cmd_paths(int argc, char **argv)
{
	struct pf_path_request r = { .common = { .command = "paths", .every = 1 }, .top = 20 };
	bool good = pf_path_request_parse(argc, argv, &r);
	const char **files = (const char **)argv + optind;
	size_t count = (size_t)(argc - optind);
	bool counted;
	int status;

	if (good && r.common.help) {
		fputs(pf_path_usage, stdout);
		return 0;
	}
	status = good ? pf_spool("paths", files, count) : 0;
	if (status)
		return status;
	counted = good && r.exact && count > 0 && pf_counted_paths_are(files[0]);
	if (!counted && (!good || !pf_vector_options_complete(&r.common, argc - optind))) {
		fprintf(stderr, "`pathfdo paths --help` tells the options.\n");
		return PF_EXIT_USAGE;
	}
	if (counted && idle_option(&r)) {
		fprintf(stderr,
			"pathfdo paths: %s has no meaning for counted paths (%s)\n"
			"`pathfdo paths --help` tells the options.\n",
			idle_option(&r), files[0]);
		return PF_EXIT_USAGE;
	}
	if (r.threshold == 0)
		r.threshold = counted ? 0.01 : 0.00125;
	if (!counted)
		return profile(&r, files, count);
	return pf_counted_paths_show(
	    files, count, &(struct pf_counted_view) { r.top, r.threshold, r.common.json, r.html, r.folders });
}
