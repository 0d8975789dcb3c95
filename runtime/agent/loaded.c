/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the loader's list is for a recorder that the loader has loaded.  The hard case: library calls that the recorder
 * stands in for may come before it has been started, and must find the library's own all the same: even before it has
 * been relocated, when a library behind it is, and chooses its functions (IFUNC). */
#include "runtime/agent/next.h"
#include "runtime/agent/sys.h"

#include <elf.h>
#include <fcntl.h>

#define MOST_AUXILIARY 64

extern struct r_debug _r_debug __attribute__((weak));

const bool pf_next_is_listed = true;

/* Without relocation: the kernel knows where the loader is. */
static const struct pf_debug *early(void)
{
	static const struct pf_debug *found;
	ElfW(auxv_t) vector[MOST_AUXILIARY];
	if (found)
		return found;
	long fd = PF_SYS4(SYS_openat, AT_FDCWD, "/proc/self/auxv", O_RDONLY | O_CLOEXEC, 0);
	long size = fd < 0 ? 0 : PF_SYS3(SYS_read, fd, vector, sizeof vector);
	if (fd >= 0)
		PF_SYS1(SYS_close, fd);
	for (long i = 0; i < size / (long)sizeof *vector; i++)
		if (vector[i].a_type == AT_BASE && vector[i].a_un.a_val)
			found = pf_next_find_at(vector[i].a_un.a_val, "_r_debug");
	return found;
}

const struct pf_debug *pf_next_debug(void)
{
	const void *debug = &_r_debug; /* it may be of the longer kind */
	__asm__("" : "+r"(debug));
	return debug ? debug : early();
}
