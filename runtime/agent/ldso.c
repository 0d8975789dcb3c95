/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See ldso.h.  Bundles and package managers start their programs by a loader of their own, and ldd lists by one what
 * a program needs.  The hard case: to the kernel the loader is a static program, so that only its command line tells
 * the two apart, which is read here as rtld.c of glibc reads it. */
#include "runtime/agent/ldso.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>

static bool is_same(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

/* Does OPTION have a value behind it? */
static bool has_value(const char *option)
{
	static const char *const names[] = { "--library-path",         "--inhibit-rpath",     "--audit", "--preload",
					     "--glibc-hwcaps-prepend", "--glibc-hwcaps-mask", "--argv0" };

	for (unsigned int i = 0; i < sizeof names / sizeof names[0]; i++)
		if (is_same(option, names[i]))
			return true;
	return false;
}

static struct pf_ldso_task read_task(char *const arguments[])
{
	struct pf_ldso_task task = { NULL, NULL };
	char *const *at = arguments[0] ? arguments + 1 : arguments;

	for (; *at && at[0][0] == '-' && at[0][1] == '-'; at++) {
		if (is_same(*at, "--inhibit-cache"))
			continue;
		/* The others list something, or are mistakes. */
		if (!has_value(*at) || !at[1])
			return task;
		if (is_same(*at, "--preload"))
			task.preload = at[1];
		at++;
	}
	task.program = *at;
	return task;
}

static bool is_path(const char *name)
{
	for (; *name; name++)
		if (*name == '/')
			return true;
	return false;
}

enum pf_loadable pf_ldso_follow(enum pf_loadable what, char *const arguments[], struct pf_ldso_task *task)
{
	*task = (struct pf_ldso_task) { NULL, NULL };
	if (what != PF_LOADABLE_LOADER)
		return what;
	if (!arguments)
		return PF_LOADABLE_UNREADABLE;
	*task = read_task(arguments);
	if (!task->program)
		return PF_LOADABLE_LOADER;
	return is_path(task->program) ? pf_loadable(AT_FDCWD, task->program, 0) : PF_LOADABLE_UNREADABLE;
}
