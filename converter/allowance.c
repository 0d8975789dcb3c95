/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See allowance.h. */
#include "converter/allowance.h"

#include <sys/resource.h>

#define SECONDS_LEAST 5
#define BYTES_A_SECOND (1u << 20)

void pf_allowance_set(uint64_t size)
{
	struct rlimit seconds = { SECONDS_LEAST + size / BYTES_A_SECOND, RLIM_INFINITY };

	setrlimit(RLIMIT_CPU, &seconds);
}

void pf_allowance_raise(uint64_t size)
{
	struct rlimit seconds;

	if (getrlimit(RLIMIT_CPU, &seconds) != 0 || seconds.rlim_cur == RLIM_INFINITY)
		return;
	seconds.rlim_cur += 1 + size / BYTES_A_SECOND;
	setrlimit(RLIMIT_CPU, &seconds);
}
