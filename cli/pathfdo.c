/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `pathfdo`: finds the subcommand and hands over.  Everything of substance is in the command's own file. */
#include "cli/commands.h"
#include "support/version.h"

#include <errno.h>
#include <signal.h>
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

/* With a handler a write beyond `ulimit -f` is an error as any other, and leaves no half of a file.  To ignore the
 * signal would do too, but a recorded program would inherit that. */
static void file_is_too_large(int signal)
{
	(void)signal;
}

/* Runs COMMAND under its full name, with which getopt begins its messages. */
static int run(const struct command *command, int argc, char **argv)
{
	char name[32];

	snprintf(name, sizeof name, "pathfdo %s", command->name);
	argv[0] = name;
	signal(SIGXFSZ, file_is_too_large);
	return command->run(argc, argv);
}

/* What was printed may not have arrived, help and version too. */
static int finish(int status)
{
	if (status == 0 && (fflush(stdout) != 0 || ferror(stdout))) {
		fprintf(stderr, "pathfdo: standard output: %s\n", strerror(errno));
		return PF_EXIT_FAILURE;
	}
	return status;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	for (size_t i = 0; i < COMMANDS; i++) {
		if (strcmp(name, commands[i].name) == 0)
			return finish(run(&commands[i], argc - 1, argv + 1));
	}
	if (strcmp(name, "--version") == 0) {
		printf("pathfdo %s\n", PF_VERSION);
		return finish(0);
	}
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
		usage(stdout);
		return finish(0);
	}
	if (*name)
		fprintf(stderr, "pathfdo: no command '%s'\n", name);
	usage(stderr);
	return PF_EXIT_USAGE;
}
