/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the counts of the module when it ends (doc/paths-format.md has the format): MODULE.PID.paths, in the folder
 * that the process began in, or in PATHFDO_OUTPUT.  A file is whole or absent: it gets its name when all is written.
 *
 * The hard cases: a process that ends without running destructors (the compiler has it save before the calls that do
 * that), a process that becomes another program under the same number, and a number that comes again: a name that is
 * taken is another's, and the next one is tried.  A child of vfork shares its parent's counters and saves nothing.  Who
 * saves may be a handler on a small stack of its own, and must come to the end of it: so names are not on the stack,
 * and no signal and no cancellation comes between. */
#include "runtime/paths/pathunits.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VERSION 1
#define MOST_NAMES 1000

static char folder[PATH_MAX], module[256], saved_as[PATH_MAX + 512];
static pid_t owner;          /* the process that the counts are of */
static _Atomic pid_t saving; /* the thread that saves */

struct sink {
	int file, error;
	size_t used;
	unsigned char bytes[65536];
};

/* Of the thread that saves. */
static struct sink sink;
static char temporary[sizeof saved_as], named[sizeof saved_as];

static void flush(void)
{
	for (size_t done = 0; done < sink.used && !sink.error;) {
		ssize_t now = write(sink.file, sink.bytes + done, sink.used - done);

		if (now > 0)
			done += (size_t)now;
		else if (now == 0 || errno != EINTR)
			sink.error = now == 0 ? ENOSPC : errno;
	}
	sink.used = 0;
}

static void put_bytes(const void *bytes, size_t size)
{
	const unsigned char *at = bytes;

	while (size > 0) {
		size_t room = sizeof sink.bytes - sink.used, now = size < room ? size : room;

		memcpy(sink.bytes + sink.used, at, now);
		sink.used += now;
		at += now;
		size -= now;
		if (sink.used == sizeof sink.bytes)
			flush();
	}
}

static void put_u64(uint64_t value)
{
	put_bytes(&value, sizeof value);
}

/* The counts that are not zero, each behind its path's number: how many first, so that all is gone through twice. Other
 * threads may go on to count meanwhile, so that one that is zero at first stays out. */
static void put_array(const struct pf_path_function *f)
{
	uint64_t count = 0;

	for (uint64_t i = 1; i <= f->length; i++)
		count += atomic_load_explicit(&f->words[i], memory_order_relaxed) != 0;
	put_u64(count);
	for (uint64_t i = 1; i <= f->length && count > 0; i++) {
		uint64_t value = atomic_load_explicit(&f->words[i], memory_order_relaxed);

		if (value == 0)
			continue;
		put_u64(i - 1);
		put_u64(value);
		count--;
	}
}

/* Taken slots of all tables: counts them, or puts the first MOST of them. */
static uint64_t put_slots(const struct pf_path_table *table, uint64_t most, bool put)
{
	uint64_t count = 0;

	for (; table; table = table->next) {
		for (uint64_t i = 0; i < table->capacity && count < most; i++) {
			uint64_t key = atomic_load_explicit(&table->slots[i].key, memory_order_relaxed);

			if (key == 0 || table->slots[i].count == 0)
				continue;
			count++;
			if (put) {
				put_u64(key - 1);
				put_u64(table->slots[i].count);
			}
		}
	}
	return count;
}

static void put_units(void)
{
	uint64_t units = 0;

	for (const struct pf_path_unit *unit = pf_path_units; unit; unit = unit->next)
		units++;
	put_u64(units);
	for (const struct pf_path_unit *unit = pf_path_units; unit; unit = unit->next) {
		put_u64(unit->description_size);
		put_bytes(unit->description, unit->description_size);
		for (uint64_t i = 0; i < unit->function_count; i++) {
			const struct pf_path_function *f = &unit->functions[i];
			const struct pf_path_table *table = f->length ? NULL : (struct pf_path_table *)f->words[1];

			put_u64(f->words[0]);
			if (f->length) {
				put_array(f);
			} else {
				uint64_t count = put_slots(table, UINT64_MAX, false);

				put_u64(count);
				put_slots(table, count, true);
			}
		}
	}
}

static void put_file(void)
{
	uint64_t version = VERSION;

	put_bytes("PFPATHS", 8);
	put_u64(version);
	put_u64((uint64_t)getpid());
	put_u64(pf_path_lost);
	put_bytes(module, strlen(module) + 1);
	put_units();
	flush();
}

/* Gives the temporary file the first name that nobody has, which is its own from then on. */
static int name_file(void)
{
	if (*saved_as)
		return rename(temporary, saved_as) < 0 ? errno : 0;
	for (int number = 1; number < MOST_NAMES; number++) {
		char more[16] = "";

		if (number > 1)
			snprintf(more, sizeof more, ".%d", number);
		snprintf(named, sizeof named, "%s/%s.%d%s.paths", folder, module, (int)getpid(), more);
		if (link(temporary, named) == 0) {
			unlink(temporary);
			strcpy(saved_as, named);
			return 0;
		}
		if (errno == EEXIST)
			continue;
		/* A file system without links. */
		if (access(named, F_OK) == 0)
			continue;
		strcpy(saved_as, named);
		return rename(temporary, named) < 0 ? errno : 0;
	}
	return EEXIST;
}

static void save(void)
{
	snprintf(temporary, sizeof temporary, "%s/.%s.%d.paths.new", folder, module, (int)getpid());
	sink.error = 0;
	sink.used = 0;
	sink.file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (sink.file < 0) {
		sink.error = errno;
	} else {
		put_file();
		if (close(sink.file) < 0 && !sink.error)
			sink.error = errno;
		if (!sink.error)
			sink.error = name_file();
		if (sink.error)
			unlink(temporary);
	}
	/* In English: a translation takes locks. */
	if (sink.error)
		dprintf(2, "pathfdo: the paths of %s are not saved in %s: %s\n", module, folder,
			strerrordesc_np(sink.error));
}

/* A write beyond the limit of a file's size, or to a standard error that nobody reads, sends a signal that would end
 * the program.  Those that were not there BEFORE are ours. */
static void drop_signals(const sigset_t *before)
{
	static const struct timespec none = { 0, 0 };
	sigset_t ours;

	sigemptyset(&ours);
	if (!sigismember(before, SIGXFSZ))
		sigaddset(&ours, SIGXFSZ);
	if (!sigismember(before, SIGPIPE))
		sigaddset(&ours, SIGPIPE);
	while (sigtimedwait(&ours, NULL, &none) > 0)
		continue;
}

void __pathfdo_paths_save(void)
{
	int kept = errno;
	pid_t self = gettid(), nobody = 0;
	sigset_t all, before, pending;
	int cancels;

	if (getpid() != owner || !pf_path_units || saving == self)
		return;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancels);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (!atomic_compare_exchange_strong(&saving, &nobody, self)) {
		nobody = 0;
		sched_yield();
	}
	sigpending(&pending);
	save();
	drop_signals(&pending);
	atomic_store(&saving, 0);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_setcancelstate(cancels, NULL);
	errno = kept;
}

static void in_child(void)
{
	owner = getpid();
	*saved_as = '\0';
	atomic_store(&saving, 0);
	pf_paths_forget();
}

static void find_names(void)
{
	const char *wanted = secure_getenv("PATHFDO_OUTPUT"), *slash;
	char here[PATH_MAX] = "";
	Dl_info info;

	if (!(wanted && *wanted == '/') && !getcwd(here, sizeof here))
		strcpy(here, ".");
	snprintf(folder, sizeof folder, "%s%s%s", here, *here && wanted && *wanted ? "/" : "", wanted ? wanted : "");
	if (!dladdr(&pf_path_units, &info) || !info.dli_fname || !*info.dli_fname)
		info.dli_fname = program_invocation_short_name;
	slash = strrchr(info.dli_fname, '/');
	snprintf(module, sizeof module, "%s", slash ? slash + 1 : info.dli_fname);
}

__attribute__((constructor(101))) static void begin(void)
{
	owner = getpid();
	find_names();
	pthread_atfork(NULL, NULL, in_child);
}

/* With the lowest priority, it runs behind the module's other destructors. */
__attribute__((destructor(101))) static void end(void)
{
	__pathfdo_paths_save();
}
