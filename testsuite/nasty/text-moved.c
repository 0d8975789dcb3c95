/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A library whose code moves: mremap takes it elsewhere, where it still runs, other code comes to its place, a hole,
 * and at last itself again, all behind the loader's back, while its functions are called all the time.  Hard because
 * the loader's list, from which a recorder knows what code is, says that nothing has changed. */
/* part: library.so gcc -shared -fPIC */
/* unattached: no call of mmap or mremap is seen by a recorder that came later */
#include "nasty.h"

#include <sys/mman.h>

#ifdef PART
__attribute__((aligned(4096))) uint64_t compute(uint64_t value)
{
	for (int i = 0; i < 500; i++)
		value = (value & 1) ? value * 33 + 1 : value / 2 + 9;
	return value;
}

__attribute__((aligned(4096))) uint64_t other(uint64_t value)
{
	for (int i = 0; i < 500; i++)
		value = (value & 1) ? value * 35 + 3 : value / 2 + 7;
	return value;
}

__attribute__((aligned(4096))) uint64_t behind(uint64_t value)
{
	return value + 1;
}
#else
#include <dlfcn.h>

typedef uint64_t function(uint64_t);

static uint64_t many(function *call, int times)
{
	uint64_t value = 1;
	while (times-- > 0)
		value = call(value);
	return value;
}

int main(int argc, char **argv)
{
	char library[4096];
	snprintf(library, sizeof library, "%s.library.so", argv[0]);
	void *handle = dlopen(library, RTLD_NOW), *away = NULL;
	CHECK(handle);
	function *first = (function *)dlsym(handle, "compute"), *second = (function *)dlsym(handle, "other");
	CHECK(first && second && (uintptr_t)first % 4096 == 0 && (uintptr_t)second % 4096 == 0);
	uint64_t is = many(first, 100), that = many(second, 100);
	CHECK(is != that);
	for (int turn = 0; turn < 300; turn++) {
		away = mremap((void *)first, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED,
			      mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
		CHECK(away != MAP_FAILED && many((function *)away, 100) == is);
		void *here =
		    mmap((void *)first, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		CHECK(here == (void *)first);
		memcpy(here, (void *)second, 4096);
		CHECK(mprotect(here, 4096, PROT_READ | PROT_EXEC) == 0 && many(first, 100) == that);
		CHECK(munmap(here, 4096) == 0 && many(second, 100) == that);
		CHECK(mremap(away, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)first) == (void *)first);
		CHECK(many(first, 100) == is);
	}
	puts("ok");
	return 0;
}
#endif
