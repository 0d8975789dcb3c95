/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See soft.h.  Hard case: the agent writes through mapped memory, so a full file system would not be a failed write but
 * a SIGBUS inside the recorded program, which ends its recording; so the room is checked before anything runs.  And
 * ld.so splits LD_PRELOAD at blanks and colons, so a library whose path holds one is reached through a link in the
 * private folder.  When root records, others must be able to reach the file, but only those that the program started:
 * its path holds 64 random bits, in a folder that only root can list. */
#include "runtime/soft.h"

#include "runtime/keeper.h"
#include "runtime/leftover.h"
#include "support/childwait.h"
#include "support/installed.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <spawn.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

/* /dev/shm is used only where one process's files would take an eighth of what is free. */
#define MEMORY_SHARE 8
#define LEAST_ROOM (1u << 20) /* a file system that is full tells of some room that it does not give */
#define REMOVALS 5
#define SETTINGS 2 /* PATHFDO_DIR and LD_PRELOAD */
#define LOAD_RUNS 8
#define LOAD_PROGRAM "/bin/true"

int pf_soft_find_agent(char agent[PATH_MAX], struct pf_error *error)
{
	const char *asked = getenv("PATHFDO_RECORDER");

	if (asked && *asked) {
		if (pf_installed_is_file(asked) && realpath(asked, agent))
			return PF_OK;
		return pf_fail(
		    error, PF_ENOTFOUND,
		    "%s: the recorder library that PATHFDO_RECORDER names cannot be read; correct or unset it", asked);
	}
	if (pf_installed_find(PF_SOFT_AGENT, agent))
		return PF_OK;
	return pf_fail(error, PF_ENOTFOUND,
		       PF_SOFT_AGENT " is neither beside the pathfdo executable nor in ../lib/pathfdo from there; "
				     "build it with 'make', or set PATHFDO_RECORDER to its path");
}

/* Bytes free under PATH; UINT64_MAX if that cannot be told. */
static uint64_t room_in(const char *path)
{
	struct statvfs fs;

	return statvfs(path, &fs) == 0 ? (uint64_t)fs.f_bavail * fs.f_frsize : UINT64_MAX;
}

/* Can every user reach PATH, through all the folders that lead there, and read it if it is a file?  What does not exist
 * is nobody's: that is said elsewhere. */
static bool is_for_all(const char *path)
{
	char part[PATH_MAX];
	struct stat st;

	if (!realpath(path, part) || stat(part, &st) != 0)
		return true;
	if (!(st.st_mode & (S_ISDIR(st.st_mode) ? S_IXOTH : S_IROTH)))
		return false;
	for (char *slash = strrchr(part, '/'); slash && slash > part; slash = strrchr(part, '/')) {
		*slash = 0;
		if (stat(part, &st) != 0 || !(st.st_mode & S_IXOTH))
			return false;
	}
	return true;
}

/* Where the private folder is made.  Memory is best, since files on a disk cost their processes milliseconds; but
 * containers often have a small /dev/shm, and it is others' too. */
static const char *parent_folder(struct pf_soft *soft, uint64_t need)
{
	static const char memory[] = "/dev/shm";
	const char *asked = getenv("TMPDIR");
	struct statfs fs;

	if (asked && *asked == '/') {
		if (geteuid() != 0 || is_for_all(asked))
			return asked;
		snprintf(
		    soft->note, sizeof soft->note,
		    "TMPDIR %s is closed to other users, under whom the program may start others: another folder is "
		    "used",
		    asked);
	}
	if (statfs(memory, &fs) == 0 && fs.f_type == TMPFS_MAGIC && access(memory, W_OK) == 0 &&
	    room_in(memory) / MEMORY_SHARE >= need)
		return memory;
	return "/tmp";
}

static uint64_t random_bits(void)
{
	uint64_t bits = 0;

	return getrandom(&bits, sizeof bits, 0) == (ssize_t)sizeof bits ? bits : (uint64_t)getpid();
}

/* The folder in PARENT, and the one in it; for root others may pass through them, and that is all. */
static int make_folders(struct pf_soft *soft, const char *parent, struct pf_error *error)
{
	mode_t mode = geteuid() == 0 ? 0711 : 0700;

	if (snprintf(soft->folder, sizeof soft->folder, "%s/" PF_LEFTOVER_TEMPLATE, parent) >=
	    (int)sizeof soft->folder - 20) {
		soft->folder[0] = 0;
		return pf_fail(error, PF_EIO, "the path in TMPDIR is too long");
	}
	if (!mkdtemp(soft->folder)) {
		soft->folder[0] = 0;
		return pf_fail(error, PF_EIO,
			       "%s: cannot make a temporary folder there: %s; set TMPDIR to one that can be written to",
			       parent, strerror(errno));
	}
	soft->lock = pf_leftover_lock(soft->folder);
	if (snprintf(soft->inner, sizeof soft->inner, "%s/%016" PRIx64, soft->folder, random_bits()) >=
		(int)sizeof soft->inner ||
	    mkdir(soft->inner, 0700) != 0 || chmod(soft->inner, mode) != 0 || chmod(soft->folder, mode) != 0)
		return pf_fail(error, PF_EIO, "%s: cannot make a folder there: %s", soft->folder, strerror(errno));
	return PF_OK;
}

/* $PATHFDO_SEED makes runs repeatable. */
static uint64_t seed_of(void)
{
	const char *asked = getenv("PATHFDO_SEED");

	return asked && *asked ? strtoull(asked, NULL, 10) : random_bits();
}

static int make_file(struct pf_soft *soft, const struct pf_soft_options *options, struct pf_error *error)
{
	struct pf_keeper_settings settings = {
		.frequency = options->frequency,
		.branches = options->branches,
		.budget_ppm = options->budget_ppm,
		.recorder_pid = (uint32_t)getpid(),
		.limit = options->limit,
		.seed = seed_of(),
		.whole = options->whole,
		.memory = options->memory,
		.fixed = options->fixed,
		.values = options->values,
		.trigger = options->trigger,
		.for_all = geteuid() == 0,
	};
	uint64_t need = pf_keeper_room(options->branches, options->limit, options->values), room;
	const char *parent = parent_folder(soft, need);
	int status;

	pf_leftover_remove(parent);
	status = make_folders(soft, parent, error);
	if (status < 0)
		return status;
	room = room_in(soft->folder);
	if (room < need)
		return pf_fail(error, PF_EIO,
			       "%s: %" PRIu64 " MB are free there, the recording may need %" PRIu64
			       " MB for each process: set TMPDIR to a folder with more room, or give a smaller --limit",
			       parent, room >> 20, need >> 20);
	soft->file = pf_keeper_make(soft->inner, &settings, error);
	if (settings.for_all && *soft->agent && !is_for_all(soft->agent))
		snprintf(
		    soft->note, sizeof soft->note,
		    "%s cannot be read by other users: what the program starts under them is not recorded; install "
		    "pathfdo, or set PATHFDO_RECORDER to a copy that all can read",
		    soft->agent);
	return soft->file < 0 ? soft->file : PF_OK;
}

/* Fills soft->preload. */
static int name_library(struct pf_soft *soft, struct pf_error *error)
{
	if (!strpbrk(soft->agent, " :")) {
		strcpy(soft->preload, soft->agent);
		return PF_OK;
	}
	if (snprintf(soft->preload, PATH_MAX, "%s/%s", soft->folder, PF_SOFT_AGENT) >= PATH_MAX ||
	    strpbrk(soft->preload, " :") || symlink(soft->agent, soft->preload) != 0)
		return pf_fail(
		    error, PF_EIO,
		    "%s: the dynamic loader cannot preload from a path with blanks or colons; set TMPDIR to a folder "
		    "without them",
		    soft->agent);
	return PF_OK;
}

/* Is ENTRY, "NAME=value", one that we set ourselves? */
static bool is_replaced(const char *entry)
{
	static const char *const names[] = { "PATHFDO_DIR=", "PATHFDO_SEED=", "LD_PRELOAD=" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (strncmp(entry, names[i], strlen(names[i])) == 0)
			return true;
	}
	return false;
}

/* Appends a formatted entry to the environment; false when out of memory. */
static bool set(struct pf_soft *soft, size_t *count, const char *name, const char *value)
{
	char *entry = NULL;

	if (asprintf(&entry, "%s=%s", name, value) < 0)
		return false;
	soft->environment[(*count)++] = entry;
	return true;
}

static bool set_preload(struct pf_soft *soft, size_t *count)
{
	const char *before = getenv("LD_PRELOAD");
	char *value = NULL;
	bool done;

	if (asprintf(&value, "%s%s%s", soft->preload, before && *before ? ":" : "", before ? before : "") < 0)
		return false;
	done = set(soft, count, "LD_PRELOAD", value);
	free(value);
	return done;
}

static int make_environment(struct pf_soft *soft, struct pf_error *error)
{
	size_t count = 0, kept = 0;
	int status = name_library(soft, error);

	if (status < 0)
		return status;
	while (environ[count])
		count++;
	soft->environment = calloc(count + SETTINGS + 1, sizeof *soft->environment);
	for (size_t i = 0; soft->environment && i < count; i++) {
		if (is_replaced(environ[i]))
			continue;
		soft->environment[kept] = strdup(environ[i]);
		if (!soft->environment[kept++])
			goto no_memory;
	}
	if (soft->environment && set(soft, &kept, "PATHFDO_DIR", soft->inner) && set_preload(soft, &kept))
		return PF_OK;
no_memory:
	return pf_fail(error, PF_ENOMEM, "out of memory for the program's environment");
}

int pf_soft_init(struct pf_soft *soft, const char *agent, const struct pf_soft_options *options, struct pf_error *error)
{
	int status;

	*soft = (struct pf_soft) { .lock = -1, .file = -1 };
	snprintf(soft->agent, sizeof soft->agent, "%s", agent ? agent : "");
	status = make_file(soft, options, error);
	if (status == PF_OK && agent)
		status = make_environment(soft, error);
	return status;
}

void pf_soft_end(struct pf_soft *soft)
{
	if (soft->file >= 0)
		pf_keeper_end(soft->file);
}

bool pf_soft_is_full(const struct pf_soft *soft)
{
	return room_in(soft->folder) < LEAST_ROOM;
}

/* CPU time of a run of the tiny program, its dynamic loader told by ENTRY; UINT64_MAX if it did not run. */
static uint64_t run_cost(char *entry)
{
	char *argv[] = { LOAD_PROGRAM, NULL }, *environment[] = { entry, NULL };
	struct pf_childwait wait;
	struct rusage use;
	int wait_status = -1;
	pid_t pid;

	pf_childwait_begin(&wait);
	if (posix_spawn(&pid, argv[0], NULL, NULL, argv, environment) == 0 && wait4(pid, &wait_status, 0, &use) != pid)
		wait_status = -1;
	pf_childwait_end(&wait);
	if (wait_status != 0)
		return UINT64_MAX;
	return ((uint64_t)use.ru_utime.tv_sec + (uint64_t)use.ru_stime.tv_sec) * 1000000000ull +
	       ((uint64_t)use.ru_utime.tv_usec + (uint64_t)use.ru_stime.tv_usec) * 1000ull;
}

/* The least of some runs with the library, less the least without: what disturbs a run makes it dearer. */
uint64_t pf_soft_load_cost(const struct pf_soft *soft)
{
	char plain[] = "LANG=C", *preload = NULL;
	uint64_t with = UINT64_MAX, without = UINT64_MAX;

	if (asprintf(&preload, "LD_PRELOAD=%s", soft->preload) < 0)
		return 0;
	for (int i = 0; i < LOAD_RUNS; i++) {
		uint64_t one = run_cost(preload), other = run_cost(plain);

		with = one < with ? one : with;
		without = other < without ? other : without;
	}
	free(preload);
	return with != UINT64_MAX && with > without ? with - without : 0;
}

void pf_soft_keep(struct pf_soft *soft, char folder[PATH_MAX])
{
	pf_leftover_keep(soft->folder);
	strcpy(folder, soft->folder);
	soft->folder[0] = 0;
}

void pf_soft_fini(struct pf_soft *soft)
{
	for (char **entry = soft->environment; entry && *entry; entry++)
		free(*entry);
	free(soft->environment);
	/* A process that outlives the program may put a file there in the same moment. */
	for (int i = 0; soft->folder[0] && i < REMOVALS && access(soft->folder, F_OK) == 0; i++)
		pf_leftover_remove_tree(soft->folder);
	if (soft->file >= 0)
		close(soft->file);
	if (soft->lock >= 0)
		close(soft->lock);
	*soft = (struct pf_soft) { .lock = -1, .file = -1 };
}
