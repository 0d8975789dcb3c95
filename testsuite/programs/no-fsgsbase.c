/* SPDX-License-Identifier: GPL-3.0-or-later */
/* To be preloaded: a machine without FSGSBASE, as far as getauxval tells it. */
#include <dlfcn.h>
#include <sys/auxv.h>

unsigned long getauxval(unsigned long type)
{
	static unsigned long (*next)(unsigned long);

	if (!next)
		next = (unsigned long (*)(unsigned long))dlsym(RTLD_NEXT, "getauxval");
	return type == AT_HWCAP2 ? next(type) & ~2ul : next(type);
}
