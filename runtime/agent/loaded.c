/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the loader's list is for a recorder that the loader has loaded.  The hard case: library calls that the recorder
 * stands in for may come before it has been started, and must find the library's own all the same. */
#include "runtime/agent/next.h"

extern struct r_debug _r_debug __attribute__((weak));

const bool pf_next_is_listed = true;

const struct pf_debug *pf_next_debug(void)
{
	const void *debug = &_r_debug; /* it may be of the longer kind */
	__asm__("" : "+r"(debug));
	return debug;
}
