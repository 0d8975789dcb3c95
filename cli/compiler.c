/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asking a compiler.  Hard case: a user names it with a wrapper and options, so the shell splits the command; but flags
 * have paths with blanks in them, so each of those stays one argument. */
#include "cli/compiler.h"
#include "support/childwait.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

const char *pf_compiler_command(const char *name, char space[static 32])
{
	size_t digits = strspn(name, "0123456789");

	if (digits == 0 || digits > 4 || name[digits] != '\0')
		return name;
	snprintf(space, 32, "gcc-%s", name);
	return space;
}

/* Runs SCRIPT of the shell, in which $0 is COMMAND and "$@" are ARGUMENTS; true if it succeeds. */
static bool shell(const char *script, const char *command, const char *const *arguments, size_t count)
{
	char **argv = calloc(count + 5, sizeof *argv);
	struct pf_childwait wait;
	int status = -1;
	pid_t child;

	if (!argv)
		return false;
	argv[0] = (char *)"sh";
	argv[1] = (char *)"-c";
	argv[2] = (char *)script;
	argv[3] = (char *)command;
	for (size_t i = 0; i < count; i++)
		argv[4 + i] = (char *)arguments[i];
	pf_childwait_begin(&wait);
	bool ran = posix_spawnp(&child, "sh", NULL, NULL, argv, environ) == 0 && waitpid(child, &status, 0) == child;
	pf_childwait_end(&wait);
	free(argv);
	return ran && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

const char *pf_compiler_version(const char *command, char line[static 256])
{
	char script[1024];
	FILE *said;

	*line = '\0';
	if (snprintf(script, sizeof script, "%s --version 2>/dev/null", command) >= (int)sizeof script)
		return line;
	said = popen(script, "r");
	if (said && !fgets(line, 256, said))
		*line = '\0';
	if (said)
		pclose(said);
	line[strcspn(line, "\n")] = '\0';
	return line;
}

bool pf_compiler_takes(const char *command, const char *const *flags, size_t count)
{
	return shell("$0 \"$@\" -O1 -fsyntax-only -x c /dev/null", command, flags, count);
}

bool pf_compiler_is_clang(const char *command)
{
	char line[256];

	return strstr(pf_compiler_version(command, line), "clang") != NULL;
}

bool pf_compiler_is_unfit(const char *command)
{
	char line[256];

	if (!shell("command -v \"${0%% *}\" >/dev/null", command, NULL, 0)) {
		fprintf(stderr, "pathfdo cflags: there is no '%.*s'; name the compiler with --cc, or install it\n",
			(int)strcspn(command, " "), command);
		return true;
	}
	if (!strstr(pf_compiler_version(command, line), "clang")) {
		/* What it says of this itself is of flags that nobody gave it. */
		if (shell("$0 -fsyntax-only -x c /dev/null >/dev/null 2>&1", command, NULL, 0))
			return false;
		fprintf(stderr,
			"pathfdo cflags: '%s' (%s) does not compile C; if it is a cache or another wrapper, name the "
			"compiler "
			"behind it, too: --cc=\"%s gcc\"\n",
			command, *line ? line : "which prints no version", command);
		return true;
	}
	fprintf(
	    stderr,
	    "pathfdo cflags: '%s' is clang (%s), which takes no plugin of GCC: use GCC, or `pathfdo export` for the "
	    "profile that clang's -fprofile-sample-use takes\n",
	    command, line);
	return true;
}
