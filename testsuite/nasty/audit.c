/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program under a library that audits the loader (LD_AUDIT), which lies in a namespace of its own with a second C
 * library, hears of each library that comes and of each symbol that is bound, works, blocks signals and takes faults
 * in there.  Hard because the auditor's code runs before the program's own libraries are there, and a recorder's stand
 * in for nobody in that namespace. */
/* part: so gcc -shared -fPIC */
#include "nasty.h"

#ifdef PART
#include <link.h>

static volatile uint64_t bound, opened;

unsigned int la_version(unsigned int version)
{
	CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
	return version < LAV_CURRENT ? version : LAV_CURRENT;
}

unsigned int la_objopen(struct link_map *map, Lmid_t where, uintptr_t *cookie)
{
	opened++;
	return LA_FLG_BINDTO | LA_FLG_BINDFROM;
}

uintptr_t la_symbind64(Elf64_Sym *symbol, unsigned int index, uintptr_t *from, uintptr_t *to, unsigned int *flags,
		       const char *name)
{
	sigset_t set, old;
	sigfillset(&set);
	if (bound++ % 16 == 0) {
		CHECK(sigprocmask(SIG_BLOCK, &set, &old) == 0 && work(NASTY_ROUNDS) == NASTY_RESULT);
		CHECK(sigprocmask(SIG_SETMASK, &old, NULL) == 0);
	}
	return symbol->st_value;
}
#else
#include <dlfcn.h>
#include <math.h>

int main(int argc, char **argv)
{
	char path[512];
	if (argc == 1) {
		snprintf(path, sizeof path, "%s.so", argv[0]);
		setenv("LD_AUDIT", path, 1);
		execl(argv[0], argv[0], "audited", NULL);
		return 1;
	}
	unsetenv("LD_AUDIT");
	for (int i = 0; i < 30; i++) {
		void *library = dlopen("libresolv.so.2", RTLD_LAZY);
		for (int k = 0; k < 20; k++)
			CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
		if (library)
			dlclose(library);
	}
	busy(100);
	printf("audited %.3f\n", sin(argc));
	return 0;
}
#endif
