/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See program.h: stubs of the PLT, through which one module calls another, and thunks of the compiler's.  The hard case
 * is where a stub goes to: the dynamic linker decided, and only what was recorded shows it. */
#include "converter/code.h"
#include "converter/program.h"

#define LONGEST_STUB 16  /* bytes */
#define LONGEST_THUNK 32 /* bytes */

static bool in_plt(const struct pf_program_module *m, uint64_t address)
{
	const struct pf_binary *b = &m->binary;
	/* A program that has lost its section headers leaves them in its separate debug file. */
	const struct pf_elf *elf = b->elf.sections.count > 0 ? &b->elf : &b->separate;

	for (size_t i = 0; i < elf->sections.count; i++) {
		const struct pf_elf_section *s = &elf->sections.at[i];

		if ((strncmp(s->name, ".plt", 4) == 0 || strcmp(s->name, ".iplt") == 0) && address >= s->address &&
		    address - s->address < s->size)
			return true;
	}
	return false;
}

/* What the compiler puts in place of indirect jumps and of returns (-mindirect-branch, -mfunction-return); their
 * symbols have no size. */
static bool in_thunk(const struct pf_program_module *m, uint64_t address)
{
	const struct pf_elf_symbol *symbol = pf_elf_symbol_before(&m->binary.elf, address);

	return symbol && address - symbol->address < LONGEST_THUNK &&
	       (strncmp(symbol->name, "__x86_indirect_thunk", 20) == 0 ||
		strncmp(symbol->name, "__x86_return_thunk", 18) == 0);
}

static bool in_stub(const struct pf_program_module *m, uint64_t address)
{
	return in_plt(m, address) || in_thunk(m, address);
}

uint64_t pf_program_stub_weight(const struct pf_program_module *m)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < m->jumps.count; i++)
		sum = pf_sum(sum, in_stub(m, m->jumps.at[i].from) ? m->jumps.at[i].weight : 0);
	for (size_t i = 0; i < m->samples.count; i++)
		sum = pf_sum(sum, in_stub(m, m->samples.at[i].offset) ? m->samples.at[i].weight : 0);
	return sum;
}

/* Where the PLT stub at ADDRESS was seen to go most, by the jump that it ends with: the next stub begins 16 bytes
 * behind it, or 8 (.plt.got). */
static const struct pf_jump *stub_target(const struct pf_program_module *m, uint64_t address)
{
	const struct pf_jump *best = NULL;
	uint64_t end = address;
	struct pf_step step = pf_code_step(&m->binary.elf, end);

	while (!step.stops && end - address < LONGEST_STUB) {
		end += step.length;
		step = pf_code_step(&m->binary.elf, end);
	}
	for (size_t i = pf_program_first_jump(m, end); i < m->jumps.count && m->jumps.at[i].from == end; i++) {
		const struct pf_jump *jump = &m->jumps.at[i];

		if (jump->to_module != PF_NO_MODULE && (!best || jump->weight > best->weight))
			best = jump;
	}
	return best;
}

static const char *name_at(const struct pf_program_module *m, uint64_t address, uint32_t function, size_t *length)
{
	const struct pf_elf_symbol *symbol;

	if (function != UINT32_MAX) {
		const char *name = pf_program_name(m, function, length);

		return m->source.functions.at[function].nodes.at[0].entry == address && *length ? name : NULL;
	}
	symbol = pf_elf_symbol_at(&m->binary.elf, address);
	if (!symbol || !*symbol->name)
		return NULL;
	*length = pf_name_elide(symbol->name);
	return symbol->name;
}

const char *pf_program_entry(const struct pf_program *p, uint32_t module, uint64_t address, size_t *length)
{
	const struct pf_jump *stub =
	    in_plt(&p->modules[module], address) ? stub_target(&p->modules[module], address) : NULL;

	if (stub) {
		module = stub->to_module;
		address = stub->to;
	}
	/* Nothing is known of where it goes; mold has symbols there, as printf$plt. */
	if (in_plt(&p->modules[module], address))
		return NULL;
	return name_at(&p->modules[module], address, pf_program_function(&p->modules[module], address), length);
}
