/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `pathfdo record`: reads the options, lets runtime/session do the work, and tells how it went.  Hard case: the exit
 * status.  The program's own passes through, 128 + signal when it died by one; ours shows only where the program ended
 * well or never ran: 1 for a failure, 2 for wrong usage, 126 and 127 as env has them. */
#include "cli/commands.h"
#include "cli/recordline.h"
#include "cli/recordname.h"
#include "runtime/agent/wire.h"
#include "runtime/debuginfo.h"
#include "runtime/launch.h"
#include "support/descriptor.h"
#include "support/outfile.h"

#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIN_LIMIT 4096u
#define MOST_SECONDS 4000000 /* in milliseconds 32 bits hold it: some six weeks */
#define MAX_LIMIT ((uint64_t)4 << 30)

static const char usage_text[] =
    "usage: pathfdo record [OPTION]... [-o FILE] [--] COMMAND [ARGUMENT]...\n"
    "       pathfdo record [OPTION]... [-o FILE] -p PID[,PID]... | --name=NAME[,NAME]... | --cgroup=GROUP\n"
    "                      [[--] COMMAND [ARGUMENT]...]\n"
    "       pathfdo record --collect=FOLDER [--raw] [-o FILE]\n"
    "\n"
    "Runs COMMAND, or watches programs that run already, and records which branches they take, for 'pathfdo convert'.\n"
    "\n"
    "  -o, --output=FILE        the recording, a perf.data file (default perf.data); %t in it is the UTC date and "
    "time,\n"
    "                           %p the number of this process, %h the host, %e the program, %b its build-id\n"
    "      --source=SOURCE      auto: the best that works here (default)\n"
    "                           lbr: branch stacks of the processor\n"
    "                           soft: branch vectors by the software recorder\n"
    "                           clock: plain program-counter samples\n"
    "  -e, --event=EVENT        lbr: the event, as libpfm4 or perf names it\n"
    "  -F, --freq=HZ            vectors or samples a second of CPU time (default soft 100, others 1000)\n"
    "  -n, --branches=COUNT     soft: branches in a vector, up to 65536 (default 1024)\n"
    "      --begin=WHAT         soft: what vectors begin by: branches, the processor's counter of taken branches; "
    "timer,\n"
    "                           CPU time (default); auto: branches where they are counted, else timer; or an event\n"
    "                           as libpfm4 or perf names it\n"
    "      --fixed-period       soft, clock: vectors or samples come after equal times, not random ones around these\n"
    "      --max-overhead=PCT   CPU time that the recorder may cost, in percent (default 1)\n"
    "      --all                every branch of the run, by the software recorder; the recording has exact counts\n"
    "      --values             soft: note what is loaded, stored and handed to functions, too, for pathfdo values\n"
    "      --raw                soft: write the vectors as ordinary samples with branch stacks\n"
    "      --limit=SIZE         soft: size of a process's vectors; of more a fair sample is kept (default 32M);\n"
    "                           others: size from which nothing more is recorded (K, M, G; default none)\n"
    "  -p, --pid=PID[,PID]...   record processes that run already; they go on as they were\n"
    "      --name=NAME[,...]    ...those of programs of these names, also later ones\n"
    "      --cgroup=GROUP       ...those of a control group, by its path in /sys/fs/cgroup\n"
    "      --duration=SECONDS   with these: for so long; without it until they end, COMMAND does (sleep 10, or what\n"
    "                           gives them work, which is not recorded), or an interrupt (Ctrl-C)\n"
    "      --every=SECONDS      ...a recording so often, in a file of its own (-o with %t)\n"
    "      --for=SECONDS        ...which is so long\n"
    "      --rotate=SECONDS     ...without a pause, in a new file so often\n"
    "      --keep=COUNT         ...and of these files the last so many\n"
    "      --collect=FOLDER     run nothing: write what a recorder that lives or was killed has left so far in\n"
    "                           FOLDER, its private folder (pathfdo-record.* under $TMPDIR, /dev/shm or /tmp)\n"
    "      --follow-daemons     soft: go on when COMMAND has ended, until what it left running has ended too, or "
    "Ctrl-C\n"
    "      --only=PROGRAM       soft: only processes of this executable, by its name or path\n"
    "  -q, --quiet              say only what is wrong\n"
    "  -v, --verbose            say more\n"
    "  -h, --help               print this\n"
    "\n"
    "Exit status: COMMAND's own, 128 + N if signal N ended it; 1 if the recording failed, 2 for wrong usage,\n"
    "126 if COMMAND cannot be executed, 127 if it does not exist.\n";

enum {
	OPTION_SOURCE = 256,
	OPTION_BEGIN,
	OPTION_FIXED,
	OPTION_OVERHEAD,
	OPTION_ALL,
	OPTION_VALUES,
	OPTION_RAW,
	OPTION_LIMIT,
	OPTION_COLLECT,
	OPTION_NAME,
	OPTION_CGROUP,
	OPTION_DURATION,
	OPTION_EVERY,
	OPTION_FOR,
	OPTION_ROTATE,
	OPTION_KEEP,
	OPTION_FOLLOW,
	OPTION_ONLY
};

static const struct option long_options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "source", required_argument, NULL, OPTION_SOURCE },
	{ "event", required_argument, NULL, 'e' },
	{ "freq", required_argument, NULL, 'F' },
	{ "branches", required_argument, NULL, 'n' },
	{ "begin", required_argument, NULL, OPTION_BEGIN },
	{ "fixed-period", no_argument, NULL, OPTION_FIXED },
	{ "max-overhead", required_argument, NULL, OPTION_OVERHEAD },
	{ "all", no_argument, NULL, OPTION_ALL },
	{ "values", no_argument, NULL, OPTION_VALUES },
	{ "raw", no_argument, NULL, OPTION_RAW },
	{ "limit", required_argument, NULL, OPTION_LIMIT },
	{ "pid", required_argument, NULL, 'p' },
	{ "name", required_argument, NULL, OPTION_NAME },
	{ "cgroup", required_argument, NULL, OPTION_CGROUP },
	{ "duration", required_argument, NULL, OPTION_DURATION },
	{ "every", required_argument, NULL, OPTION_EVERY },
	{ "for", required_argument, NULL, OPTION_FOR },
	{ "rotate", required_argument, NULL, OPTION_ROTATE },
	{ "keep", required_argument, NULL, OPTION_KEEP },
	{ "collect", required_argument, NULL, OPTION_COLLECT },
	{ "follow-daemons", no_argument, NULL, OPTION_FOLLOW },
	{ "only", required_argument, NULL, OPTION_ONLY },
	{ "quiet", no_argument, NULL, 'q' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

static int bad_value(const char *option, const char *value, const char *wanted)
{
	fprintf(stderr, "pathfdo record: %s '%s': %s\n", option, value, wanted);
	return PF_EXIT_USAGE;
}

/* A whole number from LOW to HIGH into *TO. */
static int read_number(const char *option, const char *text, uint32_t low, uint32_t high, uint32_t *to)
{
	char *end, wanted[80];
	unsigned long value = strtoul(text, &end, 10);

	if (*text >= '0' && *text <= '9' && *end == 0 && value >= low && value <= high) {
		*to = (uint32_t)value;
		return 0;
	}
	snprintf(wanted, sizeof wanted, "give a whole number from %" PRIu32 " to %" PRIu32, low, high);
	return bad_value(option, text, wanted);
}

static int read_overhead(const char *text, uint32_t *ppm)
{
	char *end;
	double percent = strtod(text, &end);

	/* Digits and a point: strtod also takes infinity, hexadecimal and exponents. */
	if (end > text && strspn(text, "0123456789.") == (size_t)(end - text) && (*end == 0 || strcmp(end, "%") == 0) &&
	    percent >= 0.01 && percent <= 100) {
		*ppm = (uint32_t)(percent * 10000 + 0.5);
		return 0;
	}
	return bad_value("--max-overhead", text, "give percent of CPU time, from 0.01 to 100");
}

static int read_size(const char *text, uint64_t *size)
{
	static const char units[] = "KMG";
	char *end;
	uint64_t value = strtoull(text, &end, 10);
	const char *unit = *end ? strchr(units, *end & ~0x20) : NULL;
	int shift = unit ? 10 * (int)(unit - units + 1) : 0;

	if (*text >= '0' && *text <= '9' && (*end == 0 || (unit && end[1] == 0)) && value <= MAX_LIMIT >> shift &&
	    value << shift >= MIN_LIMIT) {
		*size = value << shift;
		return 0;
	}
	return bad_value("--limit", text, "give a size from 4K to 4G");
}

/* Seconds, also a part of one, as milliseconds. */
static int read_seconds(const char *option, const char *text, uint32_t *ms)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end > text && *end == 0 && strspn(text, "0123456789.") == strlen(text) && seconds >= 0.001 &&
	    seconds <= MOST_SECONDS) {
		*ms = (uint32_t)(seconds * 1000 + 0.5);
		return 0;
	}
	return bad_value(option, text, "give seconds, from 0.001 to 4000000");
}

static int read_pids(const char *text, const char **pids)
{
	*pids = text;
	do {
		char *end;
		unsigned long pid = strtoul(text, &end, 10);

		if (*text < '0' || *text > '9' || pid == 0 || pid > INT_MAX || (*end && *end != ','))
			return bad_value("--pid", *pids, "give the numbers of processes, with commas between them");
		text = *end ? end + 1 : NULL;
	} while (text);
	return 0;
}

/* What an unset variable leaves must not mean every process. */
static int read_words(const char *option, const char *text, const char *cure, const char **words)
{
	*words = text;
	return *text ? 0 : bad_value(option, text, cure);
}

static int read_source(const char *text, enum pf_session_source *source)
{
	for (int i = PF_SESSION_AUTO; i <= PF_SESSION_CLOCK; i++) {
		if (strcmp(text, pf_session_source_name(i)) == 0) {
			*source = i;
			return 0;
		}
	}
	return bad_value("--source", text, "give auto, lbr, soft or clock");
}

/* Options of what runs already.  False: it is another one. */
static bool read_running(struct pf_record_line *line, int option, int *status)
{
	struct pf_selection *selection = &line->running.selection;

	switch (option) {
	case 'p':
		*status = read_pids(optarg, &selection->pids);
		return true;
	case OPTION_NAME:
		*status = read_words("--name", optarg, "give the names of programs", &selection->names);
		return true;
	case OPTION_CGROUP:
		*status =
		    read_words("--cgroup", optarg, "give a control group; / is all processes", &selection->cgroup);
		return true;
	case OPTION_DURATION:
		*status = read_seconds("--duration", optarg, &line->duration_ms);
		return true;
	case OPTION_EVERY:
		*status = read_seconds("--every", optarg, &line->every_ms);
		return true;
	case OPTION_FOR:
		*status = read_seconds("--for", optarg, &line->for_ms);
		return true;
	case OPTION_ROTATE:
		*status = read_seconds("--rotate", optarg, &line->for_ms);
		line->every_ms = line->for_ms;
		return true;
	case OPTION_KEEP:
		*status = read_number("--keep", optarg, 1, 1000000, &line->keep);
		return true;
	default:
		return false;
	}
}

/* perf's options that are not needed here, and what is in their place. */
static const struct {
	char option;
	const char *instead;
} of_perf[] = {
	{ 'a', "-p, --name or --cgroup say which programs that run already are recorded" },
	{ 'b', "branches are always recorded" },
	{ 'c', "-F sets the rate" },
	{ 'g', "vectors are followed through calls, without it" },
	{ 'j', "branches are always recorded, all kinds of them" },
	{ 't', "-p records all threads of a process" },
	{ 'u', "--name or --cgroup say which programs that run already are recorded" },
};

static void explain_option(int option)
{
	for (size_t i = 0; i < sizeof of_perf / sizeof *of_perf; i++) {
		if (of_perf[i].option == option)
			fprintf(stderr, "-%c is perf's: %s\n", option, of_perf[i].instead);
	}
}

static int read_option(struct pf_record_line *line, int option)
{
	struct pf_session_options *session = &line->session;
	int status = 0;

	if (read_running(line, option, &status))
		return status;
	switch (option) {
	case 'o':
		line->pattern = optarg;
		return 0;
	case 'e':
		session->event = optarg;
		return 0;
	case 'F':
		return read_number("--freq", optarg, 1, PF_WIRE_MAX_FREQUENCY, &session->frequency);
	case 'n':
		return read_number("--branches", optarg, 1, PF_WIRE_MAX_BRANCHES, &session->branches);
	case OPTION_BEGIN:
		session->begin = optarg;
		return 0;
	case OPTION_SOURCE:
		return read_source(optarg, &session->source);
	case OPTION_FIXED:
		session->fixed = true;
		return 0;
	case OPTION_OVERHEAD:
		return read_overhead(optarg, &session->budget_ppm);
	case OPTION_ALL:
		session->whole = true;
		return 0;
	case OPTION_VALUES:
		session->values = true;
		return 0;
	case OPTION_RAW:
		session->raw = true;
		return 0;
	case OPTION_LIMIT:
		return read_size(optarg, &session->limit);
	case OPTION_COLLECT:
		line->collect = optarg;
		return 0;
	case OPTION_FOLLOW:
		session->follow = true;
		return 0;
	case OPTION_ONLY:
		session->only = optarg;
		return 0;
	case 'q':
		line->quiet = true;
		return 0;
	case 'v':
		line->verbose = true;
		return 0;
	case 'h':
		line->help = true;
		return 0;
	default:
		explain_option(optopt);
		fputs("`pathfdo record --help` tells the options.\n", stderr);
		return PF_EXIT_USAGE;
	}
}

/* How many of the ways to name what runs already were used. */
static int selections(const struct pf_record_line *line)
{
	const struct pf_selection *selection = &line->running.selection;

	return (selection->pids != NULL) + (selection->names != NULL) + (selection->cgroup != NULL);
}

/* What is wrong with options of what runs already; NULL: nothing. */
static const char *running_objection(const struct pf_record_line *line)
{
	int running = selections(line);

	if (!running)
		return line->duration_ms || line->every_ms || line->for_ms || line->keep
			   ? "--duration, --every, --rotate and --keep go with -p, --name or --cgroup"
			   : NULL;
	if (running > 1)
		return "give one of -p, --name and --cgroup";
	if (line->collect)
		return "--collect goes with --raw and -o only";
	if (line->session.follow || line->session.whole || line->session.begin)
		return "--begin, --follow-daemons and --all go with a program to run";
	if (!line->every_ms != !line->for_ms || line->for_ms > line->every_ms)
		return "--every and --for go together, and --for is not longer";
	if (line->every_ms && line->every_ms < 1000)
		return "--every and --rotate: give a second at least, by which the files' names differ";
	if (line->keep && !line->every_ms)
		return "--keep goes with --every or --rotate";
	if (line->every_ms && line->pattern && !pf_record_name_has_time(line->pattern))
		return "-o: each recording is a file of its own; give a name with %t, the time, in it";
	return NULL;
}

static int complain(const char *wrong)
{
	fprintf(stderr, "pathfdo record: %s\n`pathfdo record --help` tells the options.\n", wrong);
	return PF_EXIT_USAGE;
}

/* By whatever name: what the program writes would lie in the midst of the recording. */
static bool is_programs(const char *output)
{
	int descriptor = strcmp(output, "-") == 0 ? STDOUT_FILENO : pf_descriptor_find(output);

	return descriptor == STDOUT_FILENO || descriptor == STDERR_FILENO;
}

/* What the options mean together. */
static int check_line(struct pf_record_line *line)
{
	struct pf_session_options *session = &line->session;
	const char *wrong = running_objection(line);
	bool running = selections(line) > 0;

	if (wrong)
		return complain(wrong);
	if (line->collect && (session->argv[0] || session->source != PF_SESSION_AUTO || session->event ||
			      session->begin || session->fixed))
		wrong = "--collect runs nothing: it goes with --raw and -o only";
	else if (!line->collect && !running && !session->argv[0])
		wrong = "name the program to record, behind the options";
	else if (line->pattern && is_programs(line->pattern))
		wrong = "-o: standard output and error are the program's; give a file";
	else if (session->event && session->source != PF_SESSION_LBR && session->source != PF_SESSION_AUTO)
		wrong = "--event goes with --source=lbr";
	else if (session->whole &&
		 (line->collect || session->raw || session->follow || session->only || session->begin ||
		  session->fixed || session->source == PF_SESSION_LBR || session->source == PF_SESSION_CLOCK))
		wrong = "--all is the software recorder's, and goes with -o and --limit only";
	else if (session->fixed && session->begin && strcmp(session->begin, "timer") != 0)
		wrong = "--fixed-period is of time: it goes with --begin=timer, the default";
	else if (session->fixed && session->source == PF_SESSION_LBR)
		wrong = "--fixed-period goes with --source=soft or clock; the kernel sets the periods of lbr";
	else if (session->raw && session->source == PF_SESSION_CLOCK)
		wrong = "--raw goes with --source=soft; clock samples are ordinary samples already";
	else if ((session->follow || session->only || session->begin || session->values) &&
		 (session->source == PF_SESSION_CLOCK || session->source == PF_SESSION_LBR))
		wrong = "--begin, --follow-daemons, --only and --values go with --source=soft";
	return wrong ? complain(wrong) : 0;
}

static int read_line(struct pf_record_line *line, int argc, char **argv)
{
	int option, status = 0;

	*line = (struct pf_record_line) {
		.session = { .branches = 1024, .budget_ppm = 10000 },
	};
	optind = 1;
	/* '+': the first word that is no option is the program, and what follows is its own. */
	while (status == 0 && (option = getopt_long(argc, argv, "+o:e:F:n:p:qvh", long_options, NULL)) != -1)
		status = read_option(line, option);
	line->session.argv = argv + optind;
	/* Of a series it would be a folder each time. */
	line->session.keep_folder = !line->every_ms;
	if (line->session.event && line->session.source == PF_SESSION_AUTO)
		line->session.source = PF_SESSION_LBR;
	/* What another source would leave undone without a word. */
	if ((line->session.whole || line->session.follow || line->session.only || line->session.begin ||
	     line->session.fixed || line->session.values) &&
	    line->session.source == PF_SESSION_AUTO && !line->collect)
		line->session.source = PF_SESSION_SOFT;
	return status == 0 && !line->help ? check_line(line) : status;
}

static void show_progress(void *context, size_t done, size_t total)
{
	(void)context;
	/* Only where it takes long enough to be read. */
	if (total >= 64 && done % 16 == 0)
		fprintf(stderr, "\r[ pathfdo record: collecting, %zu of %zu processes ]\r", done, total);
}

/* Says how the program died, where it did, and gives its exit status as a shell would. */
static int program_status(const char *program, const struct pf_session_result *result, bool kept)
{
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS };
	const char *name = strrchr(program, '/');
	bool crash = false;
	int signal;

	if (!WIFSIGNALED(result->wait_status))
		return WEXITSTATUS(result->wait_status);
	signal = WTERMSIG(result->wait_status);
	for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; i++)
		crash |= crashes[i] == signal;
	fprintf(stderr, "pathfdo record: %s was killed by signal %d (%s%s)\n", name ? name + 1 : program, signal,
		crash ? "its own crash; " : "", kept ? "the recording is kept" : "there is no recording");
	return 128 + signal;
}

static int finish(const struct pf_record_line *line, const struct pf_session_choice *choice,
		  const struct pf_session_result *result, int status, const struct pf_error *error)
{
	int program = 0;

	if (result->not_run) {
		pf_record_fail(error);
		return result->not_found ? PF_EXIT_NOT_FOUND : PF_EXIT_CANNOT_RUN;
	}
	if (*result->note && (line->verbose || status < 0 || pf_record_is_mostly_unseen(result)))
		fprintf(stderr, "pathfdo record: %s\n", result->note);
	pf_record_print_full(result);
	if (status < 0)
		pf_record_fail(error);
	pf_record_print_saved(result);
	if (result->ran)
		program =
		    program_status(line->session.argv[0], result, status == PF_OK || *result->saved || *result->folder);
	if (status < 0)
		return program ? program : PF_EXIT_FAILURE;
	pf_record_print_result(line, choice, result);
	return program;
}

/* Programs of a system have their debug information elsewhere, or are there to start others. */
static void warn_of_debuginfo(const struct pf_record_line *line, const struct pf_target *target)
{
	static const char *const systems[] = { "/usr/", "/bin/", "/sbin/", "/lib" };
	char path[PATH_MAX];

	if (line->quiet || !realpath(target->path, path))
		return;
	for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) {
		if (strncmp(path, systems[i], strlen(systems[i])) == 0)
			return;
	}
	if (pf_debuginfo_is_missing(path))
		fprintf(
		    stderr,
		    "pathfdo record: %s has no debug information: `pathfdo convert` will find no source line in it; "
		    "build it with -g\n",
		    target->path);
}

static int collect(struct pf_record_line *line)
{
	static const struct pf_session_choice choice = { .source = PF_SESSION_SOFT };
	struct pf_session_result result = { 0 };
	struct pf_error error;
	char *output;
	int status;

	status = pf_record_name(line->pattern, NULL, &output, &error);
	line->session.output = output;
	if (status == PF_OK)
		status = pf_session_collect(&line->session, line->collect, &result, &error);
	if (status == PF_OK)
		pf_record_print_result(line, &choice, &result);
	free(output);
	if (status == PF_OK)
		return 0;
	pf_record_fail(&error);
	pf_record_print_saved(&result);
	return PF_EXIT_FAILURE;
}

/* TARGET, which is about PROGRAM, as line->session.output. */
static int run(const struct pf_record_line *line, const struct pf_target *target, const struct pf_target *program)
{
	struct pf_session_choice choice;
	struct pf_session_result result;
	struct pf_error error;
	int status;

	if (pf_outfile_keeps(line->session.output, program->path, &error) < 0)
		return pf_record_fail(&error);
	if (pf_session_choose(&choice, &line->session, target, &error) < 0)
		return pf_record_fail(&error);
	warn_of_debuginfo(line, program);
	pf_record_print_choice(line, &choice);
	status = pf_session_run(&line->session, &choice, target, &result, &error);
	return finish(line, &choice, &result, status, &error);
}

static int record(struct pf_record_line *line)
{
	struct pf_target target, program;
	struct pf_error error;
	char *output;
	int status = pf_target_find(&target, line->session.argv[0], &error);

	if (status < 0) {
		pf_record_fail(&error);
		return status == PF_ENOTFOUND ? PF_EXIT_NOT_FOUND : PF_EXIT_CANNOT_RUN;
	}
	pf_target_program(&target, line->session.argv, &program);
	if (pf_record_name(line->pattern, &program, &output, &error) < 0)
		return pf_record_fail(&error);
	line->session.output = output;
	status = run(line, &target, &program);
	free(output);
	return status;
}

int pf_cmd_record(int argc, char **argv)
{
	struct pf_record_line line;
	int status = read_line(&line, argc, argv);

	if (line.help)
		fputs(usage_text, stdout);
	if (status || line.help)
		return status;
	if (isatty(STDERR_FILENO) && !line.quiet)
		line.session.progress = show_progress;
	pf_launch_ignore_pipes();
	if (selections(&line))
		return pf_record_running(&line);
	return line.collect ? collect(&line) : record(&line);
}
