/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `pathfdo cflags`: the compile flags that use a profile, for CFLAGS="-O2 -g $(pathfdo cflags app.pfdo)".  Hard case:
 * a compiler that would refuse the plugin, in the midst of a long build; so the compiler is made to load it here. */
#include "cli/commands.h"
#include "profile/pfdo.h"
#include "support/installed.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLUGIN "pathfdo.so"

extern char **environ;

struct options {
	const char *profile, *compiler, *plugin, *report;
};

static const char help[] =
    "usage: pathfdo cflags [OPTION]... FILE.pfdo\n"
    "\n"
    "Prints the flags with which GCC compiles for a profile, after it has checked that the compiler takes them:\n"
    "    gcc -O2 -g $(pathfdo cflags app.pfdo) -c app.c\n"
    "\n"
    "      --cc CC           the compiler to check; default: $CC, else gcc\n"
    "      --plugin FILE     the plugin; default: the one that belongs to this command\n"
    "      --report FILE     have each compile append to FILE what became of each function\n"
    "  -h, --help            this text\n";

static int failure(const char *text)
{
	fprintf(stderr, "pathfdo cflags: %s\n", text);
	return PF_EXIT_FAILURE;
}

/* Compiles an empty file with FLAGS; what the compiler says goes to standard error.  COMPILER may hold options. */
static bool compiler_takes(const char *compiler, const char *flags)
{
	static const char script[] = "$0 $1 -O1 -fsyntax-only -x c /dev/null";
	char command[sizeof script + 16];
	char *arguments[] = { (char *)"sh", (char *)"-c", command, (char *)compiler, (char *)flags, NULL };
	int status;
	pid_t child;

	memcpy(command, script, sizeof script);
	if (posix_spawnp(&child, "sh", NULL, NULL, arguments, environ) != 0 || waitpid(child, &status, 0) != child)
		return false;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Flags are split at blanks and interpreted by make and the shell, and no quoting survives both. */
static bool is_special(const char *path)
{
	return strpbrk(path, " \t\n\"'`\\$&|;<>(){}[]*?!#") != NULL;
}

/* PATH from the root, since compiles run in other folders; the file need not be there.  False if it is too long. */
static bool make_absolute(const char *path, char absolute[PATH_MAX])
{
	char folder[PATH_MAX] = "";

	if (*path != '/' && !getcwd(folder, sizeof folder))
		return false;
	return snprintf(absolute, PATH_MAX, "%s%s%s", folder, *folder ? "/" : "", path) < PATH_MAX;
}

/* Opens the profile for its *HASH. */
static int check_profile(const char *path, uint32_t *hash)
{
	struct pf_error error;
	struct pf_pfdo *file;

	if (pf_pfdo_open(path, &file, &error) != PF_OK)
		return failure(error.text);
	uint64_t maximum = pf_pfdo_summary(file)->maximum;
	*hash = pf_pfdo_hash(file);
	pf_pfdo_close(file);
	if (maximum == 0) {
		fprintf(stderr, "pathfdo cflags: %s: the profile holds no counts; record a run that does its work\n",
			path);
		return PF_EXIT_FAILURE;
	}
	return 0;
}

/* What the first word of COMMAND is, of which a user may have written more; false if it is no command here. */
static bool is_there(const char *command)
{
	static const char script[] = "command -v ${0%% *} >/dev/null";
	char *arguments[] = { (char *)"sh", (char *)"-c", (char *)script, (char *)command, NULL };
	int status;
	pid_t child;

	return posix_spawnp(&child, "sh", NULL, NULL, arguments, environ) == 0 && waitpid(child, &status, 0) == child &&
	       WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* The first line that COMMAND --version prints. */
static const char *version_of(const char *command, char line[256])
{
	char shell[1024];
	FILE *said;

	*line = '\0';
	if (snprintf(shell, sizeof shell, "%s --version 2>/dev/null", command) >= (int)sizeof shell)
		return line;
	said = popen(shell, "r");
	if (said && !fgets(line, 256, said))
		*line = '\0';
	if (said)
		pclose(said);
	line[strcspn(line, "\n")] = '\0';
	return line;
}

/* clang loads the plugin without a word, and nothing comes of it. */
static bool is_gcc(const char *compiler)
{
	char line[256];

	return is_there(compiler) && !strstr(version_of(compiler, line), "clang");
}

/* Why COMPILER does not take the plugin; what it said itself has been printed. */
static int refuse(const char *compiler, const char *plugin)
{
	char line[256];
	const char *version;

	if (!is_there(compiler)) {
		fprintf(stderr, "pathfdo cflags: there is no '%.*s'; name the compiler with --cc, or install it\n",
			(int)strcspn(compiler, " "), compiler);
		return PF_EXIT_FAILURE;
	}
	version = version_of(compiler, line);
	if (strstr(version, "clang"))
		fprintf(stderr,
			"pathfdo cflags: '%s' is clang (%s), which takes no plugin of GCC: use GCC, or `pathfdo "
			"export` for "
			"the profile that clang's -fprofile-sample-use takes\n",
			compiler, version);
	else
		fprintf(stderr,
			"pathfdo cflags: '%s' (%s) does not take the plugin %s; name the compiler that it was built "
			"for with "
			"--cc, or install this one's plugin headers and build pathfdo again\n",
			compiler, *version ? version : "which prints no version", plugin);
	return PF_EXIT_FAILURE;
}

static int print_flags(const struct options *o, const char *profile, uint32_t hash, const char *plugin)
{
	char flags[PATH_MAX * 4], report[PATH_MAX];
	int length = snprintf(flags, sizeof flags,
			      "-fplugin=%s -fplugin-arg-pathfdo-profile=%s -fplugin-arg-pathfdo-hash=%08" PRIx32,
			      plugin, profile, hash);

	if (o->report && !make_absolute(o->report, report))
		return failure("the path of the report is too long; give a shorter one");
	if (o->report)
		snprintf(flags + length, sizeof flags - (size_t)length, " -fplugin-arg-pathfdo-report=%s", report);
	const char *special = is_special(plugin) ? plugin : is_special(profile) ? profile : NULL;

	if (!special && o->report && is_special(report))
		special = report;
	if (special) {
		fprintf(
		    stderr,
		    "pathfdo cflags: '%s' has blanks, quotes or other characters of the shell in it, which flags in "
		    "CFLAGS cannot have; move it, or give it a link without them\n",
		    special);
		return PF_EXIT_FAILURE;
	}
	if (!is_gcc(o->compiler) || !compiler_takes(o->compiler, flags))
		return refuse(o->compiler, plugin);
	printf("%s\n", flags);
	return 0;
}

static int run(const struct options *o)
{
	char profile[PATH_MAX], plugin[PATH_MAX];
	uint32_t hash;
	int status = check_profile(o->profile, &hash);

	if (status != 0)
		return status;
	/* A link may be there for the very sake of a path without blanks. */
	if (!realpath(o->profile, profile) || (is_special(profile) && !make_absolute(o->profile, profile))) {
		fprintf(stderr, "pathfdo cflags: %s: %s\n", o->profile, strerror(errno));
		return PF_EXIT_FAILURE;
	}
	if (o->plugin) {
		if (!realpath(o->plugin, plugin)) {
			fprintf(stderr, "pathfdo cflags: the plugin %s: %s\n", o->plugin, strerror(errno));
			return PF_EXIT_FAILURE;
		}
	} else if (!pf_installed_find(PLUGIN, plugin)) {
		return failure(PLUGIN
			       " is neither beside the pathfdo executable nor in ../lib/pathfdo from there; build "
			       "it with 'make', or name it with --plugin");
	}
	return print_flags(o, profile, hash, plugin);
}

int pf_cmd_cflags(int argc, char **argv)
{
	static const struct option longs[] = { { "cc", required_argument, NULL, 'c' },
					       { "plugin", required_argument, NULL, 'p' },
					       { "report", required_argument, NULL, 'r' },
					       { "help", no_argument, NULL, 'h' },
					       { NULL, 0, NULL, 0 } };
	const char *cc = getenv("CC");
	struct options o = { .compiler = cc && *cc ? cc : "gcc" };
	int c;

	while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		switch (c) {
		case 'c':
			o.compiler = optarg;
			break;
		case 'p':
			o.plugin = optarg;
			break;
		case 'r':
			o.report = optarg;
			break;
		case 'h':
			fputs(help, stdout);
			return 0;
		default:
			fprintf(stderr, "`pathfdo cflags --help` tells the options.\n");
			return PF_EXIT_USAGE;
		}
	}
	if (optind + 1 != argc || strcmp(argv[optind], "-") == 0) {
		fprintf(stderr,
			"pathfdo cflags: name one profile, by its file\n`pathfdo cflags --help` tells the options.\n");
		return PF_EXIT_USAGE;
	}
	o.profile = argv[optind];
	return run(&o);
}
