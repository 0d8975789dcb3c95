/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For the files that stand in for library calls: the only names that anybody outside can see. */
#ifndef PF_AGENT_EXPORTED_H
#define PF_AGENT_EXPORTED_H

#define PF_EXPORT __attribute__((visibility("default")))

/* Sets the program's errno; returns -1. */
long pf_set_errno(int error);

/* A negative errno becomes -1 and errno. */
static inline long pf_result(long result)
{
	return result < 0 && result > -4096 ? pf_set_errno((int)-result) : result;
}

#endif
