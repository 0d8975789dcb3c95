/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that asks by name for optional functions (dlsym, weak references) does not find a recorder's or its
 * decoder's, and thinks it has that library.  Hard because all that a preloaded library exports, and all that it is
 * linked to, is visible to everybody. */
#include "nasty.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <signal.h>

extern int ZydisDecoderInit(void) __attribute__((weak));
extern int ZydisGetVersion(void) __attribute__((weak));
extern int pf_engine __attribute__((weak));

static const char *const names[] = {
	"ZydisDecoderInit",
	"ZydisGetVersion",
	"ZydisDecoderDecodeInstruction",
	"ZycoreGetVersion",
	"pf_engine",
	"pf_agent_signal",
	"pf_agent_burst",
	"pf_agent_take",
	"pf_agent_slots",
	"pf_agent_translate",
	"begin",
	"start",
	"restorer",
	"handle",
	"engine",
	"storage",
	"pf_wire_open",
	"pf_agent_wire_open",
	"pf_sys",
	"decode",
};

static int hidden, other;

static uint32_t symbol_count(const uint32_t *gnu)
{
	const uint32_t *buckets = gnu + 4 + gnu[2] * 2, *chains = buckets + gnu[0];
	uint32_t last = 0;
	for (uint32_t i = 0; i < gnu[0]; i++)
		last = buckets[i] > last ? buckets[i] : last;
	if (last < gnu[1])
		return gnu[1];
	while (!(chains[last - gnu[1]] & 1))
		last++;
	return last + 1;
}

/* Calls of a newer C library that the recorder must stand in for, and which say without it that the kernel has none. */
static int is_newer(const char *name)
{
	return strcmp(name, "pidfd_spawn") == 0 || strcmp(name, "pidfd_spawnp") == 0;
}

/* Every name that any library defines whose own name tells of the recorder must be one that libc has, too. */
static int look(struct dl_phdr_info *info, size_t size, void *argument)
{
	const ElfW(Sym) *symbols = NULL;
	const char *strings = NULL;
	const uint32_t *gnu = NULL;
	void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
	if (!strstr(info->dlpi_name, "pathfdo"))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type != PT_DYNAMIC)
			continue;
		const ElfW(Dyn) *dynamic = (void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
		for (; dynamic->d_tag != DT_NULL; dynamic++) {
			if (dynamic->d_tag == DT_SYMTAB)
				symbols = (void *)dynamic->d_un.d_ptr;
			if (dynamic->d_tag == DT_STRTAB)
				strings = (void *)dynamic->d_un.d_ptr;
			if (dynamic->d_tag == DT_GNU_HASH)
				gnu = (void *)dynamic->d_un.d_ptr;
		}
	}
	for (uint32_t i = 1; symbols && strings && gnu && i < symbol_count(gnu); i++)
		if (symbols[i].st_shndx != SHN_UNDEF && !dlsym(libc, strings + symbols[i].st_name) &&
		    !is_newer(strings + symbols[i].st_name)) {
			fprintf(stderr, "exported: %s\n", strings + symbols[i].st_name);
			other++;
		}
	return 0;
}

int main(void)
{
	busy(150);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		void *found = dlsym(RTLD_DEFAULT, names[i]);
		if (found)
			fprintf(stderr, "found: %s\n", names[i]);
		hidden += found == NULL;
	}
	dl_iterate_phdr(look, NULL);
	printf("not found %d, weak %d, exported beside libc's names: %d\n", hidden,
	       ZydisDecoderInit != NULL || ZydisGetVersion != NULL || &pf_engine != NULL, other);
	return 0;
}
