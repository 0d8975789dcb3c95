/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See procfs.h.  Hard case: everything may be gone between two looks, and a number may be somebody else's by then; so
 * each look stands for itself, and a process is known by its start time, too.  Names of programs can hold anything,
 * also what looks like the fields behind them. */
#include "runtime/procfs.h"

#include "support/array.h"
#include "support/filename.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STAT_PARENT 4
#define STAT_FLAGS 9
#define STAT_CHILDREN_FAULTS 11 /* page faults of children that were waited for */
#define EXITING_FLAG 0x4u
#define STAT_USER_TIME 14 /* fields of /proc/PID/stat, from 1 */
#define STAT_SYSTEM_TIME 15
#define STAT_START 22
#define STAT_STACK 28
#define WORKER_FLAGS 0x4010u /* the kernel's PF_IO_WORKER, PF_USER_WORKER */

ssize_t pf_procfs_read(pid_t pid, pid_t tid, const char *name, char *text, size_t size)
{
	char path[96];
	size_t used = 0;
	ssize_t got = 1;
	int fd;

	if (tid)
		snprintf(path, sizeof path, "/proc/%d/task/%d/%s", pid, tid, name);
	else
		snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while (got > 0 && used + 1 < size) {
		got = read(fd, text + used, size - 1 - used);
		used += got > 0 ? (size_t)got : 0;
	}
	text[used] = 0;
	got = got < 0 ? -errno : (ssize_t)used;
	close(fd);
	return got;
}

/* The value of the line that begins with KEY, or NULL. */
static const char *value_of(const char *line, const char *key)
{
	size_t length = strlen(key);

	return strncmp(line, key, length) == 0 ? line + length + strspn(line + length, "\t ") : NULL;
}

static uint64_t signals(const char *text)
{
	return strtoull(text, NULL, 16);
}

/* A process chooses its name, and a terminal is told it. */
static void take_name(struct pf_proc_status *s, const char *name)
{
	snprintf(s->name, sizeof s->name, "%s", name);
	for (char *c = s->name; *c; c++) {
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = '?';
	}
}

static void parse_line(struct pf_proc_status *s, const char *line)
{
	const char *value;

	if ((value = value_of(line, "Name:")))
		take_name(s, value);
	else if ((value = value_of(line, "State:")))
		s->state = *value;
	else if ((value = value_of(line, "PPid:")))
		s->parent = atoi(value);
	else if ((value = value_of(line, "Tgid:")))
		s->process = atoi(value);
	else if ((value = value_of(line, "TracerPid:")))
		s->tracer = atoi(value);
	else if ((value = value_of(line, "NSpid:")))
		s->inner = atoi(strrchr(line, '\t') ? strrchr(line, '\t') : value); /* the innermost is the last */
	else if ((value = value_of(line, "Seccomp:")))
		s->seccomp = (uint32_t)strtoul(value, NULL, 10);
	else if ((value = value_of(line, "Seccomp_filters:")))
		s->filters = (uint32_t)strtoul(value, NULL, 10);
	else if ((value = value_of(line, "SigPnd:")) || (value = value_of(line, "ShdPnd:")))
		s->pending |= signals(value);
	else if ((value = value_of(line, "SigBlk:")))
		s->blocked = signals(value);
	else if ((value = value_of(line, "SigIgn:")))
		s->ignored = signals(value);
	else if ((value = value_of(line, "SigCgt:")))
		s->caught = signals(value);
	else if ((value = value_of(line, "VmLck:")))
		s->locked = strtoull(value, NULL, 10) > 0;
	else if ((value = value_of(line, "x86_Thread_features:")))
		s->shadow_stack = strstr(value, "shstk") != NULL;
}

void pf_procfs_parse_status(struct pf_proc_status *status, const char *text, size_t size)
{
	char line[512];

	memset(status, 0, sizeof *status);
	while (size) {
		const char *end = memchr(text, '\n', size);
		size_t length = end ? (size_t)(end - text) : size;

		snprintf(line, sizeof line, "%.*s", (int)(length < sizeof line ? length : sizeof line - 1), text);
		parse_line(status, line);
		length += end != NULL;
		text += length;
		size -= length;
	}
}

/* The list of its user's groups stands in front of what matters here, and may be 65,536 long. */
bool pf_procfs_status(pid_t pid, pid_t tid, struct pf_proc_status *status)
{
	size_t room = 8192;
	char *text = malloc(room), *grown;
	ssize_t size = text ? pf_procfs_read(pid, tid, "status", text, room) : -ENOMEM;

	while (size > 0 && (size_t)size + 1 == room) {
		room *= 4;
		grown = realloc(text, room);
		text = grown ? grown : text;
		size = grown ? pf_procfs_read(pid, tid, "status", text, room) : -ENOMEM;
	}
	if (size > 0)
		pf_procfs_parse_status(status, text, (size_t)size);
	free(text);
	return size > 0;
}

bool pf_procfs_parse_mapping(char *line, uint64_t *start, uint64_t *length, uint64_t *offset, uint32_t *protection,
			     const char **path)
{
	unsigned long long from, to, at;
	char flags[5], *name;
	int used = 0;

	if (sscanf(line, "%llx-%llx %4s %llx %*s %*s %n", &from, &to, flags, &at, &used) != 4 || !used || to <= from)
		return false;
	*start = from;
	*length = to - from;
	*offset = at;
	*protection = (flags[0] == 'r' ? PROT_READ : 0u) | (flags[1] == 'w' ? PROT_WRITE : 0u) |
		      (flags[2] == 'x' ? PROT_EXEC : 0u);
	name = line + used;
	name[strcspn(name, "\n")] = 0;
	name[pf_filename_length(name)] = 0;
	*path = name;
	return true;
}

bool pf_procfs_parse_place(struct pf_proc_place *place, const char *text)
{
	char *end;

	memset(place, 0, sizeof *place);
	if (strncmp(text, "running", 7) == 0) {
		place->running = true;
		return true;
	}
	place->call = strtoll(text, &end, 10);
	if (end == text)
		return false;
	for (int i = 0; place->call >= 0 && i < 6; i++)
		place->arguments[i] = strtoull(end, &end, 16);
	place->sp = strtoull(end, &end, 16);
	place->pc = strtoull(end, &end, 16);
	return true;
}

bool pf_procfs_place(pid_t pid, pid_t tid, struct pf_proc_place *place)
{
	char text[256];

	return pf_procfs_read(pid, tid, "syscall", text, sizeof text) > 0 && pf_procfs_parse_place(place, text);
}

uint64_t pf_procfs_cpu_ns(pid_t pid, pid_t tid)
{
	char text[128];

	return pf_procfs_read(pid, tid, "schedstat", text, sizeof text) > 0 ? strtoull(text, NULL, 10) : 0;
}

/* The second field, the name, may hold anything, and ends with the last parenthesis. */
static uint64_t field(const char *stat, int number)
{
	const char *at = strrchr(stat, ')');

	for (int i = 2; at && i < number; i++) {
		at = strchr(at, ' ');
		at = at ? at + 1 : NULL;
	}
	return at ? strtoull(at, NULL, 10) : 0;
}

/* Field NUMBER of /proc/PID/stat, 0 if it cannot be read. */
static uint64_t stat_field(pid_t pid, int number)
{
	char text[1024];

	return pf_procfs_read(pid, 0, "stat", text, sizeof text) > 0 ? field(text, number) : 0;
}

uint64_t pf_procfs_process_cpu_ns(pid_t pid)
{
	uint64_t ticks = stat_field(pid, STAT_USER_TIME) + stat_field(pid, STAT_SYSTEM_TIME);

	return ticks * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
}

/* The first thread never is one.  Before Linux 5.17 a flag of these said something else, of the kernel's own start, and
 * all programs have inherited it. */
bool pf_procfs_parse_worker(const char *stat, const char *first)
{
	return field(stat, STAT_FLAGS) & ~field(first, STAT_FLAGS) & WORKER_FLAGS;
}

bool pf_procfs_is_worker(pid_t pid, pid_t tid)
{
	char stat[1024], first[1024];

	return pf_procfs_read(pid, tid, "stat", stat, sizeof stat) > 0 &&
	       pf_procfs_read(pid, 0, "stat", first, sizeof first) > 0 && pf_procfs_parse_worker(stat, first);
}

bool pf_procfs_is_gone(pid_t pid, pid_t tid)
{
	struct pf_proc_status status;

	return (syscall(SYS_tgkill, pid, tid, 0) != 0 && errno == ESRCH) ||
	       (pf_procfs_status(pid, tid, &status) && strchr("ZX", status.state));
}

bool pf_procfs_is_ending(pid_t pid, pid_t tid)
{
	char text[1024];

	return pf_procfs_is_gone(pid, tid) ||
	       (pf_procfs_read(pid, tid, "stat", text, sizeof text) > 0 && field(text, STAT_FLAGS) & EXITING_FLAG);
}

pid_t pf_procfs_process(pid_t number)
{
	struct pf_proc_status status;

	return pf_procfs_status(number, 0, &status) && status.process > 0 ? status.process : number;
}

uint64_t pf_procfs_stack(pid_t pid)
{
	return stat_field(pid, STAT_STACK);
}

bool pf_procfs_starts_others(pid_t pid)
{
	bool starts = stat_field(pid, STAT_CHILDREN_FAULTS) > 0;
	pid_t *threads;
	size_t count = pf_procfs_threads(pid, &threads);
	char text[16];

	for (size_t i = 0; i < count && !starts; i++)
		starts = pf_procfs_read(pid, threads[i], "children", text, sizeof text) > 0;
	free(threads);
	return starts;
}

pid_t pf_procfs_parent(pid_t pid)
{
	return (pid_t)stat_field(pid, STAT_PARENT);
}

uint64_t pf_procfs_start(pid_t pid)
{
	return stat_field(pid, STAT_START);
}

/* What the kernel tells each program at its start: where it is, where its stack begins. */
uint64_t pf_procfs_image(pid_t pid)
{
	uint64_t image = 0xcbf29ce484222325u;
	char vector[1024];
	ssize_t size = pf_procfs_read(pid, 0, "auxv", vector, sizeof vector);

	if (size <= 0)
		size = pf_procfs_read(pid, pf_procfs_witness(pid), "auxv", vector, sizeof vector);
	for (ssize_t i = 0; i < size; i++)
		image = (image ^ (uint8_t)vector[i]) * 0x100000001b3u;
	return size > 0 ? image : 0;
}

pid_t pf_procfs_witness(pid_t pid)
{
	pid_t *threads, found = pid;
	size_t count = pf_procfs_threads(pid, &threads), i;

	for (i = 0; i < count && pf_procfs_is_gone(pid, threads[i]); i++)
		continue;
	if (i < count)
		found = threads[i];
	free(threads);
	return found;
}

/* The entries of a folder that are numbers: all of them or, without memory, none. */
static size_t numbers(const char *folder, pid_t **list)
{
	DIR *open = opendir(folder);
	PF_ARRAY(pid_t) found = { 0 };
	struct dirent *entry;

	while (open && (entry = readdir(open))) {
		pid_t number = atoi(entry->d_name), *place;

		if (number <= 0)
			continue;
		place = pf_array_push(&found);
		if (!place) {
			pf_array_fini(&found);
			break;
		}
		*place = number;
	}
	if (open)
		closedir(open);
	*list = found.at;
	return found.count;
}

size_t pf_procfs_threads(pid_t pid, pid_t **list)
{
	char folder[64];

	snprintf(folder, sizeof folder, "/proc/%d/task", pid);
	return numbers(folder, list);
}

size_t pf_procfs_processes(pid_t **list)
{
	return numbers("/proc", list);
}
