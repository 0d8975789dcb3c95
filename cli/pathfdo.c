/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `pathfdo`: finds the subcommand and hands over.  Everything of substance is in the command's own file. */
#include "cli/commands.h"
#include "support/version.h"

#include <stdio.h>
#include <string.h>

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
};

static const struct command commands[] = {
	{ "record", pf_cmd_record, "run a program and record its branch vectors" },
	{ "convert", pf_cmd_convert, "turn recordings into a profile by source position" },
	{ "cflags", pf_cmd_cflags, "print the compile flags that use a profile" },
	{ "compare", pf_cmd_compare, "build, run and measure a program with each kind of profile" },
	{ "show", pf_cmd_show, "print a profile as text, or make one from text" },
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
	fprintf(to, "\n`pathfdo COMMAND --help` tells a command's options.\n");
}

static int run(const struct command *command, int argc, char **argv)
{
	char name[32];

	snprintf(name, sizeof name, "pathfdo %s", command->name);
	return pf_cli_run(name, command->run, argc, argv);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	for (size_t i = 0; i < COMMANDS; i++) {
		if (strcmp(name, commands[i].name) == 0)
			return pf_cli_finish(run(&commands[i], argc - 1, argv + 1));
	}
	if (strcmp(name, "--version") == 0) {
		printf("pathfdo %s\n", PF_VERSION);
		return pf_cli_finish(0);
	}
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
		usage(stdout);
		return pf_cli_finish(0);
	}
	if (*name)
		fprintf(stderr, "pathfdo: no command '%s'\n", name);
	usage(stderr);
	return PF_EXIT_USAGE;
}
