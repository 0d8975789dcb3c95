/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See selection.h.  A process is looked at from outside alone.  The hard cases: a program that has been replaced on
 * disk since it was started, which only the kernel's link still leads to; and a filter of system calls, of which only
 * one thing can be known, that there are no more of them than over the recorder itself. */
#include "runtime/selection.h"

#include "runtime/agent/loadable.h"
#include "runtime/bundled.h"
#include "runtime/inject.h"
#include "runtime/procfs.h"
#include "support/array.h"
#include "support/filename.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CURE "record it with --source=clock"
#define CGROUPS "/sys/fs/cgroup"

struct list {
	PF_ARRAY(pid_t) pids;
};

static bool add(struct list *list, pid_t pid)
{
	pid_t *place = pf_array_push(&list->pids);

	if (place)
		*place = pid;
	return place != NULL;
}

void pf_selection_program(pid_t pid, char path[PATH_MAX])
{
	char link[64];
	ssize_t length;

	snprintf(link, sizeof link, "/proc/%d/exe", pid);
	length = readlink(link, path, PATH_MAX - 1);
	if (length < 0 && errno == ENOENT) {
		snprintf(link, sizeof link, "/proc/%d/task/%d/exe", pid, pf_procfs_witness(pid));
		length = readlink(link, path, PATH_MAX - 1);
	}
	path[length > 0 ? length : 0] = 0;
	if (*path)
		pf_bundled_program(pid, path);
	path[pf_filename_length(path)] = 0;
}

static int find_pids(struct list *list, const char *text, struct pf_error *error)
{
	for (;;) {
		char *end;
		long pid = strtol(text, &end, 10);

		if (*text < '0' || *text > '9' || (*end && *end != ',') || pid <= 0 || pid > INT_MAX)
			return pf_fail(error, PF_EINVAL,
				       "-p '%s': give the numbers of processes, with commas between them", text);
		if (kill((pid_t)pid, 0) != 0 && errno == ESRCH)
			pf_fail(error, PF_ENOTFOUND, "%ld: there is no such process", pid);
		else if (!add(list, (pid_t)pid))
			return pf_fail(error, PF_ENOMEM, "out of memory");
		if (!*end)
			return list->pids.count ? PF_OK : PF_ENOTFOUND;
		text = end + 1;
	}
}

size_t pf_selection_missing(const struct pf_selection *selection, pid_t *first)
{
	const char *text = selection->pids;
	size_t count = 0;

	while (text) {
		long pid = strtol(text, NULL, 10);

		if (pid > 0 && pid <= INT_MAX && kill((pid_t)pid, 0) != 0 && errno == ESRCH && count++ == 0)
			*first = (pid_t)pid;
		text = strchr(text, ',');
		text = text ? text + 1 : NULL;
	}
	return count;
}

/* Is NAME one of NAMES, which have commas between them? */
static bool is_among(const char *names, const char *name)
{
	size_t length = strlen(name);

	while (*names) {
		size_t each = strcspn(names, ",");

		if (each == length && length && memcmp(names, name, length) == 0)
			return true;
		names += each + (names[each] == ',');
	}
	return false;
}

static bool is_named(pid_t pid, const char *names)
{
	char path[PATH_MAX], name[64];
	ssize_t size = pf_procfs_read(pid, 0, "comm", name, sizeof name);
	const char *base;

	if (size <= 0)
		return false;
	name[strcspn(name, "\n")] = 0;
	if (is_among(names, name))
		return true;
	pf_selection_program(pid, path);
	base = strrchr(path, '/');
	return base && is_among(names, base + 1);
}

static int find_names(struct list *list, const char *names, struct pf_error *error)
{
	pid_t *all;
	size_t count = pf_procfs_processes(&all), i;

	for (i = 0; i < count; i++) {
		if (all[i] != getpid() && is_named(all[i], names) && !add(list, all[i]))
			break;
	}
	free(all);
	if (i < count)
		return pf_fail(error, PF_ENOMEM, "out of memory");
	return list->pids.count ? PF_OK : pf_fail(error, PF_ENOTFOUND, "%s: no process of that name runs", names);
}

/* nftw has no argument for its caller. */
static __thread struct list *group;

static int add_group(const char *path, const struct stat *st, int type, struct FTW *where)
{
	char file[PATH_MAX];
	int pid, result = 0;
	FILE *procs;

	(void)st;
	(void)where;
	if (type != FTW_D || snprintf(file, sizeof file, "%s/cgroup.procs", path) >= (int)sizeof file)
		return 0;
	procs = fopen(file, "re");
	while (procs && result == 0 && fscanf(procs, "%d", &pid) == 1) {
		if (pid > 0 && pid != getpid() && !add(group, pid))
			result = 1;
	}
	if (procs)
		fclose(procs);
	return result;
}

static int find_group(struct list *list, const char *name, struct pf_error *error)
{
	static const char folder[] = CGROUPS "/";
	char path[PATH_MAX];
	bool whole = strncmp(name, folder, sizeof folder - 1) == 0;

	if (snprintf(path, sizeof path, "%s%s", whole ? "" : folder, name + (whole ? 0 : strspn(name, "/"))) >=
		(int)sizeof path ||
	    access(path, F_OK) != 0)
		return pf_fail(error, PF_EINVAL, "%s: there is no such control group in " CGROUPS ": %s", name,
			       strerror(errno));
	group = list;
	if (nftw(path, add_group, 16, FTW_PHYS) != 0)
		return pf_fail(error, PF_ENOMEM, "out of memory");
	return list->pids.count ? PF_OK : pf_fail(error, PF_ENOTFOUND, "%s: no process is in that control group", name);
}

static int compare(const void *a, const void *b)
{
	return *(const pid_t *)a < *(const pid_t *)b ? -1 : *(const pid_t *)a > *(const pid_t *)b;
}

int pf_selection_find(const struct pf_selection *selection, pid_t **found, size_t *count, struct pf_error *error)
{
	struct list list = { 0 };
	size_t kept = 0;
	int status;

	if (selection->pids)
		status = find_pids(&list, selection->pids, error);
	else if (selection->names)
		status = find_names(&list, selection->names, error);
	else
		status = find_group(&list, selection->cgroup, error);
	pf_array_sort(&list.pids, compare);
	for (size_t i = 0; i < list.pids.count; i++) {
		if (i == 0 || list.pids.at[i] != list.pids.at[i - 1])
			list.pids.at[kept++] = list.pids.at[i];
	}
	*found = list.pids.at;
	*count = kept;
	if (status < 0) {
		free(list.pids.at);
		*found = NULL;
		*count = 0;
	}
	return status;
}

/* Why the file that the process runs is none for the recorder; NULL where it is. */
static const char *hindrance(pid_t pid)
{
	static const char *const hindrances[PF_LOADABLE_COUNT] = {
		[PF_LOADABLE_STATIC] = "it is statically linked, which the software recorder does not follow",
		[PF_LOADABLE_OTHER_ARCH] = "it is no 64-bit x86 program",
		[PF_LOADABLE_OTHER_LIBC] = "its C library is not glibc (musl?)",
	};
	enum pf_loadable what;
	char path[64];
	int fd;

	snprintf(path, sizeof path, "/proc/%d/exe", pid);
	fd = pf_loadable_open(AT_FDCWD, path, 0, &what);
	if (fd >= 0)
		close(fd);
	return hindrances[what];
}

/* Does a signalfd of the process ask for the recorder's signal? */
static bool reads_signal(pid_t pid)
{
	char path[64], name[64], text[1024];
	struct dirent *entry;
	bool reads = false;
	DIR *folder;

	snprintf(path, sizeof path, "/proc/%d/fdinfo", pid);
	folder = opendir(path);
	while (folder && !reads && (entry = readdir(folder))) {
		const char *mask;

		snprintf(name, sizeof name, "fdinfo/%.20s", entry->d_name);
		if (*entry->d_name != '.' && pf_procfs_read(pid, 0, name, text, sizeof text) > 0 &&
		    (mask = strstr(text, "sigmask:\t")))
			reads = strtoull(mask + 9, NULL, 16) & PF_INJECT_SIGNAL_BIT;
	}
	if (folder)
		closedir(folder);
	return reads;
}

static const char *objection(pid_t pid, const struct pf_proc_status *status, bool heir)
{
	struct pf_proc_status own;

	if (status->state == 'Z' || status->state == 'X')
		return "its first thread has ended, without which it is not told what it has mapped; " CURE;
	if (pid == getpid())
		return "it is this recorder itself";
	if (!pf_procfs_status(getpid(), 0, &own) || status->seccomp != own.seccomp || status->filters > own.filters)
		return "a system-call filter (seccomp) is in force, under which the recorder's calls could end "
		       "it; " CURE ", or run pathfdo in its container";
	if (status->shadow_stack)
		return "it runs with a CET shadow stack (start it with GLIBC_TUNABLES=glibc.cpu.x86_shstk=off); " CURE;
	if (!heir && status->caught & PF_INJECT_SIGNAL_BIT)
		return "it handles the recorder's signal, SIGRTMAX-3, itself, as Go programs do, or is being "
		       "recorded; " CURE;
	if (status->pending & PF_INJECT_SIGNAL_BIT || reads_signal(pid))
		return "it uses the recorder's signal, SIGRTMAX-3, itself; " CURE;
	return NULL;
}

static int look_at(pid_t pid, const struct pf_proc_status *status, bool heir, struct pf_error *error)
{
	const char *why = NULL;
	char path[PATH_MAX];

	pf_selection_program(pid, path);
	if (!*path && status->state != 'Z')
		return pf_fail(error, PF_EUNSUPPORTED,
			       "%d (%s): it may not be looked at, or is a part of the kernel; be its user, or root",
			       pid, status->name);
	if (status->tracer && status->tracer != getpid()) /* ours is of an earlier recording: see pf_tracee_sweep */
		return pf_fail(error, PF_EUNSUPPORTED,
			       "%d (%s): process %d traces it already (a debugger, strace); end that first", pid,
			       status->name, status->tracer);
	why = objection(pid, status, heir);
	if (why)
		return pf_fail(error, PF_EUNSUPPORTED, "%d (%s): %s", pid, status->name, why);
	why = hindrance(pid);
	return why ? pf_fail(error, PF_EUNSUPPORTED, "%d (%s): %s; " CURE, pid, status->name, why) : PF_OK;
}

/* Whatever is found wrong with a process while it ends is nothing but that. */
int pf_selection_fits(pid_t pid, bool heir, struct pf_error *error)
{
	struct pf_proc_status status;
	int fits;

	if (!pf_procfs_status(pid, 0, &status))
		return pf_fail(error, PF_ENOTFOUND, "%d: the process has ended", pid);
	fits = look_at(pid, &status, heir, error);
	if (pf_procfs_is_ending(pid, pf_procfs_witness(pid)))
		return pf_fail(error, PF_ENOTFOUND, "%d (%s): it has ended; its parent has not noticed yet", pid,
			       status.name);
	return fits;
}
