/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See debuginfod.h. */
#include "converter/debuginfod.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "libdebuginfod.so.1"

/* What is used of the library, as its header declares it. */
struct library {
	void *handle;
	void *(*begin)(void);
	int (*find)(void *client, const unsigned char *id, int size, char **path);
	void (*end)(void *client);
};

static bool load(struct library *l)
{
	l->handle = dlopen(LIBRARY, RTLD_NOW);
	if (!l->handle)
		return false;
	*(void **)&l->begin = dlsym(l->handle, "debuginfod_begin");
	*(void **)&l->find = dlsym(l->handle, "debuginfod_find_debuginfo");
	*(void **)&l->end = dlsym(l->handle, "debuginfod_end");
	return l->begin && l->find && l->end;
}

/* A file descriptor, or an error as that of the library; *NAME is the caller's to free. */
static int ask(const struct library *l, const uint8_t *id, int size, char **name)
{
	void *client = l->begin();
	int fd = client ? l->find(client, id, size, name) : -1;

	if (client)
		l->end(client);
	return fd;
}

bool pf_debuginfod_is_set(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	return urls && *urls;
}

bool pf_debuginfod_find(const uint8_t *id, uint64_t size, char path[PATH_MAX], char *reason, size_t reason_size)
{
	struct library library;
	char *name = NULL;
	bool found;
	int fd;

	if (!pf_debuginfod_is_set() || size == 0 || size > NAME_MAX)
		return false;
	/* It stays: curl and what it needs cannot be unloaded safely. */
	if (!load(&library)) {
		snprintf(reason, reason_size, "DEBUGINFOD_URLS is set, but " LIBRARY " is not installed");
		return false;
	}
	fd = ask(&library, id, (int)size, &name);
	found = fd >= 0 && name && strlen(name) < PATH_MAX;
	if (found)
		strcpy(path, name);
	else
		snprintf(reason, reason_size, "debuginfod has none (%s)", strerror(fd < 0 ? -fd : 0));
	if (fd >= 0)
		close(fd);
	free(name);
	return found;
}
