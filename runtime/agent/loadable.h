/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Can the agent be preloaded into the program that a file would become if it were executed? */
#ifndef PF_AGENT_LOADABLE_H
#define PF_AGENT_LOADABLE_H

enum pf_loadable {
	PF_LOADABLE_OK,
	PF_LOADABLE_STATIC,     /* no dynamic loader: LD_PRELOAD means nothing to it, but may to what it starts */
	PF_LOADABLE_LOADER,     /* glibc's dynamic loader itself: what it is told to run is another matter (ldso.h) */
	PF_LOADABLE_OTHER_ARCH, /* not a 64-bit x86 program: its loader complains of the agent */
	PF_LOADABLE_OTHER_LIBC, /* its dynamic loader is not glibc's (musl): it does not start with the agent */
	PF_LOADABLE_SANITIZER,  /* linked with a sanitizer's library, which insists on being the first */
	PF_LOADABLE_UNREADABLE, /* cannot be read, or is neither an ELF file nor a script that names its interpreter */
	PF_LOADABLE_COUNT
};

/* Looks at what execveat(DIRFD, PATH, ..., FLAGS) would execute (FLAGS: AT_EMPTY_PATH, AT_SYMLINK_NOFOLLOW), through
 * up to four interpreters of scripts.  Makes only the calls openat, fcntl, fstat, pread64 and close. */
enum pf_loadable pf_loadable(int dirfd, const char *path, int flags);

/* As pf_loadable, and returns the program file itself, opened for reading, or -1: the caller's to close. */
int pf_loadable_open(int dirfd, const char *path, int flags, enum pf_loadable *what);

#endif
