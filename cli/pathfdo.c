/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `pathfdo`: finds the subcommand and hands over.  Everything of substance is in the command's own file. */
#include "cli/commands.h"
#include "cli/ownstack.h"
#include "support/installed.h"
#include "support/version.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
};

static const struct command commands[] = {
	{ "record", pf_cmd_record, "run a program, or watch running ones, and record branch vectors" },
	{ "convert", pf_cmd_convert, "turn recordings into a profile by source position" },
	{ "cflags", pf_cmd_cflags, "print the compile flags that use a profile" },
	{ "report", pf_cmd_report, "sum up what a build made of its profile" },
	{ "compare", pf_cmd_compare, "build, run and measure a program with each kind of profile" },
	{ "show", pf_cmd_show, "list a profile's functions, or all of it as text, JSON or a page" },
	{ "annotate", pf_cmd_annotate, "print source with its counts" },
	{ "coverage", pf_cmd_coverage, "tell which code is known to have run" },
	{ "paths", pf_cmd_paths, "tell which paths of functions ran, and how often" },
	{ "context", pf_cmd_context, "show the calling context tree that a program counted" },
	{ "hotspots", pf_cmd_hotspots, "find the hot spots and phases of a recorded run" },
	{ "engine", pf_cmd_engine, "run programs of a profiling co-processor over a run's branches, or a trace" },
	{ "values", pf_cmd_values, "list what instructions worked on: divisors, sizes of copies, cases" },
	{ "merge", pf_cmd_merge, "add profiles up" },
	{ "diff", pf_cmd_diff, "compare two profiles" },
	{ "export", pf_cmd_export, "write a profile in the format of another tool" },
	{ "doctor", pf_cmd_doctor, "tell what this machine can record, and what would change that" },
};

#define COMMANDS (sizeof commands / sizeof commands[0])

static void usage(FILE *to)
{
	fprintf(to, "usage: pathfdo COMMAND [OPTION]...\n\nSampled profile-guided optimisation for stock GCC.\n\n");
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(to, "  %-10s%s\n", commands[i].name, commands[i].help);
	fprintf(to, "\n`pathfdo COMMAND --help` tells a command's options, `pathfdo help COMMAND` opens its page.\n");
}

static int run(const struct command *command, int argc, char **argv)
{
	char name[32];

	snprintf(name, sizeof name, "pathfdo %s", command->name);
	return pf_cli_run(name, command->run, argc, argv);
}

/* How many letters must be added, dropped or changed to make B of A, both short. */
static size_t distance(const char *a, const char *b)
{
	size_t row[32], n = strlen(b);

	if (strlen(a) > 30 || n > 30)
		return SIZE_MAX;
	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			size_t changed = diagonal + (a[i - 1] != b[j - 1]);
			size_t moved = 1 + (row[j] < row[j - 1] ? row[j] : row[j - 1]);

			diagonal = row[j];
			row[j] = changed < moved ? changed : moved;
		}
	}
	return row[n];
}

static const struct command *find(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++) {
		if (strcmp(name, commands[i].name) == 0)
			return &commands[i];
	}
	return NULL;
}

static int no_command(const char *name)
{
	const struct command *nearest = NULL;
	size_t least = 3;

	for (size_t i = 0; i < COMMANDS; i++) {
		size_t far = distance(name, commands[i].name);

		if (far < least && far < strlen(commands[i].name)) {
			nearest = &commands[i];
			least = far;
		}
	}
	fprintf(stderr, "pathfdo: no command '%s'", name);
	if (nearest)
		fprintf(stderr, "; did you mean '%s'?", nearest->name);
	fprintf(stderr, "\n`pathfdo --help` lists the commands.\n");
	return PF_EXIT_USAGE;
}

/* Shows the manual page of COMMAND (NULL: the whole) if it is installed, or built; else what --help prints. */
static int show_page(const struct command *command)
{
	static const char *const suffixes[] = { "", ".gz" }; /* as Debian's packages have it */
	char page[64], path[PATH_MAX];

	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		snprintf(page, sizeof page, "pathfdo%s%s.1%s", command ? "-" : "", command ? command->name : "",
			 suffixes[i]);
		if (pf_installed_find_page(page, path)) {
			fflush(stdout);
			execlp("man", "man", path, (char *)NULL);
		}
	}
	if (command) {
		char *arguments[] = { NULL, (char *)"--help", NULL };

		return run(command, 2, arguments);
	}
	usage(stdout);
	return 0;
}

static int help_on(const char *name)
{
	const struct command *command = name ? find(name) : NULL;

	return name && !command ? no_command(name) : show_page(command);
}

static int work(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	const struct command *command = find(name);

	if (command)
		return pf_cli_finish(run(command, argc - 1, argv + 1));
	if (strcmp(name, "--version") == 0) {
		printf("pathfdo %s\n", PF_VERSION);
		return pf_cli_finish(0);
	}
	if (strcmp(name, "help") == 0)
		return pf_cli_finish(help_on(argc > 2 ? argv[2] : NULL));
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
		usage(stdout);
		return pf_cli_finish(0);
	}
	if (*name)
		return no_command(name);
	usage(stderr);
	return PF_EXIT_USAGE;
}

int main(int argc, char **argv)
{
	return pf_ownstack_run(work, argc, argv);
}
