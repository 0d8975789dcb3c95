/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What code that counts paths and contexts, the libraries that it is linked with, and the options of that link have in
 * common.
 *
 * The names that code and library share have the number of their layout in them, which goes up when anything changes
 * that both lay out: records, units, or what a call takes.  So code of another layout is undefined to the linker, or to
 * the loader, and modules of two layouts in one process have nothing to do with each other. */
#ifndef PF_SUPPORT_COUNTING_H
#define PF_SUPPORT_COUNTING_H

#define PF_COUNTING_LAYOUT 3

#define PF_COUNTING_NAME(name) PF_COUNTING_JOIN(PF_COUNTING_LAYOUT, name)
#define PF_COUNTING_JOIN(layout, name) PF_COUNTING_PASTE(layout, name)
#define PF_COUNTING_PASTE(layout, name) __pathfdo_layout##layout##_##name

/* The same as a string. */
#define PF_COUNTING_TEXT(name) PF_COUNTING_QUOTE(PF_COUNTING_NAME(name))
#define PF_COUNTING_QUOTE(name) PF_COUNTING_STRING(name)
#define PF_COUNTING_STRING(name) #name

/* What is measured besides executions.  A function says which, and a process must not have both of the last two. */
enum pf_counting_metric {
	PF_COUNTING_NONE,
	PF_COUNTING_CYCLES,  /* the time stamp counter */
	PF_COUNTING_COUNTER, /* an event that PATHFDO_COUNTER names, in a counter of the processor */
};

#endif
