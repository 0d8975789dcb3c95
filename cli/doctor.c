/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `pathfdo doctor`: what this machine can record, why not more, and what would change it; one line each.  Hard case: a
 * plugin fits one version of GCC only, and only that compiler can tell, so it is asked to load it. */
#include "cli/commands.h"
#include "cli/compiler.h"
#include "cli/output.h"
#include "runtime/machine.h"
#include "runtime/probe.h"
#include "runtime/soft.h"
#include "support/buffer.h"
#include "support/childwait.h"
#include "support/installed.h"
#include "support/jsontext.h"

#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <link.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLUGIN "pathfdo.so"

static const char usage_text[] =
    "usage: pathfdo doctor [OPTION]\n"
    "\n"
    "Tells what this machine can record, why not more, and the command that would change it.\n"
    "\n"
    "      --json    print one JSON object instead\n"
    "  -h, --help    print this\n"
    "\n"
    "Exit status: 0 if programs can be recorded with branches (lbr or soft), 1 if not, 2 for wrong usage.\n";

enum { SOURCES = 3, INSTALLED = 4 };

struct source {
	const char *name;
	void (*run)(struct pf_probe *probe);
	struct pf_probe probe;
};

struct report {
	size_t fact_count;
	struct pf_fact facts[PF_MACHINE_FACTS + INSTALLED];
	struct source sources[SOURCES]; /* best first */
};

/* $CC may have words, as in "ccache gcc", like make's. */
#define SHELL "sh", "-c", "exec $0 \"$@\""

/* Runs ARGV and puts the first line that it prints, on either stream, into LINE.  Its exit status; -1 if it could not
 * be run. */
static int first_output(char *const argv[], char *line, size_t size)
{
	posix_spawn_file_actions_t actions;
	struct pf_childwait wait;
	int ends[2], status = -1;
	FILE *output;
	pid_t pid;

	*line = 0;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return -1;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
	pf_childwait_begin(&wait);
	if (posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ) != 0)
		pid = 0;
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	output = fdopen(ends[0], "re");
	if (output && pid) {
		char rest[512];

		if (fgets(line, (int)size, output))
			line[strcspn(line, "\n")] = 0;
		while (fgets(rest, sizeof rest, output))
			continue;
	}
	if (output)
		fclose(output);
	if (pid && waitpid(pid, &status, 0) == pid)
		status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	pf_childwait_end(&wait);
	return status;
}

static const char *compiler(void)
{
	const char *cc = getenv("CC");

	return cc && *cc ? cc : "gcc";
}

static struct pf_fact *add_fact(struct report *report, const char *name)
{
	struct pf_fact *fact = &report->facts[report->fact_count++];

	fact->name = name;
	return fact;
}

static void find_recorder(struct report *report)
{
	struct pf_fact *fact = add_fact(report, "recorder");
	char agent[PATH_MAX];
	struct pf_error error;

	snprintf(fact->value, sizeof fact->value, "%.500s",
		 pf_soft_find_agent(agent, &error) == PF_OK ? agent : error.text);
}

static bool find_compiler(struct report *report)
{
	struct pf_fact *fact = add_fact(report, "compiler");
	char *const ask[] = { SHELL, (char *)compiler(), "--version", NULL };
	bool runs = first_output(ask, fact->value, sizeof fact->value) == 0;

	if (!runs)
		snprintf(fact->value, sizeof fact->value, "%.300s cannot be run: %s", compiler(),
			 getenv("CC") ? "set CC to one that can" : "install it, or set CC to another");
	return runs;
}

static void find_plugin(struct report *report, bool has_compiler)
{
	struct pf_fact *fact = add_fact(report, "plugin");
	char path[PATH_MAX], option[PATH_MAX + 16], said[300];
	char *const load[] = {
		SHELL, (char *)compiler(), option, "-x", "c", "-S", "-o", "/dev/null", "/dev/null", NULL
	};

	if (!pf_installed_find(PLUGIN, path)) {
		snprintf(fact->value, sizeof fact->value,
			 PLUGIN
			 " is neither beside the pathfdo executable nor in ../lib/pathfdo from there: run 'make'");
		return;
	}
	if (!has_compiler) {
		snprintf(fact->value, sizeof fact->value, "%.300s, for want of a compiler not tried", path);
		return;
	}
	if (pf_compiler_is_clang(compiler())) {
		snprintf(fact->value, sizeof fact->value, "%.300s, of no use to %.100s, which is clang", path,
			 compiler());
		return;
	}
	snprintf(option, sizeof option, "-fplugin=%s", path);
	if (first_output(load, said, sizeof said) == 0)
		snprintf(fact->value, sizeof fact->value, "%.300s, loads into %.100s", path, compiler());
	else
		snprintf(fact->value, sizeof fact->value, "%.150s does not fit %.50s: %.250s", path, compiler(), said);
}

/* Appends the name of a loaded library that we care for. */
static int note_library(struct dl_phdr_info *info, size_t size, void *context)
{
	static const char *const wanted[] = { "libdwarf.", "libelf.", "libelf-", "libZydis.",
					      "libpfm.",   "libz.",   "libzstd." };
	struct pf_buffer *list = context;
	const char *slash = strrchr(info->dlpi_name, '/');
	char real[PATH_MAX];

	(void)size;
	for (size_t i = 0; slash && i < sizeof wanted / sizeof wanted[0]; i++) {
		if (strncmp(slash + 1, wanted[i], strlen(wanted[i])) == 0 && realpath(info->dlpi_name, real))
			pf_buffer_printf(list, "%s%s", list->size ? " " : "", strrchr(real, '/') + 1);
	}
	return 0;
}

static void find_libraries(struct report *report)
{
	struct pf_fact *fact = add_fact(report, "libraries");
	struct pf_buffer list = { 0 };

	dl_iterate_phdr(note_library, &list);
	snprintf(fact->value, sizeof fact->value, "%.*s", (int)list.size, list.data ? (char *)list.data : "");
	pf_buffer_fini(&list);
}

static void examine(struct report *report)
{
	*report = (struct report) { .sources = { { .name = "lbr", .run = pf_probe_lbr },
						 { .name = "soft", .run = pf_probe_soft },
						 { .name = "clock", .run = pf_probe_clock } } };
	report->fact_count = pf_machine_facts(report->facts);
	find_recorder(report);
	find_plugin(report, find_compiler(report));
	find_libraries(report);
	for (int i = 0; i < SOURCES; i++)
		report->sources[i].run(&report->sources[i].probe);
}

static const char *best(const struct report *report)
{
	for (int i = 0; i < SOURCES; i++) {
		if (report->sources[i].probe.works)
			return report->sources[i].name;
	}
	return "none";
}

static void print_text(const struct report *report)
{
	for (size_t i = 0; i < report->fact_count; i++)
		printf("%-20s %s\n", report->facts[i].name, report->facts[i].value);
	for (int i = 0; i < SOURCES; i++)
		printf("%-20s %s: %s\n", report->sources[i].name,
		       report->sources[i].probe.works ? "works" : "does not work", report->sources[i].probe.text);
	printf("%-20s %s\n", "best", best(report));
}

static void put_json(struct pf_buffer *out, const struct report *report)
{
	pf_buffer_printf(out, "{\n  \"machine\": {");
	for (size_t i = 0; i < report->fact_count; i++) {
		pf_buffer_printf(out, "%s\n    \"%s\": ", i ? "," : "", report->facts[i].name);
		pf_json_put_string(out, report->facts[i].value);
	}
	pf_buffer_printf(out, "\n  },\n  \"sources\": {");
	for (int i = 0; i < SOURCES; i++) {
		const struct pf_probe *probe = &report->sources[i].probe;

		pf_buffer_printf(out, "%s\n    \"%s\": { \"works\": %s, \"text\": ", i ? "," : "",
				 report->sources[i].name, probe->works ? "true" : "false");
		pf_json_put_string(out, probe->text);
		pf_buffer_printf(out, " }");
	}
	pf_buffer_printf(out, "\n  },\n  \"best\": \"%s\"\n}\n", best(report));
}

static int print_json(const struct report *report)
{
	struct pf_buffer out = { 0 };

	put_json(&out, report);
	return pf_output_print("doctor", &out);
}

int pf_cmd_doctor(int argc, char **argv)
{
	static const struct option options[] = { { "json", no_argument, NULL, 'j' },
						 { "help", no_argument, NULL, 'h' },
						 { 0 } };
	struct report report;
	bool json = false;
	int option;

	optind = 1;
	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (option == 'h') {
			fputs(usage_text, stdout);
			return 0;
		}
		if (option != 'j') {
			fputs("`pathfdo doctor --help` tells the options.\n", stderr);
			return PF_EXIT_USAGE;
		}
		json = true;
	}
	if (optind < argc) {
		fprintf(stderr, "pathfdo doctor: '%s': it takes no arguments\n", argv[optind]);
		return PF_EXIT_USAGE;
	}
	examine(&report);
	if (!json)
		print_text(&report);
	else if (print_json(&report) != 0)
		return PF_EXIT_FAILURE;
	if (fflush(stdout) != 0)
		return 0; /* main makes a failure of it, and says why */
	return report.sources[0].probe.works || report.sources[1].probe.works ? 0 : PF_EXIT_FAILURE;
}
