/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code that is mapped twice and changed through the other mapping: memory of memfd_create as JITs use it, and a
 * library's file, which is written to (and flushed, as who writes to a file does) while the library is loaded.  Hard
 * because the mapping that runs is read-only throughout. */
/* part: library.so gcc -shared -fPIC */
#include "selfmod.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

#ifdef PART
SELFMOD_FUNCTION(library_function, ".text");
#else
static void jit(void)
{
	static const unsigned char text[] = { 0xb8, 0, 0, 0, 0, 0xc3 };
	int fd = memfd_create("nasty", MFD_CLOEXEC);
	CHECK(fd >= 0 && ftruncate(fd, 4096) == 0);
	unsigned char *write = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	unsigned char *run = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	CHECK(write != MAP_FAILED && run != MAP_FAILED);
	memcpy(write, text, sizeof text);
	for (uint32_t i = 0; i < 20000; i++) {
		memcpy(write + 1, &i, 4);
		selfmod_check((uint32_t(*)(uint32_t))(void *)run, i, 30);
	}
}

static void file(const char *program)
{
	char path[4096];
	struct stat st;
	snprintf(path, sizeof path, "%s.library.so", program);
	nasty_copy(path, "./copy.so");
	int to = open("./copy.so", O_RDWR | O_CLOEXEC);
	CHECK(to >= 0 && fstat(to, &st) == 0);
	void *handle = dlopen("./copy.so", RTLD_NOW);
	CHECK(handle);
	unlink("./copy.so");
	uint32_t (*function)(uint32_t) = (uint32_t(*)(uint32_t))dlsym(handle, "library_function");
	unsigned char *whole = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, to, 0);
	uint32_t *constant = NULL;
	for (off_t i = 0; i + 4 <= st.st_size; i++)
		if (memcmp(whole + i, "\x44\x33\x22\x11", 4) == 0)
			constant = (void *)(whole + i);
	CHECK(constant);
	selfmod_check(function, SELFMOD_FIRST, 500000);
	for (uint32_t i = 0; i < 100; i++) {
		*(volatile uint32_t *)constant = i * 0x10203;
		CHECK(msync(whole, (size_t)st.st_size, MS_ASYNC) == 0);
		selfmod_check(function, i * 0x10203, 50000);
	}
}

int main(int argc, char **argv)
{
	jit();
	file(argv[0]);
	printf("changed\n");
	return 0;
}
#endif
