/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `pathfdo compare`: lets analysis/ do the work, shows how far it is, and what came out.  Hard case: a comparison takes
 * hours, so what was measured is written down before anything can go wrong with showing it. */
#include "analysis/command.h"
#include "analysis/compare-report.h"
#include "analysis/conduct.h"
#include "cli/commands.h"
#include "cli/compare-line.h"
#include "cli/output.h"
#include "runtime/probe.h"
#include "support/infile.h"
#include "support/outfile.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_PAIRS 9
#define DEFAULT_TIMEOUT 3600

/* Wrong usage; the message has been printed. */
static int usage_error(int printed)
{
	(void)printed;
	fputs("`pathfdo compare --help` tells the options.\n", stderr);
	return PF_EXIT_USAGE;
}

static void say_left(double left, char *text, size_t size)
{
	if (left < 0)
		*text = '\0';
	else if (left < 90)
		snprintf(text, size, " (%.0f s left)", left);
	else if (left < 5400)
		snprintf(text, size, " (%.0f min left)", left / 60);
	else
		snprintf(text, size, " (%.1f h left)", left / 3600);
}

/* On a terminal the line is written over by the next. */
static void show_progress(void *context, const char *text, double left)
{
	const struct pf_compare_line *r = context;
	char time[40];

	say_left(left, time, sizeof time);
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K%s: %.100s%s", r->plan.name, text, time);
	else
		fprintf(stderr, "%s: %s%s\n", r->plan.name, text, time);
}

static void clear_progress(void)
{
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

/* JSON as people can read it, to FILE. */
static int write_json(const json_t *findings, const char *path)
{
	char *text = json_dumps(findings, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
	struct pf_error error;
	int status;

	if (!text)
		return pf_compare_fail("out of memory");
	status = pf_outfile_write(path, text, strlen(text), &error);
	free(text);
	return status == PF_OK ? 0 : pf_compare_fail("%s", error.text);
}

static int print_report(const struct pf_compare_line *r, const struct pf_compare_source *sources, size_t count)
{
	bool taken =
	    pf_output_is_standard(r->json) || pf_output_is_standard(r->html) || pf_output_is_standard(r->markdown);
	struct pf_foremost least;
	const struct pf_report_options options = {
		.table = taken ? NULL : stdout, .html = r->html, .markdown = r->markdown, .foremost = &least
	};
	struct pf_error error;

	if (pf_compare_report(sources, count, &options, &error) != PF_OK)
		return pf_compare_fail("%s", error.text);
	if (isnan(r->fail_under) || least.gain >= r->fail_under)
		return 0;
	if (isnan(least.gain))
		return pf_compare_fail("nothing recorded was measured of %s that could gain the %g%% of --fail-under",
				       least.program, r->fail_under);
	return pf_compare_fail("the profile of %s gains %.2f%%, less than the %g%% of --fail-under", least.program,
			       least.gain, r->fail_under);
}

/* Of comparisons that were made before, in FILES. */
static int report(const struct pf_compare_line *r, char **files, size_t count)
{
	struct pf_compare_source *sources = calloc(count, sizeof *sources);
	struct pf_error error;
	json_t *root;
	size_t have = 0;
	int status = 0;

	if (!sources)
		return pf_compare_fail("out of memory");
	for (; status == 0 && have < count; have += status == 0) {
		if (pf_outfile_spares(r->html, files[have], &error) == PF_OK &&
		    pf_outfile_spares(r->markdown, files[have], &error) == PF_OK &&
		    pf_compare_read(files[have], &root, &error) == PF_OK)
			sources[have] = (struct pf_compare_source) { pf_infile_name(files[have]), root };
		else
			status = pf_compare_fail("%s", error.text);
	}
	if (status == 0)
		status = print_report(r, sources, count);
	for (size_t i = 0; i < have; i++)
		json_decref((json_t *)sources[i].root);
	free(sources);
	return status;
}

/* Times that are taken while others work are worth little; the noise will show it, hours later. */
static void warn_of_load(const struct pf_compare_line *r)
{
	double load;

	if (r->plan.times && getloadavg(&load, 1) == 1 && load > 0.4 * (double)sysconf(_SC_NPROCESSORS_ONLN))
		fprintf(stderr,
			"%s: warning: the load is %.1f; times that are measured beside other work mean little "
			"(instructions are exact all the same)\n",
			r->plan.name, load);
}

/* All variants are the default, also where the kernel samples nothing, as in most containers. */
static void excuse(struct pf_plan *plan)
{
	struct pf_probe lbr, clock;

	pf_probe_lbr(&lbr);
	pf_probe_clock(&clock);
	plan->excused[PF_VARIANT_LBR] = !lbr.works;
	plan->excused[PF_VARIANT_CLOCK] = !clock.works;
}

static int measure(struct pf_compare_line *r)
{
	struct pf_error error;
	json_t *findings;
	unsigned faults;
	int status;

	if (!pf_compare_complete(r))
		return PF_EXIT_FAILURE;
	if (!r->named_variants)
		excuse(&r->plan);
	warn_of_load(r);
	status = pf_compare_run(&r->plan, show_progress, r, &findings, &faults, &error);
	clear_progress();
	if (status < 0) {
		rmdir(r->work); /* if it is empty still */
		pf_compare_fail("%s", error.text);
		return pf_command_interrupted() ? 128 + pf_command_interrupted() : PF_EXIT_FAILURE;
	}
	status = r->json ? write_json(findings, r->json) : 0;
	if (status == 0) {
		const struct pf_compare_source source = { r->json ? r->json : r->plan.name, findings };

		status = print_report(r, &source, 1);
	}
	json_decref(findings);
	if (status == 0 && faults > 0)
		return pf_compare_fail("%s: %u of the variants could not be compared", r->plan.name, faults);
	return status;
}

static int run(int argc, char **argv, struct pf_compare_line *r)
{
	const char *fault = NULL;

	if (!pf_compare_parse(argc, argv, r))
		return usage_error(0);
	if (r->help) {
		fputs(pf_compare_help, stdout);
		return 0;
	}
	if (pf_output_is_standard(r->json) + pf_output_is_standard(r->html) + pf_output_is_standard(r->markdown) > 1)
		return usage_error(pf_compare_fail("only one thing at a time can go to standard output: name files"));
	if (pf_output_is_same(r->json, r->html) || pf_output_is_same(r->json, r->markdown) ||
	    pf_output_is_same(r->html, r->markdown))
		return usage_error(pf_compare_fail("--json, --html and --markdown are files of their own: name each"));
	if (r->report && (r->measures || r->json))
		return usage_error(
		    pf_compare_fail("--report takes files, --html, --markdown and --fail-under; it measures nothing"));
	if (r->report && optind == argc)
		return usage_error(pf_compare_fail("name the JSON files to report on"));
	if (r->report)
		return report(r, argv + optind, (size_t)(argc - optind));
	if (optind < argc)
		return usage_error(
		    pf_compare_fail("'%s' is no option; commands are one argument each, in quotes", argv[optind]));
	fault = pf_compare_missing(r);
	if (fault)
		return usage_error(pf_compare_fail("%s", fault));
	return measure(r);
}

int pf_cmd_compare(int argc, char **argv)
{
	struct pf_compare_line r = { .plan = { .source = ".",
					       .stands_for = "",
					       .source_name = "",
					       .cflags = "-O2",
					       .pairs = DEFAULT_PAIRS,
					       .recordings = 1,
					       .cpu = -1,
					       .timeout = DEFAULT_TIMEOUT,
					       .times = true },
				     .fail_under = NAN,
				     .references = calloc((size_t)argc + 1, sizeof *r.references) };
	int status;

	if (!r.references)
		return pf_compare_fail("out of memory");
	for (int v = 0; v < PF_VARIANTS; v++)
		r.plan.wanted[v] = true;
	optind = 1;
	status = run(argc, argv, &r);
	free(r.references);
	return status;
}
