/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A library's text is made writable and changed directly after dlopen, before anything else happens, then the library
 * is closed and opened again; so do tools that hook functions.  Hard because a recorder that looks at mprotect's range
 * may not know the library yet, and finds unchanged code at the same address after the next dlopen. */
/* part: library.so gcc -shared -fPIC */
/* unattached: no call of mprotect is seen by a recorder that came later */
#include "selfmod.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/mman.h>

#ifdef PART
SELFMOD_FUNCTION(library_function, ".text");
#else
int main(int argc, char **argv)
{
	char path[4096];
	snprintf(path, sizeof path, "%s.library.so", argv[0]);
	busy(50);
	for (uint32_t i = 0; i < 120; i++) {
		void *handle = dlopen(path, RTLD_NOW);
		CHECK(handle);
		uint32_t (*function)(uint32_t) = (uint32_t(*)(uint32_t))dlsym(handle, "library_function");
		uint32_t *constant = dlsym(handle, "library_function_constant");
		if (i % 3 == 1)
			selfmod_check(function, SELFMOD_FIRST, 10000);
		if (i % 3 != 2) {
			CHECK(mprotect((void *)function, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
			for (uint32_t k = 0; k < 20; k++) {
				*(volatile uint32_t *)constant = i * 0x10203 + k;
				selfmod_check(function, i * 0x10203 + k, k % 5 ? 100 : 10000);
			}
			CHECK(mprotect((void *)function, 4096, PROT_READ | PROT_EXEC) == 0);
			selfmod_check(function, i * 0x10203 + 19, 10000);
		} else {
			selfmod_check(function, SELFMOD_FIRST, 50000);
		}
		CHECK(dlclose(handle) == 0);
	}
	printf("changed\n");
	return 0;
}
#endif
