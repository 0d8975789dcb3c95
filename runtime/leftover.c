/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See leftover.h.  Hard case: the parent is a folder that others write to as well, so a name proves nothing; a folder
 * is opened without following links, and only then asked whose it is, how old, and whether somebody holds its lock.  A
 * recorder that has made its folder and not yet locked it is why a young one is left alone. */
#include "runtime/leftover.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LEAST_AGE 60 /* seconds */

int pf_leftover_lock(const char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st;
	(void)type;
	(void)where;
	remove(path);
	return 0;
}

/* The new name is the shorter one.  A folder of that name is replaced only if it is empty. */
void pf_leftover_keep(char *folder)
{
	size_t parent = strlen(folder) - strlen(PF_LEFTOVER_TEMPLATE);
	char kept[4096];

	snprintf(kept, sizeof kept, "%.*s%.*s%s", (int)parent, folder, (int)strcspn(PF_LEFTOVER_KEPT, "X"),
		 PF_LEFTOVER_KEPT, folder + parent + strcspn(PF_LEFTOVER_TEMPLATE, "X"));
	if (rename(folder, kept) == 0)
		strcpy(folder, kept);
}

void pf_leftover_remove_tree(const char *folder)
{
	nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

static int is_ours(const struct dirent *entry)
{
	static const char template[] = PF_LEFTOVER_TEMPLATE;

	return strlen(entry->d_name) == sizeof template - 1 &&
	       strncmp(entry->d_name, template, strcspn(template, "X")) == 0;
}

static void remove_if_dead(const char *path)
{
	struct stat st;
	int fd = pf_leftover_lock(path);

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && time(NULL) - st.st_mtime >= LEAST_AGE)
		pf_leftover_remove_tree(path);
	close(fd);
}

void pf_leftover_remove(const char *parent)
{
	char path[4096];
	struct dirent **entries;
	int count = scandir(parent, &entries, is_ours, NULL);

	for (int i = 0; i < count; i++) {
		if (snprintf(path, sizeof path, "%s/%s", parent, entries[i]->d_name) < (int)sizeof path)
			remove_if_dead(path);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}
