/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See loadable.h.  Hard cases: the file is anybody's, and whatever its headers say, only a few small reads follow from
 * them (a library that a needed library needs in turn is not looked for).  And who asks may be on a small stack, a
 * child in its parent's memory or a handler of faults, of which libc's own exec takes next to nothing: so what is read
 * at once is small, and one buffer has first the file's head, and then what is named in the file. */
#include "runtime/agent/loadable.h"

#include "runtime/agent/sys.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>

#define MAX_INTERPRETERS 4
#define MAX_HEAD 256 /* what the kernel reads of a script's first line */
#define BATCH_OF_SEGMENTS 4
#define BATCH_OF_DYNAMIC 8
#define MAX_DYNAMIC 1024
#define SCRIPT (-1)

struct elf_file {
	int fd;
	Elf64_Ehdr header;
};

static bool read_all(int fd, void *to, uint64_t size, uint64_t offset)
{
	return offset <= INT64_MAX && PF_SYS4(SYS_pread64, fd, to, size, offset) == (long)size;
}

static bool starts_with(const char *text, const char *prefix)
{
	while (*prefix && *text == *prefix)
		text++, prefix++;
	return *prefix == 0;
}

static bool contains(const Elf64_Phdr *segment, uint64_t address)
{
	return address >= segment->p_vaddr && address - segment->p_vaddr < segment->p_filesz;
}

/* The first segment of TYPE; if that is PT_LOAD, the one with ADDRESS in it. */
static bool find_segment(const struct elf_file *elf, uint32_t type, uint64_t address, Elf64_Phdr *found)
{
	Elf64_Phdr batch[BATCH_OF_SEGMENTS];

	for (uint32_t i = 0; i < elf->header.e_phnum; i++) {
		uint64_t left = elf->header.e_phnum - i;
		uint64_t size = (left < BATCH_OF_SEGMENTS ? left : BATCH_OF_SEGMENTS) * sizeof *batch;
		const Elf64_Phdr *segment = &batch[i % BATCH_OF_SEGMENTS];

		if (i % BATCH_OF_SEGMENTS == 0 &&
		    !read_all(elf->fd, batch, size, elf->header.e_phoff + (uint64_t)i * sizeof *batch))
			return false;
		if (segment->p_type == type && (type != PT_LOAD || contains(segment, address))) {
			*found = *segment;
			return true;
		}
	}
	return false;
}

static bool is_glibc(const struct elf_file *elf, const Elf64_Phdr *interpreter, char path[MAX_HEAD])
{
	const char *name = path;
	uint64_t size = interpreter->p_filesz < MAX_HEAD - 1 ? interpreter->p_filesz : MAX_HEAD - 1;

	__builtin_memset(path, 0, MAX_HEAD);
	if (!read_all(elf->fd, path, size, interpreter->p_offset))
		return false;
	for (const char *at = path; *at; at++)
		if (*at == '/')
			name = at + 1;
	return starts_with(name, "ld-linux-x86-64.so") || starts_with(name, "ld-2.");
}

/* The next entry of the dynamic section with TAG, from the one of number *INDEX on; *INDEX is behind it then. */
static bool next_entry(const struct elf_file *elf, const Elf64_Phdr *dynamic, int64_t tag, uint64_t *index,
		       uint64_t *value)
{
	Elf64_Dyn batch[BATCH_OF_DYNAMIC];
	uint64_t count = dynamic->p_filesz / sizeof *batch, first = *index;

	for (uint64_t i = first; i < count && i < MAX_DYNAMIC; i++) {
		uint64_t left = count - i, size = (left < BATCH_OF_DYNAMIC ? left : BATCH_OF_DYNAMIC) * sizeof *batch;
		const Elf64_Dyn *entry = &batch[(i - first) % BATCH_OF_DYNAMIC];

		if ((i - first) % BATCH_OF_DYNAMIC == 0 &&
		    !read_all(elf->fd, batch, size, dynamic->p_offset + i * sizeof *batch))
			return false;
		if (entry->d_tag == DT_NULL)
			return false;
		if (entry->d_tag == tag) {
			*index = i + 1;
			*value = entry->d_un.d_val;
			return true;
		}
	}
	return false;
}

static bool has_entry(const struct elf_file *elf, const Elf64_Phdr *dynamic, int64_t tag, uint64_t *value)
{
	uint64_t index = 0;

	return next_entry(elf, dynamic, tag, &index, value);
}

/* Where the strings of the dynamic section are in the file. */
static bool find_strings(const struct elf_file *elf, const Elf64_Phdr *dynamic, uint64_t *strings)
{
	Elf64_Phdr load;
	uint64_t address;

	if (!has_entry(elf, dynamic, DT_STRTAB, &address) || !find_segment(elf, PT_LOAD, address, &load))
		return false;
	*strings = address - load.p_vaddr + load.p_offset;
	return true;
}

/* Does the text at the file's offset AT start with one of NAMES? */
static bool is_one_of(const struct elf_file *elf, uint64_t at, const char *const names[], unsigned int count)
{
	char text[24] = { 0 };

	/* The string may be the last of the file, so fewer bytes than asked for are fine. */
	if (at > INT64_MAX || PF_SYS4(SYS_pread64, elf->fd, text, sizeof text - 1, at) <= 0)
		return false;
	for (unsigned int i = 0; i < count; i++)
		if (starts_with(text, names[i]))
			return true;
	return false;
}

static bool needs_sanitizer(const struct elf_file *elf)
{
	static const char *const names[] = { "libasan.so",       "libtsan.so",         "liblsan.so",
					     "libhwasan.so",     "libclang_rt.asan",   "libclang_rt.tsan",
					     "libclang_rt.lsan", "libclang_rt.hwasan", "libclang_rt.msan" };
	Elf64_Phdr dynamic;
	uint64_t strings, index = 0, name;

	if (!find_segment(elf, PT_DYNAMIC, 0, &dynamic) || !find_strings(elf, &dynamic, &strings))
		return false;
	while (next_entry(elf, &dynamic, DT_NEEDED, &index, &name))
		if (is_one_of(elf, strings + name, names, sizeof names / sizeof names[0]))
			return true;
	return false;
}

/* What needs no loader: a program, or a loader itself, which is a library that can be executed. */
static enum pf_loadable look_at_static(const struct elf_file *elf)
{
	static const char *const glibc[] = { "ld-linux-x86-64.so." };
	Elf64_Phdr dynamic;
	uint64_t strings, name, flags;

	if (elf->header.e_type != ET_DYN || !find_segment(elf, PT_DYNAMIC, 0, &dynamic))
		return PF_LOADABLE_STATIC;
	if (has_entry(elf, &dynamic, DT_FLAGS_1, &flags) && flags & DF_1_PIE)
		return PF_LOADABLE_STATIC;
	if (has_entry(elf, &dynamic, DT_SONAME, &name) && find_strings(elf, &dynamic, &strings) &&
	    is_one_of(elf, strings + name, glibc, 1))
		return PF_LOADABLE_LOADER;
	return PF_LOADABLE_OTHER_LIBC;
}

static enum pf_loadable look_at_elf(const struct elf_file *elf, char path[MAX_HEAD])
{
	Elf64_Phdr interpreter;

	if (elf->header.e_ident[EI_CLASS] != ELFCLASS64 || elf->header.e_machine != EM_X86_64)
		return PF_LOADABLE_OTHER_ARCH;
	if (elf->header.e_phentsize != sizeof(Elf64_Phdr))
		return PF_LOADABLE_UNREADABLE;
	if (!find_segment(elf, PT_INTERP, 0, &interpreter))
		return look_at_static(elf);
	if (!is_glibc(elf, &interpreter, path))
		return PF_LOADABLE_OTHER_LIBC;
	return needs_sanitizer(elf) ? PF_LOADABLE_SANITIZER : PF_LOADABLE_OK;
}

/* Makes of a script's HEAD the path of the interpreter that it names. */
static bool find_interpreter(char head[MAX_HEAD])
{
	int at = 2, length = 0;

	while (head[at] == ' ' || head[at] == '\t')
		at++;
	while (head[at] && head[at] != ' ' && head[at] != '\t' && head[at] != '\n' && head[at] != '\r')
		head[length++] = head[at++];
	head[length] = 0;
	return length > 0;
}

/* What the file behind FD is, or SCRIPT with its interpreter's path in HEAD. */
static int look_at_file(int fd, char head[MAX_HEAD])
{
	struct elf_file elf = { .fd = fd };
	struct stat st;
	long size;

	if (PF_SYS2(SYS_fstat, fd, &st) != 0 || !S_ISREG(st.st_mode))
		return PF_LOADABLE_UNREADABLE;
	__builtin_memset(head, 0, MAX_HEAD);
	size = PF_SYS4(SYS_pread64, fd, head, MAX_HEAD - 1, 0);
	if (size > 2 && head[0] == '#' && head[1] == '!')
		return find_interpreter(head) ? SCRIPT : PF_LOADABLE_UNREADABLE;
	if (size < (long)sizeof elf.header || !starts_with(head, ELFMAG))
		return PF_LOADABLE_UNREADABLE;
	__builtin_memcpy(&elf.header, head, sizeof elf.header);
	return look_at_elf(&elf, head);
}

static long open_file(int dirfd, const char *path, int flags)
{
	int mode = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

	if (*path == 0 && (flags & AT_EMPTY_PATH))
		return PF_SYS3(SYS_fcntl, dirfd, F_DUPFD_CLOEXEC, 0);
	return PF_SYS4(SYS_openat, dirfd, path, mode | (flags & AT_SYMLINK_NOFOLLOW ? O_NOFOLLOW : 0), 0);
}

int pf_loadable_open(int dirfd, const char *path, int flags, enum pf_loadable *what)
{
	char interpreter[MAX_HEAD];
	long fd = open_file(dirfd, path, flags);

	for (int i = 0; fd >= 0; i++) {
		int seen = look_at_file((int)fd, interpreter);

		*what = seen == SCRIPT ? PF_LOADABLE_UNREADABLE : (enum pf_loadable)seen;
		if (seen != SCRIPT)
			return (int)fd;
		PF_SYS1(SYS_close, fd);
		fd = i < MAX_INTERPRETERS ? open_file(AT_FDCWD, interpreter, 0) : -1;
	}
	*what = PF_LOADABLE_UNREADABLE;
	return -1;
}

enum pf_loadable pf_loadable(int dirfd, const char *path, int flags)
{
	enum pf_loadable what;
	int fd = pf_loadable_open(dirfd, path, flags, &what);

	if (fd >= 0)
		PF_SYS1(SYS_close, fd);
	return what;
}
