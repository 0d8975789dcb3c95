/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `pathfdo record`: reads the options, lets runtime/session do the work, and tells how it went.  Hard case: the exit
 * status.  The program's own passes through, 128 + signal when it died by one; ours shows only where the program ended
 * well or never ran: 1 for a failure, 2 for wrong usage, 126 and 127 as env has them. */
#include "cli/commands.h"
#include "cli/recordname.h"
#include "runtime/agent/wire.h"
#include "runtime/debuginfo.h"
#include "runtime/machine.h"
#include "runtime/running.h"
#include "runtime/session.h"
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

#define EXIT_CANNOT_RUN 126
#define EXIT_NOT_FOUND 127
#define MIN_LIMIT 4096u
#define LEAST_UNSEEN_NS 1000000000u /* of CPU time: of less little can be said */
#define MOST_SECONDS 4000000        /* in milliseconds 32 bits hold it: some six weeks */
#define MAX_LIMIT ((uint64_t)4 << 30)

static const char usage_text[] =
    "usage: pathfdo record [OPTION]... [-o FILE] [--] COMMAND [ARGUMENT]...\n"
    "       pathfdo record [OPTION]... [-o FILE] -p PID[,PID]... | --name=NAME[,NAME]... | --cgroup=GROUP\n"
    "       pathfdo record --collect=FOLDER [--raw] [-o FILE]\n"
    "\n"
    "Runs COMMAND, or watches programs that run already, and records which branches they take, for 'pathfdo convert'.\n"
    "\n"
    "  -o, --output=FILE        the recording, a perf.data file (default perf.data); %t in it is the date and time,\n"
    "                           %p the number of this process, %h the host\n"
    "      --source=SOURCE      auto: the best that works here (default)\n"
    "                           lbr: branch stacks of the processor\n"
    "                           soft: branch vectors by the software recorder\n"
    "                           clock: plain program-counter samples\n"
    "  -e, --event=EVENT        lbr: the event, as libpfm4 or perf names it\n"
    "  -F, --freq=HZ            vectors or samples a second of CPU time (default soft 100, others 1000)\n"
    "  -n, --branches=COUNT     soft: branches in a vector, up to 65536 (default 1024)\n"
    "      --max-overhead=PCT   CPU time that the recorder may cost, in percent (default 1)\n"
    "      --all                every branch of the run, by the software recorder; the recording has exact counts\n"
    "      --raw                soft: write the vectors as ordinary samples with branch stacks\n"
    "      --limit=SIZE         soft: size of a process's vectors; of more a fair sample is kept (default 32M);\n"
    "                           others: size from which nothing more is recorded (K, M, G; default none)\n"
    "  -p, --pid=PID[,PID]...   record processes that run already; they go on as they were\n"
    "      --name=NAME[,...]    ...those of programs of these names, also later ones\n"
    "      --cgroup=GROUP       ...those of a control group, by its path in /sys/fs/cgroup\n"
    "      --duration=SECONDS   with these: for so long; without it until they end, or an interrupt (Ctrl-C)\n"
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
	OPTION_OVERHEAD,
	OPTION_ALL,
	OPTION_RAW,
	OPTION_LIMIT,
	OPTION_COLLECT,
	OPTION_NAME,
	OPTION_CGROUP,
	OPTION_DURATION,
	OPTION_FOLLOW,
	OPTION_ONLY
};

static const struct option long_options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "source", required_argument, NULL, OPTION_SOURCE },
	{ "event", required_argument, NULL, 'e' },
	{ "freq", required_argument, NULL, 'F' },
	{ "branches", required_argument, NULL, 'n' },
	{ "max-overhead", required_argument, NULL, OPTION_OVERHEAD },
	{ "all", no_argument, NULL, OPTION_ALL },
	{ "raw", no_argument, NULL, OPTION_RAW },
	{ "limit", required_argument, NULL, OPTION_LIMIT },
	{ "pid", required_argument, NULL, 'p' },
	{ "name", required_argument, NULL, OPTION_NAME },
	{ "cgroup", required_argument, NULL, OPTION_CGROUP },
	{ "duration", required_argument, NULL, OPTION_DURATION },
	{ "collect", required_argument, NULL, OPTION_COLLECT },
	{ "follow-daemons", no_argument, NULL, OPTION_FOLLOW },
	{ "only", required_argument, NULL, OPTION_ONLY },
	{ "quiet", no_argument, NULL, 'q' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

struct command_line {
	struct pf_session_options session;
	struct pf_running running; /* if anything is selected: what runs already */
	const char *collect;       /* a folder, or NULL */
	char *output;              /* what session.output points to; owned */
	bool quiet, verbose, help;
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

static int read_option(struct command_line *line, int option)
{
	struct pf_session_options *session = &line->session;

	switch (option) {
	case 'o':
		session->output = optarg;
		return 0;
	case 'e':
		session->event = optarg;
		return 0;
	case 'F':
		return read_number("--freq", optarg, 1, PF_WIRE_MAX_FREQUENCY, &session->frequency);
	case 'n':
		return read_number("--branches", optarg, 1, PF_WIRE_MAX_BRANCHES, &session->branches);
	case OPTION_SOURCE:
		return read_source(optarg, &session->source);
	case OPTION_OVERHEAD:
		return read_overhead(optarg, &session->budget_ppm);
	case OPTION_ALL:
		session->whole = true;
		return 0;
	case OPTION_RAW:
		session->raw = true;
		return 0;
	case OPTION_LIMIT:
		return read_size(optarg, &session->limit);
	case 'p':
		line->running.selection.pids = optarg;
		return 0;
	case OPTION_NAME:
		line->running.selection.names = optarg;
		return 0;
	case OPTION_CGROUP:
		line->running.selection.cgroup = optarg;
		return 0;
	case OPTION_DURATION:
		return read_seconds("--duration", optarg, &line->running.duration_ms);
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
		fprintf(stderr, "Try 'pathfdo record --help'.\n");
		return PF_EXIT_USAGE;
	}
}

/* How many of the ways to name what runs already were used. */
static int selections(const struct command_line *line)
{
	const struct pf_selection *selection = &line->running.selection;

	return (selection->pids != NULL) + (selection->names != NULL) + (selection->cgroup != NULL);
}

/* What the options mean together. */
static int check_line(struct command_line *line)
{
	struct pf_session_options *session = &line->session;
	const char *wrong = NULL;
	int running = selections(line);

	if (running && session->follow)
		wrong = "--follow-daemons goes with a program to run";
	else if (line->collect && running)
		wrong = "--collect goes with --raw and -o only";
	else if (running > 1)
		wrong = "give one of -p, --name and --cgroup";
	else if (running && session->argv[0])
		wrong = "-p, --name and --cgroup record what runs already: name no program to run";
	else if (!running && line->running.duration_ms)
		wrong = "--duration goes with -p, --name or --cgroup";
	else if (line->collect && (session->argv[0] || session->source != PF_SESSION_AUTO || session->event))
		wrong = "--collect runs nothing: it goes with --raw and -o only";
	else if (!line->collect && !running && !session->argv[0])
		wrong = "name the program to record, behind the options";
	else if (strcmp(session->output, "-") == 0)
		wrong = "-o -: standard output is the program's; give a file";
	else if (session->event && session->source != PF_SESSION_LBR && session->source != PF_SESSION_AUTO)
		wrong = "--event goes with --source=lbr";
	else if (session->whole && (line->collect || session->raw || session->follow || session->only ||
				    session->source == PF_SESSION_LBR || session->source == PF_SESSION_CLOCK))
		wrong = "--all is the software recorder's, and goes with -o and --limit only";
	else if (session->raw && session->source == PF_SESSION_CLOCK)
		wrong = "--raw goes with --source=soft; clock samples are ordinary samples already";
	else if ((session->follow || session->only) &&
		 (session->source == PF_SESSION_CLOCK || session->source == PF_SESSION_LBR))
		wrong = "--follow-daemons and --only go with --source=soft";
	if (!wrong)
		return 0;
	fprintf(stderr, "pathfdo record: %s\nTry 'pathfdo record --help'.\n", wrong);
	return PF_EXIT_USAGE;
}

static int read_line(struct command_line *line, int argc, char **argv)
{
	int option, status = 0;

	*line = (struct command_line) {
		.session = { .output = "perf.data", .branches = 1024, .budget_ppm = 10000 },
	};
	optind = 1;
	/* '+': the first word that is no option is the program, and what follows is its own. */
	while (status == 0 && (option = getopt_long(argc, argv, "+o:e:F:n:p:qvh", long_options, NULL)) != -1)
		status = read_option(line, option);
	line->session.argv = argv + optind;
	if (line->session.event && line->session.source == PF_SESSION_AUTO)
		line->session.source = PF_SESSION_LBR;
	/* What another source would leave undone without a word. */
	if ((line->session.whole || line->session.follow || line->session.only) &&
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

static int fail(const struct pf_error *error)
{
	fprintf(stderr, "pathfdo record: %s\n", error->text);
	return PF_EXIT_FAILURE;
}

/* 1234567 as "1.2 M", 831000 as "831 k". */
static const char *scaled(uint64_t value, char text[32])
{
	if (value < 10000)
		snprintf(text, 32, "%" PRIu64, value);
	else if (value < 1000000)
		snprintf(text, 32, "%" PRIu64 " k", value / 1000);
	else
		snprintf(text, 32, "%.1f M", (double)value / 1e6);
	return text;
}

static const char *size_text(uint64_t bytes, char text[32])
{
	if (bytes < 100000)
		snprintf(text, 32, "%.1f kB", (double)bytes / 1e3);
	else
		snprintf(text, 32, "%.1f MB", (double)bytes / 1e6);
	return text;
}

static void print_refused(uint64_t count, const char *one, const char *many, enum pf_refusal reason)
{
	if (count)
		fprintf(stderr, "pathfdo record: %" PRIu64 " %s not recorded: %s\n", count, count == 1 ? one : many,
			pf_session_refusal(reason));
}

static void print_refusals(const struct pf_session_result *result)
{
	for (int i = 0; i < PF_REFUSE_COUNT; i++) {
		print_refused(result->refused_processes[i], "process", "processes", i);
		print_refused(result->refusals[i], "thread", "threads", i);
	}
	if (result->left)
		fprintf(stderr, "pathfdo record: %" PRIu64 " processes stopped to record when the recorder was gone\n",
			result->left);
}

static void print_thinned(const struct pf_session_result *result)
{
	if (result->thinned)
		fprintf(
		    stderr,
		    "pathfdo record: %" PRIu64 " of %" PRIu64
		    " commands were run without the recorder, as they had been short each time before; the like that "
		    "were recorded count for them\n",
		    result->thinned, result->thinned + result->images);
}

/* Where most of the time is not represented, the profile is of something else than the program. */
static bool is_mostly_unseen(const struct pf_session_result *result)
{
	return result->cpu_ns >= LEAST_UNSEEN_NS && result->unseen_ns > result->cpu_ns / 2;
}

/* A higher rate is no cure where the kernel's tick is the limit already. */
static void print_unseen(const struct command_line *line, const struct pf_session_result *result)
{
	uint32_t tick = pf_machine_tick();

	if (is_mostly_unseen(result) && !line->session.only)
		fprintf(stderr,
			"pathfdo record: %.0f%% of the CPU time was used by processes that gave no vectors: static or "
			"privileged ones, ones too short for a burst at this rate%s, or those refused\n",
			100.0 * (double)result->unseen_ns / (double)result->cpu_ns,
			tick && line->session.frequency >= tick ? "" : " (raise -F)");
}

static void print_ends(const struct pf_session_result *result)
{
	for (int i = PF_END_LENGTH + 1; i < PF_END_COUNT; i++) {
		if (result->ends[i])
			fprintf(stderr, "pathfdo record: %" PRIu64 " bursts ended early: %s\n", result->ends[i],
				pf_session_end(i));
	}
}

static void print_living(const struct command_line *line, const struct pf_session_result *result)
{
	bool one = result->living == 1;

	fprintf(stderr, "pathfdo record: %" PRIu64 " process%s still run%s (%" PRIu32 "%s), no longer recorded%s%s\n",
		result->living, one ? "" : "es", one ? "s" : "", result->living_pid, one ? "" : " and others",
		line->session.follow ? "" : "; --follow-daemons waits for ",
		line->session.follow ? ""
		: one                ? "it"
				     : "them");
}

static void print_soft(const struct command_line *line, const struct pf_session_result *result)
{
	print_refusals(result);
	print_thinned(result);
	if (!line->session.whole)
		print_unseen(line, result);
	if (result->living)
		print_living(line, result);
	if (line->verbose)
		print_ends(result);
	if (result->damaged)
		fprintf(stderr,
			"pathfdo record: %" PRIu32 " section%s damaged, the rest of the recording is kept: %s\n",
			result->damaged, result->damaged == 1 ? " is" : "s are", result->damage);
	if (result->lost_bursts)
		fprintf(stderr, "pathfdo record: %" PRIu64 " bursts had no place in --limit\n", result->lost_bursts);
	if (!line->session.whole && result->recorded > result->vectors && !result->damaged)
		fprintf(stderr,
			"pathfdo record: of %" PRIu64 " bursts a fair sample of %" PRIu64 " fits into --limit\n",
			result->recorded, result->vectors);
}

static void print_warnings(const struct command_line *line, const struct pf_session_choice *choice,
			   const struct pf_session_result *result)
{
	if (choice->source == PF_SESSION_SOFT)
		print_soft(line, result);
	if (result->lost)
		fprintf(stderr, "pathfdo record: %" PRIu64 " %s lost; lower -F%s\n", result->lost,
			choice->source == PF_SESSION_SOFT ? "branches were" : "events were",
			choice->source == PF_SESSION_SOFT ? " or give the recorder more room with --limit" : "");
	if (result->throttled)
		fprintf(stderr,
			"pathfdo record: the kernel throttled the event %" PRIu64
			" times; lower -F or raise kernel.perf_event_max_sample_rate\n",
			result->throttled);
	if (result->limited)
		fprintf(stderr, "pathfdo record: --limit was reached, the rest of the run is not in the recording\n");
	if (result->slowed && line->verbose)
		fprintf(stderr, "pathfdo record: the rate was lowered to keep --max-overhead\n");
}

static void print_summary(const struct command_line *line, const struct pf_session_choice *choice,
			  const struct pf_session_result *result)
{
	char vectors[32], branches[32], size[32];
	double seconds = (double)result->cpu_ns / 1e9;

	fprintf(stderr, "[ pathfdo record: %s %s, ", scaled(result->vectors, vectors),
		choice->source == PF_SESSION_SOFT ? "bursts" : "samples");
	if (choice->source != PF_SESSION_CLOCK)
		fprintf(stderr, "%s branches, ", scaled(result->branches, branches));
	if (line->session.whole) {
		fprintf(stderr,
			"%s -> %s; %" PRIu64
			" instructions between them were the processor's; it ran on unseen %" PRIu64 " times ]\n",
			size_text(result->bytes, size), line->session.output, result->steps, result->unseen);
		return;
	}
	fprintf(stderr, "%s -> %s; recorder cost %.2f%% of %.*f s CPU ]\n", size_text(result->bytes, size),
		line->session.output, result->cpu_ns ? 100.0 * (double)result->cost_ns / (double)result->cpu_ns : 0.0,
		seconds < 1 ? 3 : 1, seconds);
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

static int finish(const struct command_line *line, const struct pf_session_choice *choice,
		  const struct pf_session_result *result, int status, const struct pf_error *error)
{
	int program = 0;

	if (result->not_run) {
		fail(error);
		return result->not_found ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
	}
	if (*result->note && (line->verbose || status < 0 || is_mostly_unseen(result)))
		fprintf(stderr, "pathfdo record: %s\n", result->note);
	if (status < 0)
		fail(error);
	if (result->ran)
		program = program_status(line->session.argv[0], result, status == PF_OK);
	if (status < 0)
		return program ? program : PF_EXIT_FAILURE;
	print_warnings(line, choice, result);
	if (!line->quiet)
		print_summary(line, choice, result);
	return program;
}

static void print_choice(const struct command_line *line, const struct pf_session_choice *choice)
{
	/* Soft is as good where it works; clock is not. */
	if (*choice->why && (line->verbose || (choice->source == PF_SESSION_CLOCK && !line->quiet)))
		fprintf(stderr, "pathfdo record: source %s: %s\n", pf_session_source_name(choice->source), choice->why);
	if (line->verbose && choice->source == PF_SESSION_SOFT && *choice->agent)
		fprintf(stderr, "pathfdo record: recorder library %s\n", choice->agent);
	if (line->verbose && choice->source != PF_SESSION_SOFT)
		fprintf(stderr, "pathfdo record: event %s\n", choice->event);
}

/* What the kernel's tick makes of the rate. */
static void print_tick(const struct command_line *line, const struct pf_session_choice *choice)
{
	uint32_t tick = pf_machine_tick();

	if (choice->source == PF_SESSION_SOFT && tick && !line->quiet && !line->session.whole &&
	    (line->verbose || line->session.frequency > tick))
		fprintf(stderr,
			"pathfdo record: the kernel's tick of %" PRIu32 " Hz allows at most %" PRIu32
			" bursts in a second of each thread\n",
			tick, tick);
}

/* Programs of a system have their debug information elsewhere, or are there to start others. */
static void warn_of_debuginfo(const struct command_line *line, const struct pf_target *target)
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

static int collect(const struct command_line *line)
{
	static const struct pf_session_choice choice = { .source = PF_SESSION_SOFT };
	struct pf_session_result result;
	struct pf_error error;

	if (pf_session_collect(&line->session, line->collect, &result, &error) < 0)
		return fail(&error);
	print_warnings(line, &choice, &result);
	if (!line->quiet)
		print_summary(line, &choice, &result);
	return 0;
}

static int record(const struct command_line *line)
{
	struct pf_session_choice choice;
	struct pf_session_result result;
	struct pf_target target;
	struct pf_error error;
	int status;

	status = pf_target_find(&target, line->session.argv[0], &error);
	if (status < 0) {
		fail(&error);
		return status == PF_ENOTFOUND ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
	}
	if (pf_outfile_spares(line->session.output, target.path, &error) < 0)
		return fail(&error);
	if (pf_session_choose(&choice, &line->session, &target, &error) < 0)
		return fail(&error);
	print_choice(line, &choice);
	warn_of_debuginfo(line, &target);
	print_tick(line, &choice);
	status = pf_session_run(&line->session, &choice, &target, &result, &error);
	return finish(line, &choice, &result, status, &error);
}

static void print_running(const struct pf_session_result *result)
{
	if (result->left_out)
		fprintf(stderr, "pathfdo record: %" PRIu64 " process%s not recorded: %s%s\n", result->left_out,
			result->left_out == 1 ? "" : "es", result->left_out_why,
			result->left_out > PF_SESSION_REASONS ? "; and so on" : "");
	if (result->stuck)
		fprintf(stderr, "pathfdo record: %" PRIu64 " process%s not left as they were: %s\n", result->stuck,
			result->stuck == 1 ? "" : "es", result->stuck_why);
}

static int record_running(struct command_line *line)
{
	struct pf_session_choice choice;
	struct pf_session_result result;
	struct pf_error error;
	struct pf_bell bell;
	int status = pf_running_find(&line->running, &error);

	if (status == PF_OK)
		status = pf_outfile_spares(line->session.output, line->running.target.path, &error);
	if (status == PF_OK)
		status = pf_session_choose(&choice, &line->session, &line->running.target, &error);
	if (status == PF_OK)
		status = pf_bell_init(&bell, &error);
	if (status < 0)
		return fail(&error);
	line->running.bell = &bell;
	print_choice(line, &choice);
	print_tick(line, &choice);
	status = pf_running_record(&line->running, &line->session, &choice, &result, &error);
	print_running(&result);
	status = finish(line, &choice, &result, status, &error);
	pf_bell_fini(&bell);
	return status;
}

int pf_cmd_record(int argc, char **argv)
{
	struct command_line line;
	int status = read_line(&line, argc, argv);

	if (line.help)
		fputs(usage_text, stdout);
	if (status || line.help)
		return status;
	if (isatty(STDERR_FILENO) && !line.quiet)
		line.session.progress = show_progress;
	line.output = pf_record_name(line.session.output);
	if (!line.output) {
		fputs("pathfdo record: out of memory\n", stderr);
		return PF_EXIT_FAILURE;
	}
	line.session.output = line.output;
	if (line.collect)
		status = collect(&line);
	else
		status = selections(&line) ? record_running(&line) : record(&line);
	free(line.output);
	return status;
}
