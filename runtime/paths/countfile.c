/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See countfile.h.  A file is whole or absent: it gets its name when all is written.
 *
 * The hard cases: a process that becomes another program under the same number, and a number that comes again: a name
 * that is taken is another's, and the next one is tried.  A child of vfork shares its parent's counters and saves
 * nothing.  Who saves may be a handler on a small stack of its own, and must come to the end of it: so names are not on
 * the stack, and no signal and no cancellation comes between. */
#include "runtime/paths/countfile.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MOST_LETTERS 200 /* of the module's name in that of a file: what is put to it has room in 255 */
#define MOST_NAMES 1000
#define MOST_ATTEMPTS 100

static char folder[PATH_MAX], module[256];
static pid_t owner;              /* the process that the counts are of */
static _Atomic pid_t saving;     /* the thread that saves */
static _Atomic pid_t last_saved; /* the thread that did so last; 0: none */
static struct pf_count_file *files;

struct sink {
	int file, error;
	size_t used;
	unsigned char bytes[65536];
};

/* Of the thread that saves. */
static struct sink sink;
static char temporary[sizeof files->saved_as], named[sizeof files->saved_as];

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

void pf_count_put_bytes(const void *bytes, size_t size)
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

void pf_count_put_u64(uint64_t value)
{
	pf_count_put_bytes(&value, sizeof value);
}

void pf_count_put_uleb(uint64_t value)
{
	unsigned char bytes[10];
	size_t size = 0;

	do {
		bytes[size] = (unsigned char)(value & 0x7f);
		value >>= 7;
		bytes[size++] |= value ? 0x80 : 0;
	} while (value);
	pf_count_put_bytes(bytes, size);
}

void pf_count_put_head(const char magic[8], uint64_t version, uint64_t lost, const char *metric)
{
	pf_count_put_bytes(magic, 8);
	pf_count_put_u64(version);
	pf_count_put_u64((uint64_t)getpid());
	pf_count_put_u64(lost);
	pf_count_put_bytes(module, strlen(module) + 1);
	pf_count_put_bytes(metric, strlen(metric) + 1);
}

/* Gives the temporary file the first name that nobody has, which is its own from then on. */
static int name_file(struct pf_count_file *f)
{
	if (*f->saved_as)
		return rename(temporary, f->saved_as) < 0 ? errno : 0;
	for (int number = 1; number < MOST_NAMES; number++) {
		char more[16] = "";

		if (number > 1)
			snprintf(more, sizeof more, ".%d", number);
		snprintf(named, sizeof named, "%s/%.*s.%d%s.%s", folder, MOST_LETTERS, module, (int)getpid(), more,
			 f->suffix);
		if (link(temporary, named) == 0) {
			unlink(temporary);
			strcpy(f->saved_as, named);
			return 0;
		}
		if (errno == EEXIST)
			continue;
		/* A file system without links. */
		if (access(named, F_OK) == 0)
			continue;
		strcpy(f->saved_as, named);
		return rename(temporary, named) < 0 ? errno : 0;
	}
	return EEXIST;
}

/* A file of no other process: the same number is another one's in another container. */
static int open_temporary(const char *suffix)
{
	int file = -1;

	for (int attempt = 0; file < 0 && attempt < MOST_ATTEMPTS; attempt++) {
		struct timespec now;

		clock_gettime(CLOCK_REALTIME, &now);
		snprintf(temporary, sizeof temporary, "%s/.%.*s.%d.%lld%09ld.%s.new", folder, MOST_LETTERS, module,
			 (int)getpid(), (long long)now.tv_sec, now.tv_nsec, suffix);
		file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
		if (file < 0 && errno != EEXIST)
			break;
	}
	return file;
}

static void save(struct pf_count_file *f)
{
	sink.error = 0;
	sink.used = 0;
	sink.file = open_temporary(f->suffix);
	if (sink.file < 0) {
		sink.error = errno;
	} else {
		f->put();
		flush();
		if (close(sink.file) < 0 && !sink.error)
			sink.error = errno;
		if (!sink.error)
			sink.error = name_file(f);
		if (sink.error)
			unlink(temporary);
	}
	/* In English: a translation takes locks. */
	if (sink.error)
		dprintf(2, "pathfdo: the %s of %s are not saved in %s: %s\n", f->suffix, module, folder,
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

void pf_count_quiet_begin(struct pf_count_quiet *before)
{
	sigset_t all;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before->cancels);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before->signals);
}

void pf_count_quiet_end(const struct pf_count_quiet *before)
{
	pthread_sigmask(SIG_SETMASK, &before->signals, NULL);
	pthread_setcancelstate(before->cancels, NULL);
}

/* Takes turns with other threads.  One that has saved is most likely about to end the process, and who comes meanwhile
 * or later gives it the time to do so, rather than be ended in the midst of a file. */
static void begin_turn(pid_t self)
{
	static const struct timespec tenth = { 0, 100000000 };
	pid_t waited_for = self;

	for (;;) {
		pid_t nobody = 0, last;

		if (atomic_compare_exchange_strong(&saving, &nobody, self)) {
			last = atomic_load(&last_saved);
			if (!last || last == self || last == waited_for)
				return;
			atomic_store(&saving, 0);
		}
		while (atomic_load(&saving) != 0)
			sched_yield();
		waited_for = atomic_load(&last_saved);
		nanosleep(&tenth, NULL);
	}
}

void pf_count_file_save(struct pf_count_file *f)
{
	int kept = errno;
	pid_t self = gettid();
	struct pf_count_quiet before;
	sigset_t pending;

	if (getpid() != owner || saving == self)
		return;
	pf_count_quiet_begin(&before);
	begin_turn(self);
	sigpending(&pending);
	save(f);
	drop_signals(&pending);
	atomic_store(&last_saved, self);
	atomic_store(&saving, 0);
	pf_count_quiet_end(&before);
	errno = kept;
}

static void in_child(void)
{
	owner = getpid();
	atomic_store(&saving, 0);
	atomic_store(&last_saved, 0);
	for (struct pf_count_file *f = files; f; f = f->next) {
		*f->saved_as = '\0';
		f->forget();
	}
}

static void find_names(void)
{
	const char *wanted = secure_getenv("PATHFDO_OUTPUT"), *slash;
	char here[PATH_MAX] = "";
	Dl_info info;

	if (!(wanted && *wanted == '/') && !getcwd(here, sizeof here))
		strcpy(here, ".");
	snprintf(folder, sizeof folder, "%s%s%s", here, *here && wanted && *wanted ? "/" : "", wanted ? wanted : "");
	if (!dladdr(&files, &info) || !info.dli_fname || !*info.dli_fname)
		info.dli_fname = program_invocation_short_name;
	slash = strrchr(info.dli_fname, '/');
	snprintf(module, sizeof module, "%s", slash ? slash + 1 : info.dli_fname);
}

void pf_count_file_begin(struct pf_count_file *f)
{
	if (!files) {
		owner = getpid();
		find_names();
		pthread_atfork(NULL, NULL, in_child);
	}
	f->next = files;
	files = f;
}
