/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See noreturn.h.  Names that a program cannot give to a function of its own are certain.  The hard case is a function
 * of another module: what is called is a stub, whose jump goes by a slot that the dynamic linker fills. */
#include "analysis/noreturn.h"
#include "analysis/relocations.h"
#include "support/cursor.h"

#include <elf.h>
#include <string.h>

static bool is_name(const char *name)
{
	static const char *const names[] = {
		"exit",
		"_exit",
		"_Exit",
		"quick_exit",
		"abort",
		"longjmp",
		"_longjmp",
		"siglongjmp",
		"__longjmp_chk",
		"pthread_exit",
		"__assert",
		"__assert_fail",
		"__assert_perror_fail",
		"__stack_chk_fail",
		"__chk_fail",
		"__fortify_fail",
		"_Unwind_Resume",
		"__cxa_throw",
		"__cxa_rethrow",
		"__cxa_bad_cast",
		"__cxa_bad_typeid",
		"__cxa_throw_bad_array_new_length",
		"__cxa_pure_virtual",
		"__cxa_call_unexpected",
		"_ZSt9terminatev",
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	/* std::__throw_length_error(char const*) and its kind */
	return strncmp(name, "_ZSt", 4) == 0 && strncmp(name + 4 + strspn(name + 4, "0123456789"), "__throw_", 8) == 0;
}

/* Goes over SIZE BYTES if they are next. */
static bool pass(struct pf_cursor *c, const char *bytes, size_t size)
{
	bool next = pf_cursor_left(c) >= size && memcmp(c->base + c->at, bytes, size) == 0;

	return next && pf_cursor_bytes(c, size);
}

/* The slot by which the stub at ADDRESS jumps; false if there is none. */
static bool find_slot(const struct pf_elf *elf, uint64_t address, uint64_t *slot)
{
	uint64_t left;
	const uint8_t *code = pf_elf_code(elf, address, &left);
	struct pf_cursor c = pf_cursor_over(code, code ? left : 0, 0);
	int32_t distance;

	pass(&c, "\xf3\x0f\x1e\xfa", 4); /* endbr64 */
	if (pass(&c, "\x41\xbb", 2))     /* mov r11d, its number: mold's */
		pf_cursor_u32(&c);
	pass(&c, "\xf2", 1);          /* bnd */
	if (!pass(&c, "\xff\x25", 2)) /* jmp [rip+distance] */
		return false;
	distance = (int32_t)pf_cursor_u32(&c);
	*slot = address + c.at + (uint64_t)(int64_t)distance;
	return !c.failed;
}

bool pf_noreturn_is(const struct pf_elf *elf, uint64_t callee)
{
	const struct pf_elf_symbol *symbol = pf_elf_symbol_at(elf, callee);
	struct pf_relocation found;
	uint64_t slot;

	if (symbol)
		return is_name(symbol->name);
	return find_slot(elf, callee, &slot) && pf_relocation_find(elf, R_X86_64_JUMP_SLOT, slot, &found) &&
	       is_name(pf_relocation_name(elf, &found));
}
