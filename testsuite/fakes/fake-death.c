/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Preloaded, ends every process but the first one that opens a file of the name FAKE_DEATH, as the kernel does for want
 * of memory; with FAKE_DEATH_ONCE only when the file of that name can be removed. */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pid_t first;

__attribute__((constructor)) static void begin(void)
{
	first = getpid();
}

int open(const char *path, int flags, ...)
{
	int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
	const char *deadly = getenv("FAKE_DEATH"), *once = getenv("FAKE_DEATH_ONCE"), *base = strrchr(path, '/');
	va_list arguments;
	int mode;

	va_start(arguments, flags);
	mode = flags & O_CREAT ? va_arg(arguments, int) : 0;
	va_end(arguments);
	if (deadly && getpid() != first && strcmp(base ? base + 1 : path, deadly) == 0 && (!once || unlink(once) == 0))
		raise(SIGKILL);
	return real(path, flags, mode);
}
