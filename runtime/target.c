/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See target.h.  Hard case: what cannot be read is taken as preloadable: execution does not need read permission, and
 * the recorder notices afterwards that nothing came. */
#include "runtime/target.h"

#include "runtime/agent/ldso.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* Looks through PATH.  True when TARGET->path is the program; *SEEN tells that a file of the name was there. */
static bool search_path(struct pf_target *target, const char *command, bool *seen)
{
	const char *at = getenv("PATH");

	at = at ? at : "/bin:/usr/bin";
	for (;;) {
		size_t length = strcspn(at, ":");
		const char *folder = length ? at : ".";
		int size =
		    snprintf(target->path, sizeof target->path, "%.*s/%s", (int)(length ? length : 1), folder, command);

		if (size > 0 && (size_t)size < sizeof target->path) {
			if (is_program(target->path))
				return true;
			*seen |= access(target->path, F_OK) == 0;
		}
		if (!at[length])
			return false;
		at += length + 1;
	}
}

int pf_target_find(struct pf_target *target, const char *command, struct pf_error *error)
{
	bool seen = false, found;

	target->pid = 0;
	if (!*command)
		return pf_fail(error, PF_ENOTFOUND, "the name of the program to record is empty");
	if (strchr(command, '/')) {
		if (strlen(command) >= sizeof target->path)
			return pf_fail(error, PF_ENOTFOUND, "%s: the path is too long", command);
		strcpy(target->path, command);
		found = is_program(command);
		if (!found && access(command, F_OK) != 0)
			return pf_fail(error, errno == ENOENT || errno == ENOTDIR ? PF_ENOTFOUND : PF_EIO,
				       "%s: cannot run it: %s", command, strerror(errno));
		seen = true;
	} else {
		found = search_path(target, command, &seen);
	}
	if (found)
		return PF_OK;
	if (seen)
		return pf_fail(error, PF_EIO, "%s: cannot run it: it is not an executable file", command);
	if (access(command, F_OK) == 0)
		return pf_fail(error, PF_ENOTFOUND, "%s: no such program in PATH; %s", command,
			       is_program(command) ? "one in this folder is run with ./ before its name"
						   : "it is a file here: the recording's name goes behind -o");
	return pf_fail(error, PF_ENOTFOUND, "%s: no such program in PATH", command);
}

void pf_target_program(const struct pf_target *target, char *const argv[], struct pf_target *program)
{
	struct pf_ldso_task task;

	*program = *target;
	pf_ldso_follow(pf_loadable(AT_FDCWD, target->path, 0), argv, &task);
	if (task.program)
		snprintf(program->path, sizeof program->path, "%s", task.program);
}

#define CURE "record it with --source=clock"

/* Why nothing can be preloaded into a program, as what is said behind its name; NULL where something can. */
static const char *hindrance(enum pf_loadable what)
{
	static const char *const hindrances[PF_LOADABLE_COUNT] = {
		[PF_LOADABLE_STATIC] = "it is statically linked, so that the recorder library cannot be loaded into it",
		[PF_LOADABLE_OTHER_ARCH] =
		    "it is a program for another architecture than 64-bit x86, into which the recorder "
		    "library cannot be loaded",
		[PF_LOADABLE_OTHER_LIBC] =
		    "its dynamic loader is not glibc's (musl?), and would not start it with the recorder "
		    "library",
		[PF_LOADABLE_SANITIZER] =
		    "it is linked with a sanitizer's library, which must be the first to be loaded and "
		    "would not start it with the recorder library",
		[PF_LOADABLE_LOADER] = "it is the dynamic loader, and its arguments name no program that it would run",
	};

	return hindrances[what];
}

static int check_privilege(int fd, const char *path, struct pf_error *error)
{
	struct stat st;
	const char *why = NULL;

	if (fstat(fd, &st) != 0)
		return PF_OK;
	if ((st.st_mode & S_ISUID) && st.st_uid != geteuid())
		why = "set-user-id";
	else if ((st.st_mode & S_ISGID) && st.st_gid != getegid())
		why = "set-group-id";
	else if (geteuid() != 0 && fgetxattr(fd, "security.capability", NULL, 0) > 0)
		why = "given file capabilities";
	if (!why)
		return PF_OK;
	return pf_fail(error, PF_EUNSUPPORTED,
		       "%s: it is %s, and the dynamic loader ignores preloaded libraries there; " CURE, path, why);
}

int pf_target_preloadable(const struct pf_target *target, char *const argv[], struct pf_error *error)
{
	const char *program = target->path;
	struct pf_ldso_task task;
	enum pf_loadable what;
	int status = PF_OK, fd = pf_loadable_open(AT_FDCWD, program, 0, &what);

	what = pf_ldso_follow(what, argv, &task);
	if (task.program)
		program = task.program;
	if (hindrance(what))
		status = pf_fail(error, PF_EUNSUPPORTED, "%s: %s; " CURE, program, hindrance(what));
	else if (fd >= 0)
		status = check_privilege(fd, program, error);
	if (fd >= 0)
		close(fd);
	return status;
}
