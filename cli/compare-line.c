/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See compare-line.h.  Hard case: hours of work behind a mistyped option; so all of the command line is checked, also
 * where the results go, before anything is started. */
#include "cli/compare-line.h"
#include "analysis/tree.h"
#include "cli/commands.h"
#include "cli/output.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_PAIRS 1000

const char pf_compare_help[] =
    "usage: pathfdo compare [OPTION]... --program PATH --train COMMAND --ref COMMAND...\n"
    "       pathfdo compare --report FILE.json... [--html FILE] [--markdown FILE]\n"
    "\n"
    "Builds a program plainly, with -fprofile-use, with recorded profiles and with GCC's -fauto-profile; measures what "
    "each\n"
    "gains, and what it costs.  Goes on where it was interrupted.\n"
    "\n"
    "What is compared:\n"
    "      --source=DIR         the sources; a copy of them is built (default .)\n"
    "      --build=COMMAND      builds, in the copy, with $CC, $CXX, $FC, $CFLAGS, $CXXFLAGS, $FFLAGS, $LDFLAGS\n"
    "      --build-from=SYSTEM  instead: make, configure, cmake, meson, or auto (default)\n"
    "      --program=PATH       the executable that the build leaves, from the build folder\n"
    "      --train=COMMAND      shell command that runs \"$PROGRAM\"; what profiles are made from\n"
    "      --ref=COMMAND        shell command that is measured; may be repeated\n"
    "      --small=COMMAND      what instructions are counted of (default: the first --ref)\n"
    "      --cflags=FLAGS       of all variants (default -O2 -g)\n"
    "      --variants=LIST      of base,flags,O3,instr,clock,soft,O3+soft,lbr,afdo (default: all)\n"
    "\n"
    "How:\n"
    "      --pairs=N            rounds of measured runs (default 9)\n"
    "      --recordings=N       how often each profile is recorded, built and measured (default 1)\n"
    "      --cpu=N              where they run (default: the last one)\n"
    "      --instructions       count instructions too, by valgrind\n"
    "      --instructions-only  measure no times\n"
    "      --timeout=SECONDS    for one command (default 3600)\n"
    "      --work=DIR           where all is built and kept (default: a folder in ~/.cache/pathfdo/compare)\n"
    "      --again              measure anew what is already there\n"
    "\n"
    "What comes out, beside the table:\n"
    "      --json=FILE          all numbers\n"
    "      --html=FILE          a page with pictures\n"
    "      --markdown=FILE      a page of tables\n"
    "      --fail-under=PERCENT ends with status 1 where pathfdo's profile gains less over base\n"
    "      --report             of comparisons in JSON files, instead of a new one\n"
    "      --name=NAME          of the program (default: its file's)\n"
    "      --language=LANGUAGE  C, C++ or Fortran (default: what most of it is written in)\n"
    "      --stands-for=TEXT    a line about it\n"
    "      --source-name=TEXT   package and version\n"
    "  -h, --help               this text\n";
enum {
	OPTION_SOURCE = 256,
	OPTION_BUILD,
	OPTION_BUILD_FROM,
	OPTION_PROGRAM,
	OPTION_TRAIN,
	OPTION_REF,
	OPTION_SMALL,
	OPTION_CFLAGS,
	OPTION_VARIANTS,
	OPTION_PAIRS,
	OPTION_RECORDINGS,
	OPTION_CPU,
	OPTION_INSTRUCTIONS,
	OPTION_INSTRUCTIONS_ONLY,
	OPTION_TIMEOUT,
	OPTION_WORK,
	OPTION_AGAIN,
	OPTION_JSON,
	OPTION_HTML,
	OPTION_MARKDOWN,
	OPTION_REPORT,
	OPTION_NAME,
	OPTION_LANGUAGE,
	OPTION_STANDS_FOR,
	OPTION_SOURCE_NAME,
	OPTION_FAIL_UNDER,
};

static const struct option long_options[] = {
	{ "source", required_argument, NULL, OPTION_SOURCE },
	{ "build", required_argument, NULL, OPTION_BUILD },
	{ "build-from", required_argument, NULL, OPTION_BUILD_FROM },
	{ "program", required_argument, NULL, OPTION_PROGRAM },
	{ "train", required_argument, NULL, OPTION_TRAIN },
	{ "ref", required_argument, NULL, OPTION_REF },
	{ "small", required_argument, NULL, OPTION_SMALL },
	{ "cflags", required_argument, NULL, OPTION_CFLAGS },
	{ "variants", required_argument, NULL, OPTION_VARIANTS },
	{ "pairs", required_argument, NULL, OPTION_PAIRS },
	{ "recordings", required_argument, NULL, OPTION_RECORDINGS },
	{ "cpu", required_argument, NULL, OPTION_CPU },
	{ "instructions", no_argument, NULL, OPTION_INSTRUCTIONS },
	{ "instructions-only", no_argument, NULL, OPTION_INSTRUCTIONS_ONLY },
	{ "timeout", required_argument, NULL, OPTION_TIMEOUT },
	{ "work", required_argument, NULL, OPTION_WORK },
	{ "again", no_argument, NULL, OPTION_AGAIN },
	{ "json", required_argument, NULL, OPTION_JSON },
	{ "html", required_argument, NULL, OPTION_HTML },
	{ "markdown", required_argument, NULL, OPTION_MARKDOWN },
	{ "report", no_argument, NULL, OPTION_REPORT },
	{ "name", required_argument, NULL, OPTION_NAME },
	{ "language", required_argument, NULL, OPTION_LANGUAGE },
	{ "stands-for", required_argument, NULL, OPTION_STANDS_FOR },
	{ "source-name", required_argument, NULL, OPTION_SOURCE_NAME },
	{ "fail-under", required_argument, NULL, OPTION_FAIL_UNDER },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

int pf_compare_fail(const char *format, ...)
{
	va_list arguments;

	fputs("pathfdo compare: ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputs("\n", stderr);
	return PF_EXIT_FAILURE;
}

static bool read_number(const char *option, const char *text, long low, long high, long *to)
{
	char *end;

	errno = 0;
	*to = strtol(text, &end, 10);
	if (*text && !*end && errno == 0 && *to >= low && *to <= high)
		return true;
	pf_compare_fail("%s=%s: must be a number from %ld to %ld", option, text, low, high);
	return false;
}

static bool read_percent(const char *text, double *to)
{
	char *end;

	*to = strtod(text, &end);
	if (*text && !*end && isfinite(*to))
		return true;
	pf_compare_fail("--fail-under=%s: must be a number of percent", text);
	return false;
}

static bool read_choice(struct pf_compare_line *r, int option, const char *value)
{
	struct pf_error error;
	long number = 0;
	bool good = true;

	switch (option) {
	case OPTION_BUILD_FROM:
		good = pf_plan_system(value, &r->plan.system, &error) == PF_OK ||
		       (pf_compare_fail("%s", error.text), false);
		break;
	case OPTION_VARIANTS:
		good = pf_plan_variants(value, r->plan.wanted, &error) == PF_OK ||
		       (pf_compare_fail("%s", error.text), false);
		r->named_variants = true;
		break;
	case OPTION_PAIRS:
		good = read_number("--pairs", value, 1, MOST_PAIRS, &number);
		r->plan.pairs = (unsigned)number;
		break;
	case OPTION_RECORDINGS:
		good = read_number("--recordings", value, 1, PF_COMPARED_RECORDINGS, &number);
		r->plan.recordings = (unsigned)number;
		break;
	case OPTION_CPU:
		good = read_number("--cpu", value, 0, CPU_SETSIZE - 1, &number);
		r->plan.cpu = (int)number;
		break;
	case OPTION_TIMEOUT:
		good = read_number("--timeout", value, 1, 10000000, &number);
		r->plan.timeout = (double)number;
		break;
	case OPTION_INSTRUCTIONS_ONLY:
		r->plan.times = false;
		r->plan.instructions = true;
		break;
	case OPTION_INSTRUCTIONS:
		r->plan.instructions = true;
		break;
	default:
		r->plan.again = true;
	}
	return good;
}

/* Where the text of an option goes; NULL if it is another kind of option. */
static const char **text_of(struct pf_compare_line *r, int option)
{
	switch (option) {
	case OPTION_SOURCE:
		return &r->plan.source;
	case OPTION_BUILD:
		return &r->plan.build;
	case OPTION_PROGRAM:
		return &r->plan.program;
	case OPTION_TRAIN:
		return &r->plan.train;
	case OPTION_SMALL:
		return &r->plan.small;
	case OPTION_CFLAGS:
		return &r->plan.cflags;
	case OPTION_WORK:
		return &r->plan.work;
	case OPTION_NAME:
		return &r->plan.name;
	case OPTION_LANGUAGE:
		return &r->plan.language;
	case OPTION_STANDS_FOR:
		return &r->plan.stands_for;
	case OPTION_SOURCE_NAME:
		return &r->plan.source_name;
	case OPTION_REF:
		return &r->references[r->plan.reference_count++];
	default:
		return NULL;
	}
}

bool pf_compare_parse(int argc, char **argv, struct pf_compare_line *r)
{
	int option;

	while ((option = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
		const char **text = text_of(r, option);

		if (option == '?')
			return false;
		r->measures |= text || (option >= OPTION_SOURCE && option < OPTION_JSON);
		if (text)
			*text = optarg;
		else if (option == 'h')
			r->help = true;
		else if (option == OPTION_JSON)
			r->json = optarg;
		else if (option == OPTION_HTML)
			r->html = optarg;
		else if (option == OPTION_MARKDOWN)
			r->markdown = optarg;
		else if (option == OPTION_REPORT)
			r->report = true;
		else if (option == OPTION_FAIL_UNDER) {
			if (!read_percent(optarg, &r->fail_under))
				return false;
		} else if (!read_choice(r, option, optarg))
			return false;
	}
	return true;
}

/* --- what the command line leaves open --------------------------------------------------------------------------- */

/* Flags are split at blanks and read by make and the shell, and no quoting survives both; = GCC does not hand on to a
 * plugin, and % is valgrind's. */
#define SPECIAL " \t\n\"'`\\$&|;<>(){}[]*?!#=%"

static bool is_special(const char *path)
{
	return strpbrk(path, SPECIAL) != NULL;
}

const char *pf_compare_missing(const struct pf_compare_line *r)
{
	if (!r->plan.program)
		return "no --program PATH: the executable that the build leaves";
	if (!r->plan.train)
		return "no --train COMMAND: the shell command that profiles are made from";
	if (r->plan.reference_count == 0)
		return "no --ref COMMAND: the shell command that is measured";
	if (r->plan.reference_count > PF_COMPARISON_REFERENCES)
		return "a report holds 16 --ref at most; several runs can be one command";
	if (pf_plan_runs(&r->plan) > PF_COMPARISON_RUNS)
		return "a report cannot hold so many runs: give fewer --pairs, --recordings or --ref";
	if (r->plan.program[0] == '/' || !*r->plan.program || strstr(r->plan.program, ".."))
		return "--program must be a path from the build folder downwards";
	if (r->plan.build && r->plan.system != PF_BUILD_AUTO)
		return "--build and --build-from exclude each other";
	if (r->plan.language && strcmp(r->plan.language, "C") != 0 && strcmp(r->plan.language, "C++") != 0 &&
	    strcmp(r->plan.language, "Fortran") != 0)
		return "--language must be C, C++ or Fortran";
	return NULL;
}

/* The last processor that this process may run on, or a look whether it may run on the one that was asked for. */
static bool choose_cpu(struct pf_plan *plan)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof set, &set) != 0)
		return true;
	for (int cpu = 0; plan->cpu < 0 && cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET((size_t)(CPU_SETSIZE - 1 - cpu), &set))
			plan->cpu = CPU_SETSIZE - 1 - cpu;
	}
	if (CPU_ISSET((size_t)plan->cpu, &set))
		return true;
	pf_compare_fail("--cpu=%d: there is no such processor, or it must not be used here", plan->cpu);
	return false;
}

static bool find_source(struct pf_compare_line *r)
{
	struct stat st;

	if (!realpath(r->plan.source, r->source) || stat(r->source, &st) != 0) {
		pf_compare_fail("--source=%s: %s", r->plan.source, strerror(errno));
		return false;
	}
	if (!S_ISDIR(st.st_mode)) {
		pf_compare_fail("--source=%s: is no folder", r->plan.source);
		return false;
	}
	r->plan.source = r->source;
	return true;
}

/* A folder of this program's own, the same each time, so that an interrupted comparison is found again. */
static bool choose_work(struct pf_compare_line *r)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	uint64_t digest = pf_digest_string(pf_digest_string(PF_DIGEST_START, r->source), r->plan.program);
	char folder[PATH_MAX], name[PF_COMPARISON_NAME + 1];
	struct pf_error error;

	snprintf(name, sizeof name, "%s", r->plan.name);
	for (char *at = name; (at = strpbrk(at, SPECIAL)); at++)
		*at = '_';
	if (r->plan.work)
		snprintf(folder, sizeof folder, "%s", r->plan.work);
	else if ((cache && *cache) || (home && *home))
		snprintf(folder, sizeof folder, "%s%s/pathfdo/compare/%s-%08" PRIx32, cache && *cache ? cache : home,
			 cache && *cache ? "" : "/.cache", name, (uint32_t)digest);
	else
		return pf_compare_fail("there is no home folder; say where to work with --work"), false;
	if (pf_tree_make(folder, &error) < 0)
		return pf_compare_fail("%s", error.text), false;
	if (!realpath(folder, r->work))
		return pf_compare_fail("%s: %s", folder, strerror(errno)), false;
	r->plan.work = r->work;
	if (!is_special(r->work))
		return true;
	rmdir(r->work); /* if it was not there */
	return pf_compare_fail(
		   "%s: the path has blanks or characters of the shell in it, which flags cannot have; give another "
		   "--work",
		   r->work),
	       false;
}

static bool find_tool(struct pf_compare_line *r)
{
	ssize_t length = readlink("/proc/self/exe", r->tool, sizeof r->tool - 1);

	if (length > 0)
		r->tool[length] = '\0';
	r->plan.tool = r->tool;
	if (length > 0 && !strchr(r->tool, '\''))
		return true;
	return pf_compare_fail("cannot find the path of this command"), false;
}

/* Without -g there is nothing to key a profile by. */
static bool complete_flags(struct pf_compare_line *r)
{
	bool debug = strncmp(r->plan.cflags, "-g", 2) == 0 || strstr(r->plan.cflags, " -g");
	int length = snprintf(r->cflags, sizeof r->cflags, debug ? "%s" : "%s -g", r->plan.cflags);

	r->plan.cflags = r->cflags;
	if (length < (int)sizeof r->cflags)
		return true;
	return pf_compare_fail("--cflags: more than %zu bytes of flags", sizeof r->cflags - 4), false;
}

/* Better said now than after hours.  A file is made anew in the folder that it is in, devices and pipes are opened. */
static bool can_write(const char *option, const char *path)
{
	char folder[PATH_MAX], real[PATH_MAX];
	const char *file = path && realpath(path, real) ? real : path, *slash = file ? strrchr(file, '/') : NULL;
	struct stat st;
	bool there;

	if (!path || pf_output_is_standard(path))
		return true;
	there = stat(path, &st) == 0;
	snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - file) + 1 : 1, slash ? file : ".");
	if (!*path || (there && S_ISDIR(st.st_mode)))
		errno = *path ? EISDIR : ENOENT;
	else if (access(there && !S_ISREG(st.st_mode) ? path : folder, W_OK) == 0)
		return true;
	pf_compare_fail("%s=%s: cannot write there: %s", option, path, strerror(errno));
	return false;
}

/* Whether a report can hold it. */
static bool is_name(const char *name)
{
	for (const char *at = name; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f || *at == '/')
			return false;
	return *name && strlen(name) <= PF_COMPARISON_NAME;
}

bool pf_compare_complete(struct pf_compare_line *r)
{
	const char *slash = strrchr(r->plan.program, '/');

	snprintf(r->name, sizeof r->name, "%s", slash ? slash + 1 : r->plan.program);
	if (!r->plan.name)
		r->plan.name = r->name;
	if (!is_name(r->plan.name))
		return pf_compare_fail("--name=%s: must be a name of %d bytes at most", r->plan.name,
				       PF_COMPARISON_NAME),
		       false;
	if (!r->plan.small)
		r->plan.small = r->references[0];
	r->plan.references = r->references;
	return complete_flags(r) && can_write("--json", r->json) && can_write("--html", r->html) &&
	       can_write("--markdown", r->markdown) && choose_cpu(&r->plan) && find_source(r) && choose_work(r) &&
	       find_tool(r);
}
