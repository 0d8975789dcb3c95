/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program may hand to a library call what is no memory, or ends in the middle, and is told so by EFAULT, as libc
 * looks at nothing there but leaves it to the kernel.  A stand-in that must look itself does so through here: the
 * kernel is asked first, by a change of the mask in a way that there is not, for which it reads one word.  (A fault
 * could not be caught: its handler is the program's.)  What is to be written, the kernel writes itself, before a
 * stand-in changes it in its place.  What libc itself reads or writes faults with it, too, and needs nothing of this.
 * The hard case is a process that forbids system calls: there is no asking, and what the caller says is believed. */
#include "runtime/agent/caller.h"
#include "runtime/agent/process.h"

#include <errno.h>

#define PAGE 4096ull

/* Is the byte at AT there?  *PAGE is the last page that was, of which no more is asked; 0: none was. */
static bool is_there(const void *at, uint64_t *page)
{
	uint64_t of = (uint64_t)at & ~(PAGE - 1);
	if (of && of != *page && (pf_process_barred || PF_SYS4(SYS_rt_sigprocmask, PF_NO_WAY, of, NULL, 8) == -EINVAL))
		*page = of;
	return of && of == *page;
}

static bool has(const void *from, size_t size, uint64_t *page)
{
	const char *at = from, *last = at + size - 1;
	for (; at < last; at += PAGE)
		if (!is_there(at, page))
			return false;
	return is_there(last, page);
}

bool pf_caller_reads(void *to, const void *from, size_t size)
{
	uint64_t page = 0;
	if (!has(from, size, &page))
		return false;
	__builtin_memcpy(to, from, size);
	return true;
}

static bool has_text(const char *text, uint64_t *page)
{
	while (is_there(text, page))
		if (!*text++)
			return true;
	return false;
}

bool pf_caller_has_text(const char *text)
{
	uint64_t page = 0;
	return has_text(text, &page);
}

bool pf_caller_has_list(char *const list[])
{
	uint64_t page = 0, page_of_text = 0;
	for (; has(list, sizeof *list, &page); list++)
		if (!*list)
			return true;
		else if (!has_text(*list, &page_of_text))
			return false;
	return false;
}
