/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process that closes a file, by whatever descriptor, loses all locks on it that it has by fcntl or lockf; so one
 * that has locked its own executable or script, to be the only one, must not have it looked at.  Who has which locks
 * the kernel tells in /proc/locks, by the process and the file's number; where that cannot be read, it is not known.
 * The hard case is the device, which some file systems tell otherwise there than to stat: the number alone decides, as
 * to look at one file less is no harm. */
#include "runtime/agent/held.h"

#include "runtime/agent/sys.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>

#define FIELD_OF_KIND 1 /* of a line: "7: POSIX  ADVISORY  WRITE 4711 08:01:1234 0 EOF"; none of one who waits */
#define FIELD_OF_PROCESS 4
#define FIELD_OF_FILE 5

struct line {
	int field;
	bool in_field, posix;
	uint64_t process, file; /* file: what is behind the last colon */
};

/* Takes the next character; true at the end of a line. */
static bool take(struct line *line, char c)
{
	if (c == '\n')
		return true;
	if (c == ' ') {
		line->field += line->in_field;
		line->in_field = false;
		return false;
	}
	if (!line->in_field && line->field == FIELD_OF_KIND)
		line->posix = c == 'P';
	line->in_field = true;
	if (line->field == FIELD_OF_PROCESS)
		line->process = line->process * 10 + (uint64_t)(c - '0');
	else if (line->field == FIELD_OF_FILE)
		line->file = c == ':' ? 0 : line->file * 10 + (uint64_t)(c - '0');
	return false;
}

static bool has_lock(int locks, uint64_t process, uint64_t file)
{
	struct line line = { 0 };
	char text[768];
	long size;

	while ((size = PF_SYS3(SYS_read, locks, text, sizeof text)) > 0)
		for (long i = 0; i < size; i++) {
			if (!take(&line, text[i]))
				continue;
			if (line.posix && line.process == process && line.file == file)
				return true;
			line = (struct line) { 0 };
		}
	return false;
}

bool pf_held(int folder, const char *path, int flags)
{
	struct stat st;

	if (PF_SYS4(SYS_newfstatat, folder, path, &st, flags & (AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)) != 0)
		return false;
	long locks = PF_SYS4(SYS_openat, AT_FDCWD, "/proc/locks", O_RDONLY | O_CLOEXEC, 0);
	bool held = locks >= 0 && has_lock((int)locks, (uint64_t)PF_SYS0(SYS_getpid), st.st_ino);

	if (locks >= 0)
		PF_SYS1(SYS_close, locks);
	return held;
}
