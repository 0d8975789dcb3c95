/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `pathfdo hotspots`: the hot spots of a run, by the detector of Merten and others.  Hard case: sampled vectors are
 * pieces of the run, so a hot spot is found as late as its pieces come, and what is shorter than the distance between
 * two is missed; the first line says which of the two was seen.  And a program that runs here has standard output as
 * well: what is told comes behind what it says, or goes to a file. */
#include "analysis/hotspot-phases.h"
#include "cli/commands.h"
#include "cli/demangle.h"
#include "cli/hotspot-page.h"
#include "cli/live-run.h"
#include "cli/output.h"
#include "cli/percent.h"
#include "cli/phase-files.h"
#include "cli/spool.h"
#include "perfdata/perfdata.h"
#include "profile/json.h"
#include "support/outfile.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>

#define ARCS 1024u
#define RANGE_GAP 64u

struct options {
	struct pf_hotspot_parameters parameters;
	const char *input, *html, *output, *by_phase;
	char **argv; /* of the program */
	uint32_t top;
	bool json, all;
};

/* The run, and how it was seen. */
struct sight {
	struct pf_hotspot_run run;
	struct pf_hotspot_table table;
	const char *name;
	char source[200];
	bool sampled;
	struct pf_live_end end; /* of a whole run */
};

static const char help[] =
    "usage: pathfdo hotspots [OPTION]... [FILE]\n"
    "       pathfdo hotspots --all [OPTION]... [--] COMMAND [ARGUMENT]...\n"
    "\n"
    "Finds the hot spots of a recording (perf.data by default), as the hardware of Merten and others would.\n"
    "\n"
    "      --all                run COMMAND, and look at every branch of it\n"
    "      --entries=N          entries of the branch buffer (2048)\n"
    "      --ways=N             ...in a set (2)\n"
    "      --counter-bits=N     of its counters (9)\n"
    "      --threshold=N        executions that make a branch a candidate (16)\n"
    "      --refresh=N          branches until what is no candidate is dropped (4096)\n"
    "      --clear=N            branches until all is dropped (65535)\n"
    "      --hdc-bits=N         of the hot spot detection counter (13)\n"
    "      --hdc-up=N           ...up for a branch that is no candidate (2)\n"
    "      --hdc-down=N         ...down for a candidate (1)\n"
    "      --monitor-bits=N     of the monitor counter (12)\n"
    "      --monitor-up=N       ...up for a branch of no known hot spot (1)\n"
    "      --monitor-down=N     ...down for others (1)\n"
    "      --monitor-entries=N  branches in the monitor table (0: as many as there are)\n"
    "      --conditional        look at conditional and indirect branches only\n"
    "      --direction          a branch taken and the same not taken are two\n"
    "      --arcs[=N]           keep the targets of indirect branches, in a table of N entries (1024)\n"
    "      --ranges[=BYTES]     what lies between branches of a hot spot no further apart is in it, too (64)\n"
    "      --top=N              show N functions of each (3)\n"
    "      --json               as JSON\n"
    "      --by-phase=PREFIX    also write PREFIX.N.data, the part of the recording that is in hot spot N\n"
    "  -o, --output=FILE        what is told goes to FILE, not to standard output\n"
    "      --html=FILE          also write a page with pictures\n"
    "  -h, --help               this text\n";

static int usage_error(const char *option, const char *what)
{
	fprintf(stderr, "pathfdo hotspots: %s%s\n`pathfdo hotspots --help` tells the options.\n", option, what);
	return PF_EXIT_USAGE;
}

static bool parse_number(const char *text, uint32_t *to)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 10);
	*to = (uint32_t)value;
	return *text >= '0' && *text <= '9' && !*end && !errno && value <= 1u << 30;
}

enum {
	OPTION_NUMBER = 256,
	OPTION_ALL,
	OPTION_CONDITIONAL,
	OPTION_DIRECTION,
	OPTION_JSON,
	OPTION_HTML,
	OPTION_BY_PHASE
};

/* Where the number of long option INDEX goes. */
static uint32_t *number_of(struct options *o, int index)
{
	struct pf_hotspot_parameters *p = &o->parameters;
	uint32_t *const places[] = { &p->entries,         &p->ways,         &p->counter_bits, &p->threshold,
				     &p->refresh,         &p->clear,        &p->hdc_bits,     &p->hdc_up,
				     &p->hdc_down,        &p->monitor_bits, &p->monitor_up,   &p->monitor_down,
				     &p->monitor_entries, &p->arcs,         &p->range_gap,    &o->top };

	return places[index];
}

/* The first are in the order of number_of. */
static const struct option long_options[] = {
	{ "entries", required_argument, NULL, OPTION_NUMBER },
	{ "ways", required_argument, NULL, OPTION_NUMBER },
	{ "counter-bits", required_argument, NULL, OPTION_NUMBER },
	{ "threshold", required_argument, NULL, OPTION_NUMBER },
	{ "refresh", required_argument, NULL, OPTION_NUMBER },
	{ "clear", required_argument, NULL, OPTION_NUMBER },
	{ "hdc-bits", required_argument, NULL, OPTION_NUMBER },
	{ "hdc-up", required_argument, NULL, OPTION_NUMBER },
	{ "hdc-down", required_argument, NULL, OPTION_NUMBER },
	{ "monitor-bits", required_argument, NULL, OPTION_NUMBER },
	{ "monitor-up", required_argument, NULL, OPTION_NUMBER },
	{ "monitor-down", required_argument, NULL, OPTION_NUMBER },
	{ "monitor-entries", required_argument, NULL, OPTION_NUMBER },
	{ "arcs", optional_argument, NULL, OPTION_NUMBER },
	{ "ranges", optional_argument, NULL, OPTION_NUMBER },
	{ "top", required_argument, NULL, OPTION_NUMBER },
	{ "all", no_argument, NULL, OPTION_ALL },
	{ "conditional", no_argument, NULL, OPTION_CONDITIONAL },
	{ "direction", no_argument, NULL, OPTION_DIRECTION },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "html", required_argument, NULL, OPTION_HTML },
	{ "by-phase", required_argument, NULL, OPTION_BY_PHASE },
	{ "output", required_argument, NULL, 'o' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

static int read_number(struct options *o, int index)
{
	uint32_t *place = number_of(o, index);

	if (!optarg)
		*place = place == &o->parameters.arcs ? ARCS : RANGE_GAP;
	else if (!parse_number(optarg, place))
		return usage_error(long_options[index].name, " takes a whole number up to 1073741824");
	return -1;
}

/* -1 to go on, or the exit status. */
static int read_option(struct options *o, int option, int index)
{
	switch (option) {
	case OPTION_NUMBER:
		return read_number(o, index);
	case OPTION_ALL:
		o->all = true;
		return -1;
	case 'o':
		o->output = optarg;
		return -1;
	case OPTION_CONDITIONAL:
		o->parameters.conditional = true;
		return -1;
	case OPTION_DIRECTION:
		o->parameters.direction = true;
		return -1;
	case OPTION_JSON:
		o->json = true;
		return -1;
	case OPTION_BY_PHASE:
		o->by_phase = optarg;
		return -1;
	case OPTION_HTML:
		o->html = optarg;
		return -1;
	case 'h':
		fputs(help, stdout);
		return 0;
	default:
		fputs("`pathfdo hotspots --help` tells the options.\n", stderr);
		return PF_EXIT_USAGE;
	}
}

static int read_options(struct options *o, int argc, char **argv, const char *letters)
{
	int option, index = 0, status = -1;

	*o = (struct options) { .parameters = pf_hotspot_defaults, .input = "perf.data", .top = 3 };
	optind = 0;
	while (status < 0 && (option = getopt_long(argc, argv, letters, long_options, &index)) != -1)
		status = read_option(o, option, index);
	return status;
}

static int read_line(struct options *o, int argc, char **argv)
{
	int status = read_options(o, argc, argv, "+o:h");

	/* Behind a recording there can be more options; those behind a program are its own. */
	if (status < 0 && !o->all)
		status = read_options(o, argc, argv, "o:h");
	if (status >= 0)
		return status;
	o->argv = argv + optind;
	if (o->all && optind == argc)
		return usage_error("", "name the program to run, behind the options");
	if (o->all && o->by_phase)
		return usage_error("--by-phase", " goes with a recording; --all keeps none");
	if (!o->all && argc - optind > 1)
		return usage_error("", "one recording is looked at; --all runs a program");
	if (pf_output_is_standard(o->html) && (o->json ? !o->output : pf_output_is_standard(o->output)))
		return usage_error("", "only one thing at a time can go to standard output: name files");
	if (pf_output_is_same(o->output, o->html))
		return usage_error("", "-o and --html are one file: name two");
	if (optind < argc)
		o->input = argv[optind];
	return -1;
}

/* --- input -------------------------------------------------------------------------------------------------------- */

static int write_phases(const struct sight *sight, const struct options *options, const struct pf_vectors *vectors,
			struct pf_error *error)
{
	uint32_t *phases = pf_hotspot_phases(&sight->run, vectors);
	int status = phases ? pf_phase_files_write(options->input, options->by_phase, vectors, phases,
						   (uint32_t)sight->run.detector.spots.count, error)
			    : pf_fail(error, PF_ENOMEM, "out of memory for the phases");

	free(phases);
	return status;
}

static int look_at_vectors(struct sight *sight, const struct options *options, struct pf_error *error)
{
	const struct pf_branch_sink sink = pf_hotspot_run_sink(&sight->run);
	const struct pf_vectors *vectors;
	struct pf_perf_file *file;
	int status = pf_branch_feed_file(&sink, options->input, &file, &vectors, error);

	if (status == PF_OK) {
		snprintf(sight->source, sizeof sight->source,
			 "%" PRIu64 " sampled pieces of up to %" PRIu32 " consecutive branches each; what is between "
			 "them was not seen",
			 vectors->burst_count, vectors->nominal_length);
		sight->sampled = true;
	}
	if (status == PF_OK && options->by_phase)
		status = write_phases(sight, options, vectors, error);
	pf_perf_close(file);
	return status;
}

static int look_at_run(struct sight *sight, char *const *argv, struct pf_error *error)
{
	const struct pf_branch_sink sink = pf_hotspot_run_sink(&sight->run);
	const struct pf_live_end *end = &sight->end;
	int status = pf_live_run(&sink, argv, 0, &sight->end, error);

	snprintf(sight->source, sizeof sight->source,
		 "every branch of the run; it ran on unseen %" PRIu64 " times, and its stream has %" PRIu64 " gaps",
		 end->unseen, sight->run.gaps);
	pf_live_tell("hotspots", end);
	return status;
}

/* --- output ------------------------------------------------------------------------------------------------------- */

static void put_name(struct pf_buffer *out, const char *name)
{
	char *demangled = pf_demangle_brief(name);

	pf_buffer_printf(out, "%s", demangled ? demangled : name);
	free(demangled);
}

static bool put_spot(struct pf_buffer *out, struct sight *sight, uint32_t h, uint32_t top)
{
	const struct pf_hotspot *spot = &sight->run.detector.spots.at[h];
	const struct pf_hotspot_account *account = &sight->run.accounts.at[h];
	size_t count;
	struct pf_hotspot_function *functions = pf_hotspot_run_functions(&sight->run, h, &count);

	pf_buffer_printf(out, "%4" PRIu32 " %12" PRIu64 " %9" PRIu32 " %8" PRIu64 " %7.2f%% %9" PRIu64 "  ", h + 1,
			 spot->found, spot->entry_count, account->instructions,
			 pf_percent(account->executed, sight->table.executed), account->entered);
	for (size_t i = 0; functions && i < count && i < top; i++) {
		pf_buffer_printf(out, "%s", i ? ", " : "");
		put_name(out, functions[i].name);
	}
	pf_buffer_printf(out, "%s\n", count > top ? ", ..." : "");
	free(functions);
	return functions != NULL;
}

static bool put_text(struct pf_buffer *out, struct sight *sight, const struct options *options)
{
	const struct pf_hotspot_table *t = &sight->table;
	const struct pf_hotspots *d = &sight->run.detector;
	bool ok = true;

	pf_buffer_printf(out, "%s: %s\n", sight->name, sight->source);
	pf_buffer_printf(out, "%" PRIu64 " branches, %" PRIu64 " instructions", d->branches, t->executed);
	if (sight->run.unread)
		pf_buffer_printf(out, " (%" PRIu64 " branches in code that could not be read)", sight->run.unread);
	pf_buffer_printf(out, "\n\n%10" PRIu64 "  hot spots\n", t->hotspots);
	pf_buffer_printf(out, "%10" PRIu64 "  static instructions in hot spots\n", t->delivered);
	pf_buffer_printf(out, "%9.2f%%  of static executed instructions in hot spots\n",
			 pf_percent(t->distinct, t->seen));
	pf_buffer_printf(out, "%9.2f%%  of total execution in hot spots\n", pf_percent(t->in_hotspots, t->executed));
	pf_buffer_printf(out, "%9.2f%%  of total execution in detected hot spots\n", pf_percent(t->after, t->executed));
	pf_buffer_printf(out, "%10" PRIu64 "  dynamic instructions in hot spots after detection\n", t->after);
	pf_buffer_printf(out, "%9.2f%%  of branches went through the detector, %" PRIu64 " found no place in it\n",
			 pf_percent(d->profiled, d->branches), d->left_out);
	if (t->hotspots)
		pf_buffer_printf(out, "\n%4s %12s %9s %8s %8s %9s  %s\n", "no.", "found after", "branches", "static",
				 "executed", "entered", "functions");
	for (uint32_t h = 0; ok && h < t->hotspots; h++)
		ok = put_spot(out, sight, h, options->top);
	return ok;
}

/* Addresses are the binary's, targets those in memory. */
static void put_json_branches(struct pf_buffer *out, const struct sight *sight, const char *key,
			      const struct pf_branch_entry *entries, uint32_t count, bool arcs)
{
	pf_buffer_printf(out, ", \"%s\": [", key);
	for (uint32_t i = 0; i < count; i++) {
		pf_buffer_printf(out, "%s{\"address\": \"0x%" PRIx64 "\", ", i ? ", " : "",
				 sight->run.steps.ends.at[entries[i].tag].address);
		if (arcs)
			pf_buffer_printf(out, "\"target\": \"0x%" PRIx64 "\", ", entries[i].target);
		pf_buffer_printf(out, "\"executed\": %" PRIu32 ", \"taken\": %" PRIu32 "}", entries[i].executed,
				 entries[i].taken);
	}
	pf_buffer_printf(out, "]");
}

static bool put_json_spot(struct pf_buffer *out, struct sight *sight, uint32_t h)
{
	const struct pf_hotspot *spot = &sight->run.detector.spots.at[h];
	const struct pf_hotspot_account *account = &sight->run.accounts.at[h];
	size_t count;
	struct pf_hotspot_function *functions = pf_hotspot_run_functions(&sight->run, h, &count);

	pf_buffer_printf(
	    out,
	    "%s\n {\"number\": %" PRIu32 ", \"process\": %" PRIu32 ", \"found\": %" PRIu64 ", \"static\": %" PRIu64
	    ", \"executed\": %" PRIu64 ", \"share\": %.6f, \"entered\": %" PRIu64 ", \"evicted\": %s, \"functions\": [",
	    h ? "," : "", h + 1, spot->process, spot->found, account->instructions, account->executed,
	    pf_share(account->executed, sight->table.executed), account->entered, spot->evicted ? "true" : "false");
	for (size_t i = 0; functions && i < count; i++) {
		pf_buffer_printf(out, "%s{\"name\": ", i ? ", " : "");
		pf_json_put_string(out, functions[i].name);
		pf_buffer_printf(out, ", \"binary\": ");
		pf_json_put_string(out, functions[i].module);
		pf_buffer_printf(out, ", \"executed\": %" PRIu64 "}", functions[i].executed);
	}
	pf_buffer_printf(out, "]");
	put_json_branches(out, sight, "branches", spot->entries, spot->entry_count, false);
	put_json_branches(out, sight, "arcs", spot->arcs, spot->arc_count, true);
	pf_buffer_printf(out, "}");
	free(functions);
	return functions != NULL;
}

static bool put_json(struct pf_buffer *out, struct sight *sight, const struct options *options)
{
	const struct pf_hotspot_table *t = &sight->table;
	const struct pf_hotspots *d = &sight->run.detector;
	bool ok = true;

	(void)options;
	pf_buffer_printf(out, "{\"input\": ");
	pf_json_put_string(out, sight->name);
	pf_buffer_printf(out,
			 ", \"sampled\": %s, \"branches\": %" PRIu64 ", \"instructions\": %" PRIu64
			 ", \"unread\": %" PRIu64 ", \"profiled\": %" PRIu64 ", \"left_out\": %" PRIu64
			 ",\n\"table\": {\"hotspots\": %" PRIu64 ", \"static\": %" PRIu64
			 ", \"static_share\": %.6f, \"in_hotspots\": %.6f, \"in_detected\": %.6f, \"after\": %" PRIu64
			 "},\n\"hotspots\": [",
			 sight->sampled ? "true" : "false", d->branches, t->executed, sight->run.unread, d->profiled,
			 d->left_out, t->hotspots, t->delivered, pf_share(t->distinct, t->seen),
			 pf_share(t->in_hotspots, t->executed), pf_share(t->after, t->executed), t->after);
	for (uint32_t h = 0; ok && h < t->hotspots; h++)
		ok = put_json_spot(out, sight, h);
	pf_buffer_printf(out, "]}\n");
	return ok;
}

static int out_of_memory(struct pf_error *error)
{
	return pf_fail(error, PF_ENOMEM, "out of memory for what is to be told");
}

static int write_page(struct sight *sight, const char *path, struct pf_error *error)
{
	struct pf_buffer out = { 0 };
	int status = pf_hotspot_page_put(&out, &sight->run, &sight->table, sight->name, sight->source)
			 ? pf_outfile_write(path, out.data, out.size, error)
			 : out_of_memory(error);

	pf_buffer_fini(&out);
	return status;
}

static int print(struct sight *sight, const struct options *options, struct pf_error *error)
{
	struct pf_buffer out = { 0 };
	int status = PF_OK;

	if (!(options->json ? put_json : put_text)(&out, sight, options) || out.failed)
		status = out_of_memory(error);
	else if (options->output)
		status = pf_outfile_write(options->output, out.data, out.size, error);
	else if (!pf_output_is_standard(options->html))
		fwrite(out.data, 1, out.size, stdout); /* main says when it did not arrive */
	pf_buffer_fini(&out);
	return status;
}

int pf_cmd_hotspots(int argc, char **argv)
{
	struct options options;
	struct sight sight = { 0 };
	struct pf_error error;
	const char *input;
	int status = read_line(&options, argc, argv);

	if (status < 0 && !options.all && pf_spool("hotspots", &options.input, 1) != 0)
		return PF_EXIT_FAILURE;
	if (status >= 0)
		return status;
	sight.name = options.input;
	/* A program is a file for sure where its folder is told. */
	input = options.all && !strchr(options.input, '/') ? NULL : options.input;
	if (pf_outfile_spares(options.html, input, &error) < 0 ||
	    pf_outfile_spares(options.output, input, &error) < 0) {
		fprintf(stderr, "pathfdo hotspots: %s\n", error.text);
		return PF_EXIT_FAILURE;
	}
	status = pf_hotspot_run_init(&sight.run, &options.parameters, &error);
	if (status == PF_EINVAL) {
		pf_hotspot_run_fini(&sight.run);
		return usage_error("", error.text);
	}
	if (status == PF_OK)
		status =
		    options.all ? look_at_run(&sight, options.argv, &error) : look_at_vectors(&sight, &options, &error);
	if (status == PF_OK && pf_hotspot_run_table(&sight.run, &sight.table) < 0)
		status = out_of_memory(&error);
	if (status == PF_OK)
		status = pf_branch_steps_spare(&sight.run.steps, options.html, &error);
	if (status == PF_OK)
		status = pf_branch_steps_spare(&sight.run.steps, options.output, &error);
	if (status == PF_OK && options.html)
		status = write_page(&sight, options.html, &error);
	if (status == PF_OK)
		status = print(&sight, &options, &error);
	if (status < 0)
		fprintf(stderr, "pathfdo hotspots: %s\n", error.text);
	pf_hotspot_run_fini(&sight.run);
	return status < 0 ? PF_EXIT_FAILURE : sight.end.status;
}
