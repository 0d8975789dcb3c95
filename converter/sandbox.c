/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See pf_source_read in source.h.  libdwarf of 2021, which Debian 12 has, frees memory twice and reads out of bounds on
 * damaged DWARF.  So it works in a child process, which hands its result over in a memory file; its memory goes with
 * it, too.  The hard case is a child that neither ends nor crashes: it has processor time by the size of the file. */
#include "converter/allowance.h"
#include "converter/sourcepack.h"
#include "support/childwait.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* How the child ends when there is no room for its result; libdwarf itself exits with 1. */
#define NOT_HANDED_OVER 120

/* Runs out of time, or crashes, on its own: no core file, no sanitizer's report on the user's terminal. */
static void confine(const struct pf_elf *debug)
{
	struct rlimit none = { 0, 0 };
	int quiet = open("/dev/null", O_WRONLY | O_CLOEXEC);

	setrlimit(RLIMIT_CORE, &none);
	pf_allowance_set(debug->size);
	if (quiet >= 0)
		dup2(quiet, STDERR_FILENO);
}

static bool write_all(int fd, const uint8_t *bytes, size_t size)
{
	while (size > 0) {
		ssize_t written = write(fd, bytes, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return false;
		bytes += written;
		size -= (size_t)written;
	}
	return true;
}

/* The child: status, then the source or the sentence of the error. */
static void work(const struct pf_debug_files *files, const uint64_t *touched, size_t count, int fd)
{
	struct pf_buffer b = { 0 };
	struct pf_source source;
	struct pf_error error = { 0 };
	int status;

	confine(files->debug);
	status = pf_source_walk(files, touched, count, &source, &error);
	pf_buffer_u32(&b, (uint32_t)status);
	if (status == PF_OK)
		pf_source_pack(&source, &b);
	else
		pf_buffer_string(&b, error.text);
	_exit(!b.failed && write_all(fd, b.data, b.size) ? 0 : NOT_HANDED_OVER);
}

static int read_result(int fd, const char *path, struct pf_source *source, struct pf_error *error)
{
	struct stat st;
	struct pf_cursor c;
	const char *sentence;
	void *bytes;
	int status;

	if (fstat(fd, &st) != 0 || st.st_size < 4)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory for its debug information", path);
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (bytes == MAP_FAILED)
		return pf_fail(error, PF_EIO, "%s: cannot map its debug information: %s", path, strerror(errno));
	c = pf_cursor_over(bytes, (size_t)st.st_size, 0);
	status = (int)pf_cursor_u32(&c);
	if (status == PF_OK) {
		status = pf_source_unpack(&c, source);
		if (status < 0)
			pf_fail(error, status, "%s: its debug information is damaged; rebuild it with -g", path);
	} else {
		sentence = pf_cursor_string(&c);
		if (status == PF_ENOMEM || status >= 0)
			status = PF_ENODEBUG; /* there is memory for others */
		pf_fail(error, status, "%s", sentence ? sentence : path);
	}
	munmap(bytes, (size_t)st.st_size);
	return status;
}

static int finish(pid_t child, int fd, const char *path, struct pf_source *source, struct pf_error *error)
{
	int state;

	while (waitpid(child, &state, 0) < 0) {
		if (errno != EINTR)
			return pf_fail(error, PF_EIO, "%s: the process that reads it is lost: %s", path,
				       strerror(errno));
	}
	if (WIFSIGNALED(state) && WTERMSIG(state) == SIGXCPU)
		return pf_fail(error, PF_ENODEBUG,
			       "%s: its debug information takes libdwarf too long; it is damaged, rebuild it with -g",
			       path);
	if (WIFSIGNALED(state) && WTERMSIG(state) == SIGKILL)
		return pf_fail(error, PF_ENODEBUG,
			       "%s: the process that reads its debug information was killed, as the kernel does when "
			       "memory is short; give it more memory",
			       path);
	if (WIFEXITED(state) && WEXITSTATUS(state) == NOT_HANDED_OVER)
		return pf_fail(error, PF_ENODEBUG,
			       "%s: there is no room for what was read of its debug information; give it more memory, "
			       "or raise 'ulimit -f'",
			       path);
	if (!WIFEXITED(state) || WEXITSTATUS(state) != 0)
		return pf_fail(error, PF_ENODEBUG,
			       "%s: its debug information makes libdwarf crash; it is damaged, rebuild it with -g",
			       path);
	return read_result(fd, path, source, error);
}

int pf_source_read(const struct pf_debug_files *files, const uint64_t *touched, size_t count, struct pf_source *source,
		   struct pf_error *error)
{
	const char *path = files->debug->path;
	int fd = memfd_create("pathfdo-source", MFD_CLOEXEC);
	struct pf_childwait wait;
	pid_t child;
	int status;

	*source = (struct pf_source) { 0 };
	if (fd < 0)
		return pf_fail(error, PF_EIO, "%s: cannot make a memory file: %s", path, strerror(errno));
	pf_childwait_begin(&wait);
	child = fork();
	if (child == 0)
		work(files, touched, count, fd);
	status = child > 0 ? finish(child, fd, path, source, error)
			   : pf_fail(error, PF_EIO, "%s: cannot start a process to read it: %s", path, strerror(errno));
	pf_childwait_end(&wait);
	close(fd);
	return status;
}
