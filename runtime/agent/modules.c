/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which code may be translated.  The list is the loader's own, together with the ELF headers in memory, so that it can
 * be read in a signal handler without a system call or a lock.  The hard case: libraries come and go without a call
 * that could be interposed (libc loads character-set converters and name services itself); so each burst compares a
 * signature of the list, and reads under the guard, since another thread may be changing it.  Headers that are not
 * there (a program has protected them, the file was cut, or it is being unmapped) cost their own file alone, and that
 * for as long as they are not there.  A library that was loaded by a relative name is looked up among the process's
 * mappings, for the name means nothing elsewhere. */
#include "runtime/agent/modules.h"
#include "runtime/agent/next.h"
#include "runtime/agent/placed.h"
#include "runtime/agent/sys.h"

#include <elf.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/auxv.h>

#define RSEQ_SIGNATURE 0x53053053u
#define ELF_MAGIC 0x464c457fu
#define MOST_NAMESPACES 64
#define LONGEST_PATH 4096
#define MIX 0x9e3779b97f4a7c15ull

struct rseq_descriptor {
	uint32_t version, flags;
	uint64_t start, length, abort;
};

/* Are the HEADERS to be read?  If that faults, they are known by it. */
static bool look_at(struct pf_modules *modules, uint64_t headers)
{
	for (uint32_t i = 0; i < modules->unreadable_count; i++)
		if (modules->unreadable[i] == headers)
			return false;
	modules->looked_at = headers;
	return headers != 0;
}

static bool is_header(struct pf_modules *modules, uint64_t at, const struct link_map *map)
{
	const ElfW(Ehdr) *header = (const void *)at;
	return look_at(modules, at) && *(const uint32_t *)header->e_ident == ELF_MAGIC &&
	       pf_placed_has(header, map->l_addr, map->l_ld);
}

/* The library's ELF header, 0 if it is not found: less than a page in front of what linkers put first.  Where a tool
 * has moved that, the file is one that is linked at 0. */
static uint64_t find_header(struct pf_modules *modules, const struct link_map *map)
{
	if (!look_at(modules, (uint64_t)map->l_ld))
		return 0;
	uint64_t page = pf_placed_lowest(map->l_addr, map->l_ld) & ~4095ull;
	if (is_header(modules, page, map))
		return page;
	if (is_header(modules, map->l_addr, map))
		return map->l_addr;
	return is_header(modules, page - 4096, map) ? page - 4096 : 0;
}

/* What tells a library from another that takes its place, list entry and all: its notes, of which one is the build-id,
 * and for those that have none its name, and its segments' sizes, which a rebuilt one of the same name seldom keeps. */
static uint64_t identity(struct pf_modules *modules, const struct link_map *map)
{
	uint64_t sum = 0;
	const ElfW(Ehdr) *header = (const void *)find_header(modules, map);
	for (const char *name = map->l_name; name && *name; name++)
		sum = (sum + (uint8_t)*name) * MIX;
	if (!header)
		return sum;
	const ElfW(Phdr) *segments = (const void *)((uint64_t)header + header->e_phoff);
	for (unsigned int i = 0; i < header->e_phnum; i++) {
		const uint32_t *words = (const void *)(map->l_addr + segments[i].p_vaddr);
		sum = (sum + segments[i].p_filesz) * MIX;
		for (uint64_t k = 0; segments[i].p_type == PT_NOTE && k < segments[i].p_memsz / sizeof *words; k++)
			sum = (sum + words[k]) * MIX;
	}
	return sum;
}

static uint64_t signature(struct pf_modules *modules)
{
	uint64_t sum = 0;
	const struct pf_debug *debug = pf_next_debug();
	for (int i = 0; debug && i < MOST_NAMESPACES; i++) {
		const struct link_map *map = debug->base.r_map;
		for (int n = 0; map && n < PF_MAX_MODULES; n++, map = map->l_next)
			sum = (sum + map->l_addr + (uint64_t)map->l_ld + (uint64_t)map + identity(modules, map)) * MIX;
		debug = debug->base.r_version >= 2 ? debug->next : NULL;
	}
	modules->looked_at = 0;
	return sum;
}

static int differs(void *argument)
{
	struct pf_modules *modules = argument;
	return signature(modules) != modules->signature;
}

static int read_byte(void *address)
{
	(void)*(const volatile uint8_t *)address;
	return 0;
}

static bool can_be_read(struct pf_run *run, uint64_t address)
{
	return pf_run_guard(run, read_byte, (void *)address) == 0;
}

/* A library that is unloaded is unmapped before it leaves the list.  Where another comes to its place, entry and all,
 * nothing tells the two apart but that the headers can be read again. */
bool pf_modules_changed(struct pf_modules *modules, struct pf_run *run)
{
	for (uint32_t i = 0; i < modules->unreadable_count; i++)
		if (modules->vanished[i] && can_be_read(run, modules->unreadable[i]))
			return true;
	return pf_run_guard(run, differs, modules) != 0;
}

/* What is being read: the list as a whole, and one file of it. */
struct reader {
	struct pf_modules *modules;
	const char *exe;
	pf_modules_note *note;
	void *context;
	const ElfW(Phdr) * headers;
	unsigned int count;
	uint64_t bias;
	const char *path;
	struct pf_wire_map wire;
	uint64_t load_lo, load_hi;
	const struct link_map *relative[PF_MAX_MODULES]; /* loaded by names that mean nothing elsewhere */
	uint64_t relative_header[PF_MAX_MODULES];
	uint32_t relative_count;
};

/* The last note may lack the bytes that pad it. */
static void read_note(struct reader *reader, const uint8_t *note, uint64_t size)
{
	while (size >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *header = (const void *)note;
		uint64_t data = sizeof *header + ((header->n_namesz + 3ull) & ~3ull),
			 whole = data + ((header->n_descsz + 3ull) & ~3ull);
		if (data + header->n_descsz > size)
			return;
		if (header->n_type == NT_GNU_BUILD_ID && header->n_namesz == 4 && header->n_descsz <= 20) {
			__builtin_memcpy(reader->wire.build_id, note + data, header->n_descsz);
			reader->wire.build_id_size = (uint8_t)header->n_descsz;
			return;
		}
		if (whole > size)
			return;
		note += whole;
		size -= whole;
	}
}

static bool is_own(uint64_t start, uint64_t end)
{
	uint64_t here = (uint64_t)&pf_run_exit;
	return here >= start && here < end;
}

static void add_segment(struct reader *reader, const ElfW(Phdr) * header)
{
	struct pf_modules *modules = reader->modules;
	if (modules->count == PF_MAX_MODULES)
		return;
	struct pf_module *module = &modules->list[modules->count++];
	uint64_t lead = header->p_vaddr & 4095;
	module->start = reader->bias + header->p_vaddr;
	module->end = module->start + header->p_filesz;
	module->load_lo = reader->load_lo;
	module->load_hi = reader->load_hi;
	module->own = is_own(module->start, module->end);
	module->zone = -1;
	reader->wire.start = module->start - lead;
	reader->wire.end = (module->end + 4095) & ~4095ull;
	reader->wire.pgoff = header->p_offset - lead;
	module->map = reader->note(reader->context, &reader->wire, reader->path);
}

static void read_image(struct reader *reader)
{
	__builtin_memset(&reader->wire, 0, sizeof reader->wire);
	reader->load_lo = UINT64_MAX;
	reader->load_hi = 0;
	for (unsigned int i = 0; i < reader->count; i++) {
		const ElfW(Phdr) *header = &reader->headers[i];
		uint64_t start = reader->bias + header->p_vaddr;
		if (header->p_type == PT_NOTE && !reader->wire.build_id_size)
			read_note(reader, (const uint8_t *)start, header->p_memsz);
		if (header->p_type == PT_DYNAMIC)
			pf_modules_note_slots(reader->modules, reader->bias, (const void *)start);
		if (header->p_type != PT_LOAD)
			continue;
		reader->load_lo = start < reader->load_lo ? start : reader->load_lo;
		reader->load_hi = start + header->p_memsz > reader->load_hi ? start + header->p_memsz : reader->load_hi;
	}
	for (unsigned int i = 0; i < reader->count; i++)
		if (reader->headers[i].p_type == PT_LOAD && (reader->headers[i].p_flags & PF_X) &&
		    !(reader->headers[i].p_flags & PF_W))
			add_segment(reader, &reader->headers[i]);
}

/* The next line of the file behind FD, at most SIZE - 1 bytes of it, read piece by piece into BUFFER of 2 * SIZE. */
struct lines {
	long fd;
	char buffer[2 * LONGEST_PATH];
	long begin, end;
};

static char *next_line(struct lines *lines)
{
	for (;;) {
		for (long i = lines->begin; i < lines->end; i++) {
			if (lines->buffer[i] != '\n')
				continue;
			char *line = lines->buffer + lines->begin;
			lines->buffer[i] = 0;
			lines->begin = i + 1;
			return line;
		}
		long kept = lines->end - lines->begin;
		for (long i = 0; i < kept; i++)
			lines->buffer[i] = lines->buffer[lines->begin + i];
		lines->begin = 0;
		lines->end = kept;
		long room = (long)sizeof lines->buffer - kept;
		long got = room ? PF_SYS3(SYS_read, lines->fd, lines->buffer + kept, room) : 0;
		if (got <= 0)
			return NULL;
		lines->end += got;
	}
}

static uint64_t hexadecimal(const char **at)
{
	uint64_t value = 0;
	for (;; ++*at) {
		char c = **at;
		int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
		if (digit < 0)
			return value;
		value = value << 4 | (uint64_t)digit;
	}
}

bool pf_modules_file(uint64_t address, char *path, size_t size)
{
	struct lines lines = { .fd = PF_SYS4(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0) };
	size_t length = 0;
	for (const char *line; lines.fd >= 0 && !length && (line = next_line(&lines));) {
		uint64_t start = hexadecimal(&line);
		line += *line == '-';
		bool here = address >= start && address < hexadecimal(&line);
		while (*line && *line != '/')
			line++;
		length = here ? __builtin_strlen(line) : 0;
		if (length && length < size)
			__builtin_memcpy(path, line, length + 1);
	}
	if (lines.fd >= 0)
		PF_SYS1(SYS_close, lines.fd);
	return length && length < size;
}

static void read_library(struct reader *reader, uint64_t bias, uint64_t start, const char *path)
{
	const ElfW(Ehdr) *header = (const void *)start;
	if (!start || !look_at(reader->modules, start))
		return;
	reader->path = path;
	reader->bias = bias;
	reader->headers = (const void *)(start + header->e_phoff);
	reader->count = header->e_phnum;
	read_image(reader);
}

/* Those libraries whose own names do not tell their files and that the mapping LINE begins with. */
static void read_mapped(struct reader *reader, const char *line)
{
	uint64_t start = hexadecimal(&line);
	while (*line && *line != '/')
		line++;
	for (uint32_t i = 0; *line && i < reader->relative_count; i++) {
		if (!reader->relative[i] || reader->relative_header[i] != start)
			continue;
		read_library(reader, reader->relative[i]->l_addr, start, line);
		reader->relative[i] = NULL;
	}
}

/* All mappings are looked at once, however many libraries ask; what is not found there keeps its name. */
static void read_relative(struct reader *reader)
{
	struct lines lines = { .fd = -1 };
	if (!reader->modules->quiet)
		lines.fd = PF_SYS4(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
	for (char *line; lines.fd >= 0 && (line = next_line(&lines));)
		read_mapped(reader, line);
	if (lines.fd >= 0)
		PF_SYS1(SYS_close, lines.fd);
	for (uint32_t i = 0; i < reader->relative_count; i++)
		if (reader->relative[i])
			read_library(reader, reader->relative[i]->l_addr, reader->relative_header[i],
				     reader->relative[i]->l_name);
}

static void read_program(struct reader *reader, uint64_t bias)
{
	reader->path = reader->exe;
	reader->bias = bias;
	reader->headers = (const void *)pf_next_auxiliary(AT_PHDR);
	reader->count = (unsigned int)pf_next_auxiliary(AT_PHNUM);
	if (look_at(reader->modules, (uint64_t)reader->headers))
		read_image(reader);
}

static void sort(struct pf_module *modules, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		struct pf_module module = modules[i];
		uint32_t place = i;
		for (; place > 0 && modules[place - 1].start > module.start; place--)
			modules[place] = modules[place - 1];
		modules[place] = module;
	}
}

static void read_namespace(struct reader *reader, const struct link_map *map, bool first, uint64_t vdso)
{
	for (int n = 0; map && n < PF_MAX_MODULES; n++, map = map->l_next) {
		uint64_t header = first && n == 0 ? 0 : find_header(reader->modules, map);
		if (first && n == 0) {
			read_program(reader, map->l_addr);
		} else if (header == vdso || !map->l_name || !map->l_name[0]) {
			continue;
		} else if (map->l_name[0] == '/' || reader->relative_count == PF_MAX_MODULES) {
			read_library(reader, map->l_addr, header, map->l_name);
		} else {
			reader->relative_header[reader->relative_count] = header;
			reader->relative[reader->relative_count++] = map;
		}
	}
}

static int read_all(void *argument)
{
	struct reader *reader = argument;
	const struct pf_debug *debug = pf_next_debug();
	uint64_t vdso = pf_next_auxiliary(AT_SYSINFO_EHDR);
	reader->modules->count = reader->modules->string_slot_count = 0;
	reader->modules->signature = signature(reader->modules);
	for (int i = 0; debug && i < MOST_NAMESPACES; i++) {
		read_namespace(reader, debug->base.r_map, i == 0, vdso);
		debug = debug->base.r_version >= 2 ? debug->next : NULL;
	}
	if (vdso)
		read_library(reader, vdso, vdso, "[vdso]");
	if (reader->relative_count > 0)
		read_relative(reader);
	sort(reader->modules->list, reader->modules->count);
	reader->modules->looked_at = 0;
	return 0;
}

/* The headers at which the reading has faulted.  False: it was not at any, or there are too many. */
static bool pass_by(struct pf_modules *modules, struct pf_run *run)
{
	uint64_t headers = modules->looked_at;
	modules->looked_at = 0;
	if (!headers || modules->unreadable_count == PF_MAX_UNREADABLE)
		return false;
	modules->vanished[modules->unreadable_count] = !can_be_read(run, headers);
	modules->unreadable[modules->unreadable_count++] = headers;
	return true;
}

void pf_modules_read(struct pf_modules *modules, struct pf_run *run, const char *exe, pf_modules_note *note,
		     void *context)
{
	modules->unreadable_count = 0;
	do {
		struct reader reader = { .modules = modules, .exe = exe, .note = note, .context = context };
		modules->looked_at = 0;
		if (pf_run_guard(run, read_all, &reader) == 0)
			return;
	} while (pass_by(modules, run));
	modules->count = modules->string_slot_count = 0;
	modules->signature = 0;
}

/* In each the start is written first: one that is not known yet is empty. */
#define MOST_DISTRUSTED 32
static struct {
	_Atomic uint64_t start, end;
} distrusted[MOST_DISTRUSTED];
static _Atomic uint32_t distrusted_count;

static void lower(_Atomic uint64_t *bound, uint64_t to)
{
	uint64_t seen = *bound;
	while (to < seen && !atomic_compare_exchange_weak(bound, &seen, to))
		continue;
}

static void raise_to(_Atomic uint64_t *bound, uint64_t to)
{
	uint64_t seen = *bound;
	while (to > seen && !atomic_compare_exchange_weak(bound, &seen, to))
		continue;
}

/* There are more ranges than can be told apart, as a JIT asks for each page of its own: the one that has to grow least
 * covers this, too.  A JIT's pages lie together, and no file between them. */
static void widen_nearest(uint64_t start, uint64_t end)
{
	uint64_t least = UINT64_MAX;
	uint32_t nearest = 0;
	for (uint32_t i = 0; i < MOST_DISTRUSTED; i++) {
		uint64_t from = distrusted[i].start, to = distrusted[i].end;
		uint64_t growth = (from > start ? from - start : 0) + (to < end ? end - to : 0);
		if (to <= from || growth >= least)
			continue;
		least = growth;
		nearest = i;
	}
	lower(&distrusted[nearest].start, start);
	raise_to(&distrusted[nearest].end, end);
}

void pf_modules_distrust(uint64_t start, uint64_t end)
{
	uint32_t count = distrusted_count, place = MOST_DISTRUSTED;
	for (uint32_t i = 0; i < count && i < MOST_DISTRUSTED; i++)
		if (start >= distrusted[i].start && end <= distrusted[i].end)
			return;
	if (count < MOST_DISTRUSTED)
		place = atomic_fetch_add(&distrusted_count, 1);
	if (place < MOST_DISTRUSTED) {
		distrusted[place].start = start;
		distrusted[place].end = end;
	} else {
		widen_nearest(start, end);
	}
}

static bool is_distrusted(uint64_t pc)
{
	uint32_t count = distrusted_count;
	for (uint32_t i = 0; i < count && i < MOST_DISTRUSTED; i++)
		if (pc >= distrusted[i].start && pc < distrusted[i].end)
			return true;
	return false;
}

const struct pf_module *pf_modules_find(const struct pf_modules *modules, uint64_t pc)
{
	uint32_t low = 0, high = modules->count;
	while (low < high) {
		uint32_t middle = (low + high) / 2;
		if (pc >= modules->list[middle].end)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == modules->count || pc < modules->list[low].start || is_distrusted(pc))
		return NULL;
	return &modules->list[low];
}

static bool is_loaded(const struct pf_modules *modules, uint64_t address, uint64_t size)
{
	for (uint32_t i = 0; i < modules->count; i++)
		if (address >= modules->list[i].load_lo && address < modules->list[i].load_hi &&
		    modules->list[i].load_hi - address >= size)
			return true;
	return false;
}

bool pf_modules_is_rseq(const struct pf_modules *modules, uint64_t address)
{
	const struct rseq_descriptor *descriptor = (const void *)address;
	if (address % 32 || !address || !is_loaded(modules, address, sizeof *descriptor))
		return false;
	return descriptor->version == 0 && descriptor->flags < 8 && descriptor->length - 1 < 0xffff &&
	       pf_modules_find(modules, descriptor->start) && pf_modules_find(modules, descriptor->abort - 4) &&
	       *(const uint32_t *)(descriptor->abort - 4) == RSEQ_SIGNATURE;
}
