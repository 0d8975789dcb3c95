/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `pathfdo engine`: programs of a profiling co-processor, as Zilles and Sohi have it, over the branches of a recording
 * or of a whole run, or over a trace.  Hard case: programs that look at what their stream does not have, which is said.
 */
#include "analysis/copro-truth.h"
#include "cli/commands.h"
#include "cli/engine-page.h"
#include "cli/live-run.h"
#include "cli/output.h"
#include "cli/spool.h"
#include "perfdata/perfdata.h"
#include "support/installed.h"
#include "support/outfile.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>

#define MOST_PROGRAMS 8
#define TOP 20
#define FIRST_STEP 16384u /* loads; each step is twice the one before */

struct options {
	const char *input, *trace, *output, *page;
	const char *programs[MOST_PROGRAMS];
	uint32_t program_count, top, budget_ppm; /* 0: all of it */
	char **argv;                             /* of the program that is run */
	bool runs, check, json, truth;
};

struct engine {
	struct pf_copro machines[MOST_PROGRAMS];
	struct pf_copro_program *programs[MOST_PROGRAMS];
	uint32_t count;
	struct pf_copro_stream stream;
	struct pf_copro_truth truth;
	struct pf_truth_course courses[MOST_PROGRAMS];
	uint64_t loads, valued; /* so far; of them those whose value the stream has */
	bool weighs;            /* the truth is asked for */
	bool failed;            /* out of memory for it */
	struct pf_live_end end; /* of what was run */
};

static const char help[] =
    "usage: pathfdo engine -p PROGRAM [OPTION]... [FILE]\n"
    "       pathfdo engine -p PROGRAM --all|--bursts [OPTION]... [--] COMMAND [ARGUMENT]...\n"
    "       pathfdo engine -p PROGRAM --trace=FILE [OPTION]...\n"
    "\n"
    "Runs programs of a profiling co-processor over the branches of a recording (perf.data by default).\n"
    "\n"
    "  -p, --program=NAME   a program: a file, or branch_edges, call_stacks, load_values, load_values_paper,\n"
    "                       load_patterns, simple_sampling, memory_dependence or cache_conflicts; several run\n"
    "                       side by side\n"
    "      --all            run COMMAND, and look at every branch, load and store of it\n"
    "      --bursts[=PCT]   run COMMAND, and look at bursts of it, for so much of its CPU time (1%)\n"
    "      --trace=FILE     look at the loads, stores and branches of a trace; '-' is standard input\n"
    "      --truth          also count all values of all loads, and tell how far the estimates are off\n"
    "      --html=FILE      also write a page with the estimates and their errors\n"
    "      --check          only check the programs\n"
    "      --top=N          show N rows of each array (20; 0: all)\n"
    "      --json           as JSON, with all rows unless --top is given\n"
    "  -o, --output=FILE    what is told goes to FILE, not to standard output\n"
    "  -h, --help           this text\n";

static int usage_error(const char *what, const char *which)
{
	fprintf(stderr, "pathfdo engine: %s%s\n`pathfdo engine --help` tells the options.\n", what, which);
	return PF_EXIT_USAGE;
}

static bool parse_top(const char *text, uint32_t *top)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	*top = (uint32_t)value;
	return *text >= '0' && *text <= '9' && !*end && value < UINT32_MAX;
}

/* Percent of CPU time; 1 if none are given. */
static bool parse_budget(const char *text, uint32_t *ppm)
{
	char *end = NULL;
	double percent = text ? strtod(text, &end) : 1;

	*ppm = percent >= 0.01 && percent <= 100 ? (uint32_t)(percent * 10000 + 0.5) : 0;
	return *ppm && (!text || strspn(text, "0123456789.") == (size_t)(end - text)) && (!end || !*end);
}

/* -1 to go on, or the exit status. */
static int read_option(struct options *o, int option)
{
	switch (option) {
	case 'p':
		if (o->program_count == MOST_PROGRAMS)
			return usage_error("there are 8 programs at most; one more is ", optarg);
		o->programs[o->program_count++] = optarg;
		return -1;
	case 'a':
	case 'b':
		if (o->runs && (option == 'a') == (o->budget_ppm > 0))
			return usage_error("--all and --bursts are two streams; choose one", "");
		o->runs = true;
		return option == 'a' || parse_budget(optarg, &o->budget_ppm)
			   ? -1
			   : usage_error("--bursts takes percent of CPU time, from 0.01 to 100, not ", optarg);
	case 't':
		o->trace = optarg;
		return -1;
	case 'T':
		o->truth = true;
		return -1;
	case 'H':
		o->page = optarg;
		return -1;
	case 'c':
		o->check = true;
		return -1;
	case 'n':
		return parse_top(optarg, &o->top) ? -1 : usage_error("--top takes a whole number, not ", optarg);
	case 'j':
		o->json = true;
		return -1;
	case 'o':
		o->output = optarg;
		return -1;
	case 'h':
		fputs(help, stdout);
		return 0;
	default:
		fputs("`pathfdo engine --help` tells the options.\n", stderr);
		return PF_EXIT_USAGE;
	}
}

static int read_options(struct options *o, int argc, char **argv, const char *letters)
{
	static const struct option longs[] = {
		{ "program", required_argument, NULL, 'p' }, { "all", no_argument, NULL, 'a' },
		{ "bursts", optional_argument, NULL, 'b' },  { "trace", required_argument, NULL, 't' },
		{ "check", no_argument, NULL, 'c' },         { "top", required_argument, NULL, 'n' },
		{ "json", no_argument, NULL, 'j' },          { "truth", no_argument, NULL, 'T' },
		{ "output", required_argument, NULL, 'o' },  { "html", required_argument, NULL, 'H' },
		{ "help", no_argument, NULL, 'h' },          { 0 },
	};
	int option, status = -1;

	*o = (struct options) { .input = "perf.data", .top = UINT32_MAX };
	optind = 0;
	while (status < 0 && (option = getopt_long(argc, argv, letters, longs, NULL)) != -1)
		status = read_option(o, option);
	return status;
}

static int read_line(struct options *o, int argc, char **argv)
{
	int status = read_options(o, argc, argv, "+p:o:h");

	/* Behind a recording there can be more options; those behind a program are its own. */
	if (status < 0 && !o->runs)
		status = read_options(o, argc, argv, "p:o:h");
	if (status >= 0)
		return status;
	if (o->top == UINT32_MAX)
		o->top = o->json ? 0 : TOP;
	o->argv = argv + optind;
	if (!o->program_count)
		return usage_error("name a program with -p", "");
	if (o->runs && o->trace)
		return usage_error("--trace and a run are two streams; choose one", "");
	if (o->runs && optind == argc)
		return usage_error("name the program to run, behind the options", "");
	if (!o->runs && argc - optind > (o->trace || o->check ? 0 : 1))
		return usage_error("one stream is looked at; this is another: ", argv[argc - 1]);
	if (o->check && (o->json || o->output || o->page))
		return usage_error("--check only tells the size of programs, as text: it takes no --json, --html or -o",
				   "");
	if (o->page && !o->truth)
		return usage_error("--html shows how good estimates are; give --truth with it", "");
	if (pf_output_is_standard(o->page) && (o->json ? !o->output : pf_output_is_standard(o->output)))
		return usage_error("only one thing at a time can go to standard output: name files", "");
	if (pf_output_is_same(o->output, o->page))
		return usage_error("-o and --html are one file: name two", "");
	if (optind < argc)
		o->input = argv[optind];
	return -1;
}

/* --- programs ----------------------------------------------------------------------------------------------------- */

/* INPUT is neither of the files that are written. */
static int spare(const struct options *o, const char *input, struct pf_error *error)
{
	int status = pf_outfile_spares(o->output, input, error);

	return status == PF_OK ? pf_outfile_spares(o->page, input, error) : status;
}

/* NAME without a folder is one of those that are installed, if there is one; else it is a file. */
static int read_program(const struct options *o, const char *name, struct pf_copro_program **program,
			struct pf_error *error)
{
	char path[PATH_MAX], inside[PATH_MAX];
	int length = snprintf(inside, sizeof inside, "engine/%s", name), status;

	if (!strchr(name, '/') && length < (int)sizeof inside && pf_installed_find(inside, path))
		name = path;
	status = spare(o, name, error);
	return status == PF_OK ? pf_copro_read(name, program, error) : status;
}

/* What is looked at: a file, or a program, which is one for sure where its folder is told. */
static const char *stream_of(const struct options *o)
{
	if (o->runs)
		return strchr(o->argv[0], '/') ? o->argv[0] : NULL;
	return o->trace ? o->trace : o->input;
}

static int load(struct engine *e, const struct options *o, struct pf_error *error)
{
	int status = PF_OK;

	for (uint32_t i = 0; status == PF_OK && i < o->program_count; i++) {
		status = read_program(o, o->programs[i], &e->programs[i], error);
		e->count += status == PF_OK;
		if (status == PF_OK && pf_copro_init(&e->machines[i], e->programs[i]) < 0)
			status = pf_fail(error, PF_ENOMEM, "%s: out of memory for its arrays", o->programs[i]);
	}
	return status;
}

/* Notes how good each program is by now. */
static void take_steps(struct engine *e)
{
	for (uint32_t i = 0; i < e->count; i++)
		e->failed |= pf_copro_truth_step(&e->truth, &e->machines[i], e->loads, &e->courses[i]) == PF_ENOMEM;
}

static void weigh(struct engine *e, const struct pf_copro_sample *sample)
{
	e->failed |= !pf_copro_truth_add(&e->truth, sample->pc, sample->value);
	if (e->loads >= FIRST_STEP && (e->loads & (e->loads - 1)) == 0)
		take_steps(e);
}

static void feed(void *context, const struct pf_copro_sample *sample)
{
	struct engine *e = context;

	for (uint32_t i = 0; i < e->count; i++)
		pf_copro_feed(&e->machines[i], sample);
	if (sample->class != PF_COPRO_LOAD)
		return;
	e->loads++;
	e->valued += sample->valued;
	if (e->weighs)
		weigh(e, sample);
}

static void cut(void *context)
{
	struct engine *e = context;

	for (uint32_t i = 0; i < e->count; i++)
		pf_copro_cut(&e->machines[i]);
}

/* --- input -------------------------------------------------------------------------------------------------------- */

static int look_at_vectors(struct engine *e, const char *path, struct pf_error *error)
{
	const struct pf_branch_sink sink = pf_copro_stream_sink(&e->stream, false);
	const struct pf_vectors *vectors;
	struct pf_perf_file *file;
	int status = pf_branch_feed_file(&sink, path, &file, &vectors, error);

	pf_perf_close(file);
	return status;
}

static bool wants_memory(const struct engine *e)
{
	bool wants = e->weighs;

	for (uint32_t i = 0; i < e->count; i++)
		wants |= e->programs[i]->on_class[PF_COPRO_LOAD] != PF_NO_HANDLER ||
			 e->programs[i]->on_class[PF_COPRO_STORE] != PF_NO_HANDLER;
	return wants;
}

static int look(struct engine *e, const struct options *o, struct pf_error *error)
{
	const struct pf_branch_sink sink = pf_copro_stream_sink(&e->stream, wants_memory(e));
	int status;

	if (o->trace)
		return pf_copro_trace_read(o->trace, &e->stream.sink, error);
	if (!o->runs)
		return look_at_vectors(e, o->input, error);
	status = pf_live_run(&sink, o->argv, o->budget_ppm, &e->end, error);
	pf_live_tell("engine", &e->end);
	if (status == PF_OK && o->budget_ppm)
		pf_live_tell_bursts("engine", &e->end);
	return status;
}

static bool reads_values(const struct pf_copro_program *program)
{
	for (size_t i = 0; i < program->operations.count; i++) {
		const struct pf_copro_operation *o = &program->operations.at[i];

		if (o->code == PF_COPRO_PART && o->number == PF_COPRO_VALUE)
			return true;
	}
	return false;
}

/* The zeros that stand for values make every load constant. */
static void warn_of_values(const struct engine *e)
{
	bool reads = e->weighs;

	for (uint32_t i = 0; i < e->count; i++)
		reads |= reads_values(e->programs[i]);
	if (reads && e->loads && !e->valued)
		fprintf(stderr, "pathfdo engine: no load of the stream has its value, so that each seems to load 0; "
				"lackey knows none, --all and --bursts do\n");
}

/* A program that saw nothing asked for what the stream does not have. */
static void warn_of_nothing(const struct engine *e, const struct options *o)
{
	for (uint32_t i = 0; i < e->count; i++) {
		if (!e->machines[i].counts.offered)
			fprintf(stderr,
				"pathfdo engine: %s looks at nothing that the stream has; recordings have "
				"branches alone, loads and stores come from --all, --bursts or --trace\n",
				o->programs[i]);
	}
}

/* --- output ------------------------------------------------------------------------------------------------------- */

/* Who is asked for the truth, and estimates something, is told with it. */
static int judge(struct engine *e, const struct options *o, struct pf_copro_score *scores, struct pf_engine_told *told,
		 struct pf_error *error)
{
	int status = PF_OK;

	for (uint32_t i = 0; status != PF_ENOMEM && i < e->count; i++) {
		told[i] =
		    (struct pf_engine_told) { .machine = &e->machines[i], .course = &e->courses[i], .top = o->top };
		if (!o->truth)
			continue;
		status = pf_copro_truth_points(&e->truth, &e->machines[i], &told[i].points);
		if (status == PF_OK)
			status = pf_copro_truth_score(&e->truth, &e->machines[i], &scores[i]);
		if (status == PF_OK)
			told[i].score = &scores[i];
	}
	return status == PF_ENOMEM ? pf_fail(error, status, "out of memory for the errors of all estimates") : PF_OK;
}

static int write_text(struct pf_buffer *out, bool good, const char *path, struct pf_error *error)
{
	int status = PF_OK;

	if (!good || out->failed)
		status = pf_fail(error, PF_ENOMEM, "out of memory for what is to be told");
	else if (path)
		status = pf_outfile_write(path, out->data, out->size, error);
	else
		fwrite(out->data, 1, out->size, stdout); /* main says when it did not arrive */
	pf_buffer_fini(out);
	return status;
}

static int write_all(struct engine *e, const struct options *o, const struct pf_engine_told *told,
		     struct pf_error *error)
{
	const char *name = o->runs ? o->argv[0] : o->trace ? o->trace : o->input;
	struct pf_buffer out = { 0 };
	bool good = true;
	int status = PF_OK;

	if (o->page)
		status = write_text(&out, pf_engine_page_put(&out, told, e->count, name), o->page, error);
	if (status != PF_OK || (pf_output_is_standard(o->page) && !o->output))
		return status;
	if (o->json)
		pf_buffer_printf(&out, "{\"engine\": [\n");
	for (uint32_t i = 0; good && i < e->count; i++) {
		if (o->json && i)
			pf_buffer_printf(&out, ",\n");
		good = (o->json ? pf_engine_put_json : pf_engine_put_text)(&out, &told[i], &e->stream);
	}
	if (o->json)
		pf_buffer_printf(&out, "]}\n");
	return write_text(&out, good, o->output, error);
}

static int tell(struct engine *e, const struct options *o, struct pf_error *error)
{
	struct pf_copro_score scores[MOST_PROGRAMS];
	struct pf_engine_told told[MOST_PROGRAMS] = { 0 };
	int status = judge(e, o, scores, told, error);

	if (status == PF_OK)
		status = pf_branch_steps_spare(&e->stream.steps, o->output, error);
	if (status == PF_OK)
		status = pf_branch_steps_spare(&e->stream.steps, o->page, error);
	if (status == PF_OK)
		status = write_all(e, o, told, error);
	for (uint32_t i = 0; i < e->count; i++)
		pf_array_fini(&told[i].points);
	return status;
}

static int tell_checked(const struct engine *e)
{
	for (uint32_t i = 0; i < e->count; i++) {
		const struct pf_copro_program *p = e->programs[i];
		uint64_t slots = 0;

		for (uint32_t k = 0; k < p->array_count; k++)
			slots += p->arrays[k].slots;
		printf("%s: %zu operations, %" PRIu32 " arrays of %" PRIu64 " slots in all\n", p->name,
		       p->operations.count, p->array_count, slots);
	}
	return PF_OK;
}

static int run(struct engine *e, const struct options *o, struct pf_error *error)
{
	int status = load(e, o, error);

	if (status == PF_OK && o->check)
		return tell_checked(e);
	if (status == PF_OK)
		status = spare(o, stream_of(o), error);
	if (status == PF_OK)
		status = look(e, o, error);
	pf_copro_stream_finish(&e->stream);
	if (status == PF_OK && e->failed)
		status = pf_fail(error, PF_ENOMEM, "out of memory for the values of all loads");
	for (uint32_t i = 0; status == PF_OK && i < e->count; i++) {
		if (pf_copro_finish(&e->machines[i]) < 0)
			status = pf_fail(error, PF_ENOMEM, "%s: out of memory for its profile", o->programs[i]);
	}
	if (status != PF_OK)
		return status;
	if (e->weighs)
		take_steps(e);
	warn_of_nothing(e, o);
	warn_of_values(e);
	return tell(e, o, error);
}

int pf_cmd_engine(int argc, char **argv)
{
	struct options options;
	struct engine *e;
	struct pf_error error;
	int status = read_line(&options, argc, argv);

	if (status < 0 && !options.runs && !options.trace && !options.check &&
	    pf_spool("engine", &options.input, 1) != 0)
		return PF_EXIT_FAILURE;
	if (status >= 0)
		return status;
	e = calloc(1, sizeof *e);
	if (!e) {
		fputs("pathfdo engine: out of memory\n", stderr);
		return PF_EXIT_FAILURE;
	}
	e->weighs = options.truth;
	e->stream.sink = (struct pf_copro_sink) { e, feed, cut };
	status = run(e, &options, &error);
	if (status < 0)
		fprintf(stderr, "pathfdo engine: %s\n", error.text);
	for (uint32_t i = 0; i < options.program_count; i++) {
		pf_copro_fini(&e->machines[i]);
		pf_array_fini(&e->courses[i]);
		pf_copro_program_free(e->programs[i]);
	}
	pf_copro_stream_fini(&e->stream);
	pf_copro_truth_fini(&e->truth);
	status = status < 0 ? PF_EXIT_FAILURE : e->end.status;
	free(e);
	return status;
}
