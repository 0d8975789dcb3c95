/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The flow graph of a few bytes of code, whose edges are known by hand. */
#include "analysis/codegraph.h"
#include "analysis/jumptable.h"
#include "testsuite/unit/suite.h"

#include <elf.h>

#define BASE 0x1000u

/* Code at BASE, then what it reads. */
struct sample {
	struct pf_elf elf;
	struct pf_elf_segment segment;
	struct pf_source source;
	struct pf_origin origin;
	struct pf_source_node node;
	struct pf_source_function function;
	struct pf_range range;
	struct pf_code code;
	struct pf_codegraph graph;
};

/* With COUNT SECTIONS. */
static void open_sample_of(struct sample *s, const uint8_t *bytes, size_t size, size_t code,
			   struct pf_elf_section *sections, size_t count)
{
	*s = (struct sample) { .elf = { .bytes = bytes, .size = size } };
	s->elf.sections.at = sections;
	s->elf.sections.count = count;
	s->segment = (struct pf_elf_segment) { .address = BASE, .file_size = size, .executable = true };
	s->elf.segments.at = &s->segment;
	s->elf.segments.count = 1;
	s->range = (struct pf_range) { BASE, BASE + code };
	s->node.range_count = 1;
	s->node.entry = BASE;
	s->function.nodes.at = &s->node;
	s->function.nodes.count = 1;
	s->function.ranges.at = &s->range;
	s->function.ranges.count = 1;
	s->source.origins.at = &s->origin;
	s->source.origins.count = 1;
	ck_assert_int_eq(pf_code_read(&s->elf, &s->source, &s->function, NULL, 0, &s->code), PF_OK);
	ck_assert_int_eq(pf_codegraph_read(&s->graph, &s->elf, &s->code, BASE), PF_OK);
}

static void open_sample(struct sample *s, const uint8_t *bytes, size_t size, size_t code)
{
	open_sample_of(s, bytes, size, code, NULL, 0);
}

static void close_sample(struct sample *s)
{
	pf_codegraph_fini(&s->graph);
	pf_code_fini(&s->code);
}

/* Whether there is an edge from the block at offset FROM to that at TO; -1 is the entry or the exit. */
static bool has_edge(const struct sample *s, int from, int to)
{
	uint32_t a =
	    from < 0 ? s->graph.graph->entry : pf_codegraph_block_at(&s->graph, &s->code, BASE + (uint64_t)from);
	uint32_t b = to < 0 ? s->graph.graph->exit : pf_codegraph_block_at(&s->graph, &s->code, BASE + (uint64_t)to);

	ck_assert_uint_ne(a, PF_NO_CODE_BLOCK);
	ck_assert_uint_ne(b, PF_NO_CODE_BLOCK);
	return pf_codegraph_edge(&s->graph, a, b) != UINT32_MAX;
}

START_TEST(diamond_loop_and_call)
{
	static const uint8_t bytes[] = {
		0x85, 0xc0,                   /* 0: test eax,eax */
		0x74, 0x02,                   /* 2: je 6 */
		0x89, 0xc8,                   /* 4: mov eax,ecx */
		0xe8, 0x00, 0x00, 0x00, 0x10, /* 6: call far away */
		0xff, 0xc9,                   /* 11: dec ecx */
		0x75, 0xf1,                   /* 13: jne 0 */
		0xeb, 0x7f,                   /* 15: jmp out of the function */
		0x90,                         /* 17: nop, which nothing leads to */
		0x31, 0xc0,                   /* 18: xor eax,eax: a landing pad */
		0xc3,                         /* 20: ret */
	};
	struct sample s;

	open_sample(&s, bytes, sizeof bytes, sizeof bytes);
	ck_assert_uint_eq(s.graph.block_count, 7);
	ck_assert(has_edge(&s, -1, 0));
	ck_assert(has_edge(&s, 0, 4) && has_edge(&s, 0, 6) && has_edge(&s, 4, 6));
	ck_assert(has_edge(&s, 6, 11) && !has_edge(&s, 6, -1));
	ck_assert(has_edge(&s, 11, 0) && has_edge(&s, 11, 15) && has_edge(&s, 15, -1));
	/* The nop falls into the landing pad, which only the unwinder enters. */
	ck_assert(has_edge(&s, -1, 18) && !has_edge(&s, -1, 17) && has_edge(&s, 18, -1));
	ck_assert_uint_eq(s.graph.blocks[2].callee, BASE + 11 + 0x10000000);
	close_sample(&s);
}
END_TEST

/* A switch as GCC compiles it: distances from the table, behind the code; the fourth entry leads to no instruction. */
START_TEST(jump_table)
{
	static const uint8_t bytes[] = {
		0x48, 0x8d, 0x15, 0x11, 0x00, 0x00, 0x00, /* 0: lea rdx,[rip+0x11] = 24 */
		0x48, 0x63, 0x04, 0x82,                   /* 7: movsxd rax,[rdx+rax*4] */
		0x48, 0x01, 0xd0,                         /* 11: add rax,rdx */
		0xff, 0xe0,                               /* 14: jmp rax */
		0x31, 0xc0,                               /* 16: xor eax,eax */
		0xc3,                                     /* 18: ret */
		0x31, 0xc9,                               /* 19: xor ecx,ecx */
		0xc3,                                     /* 21: ret */
		0x90, 0x90,                               /* 22 */
		0xf8, 0xff, 0xff, 0xff,                   /* 24: -8, 16 */
		0xfb, 0xff, 0xff, 0xff,                   /* -5, 19 */
		0xf8, 0xff, 0xff, 0xff,                   /* -8, 16 */
		0xf9, 0xff, 0xff, 0xff,                   /* -7, 17: inside an instruction */
	};
	struct sample s;

	open_sample(&s, bytes, sizeof bytes, 22);
	ck_assert_uint_eq(s.graph.block_count, 3);
	ck_assert(has_edge(&s, 0, 16) && has_edge(&s, 0, 19) && !has_edge(&s, 0, -1));
	ck_assert(!has_edge(&s, -1, 16) && !has_edge(&s, -1, 19));
	ck_assert_uint_eq(s.graph.graph->edge_count, 5);
	close_sample(&s);
}
END_TEST

/* A constant that could be an address within the table, and an entry that leads behind the function, as clang has it
 * for what cannot be: both stand in front of the one entry that leads to a block which another falls into. */
START_TEST(jump_table_is_read_to_its_end)
{
	static const uint8_t bytes[] = {
		0x48, 0x8d, 0x15, 0x19, 0x00, 0x00, 0x00, /* 0: lea rdx,[rip+0x19] = 32 */
		0x48, 0x63, 0x04, 0x82,                   /* 7: movsxd rax,[rdx+rax*4] */
		0x48, 0x01, 0xd0,                         /* 11: add rax,rdx */
		0xff, 0xe0,                               /* 14: jmp rax */
		0xbf, 0x24, 0x10, 0x00, 0x00,             /* 16: mov edi,0x1024 */
		0xc3,                                     /* 21: ret */
		0x31, 0xc9,                               /* 22: xor ecx,ecx */
		0x31, 0xd2,                               /* 24: xor edx,edx */
		0xc3,                                     /* 26: ret */
		0x90, 0x90, 0x90, 0x90, 0x90,             /* 27 */
		0xf0, 0xff, 0xff, 0xff,                   /* 32: -16, 16 */
		0xfb, 0xff, 0xff, 0xff,                   /* -5, 27: behind the function */
		0xf6, 0xff, 0xff, 0xff,                   /* -10, 22 */
		0xf8, 0xff, 0xff, 0xff,                   /* -8, 24 */
		0x00, 0x00, 0x00, 0x00,
	};
	struct sample s;

	open_sample(&s, bytes, sizeof bytes, 27);
	ck_assert_uint_eq(s.graph.block_count, 4);
	ck_assert(has_edge(&s, 0, 16) && has_edge(&s, 0, 22) && has_edge(&s, 0, 24) && has_edge(&s, 22, 24));
	ck_assert(!has_edge(&s, 0, -1) && !has_edge(&s, -1, 22) && !has_edge(&s, -1, 24));
	close_sample(&s);
}
END_TEST

/* The same switch without optimisation. */
START_TEST(jump_table_of_plain_code)
{
	static const uint8_t bytes[] = {
		0x48, 0x8d, 0x14, 0x85, 0x00, 0x00, 0x00, 0x00, /* 0: lea rdx,[rax*4] */
		0x48, 0x8d, 0x05, 0x1d, 0x00, 0x00, 0x00,       /* 8: lea rax,[rip+0x1d] = 44 */
		0x8b, 0x04, 0x02,                               /* 15: mov eax,[rdx+rax] */
		0x48, 0x98,                                     /* 18: cdqe */
		0x48, 0x8d, 0x15, 0x11, 0x00, 0x00, 0x00,       /* 20: lea rdx,[rip+0x11] = 44 */
		0x48, 0x01, 0xd0,                               /* 27: add rax,rdx */
		0xff, 0xe0,                                     /* 30: jmp rax */
		0x31, 0xc9,                                     /* 32: xor ecx,ecx */
		0x31, 0xd2,                                     /* 34: xor edx,edx */
		0xc3,                                           /* 36: ret */
		0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90,       /* 37 */
		0xf4, 0xff, 0xff, 0xff,                         /* 44: -12, 32 */
		0xf6, 0xff, 0xff, 0xff,                         /* -10, 34 */
	};
	struct sample s;

	open_sample(&s, bytes, sizeof bytes, 37);
	ck_assert_uint_eq(s.graph.block_count, 3);
	ck_assert(has_edge(&s, 0, 32) && has_edge(&s, 0, 34) && has_edge(&s, 32, 34) && !has_edge(&s, 0, -1));
	close_sample(&s);
}
END_TEST

/* Labels of a computed goto in a position-independent program that lld has linked: zeros in the file, and relocations.
 */
START_TEST(table_of_relocations)
{
	static const uint8_t code[] = {
		0x48, 0x8d, 0x15, 0x19, 0x00, 0x00, 0x00, /* 0: lea rdx,[rip+0x19] = 32 */
		0xff, 0x24, 0xc2,                         /* 7: jmp [rdx+rax*8] */
		0x31, 0xc9,                               /* 10: xor ecx,ecx */
		0x31, 0xd2,                               /* 12: xor edx,edx */
		0xc3,                                     /* 14: ret */
	};
	static const Elf64_Rela relocations[] = {
		{ BASE - 8, ELF64_R_INFO(0, R_X86_64_RELATIVE), BASE },
		{ BASE + 32, ELF64_R_INFO(0, R_X86_64_RELATIVE), BASE + 10 },
		{ BASE + 40, ELF64_R_INFO(0, R_X86_64_RELATIVE), BASE + 12 },
		{ BASE + 8, ELF64_R_INFO(1, R_X86_64_GLOB_DAT), 0 },
	};
	struct pf_elf_section section = { .type = SHT_RELA, .flags = SHF_ALLOC, .offset = 64 };
	uint8_t bytes[64 + sizeof relocations] = { 0 };
	struct sample s;

	memcpy(bytes, code, sizeof code);
	memcpy(bytes + 64, relocations, sizeof relocations);
	section.size = sizeof relocations;
	open_sample_of(&s, bytes, sizeof bytes, sizeof code, &section, 1);
	ck_assert_uint_eq(s.graph.block_count, 3);
	ck_assert(has_edge(&s, 0, 10) && has_edge(&s, 0, 12) && has_edge(&s, 10, 12) && !has_edge(&s, 0, -1));
	close_sample(&s);
	section.size = UINT64_MAX; /* none of it is in the file */
	open_sample_of(&s, bytes, sizeof bytes, sizeof code, &section, 1);
	ck_assert(has_edge(&s, 0, -1));
	close_sample(&s);
}
END_TEST

/* The label goes by the stack on its way to the jump, which might as well be one out of the function. */
START_TEST(labels_in_memory)
{
	static const uint8_t bytes[] = {
		0x48, 0x8d, 0x15, 0x19, 0x00, 0x00, 0x00,       /* 0: lea rdx,[rip+0x19] = 32 */
		0x48, 0x8b, 0x04, 0xc2,                         /* 7: mov rax,[rdx+rax*8] */
		0x48, 0x89, 0x45, 0xe0,                         /* 11: mov [rbp-32],rax */
		0x48, 0x8b, 0x45, 0xe0,                         /* 15: mov rax,[rbp-32] */
		0xff, 0xe0,                                     /* 19: jmp rax */
		0x31, 0xc9,                                     /* 21: xor ecx,ecx */
		0x31, 0xd2,                                     /* 23: xor edx,edx */
		0xc3,                                           /* 25: ret */
		0x90, 0x90, 0x90, 0x90, 0x90, 0x90,             /* 26 */
		0x15, 0x10, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* 32: 0x1015 */
		0x17, 0x10, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* 0x1017 */
	};
	struct sample s;

	open_sample(&s, bytes, sizeof bytes, 26);
	ck_assert_uint_eq(s.graph.block_count, 3);
	ck_assert(has_edge(&s, 0, 21) && has_edge(&s, 0, 23) && has_edge(&s, 21, 23) && has_edge(&s, 0, -1));
	close_sample(&s);
}
END_TEST

/* A call by a stub, whose slot is filled with the function NAME; whether control goes on behind it. */
static bool comes_back(const char *name)
{
	static const uint8_t code[] = {
		0x74, 0x05,                               /* 0: je 7 */
		0xe8, 0x09, 0x00, 0x00, 0x00,             /* 2: call 16 */
		0x31, 0xc0,                               /* 7: xor eax,eax */
		0xc3,                                     /* 9: ret */
		0x90, 0x90, 0x90, 0x90, 0x90, 0x90,       /* 10 */
		0xf3, 0x0f, 0x1e, 0xfa,                   /* 16: endbr64 */
		0xf2, 0xff, 0x25, 0x49, 0x00, 0x00, 0x00, /* 20: bnd jmp [rip+0x49] = 100 */
	};
	static const Elf64_Rela slots[] = { { BASE + 92, ELF64_R_INFO(1, R_X86_64_JUMP_SLOT), 0 },
					    { BASE + 100, ELF64_R_INFO(2, R_X86_64_JUMP_SLOT), 0 } };
	static const Elf64_Sym symbols[] = { { 0 }, { .st_name = 1 }, { .st_name = 6 } };
	struct pf_elf_section sections[] = {
		{ 0 },
		{ .type = SHT_RELA, .flags = SHF_ALLOC, .link = 2, .offset = 112, .size = sizeof slots },
		{ .type = SHT_DYNSYM, .link = 3, .offset = 160, .size = sizeof symbols },
		{ .type = SHT_STRTAB, .offset = 232, .size = 64 },
	};
	uint8_t bytes[296] = { 0 };
	struct sample s;
	bool back;

	memcpy(bytes, code, sizeof code);
	memcpy(bytes + 112, slots, sizeof slots);
	memcpy(bytes + 160, symbols, sizeof symbols);
	strcpy((char *)bytes + 233, "exit");
	strcpy((char *)bytes + 238, name);
	open_sample_of(&s, bytes, sizeof bytes, 10, sections, sizeof sections / sizeof *sections);
	ck_assert_uint_eq(s.graph.block_count, 3);
	ck_assert(has_edge(&s, 0, 7) && !has_edge(&s, 2, -1));
	back = has_edge(&s, 2, 7);
	ck_assert_uint_eq(pf_codegraph_next(&s.graph, &s.code, 1), back ? 2 : PF_NO_CODE_BLOCK);
	close_sample(&s);
	return back;
}

START_TEST(calls_that_never_come_back)
{
	ck_assert(comes_back("puts") && comes_back("exits") && comes_back(""));
	ck_assert(!comes_back("exit") && !comes_back("longjmp") && !comes_back("__cxa_throw"));
	ck_assert(!comes_back("_ZSt20__throw_length_errorPKc") && comes_back("_ZSt9__throwing"));
}
END_TEST

/* Without a table: whatever has no other entrance can be its target, and control can leave. */
START_TEST(unknown_jump)
{
	static const uint8_t bytes[] = {
		0xff, 0xe0, /* 0: jmp rax */
		0x31, 0xc0, /* 2: xor eax,eax */
		0xc3,       /* 4: ret */
	};
	struct sample s;

	open_sample(&s, bytes, sizeof bytes, sizeof bytes);
	ck_assert(has_edge(&s, 0, -1) && has_edge(&s, 0, 2) && has_edge(&s, -1, 2));
	close_sample(&s);
}
END_TEST

int main(void)
{
	return RUN_SUITE("analysis-codegraph", diamond_loop_and_call, jump_table, jump_table_is_read_to_its_end,
			 jump_table_of_plain_code, table_of_relocations, labels_in_memory, calls_that_never_come_back,
			 unknown_jump);
}
