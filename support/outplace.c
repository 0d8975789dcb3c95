/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See outplace.h.  Links are followed by their text, as the kernel does to create a file by one that leads nowhere.  It
 * is choosy about whose links it follows in folders that all write to; so it is asked first.  The hard case is a check
 * that changes nothing: no call says whether a rename would be permitted without making it, so the kernel's rules are
 * gone through.  The one of them that depends on what the process may, it tells of a flag for open: O_NOATIME is for
 * who could also replace another's file in a folder with the sticky bit. */
#include "support/outplace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_LINKS 40
#ifndef STATX_ATTR_MOUNT_ROOT
#define STATX_ATTR_MOUNT_ROOT 0x2000 /* Linux 5.8 */
#endif

/* Where the last of the links is said to lead that begin with PATH; false if that cannot be told. */
static bool read_links(const char *path, char at[PATH_MAX])
{
	char target[PATH_MAX], next[PATH_MAX];

	if (snprintf(at, PATH_MAX, "%s", path) >= PATH_MAX)
		return false;
	for (int links = 0; links < MAX_LINKS; links++) {
		ssize_t size = readlink(at, target, sizeof target - 1);
		const char *slash = strrchr(at, '/');
		int folder;

		if (size <= 0)
			return true;
		target[size] = 0;
		folder = slash && *target != '/' ? (int)(slash + 1 - at) : 0;
		if (snprintf(next, sizeof next, "%.*s%s", folder, at, target) >= PATH_MAX)
			return false;
		strcpy(at, next);
	}
	return false;
}

char *pf_outplace_follow(const char *path)
{
	char target[PATH_MAX];
	struct stat there, same;
	bool found = stat(path, &there) == 0;

	if ((!found && errno != ENOENT) || !read_links(path, target))
		return strdup(path);
	/* What a link of /proc says may not be a name, or another file's by now. */
	if (found && (stat(target, &same) != 0 || there.st_dev != same.st_dev || there.st_ino != same.st_ino))
		return strdup(path);
	return strdup(target);
}

/* Whether this process may do with the file NAME what its owner may. */
static bool may_as_owner(const char *name)
{
	int fd = open(name, O_RDONLY | O_NOATIME | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0 || (errno != EPERM && errno != EACCES);
}

static bool is_others(const char *name, const struct statx *file, const struct statx *folder)
{
	return folder->stx_mode & S_ISVTX && file->stx_uid != geteuid() && folder->stx_uid != geteuid() &&
	       S_ISREG(file->stx_mode) && !may_as_owner(name);
}

/* Why nothing can take the place of FILE in FOLDER: an errno, or 0. */
static int find_reason(const struct statx *file, const struct statx *folder)
{
	if (folder->stx_attributes & (STATX_ATTR_APPEND | STATX_ATTR_IMMUTABLE) ||
	    file->stx_attributes & (STATX_ATTR_APPEND | STATX_ATTR_IMMUTABLE))
		return EPERM;
	return file->stx_attributes & STATX_ATTR_MOUNT_ROOT ? EBUSY : 0;
}

int pf_outplace_check(const char *name, struct pf_error *error)
{
	const char *slash = strrchr(name, '/');
	char path[PATH_MAX];
	struct statx file = { 0 }, folder;
	int why;

	snprintf(path, sizeof path, "%.*s", slash ? (int)(slash + 1 - name) : 1, slash ? name : ".");
	if (statx(AT_FDCWD, path, 0, STATX_BASIC_STATS, &folder) != 0)
		return PF_OK;
	if (statx(AT_FDCWD, name, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &file) == 0 &&
	    is_others(name, &file, &folder))
		return pf_fail(error, PF_EIO,
			       "%s: is another user's, whose files nobody else can replace in that folder; give "
			       "another name",
			       name);
	why = find_reason(&file, &folder);
	if (why == 0)
		return PF_OK;
	return pf_fail(error, PF_EIO, "%s: cannot be %s: %s; give another name", name,
		       file.stx_mask ? "replaced" : "put there", strerror(why));
}
