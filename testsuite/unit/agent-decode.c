/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The agent's decoder against Zydis, which the agent cannot use: every opcode of every map with the prefixes that
 * matter and every ModRM, random bytes, and the code of big programs.  The rules of what must run natively are written
 * once more here, on Zydis' categories and mnemonics.  Because both could be wrong, a table of assembled instructions
 * has lengths and classes written by hand.  Where the two differ it must be for a reason that is listed. */
#include "runtime/agent/decode.c" /* the file itself, so that sanitizers see it */
#include "testsuite/unit/suite.h"

#include <Zydis/Zydis.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static ZydisDecoder zydis;
static uint64_t random_state = 88172645463325252ull;

static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static void random_bytes(uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i += 8) {
		uint64_t value = next_random();

		memcpy(bytes + i, &value, count - i < 8 ? count - i : 8);
	}
}

static void disagree(const char *what, const uint8_t *bytes, const struct pf_insn *ours,
		     const ZydisDecodedInstruction *z)
{
	char text[3 * PF_INSN_MAX + 1];

	for (int i = 0; i < PF_INSN_MAX; i++)
		snprintf(text + 3 * i, 4, "%02x ", bytes[i]);
	ck_abort_msg("%s of %s: Zydis %s, length %d; ours length %d, class %d", what, text,
		     z ? ZydisMnemonicGetString(z->mnemonic) : "refuses", z ? z->length : 0, ours ? ours->length : 0,
		     ours ? ours->class : -1);
}

static bool is_one_of(int value, const uint16_t *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == value)
			return true;
	return false;
}

#define IS_ONE_OF(value, ...)                                                                                          \
	is_one_of(value, (const uint16_t[]) { __VA_ARGS__ }, sizeof((const uint16_t[]) { __VA_ARGS__ }) / 2)
#define M(name) ZYDIS_MNEMONIC_##name
#define C(name) ZYDIS_CATEGORY_##name

static bool zydis_rip_relative(const ZydisDecodedInstruction *z)
{
	return (z->attributes & ZYDIS_ATTRIB_HAS_MODRM) && z->raw.modrm.mod == 0 && z->raw.modrm.rm == 5 &&
	       z->raw.disp.size == 32;
}

static bool zydis_native(const ZydisDecodedInstruction *z)
{
	bool branch = z->meta.branch_type != ZYDIS_BRANCH_TYPE_NONE;

	/* Without effect on what the recorder needs; endbr32 is a nop in 64-bit mode. */
	if (IS_ONE_OF(z->mnemonic, M(ENDBR64), M(ENDBR32), M(RDSSPQ), M(RDSSPD), M(RDTSC), M(RDTSCP)))
		return z->attributes & ZYDIS_ATTRIB_HAS_SEGMENT_GS;
	if (IS_ONE_OF(z->meta.category, C(SYSCALL), C(SYSRET), C(INTERRUPT), C(IO), C(IOSTRINGOP), C(SEGOP),
		      C(RDWRFSGS), C(VTX), C(SGX), C(PKU), C(CET), C(UINTR), C(SYSTEM)))
		return true;
	if (IS_ONE_OF(z->mnemonic, M(XBEGIN), M(XABORT), M(XEND), M(XTEST), M(POPF), M(POPFD), M(POPFQ), M(IRET),
		      M(IRETD), M(IRETQ), M(UD0), M(UD1), M(UD2)))
		return true;
	if (z->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && (z->opcode == 0x8e || z->opcode == 0x8c))
		return true;
	if (z->opcode_map == ZYDIS_OPCODE_MAP_0F && (z->opcode == 0xa1 || z->opcode == 0xa9))
		return true;
	if (z->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR || (z->attributes & ZYDIS_ATTRIB_HAS_SEGMENT_GS))
		return true;
	if (branch && (z->attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE) && !z->raw.rex.W)
		return true;
	return zydis_rip_relative(z) && (z->attributes & ZYDIS_ATTRIB_HAS_ADDRESSSIZE);
}

/* Privileged or withdrawn, with names that only Zydis 4.1 has. */
static bool is_newly_named(const ZydisDecodedInstruction *z)
{
	static const char *const names[] = { "wrmsrns", "wrmsrlist", "rdmsrlist", "pbndkb", "pcommit" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(ZydisMnemonicGetString(z->mnemonic), names[i]) == 0)
			return true;
	return false;
}

/* All of AMX but what configures it. */
static bool zydis_on_tiles(const ZydisDecodedInstruction *z)
{
	return IS_ONE_OF(z->meta.isa_ext, ZYDIS_ISA_EXT_AMX_BF16, ZYDIS_ISA_EXT_AMX_INT8, ZYDIS_ISA_EXT_AMX_TILE) &&
	       !IS_ONE_OF(z->mnemonic, M(LDTILECFG), M(STTILECFG), M(TILERELEASE));
}

/* More that must not be copied: privileged, waiting for a write, noting its own address, or on tiles. */
static bool native_beyond_categories(const ZydisDecodedInstruction *z)
{
	if (z->opcode_map == ZYDIS_OPCODE_MAP_0F && (z->opcode & 0xfc) == 0x20) /* control and debug registers */
		return true;
	return IS_ONE_OF(z->mnemonic, M(TDCALL), M(SEAMRET), M(SEAMOPS), M(SEAMCALL), M(CLI), M(STI), M(MONITOR),
			 M(MWAIT), M(MONITORX), M(MWAITX), M(UMONITOR), M(UMWAIT), M(TPAUSE), M(LLWPCB), M(SLWPCB),
			 M(LWPINS), M(LWPVAL), M(HRESET), M(PCONFIG), M(XSETBV), M(XSAVES), M(XSAVES64), M(XRSTORS),
			 M(XRSTORS64), M(ENQCMDS), M(CLGI), M(STGI), M(SKINIT), M(VMRUN), M(VMLOAD), M(VMSAVE),
			 M(VMMCALL), M(INVLPGA), M(INVLPGB), M(TLBSYNC), M(RDPRU), M(MCOMMIT), M(PSMASH), M(PVALIDATE),
			 M(RMPADJUST), M(RMPUPDATE), M(INVPCID), M(GETSEC), M(CLAC), M(STAC), M(SWAPGS), M(WRUSSD),
			 M(WRUSSQ), M(XRESLDTRK), M(XSUSLDTRK)) ||
	       is_newly_named(z) || zydis_on_tiles(z);
}

/* Not decoded: VIA's PadLock, and what only Knights Corner has. */
static bool is_refused_knowingly(const ZydisDecodedInstruction *z)
{
	return z->meta.category == ZYDIS_CATEGORY_PADLOCK ||
	       IS_ONE_OF(z->meta.isa_ext, ZYDIS_ISA_EXT_KNC, ZYDIS_ISA_EXT_KNCE, ZYDIS_ISA_EXT_KNCV);
}

static int expected_class(const ZydisDecodedInstruction *z, const struct pf_insn *ours)
{
	bool direct = z->raw.imm[0].size && z->raw.imm[0].is_relative;

	if (z->meta.category == ZYDIS_CATEGORY_SYSCALL)
		return ours->gs ? PF_INSN_NATIVE : PF_INSN_SYSCALL;
	if (z->mnemonic == ZYDIS_MNEMONIC_INT && z->raw.imm[0].value.u == 0x80)
		return ours->gs ? PF_INSN_NATIVE : PF_INSN_SYSCALL;
	if (zydis_native(z) || native_beyond_categories(z))
		return PF_INSN_NATIVE;
	if (z->meta.branch_type == ZYDIS_BRANCH_TYPE_NONE)
		return PF_INSN_PLAIN;
	switch (z->meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
		return PF_INSN_COND;
	case ZYDIS_CATEGORY_UNCOND_BR:
		return direct ? PF_INSN_JUMP : PF_INSN_JUMP_INDIRECT;
	case ZYDIS_CATEGORY_CALL:
		return direct ? PF_INSN_CALL : PF_INSN_CALL_INDIRECT;
	case ZYDIS_CATEGORY_RET:
		return PF_INSN_RET;
	default:
		return -1;
	}
}

/* A prefix for gs that has no effect, and F2 with F3: natively, whatever the instruction. */
static bool has_odd_prefixes(const struct pf_insn *ours, const uint8_t *bytes)
{
	bool f2 = false, f3 = false;

	static const char before_opcode[] = "\x26\x2e\x36\x3e\x64\x65\x66\x67\xf0\xf2\xf3";

	for (int i = 0; i < ours->length && ((bytes[i] & 0xf0) == 0x40 || strchr(before_opcode, bytes[i])); i++) {
		f2 |= bytes[i] == 0xf2;
		f3 |= bytes[i] == 0xf3;
	}
	return ours->gs || (f2 && f3);
}

static bool same_parts(const struct pf_insn *o, const ZydisDecodedInstruction *z)
{
	bool vector = o->map >= PF_MAP_VEX;
	bool scaled = o->map >= PF_MAP_EVEX && o->map < PF_MAP_XOP && o->disp_size == 1;
	uint64_t mask = o->imm_size == 8 ? UINT64_MAX : (1ull << 8 * o->imm_size) - 1;
	bool has_imm = z->raw.imm[0].size && o->map != PF_MAP_3DNOW;
	uint8_t rex = z->raw.rex.W << 3 | z->raw.rex.R << 2 | z->raw.rex.X << 1 | z->raw.rex.B;

	if (o->has_modrm != !!(z->attributes & ZYDIS_ATTRIB_HAS_MODRM) || o->rip_relative != zydis_rip_relative(z))
		return false;
	if (o->has_modrm && (o->modrm_offset != z->raw.modrm.offset ||
			     o->modrm != (z->raw.modrm.mod << 6 | z->raw.modrm.reg << 3 | z->raw.modrm.rm)))
		return false;
	if (!vector && (o->rex & 15) != rex)
		return false;
	if (o->opcode != z->opcode && o->map != PF_MAP_3DNOW)
		return false;
	if (o->disp_size * 8 != z->raw.disp.size || o->disp_offset != z->raw.disp.offset ||
	    (!scaled && o->disp != z->raw.disp.value))
		return false;
	if (!has_imm)
		return !o->imm_size;
	return o->imm_size * 8 == z->raw.imm[0].size && o->imm_offset == z->raw.imm[0].offset &&
	       ((uint64_t)o->imm & mask) == (z->raw.imm[0].value.u & mask) &&
	       (!z->raw.imm[0].is_signed || o->imm == z->raw.imm[0].value.s);
}

/* Opcodes newer than Zydis 4.0, by map, mandatory prefix (as its bit) and operand: RAO-INT, AVX-VNNI-INT8,
 * AVX-NE-CONVERT, AVX-IFMA, AMX-FP16, AMX-COMPLEX, CMPccXADD, AVX-VNNI-INT16, SHA512, SM3, SM4. */
static bool is_new(const struct pf_insn *o)
{
	if (o->map == PF_MAP_0F38)
		return o->opcode == 0xfc && o->modrm < 0xc0;
	if (o->map == (PF_MAP_VEX | 3))
		return o->opcode == 0xde;
	if (o->map != (PF_MAP_VEX | 2))
		return false;
	return IS_ONE_OF(o->opcode, 0x50, 0x51, 0x5c, 0x6c, 0x72, 0xb0, 0xb1, 0xb4, 0xb5, 0xcb, 0xcc, 0xcd, 0xd2, 0xd3,
			 0xda) ||
	       (o->opcode & 0xf0) == 0xe0;
}

static bool accepts(const uint8_t *bytes, size_t room, ZydisDecodedInstruction *z)
{
	return ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&zydis, NULL, bytes, room < 15 ? room : 15, z));
}

/* Operands, widths and lengths number I for a vector opcode; its form in memory or registers is kept. */
static void vary(const struct pf_insn *o, uint8_t pp, bool memory, unsigned int i, uint8_t *bytes)
{
	uint8_t number = o->map & 15, w = i & 1, v = i >> 1 & 1 ? 0x0f : 0x08, k = i >> 2 & 1, b = i >> 3 & 1;
	uint8_t l = i >> 4 & 3, reg = i >> 6 & 7, rm = i >> 9 & 1 ? 4 : 0, at = 0;

	memset(bytes, 0, PF_INSN_MAX);
	bytes[at++] = o->map < PF_MAP_EVEX ? 0xc4 : o->map < PF_MAP_XOP ? 0x62 : 0x8f;
	bytes[at++] = bytes[0] == 0x62 ? 0xf0 | number : 0xe0 | number;
	bytes[at++] = (uint8_t)(w << 7 | v << 3 | (bytes[0] == 0x62 ? 4 : (l & 1) << 2) | pp);
	if (bytes[0] == 0x62)
		bytes[at++] = (uint8_t)(l << 5 | b << 4 | 8 | k);
	bytes[at++] = o->opcode;
	bytes[at++] = (uint8_t)((memory ? 0 : 0xc0) | reg << 3 | rm);
	bytes[at] = 0x08;
}

/* Does Zydis know the opcode, and only refuses a reserved field of it? */
static bool is_known_vector(const struct pf_insn *o, const uint8_t *bytes)
{
	static uint8_t known[64][4][256][2]; /* 1 yes, 2 no */
	bool memory = o->modrm < 0xc0;
	uint8_t opcode_at = o->modrm_offset - 1u, pp = 3 & bytes[opcode_at - (o->map >= 0x20 && o->map < 0x30 ? 2 : 1)];
	uint8_t *memo = &known[o->map][pp][o->opcode][memory], varied[PF_INSN_MAX];
	ZydisDecodedInstruction z;

	for (unsigned int i = 0; i < 1024 && !*memo; i++) {
		vary(o, pp, memory, i, varied);
		*memo = accepts(varied, PF_INSN_MAX, &z);
	}
	*memo = *memo ? *memo : 2;
	return *memo == 1;
}

/* What the processor refuses, too, for a reserved field of a known opcode. */
static bool is_reserved(const struct pf_insn *o, const uint8_t *bytes)
{
	if (o->map >= PF_MAP_VEX)
		return !o->has_modrm || is_known_vector(o, bytes);
	return o->map == PF_MAP_0F && (o->opcode == 0x1a || o->opcode == 0x1b); /* MPX, else a nop */
}

static void compare(const uint8_t *bytes, size_t room)
{
	ZydisDecodedInstruction z;
	struct pf_insn ours;
	bool theirs = accepts(bytes, room, &z), known = pf_decode(bytes, room, &ours);

	if (!known) {
		if (theirs && !zydis_native(&z) && !is_refused_knowingly(&z))
			disagree("our refusal", bytes, NULL, &z);
		return;
	}
	if (!theirs) {
		if (ours.class != PF_INSN_NATIVE && !is_new(&ours) && !is_reserved(&ours, bytes))
			disagree("our acceptance", bytes, &ours, NULL);
		return;
	}
	if (ours.length != z.length)
		disagree("length", bytes, &ours, &z);
	if (ours.class != expected_class(&z, &ours) &&
	    !(ours.class == PF_INSN_NATIVE && has_odd_prefixes(&ours, bytes)))
		disagree("class", bytes, &ours, &z);
	if (!same_parts(&ours, &z))
		disagree("parts", bytes, &ours, &z);
}

static const char *const prefixes[] = { "",         "\x66",     "\xf3",     "\xf2",     "\x67",     "\xf0",
					"\x64",     "\x65",     "\x2e",     "\x48",     "\x4f",     "\x41",
					"\x66\x48", "\xf3\x48", "\xf2\x4d", "\xf0\x48", "\x48\x66", "\x66\xf3",
					"\xf2\x66", "\xf3\xf2", "\x67\x66", "\x66\xf0", "\xf0\xf3", "\x65\x64",
					"\x3e\xf2", "\x64\x2e", "\x67\x49", "\x64\x48" };

/* OPCODE after BYTES's first AT, with every ModRM, or those that matter: all mod and reg, rm 0, a SIB, 5. */
static void every_modrm(uint8_t *bytes, size_t at, bool all)
{
	for (unsigned int modrm = 0; modrm < 256; modrm++) {
		unsigned int rm = modrm & 7;

		if (!all && rm != 0 && rm != 4 && rm != 5)
			continue;
		random_bytes(bytes + at, PF_INSN_MAX - at);
		bytes[at] = (uint8_t)modrm;
		compare(bytes, PF_INSN_MAX);
	}
}

START_TEST(legacy_maps)
{
	static const char *const maps[] = { "", "\x0f", "\x0f\x38", "\x0f\x3a" };
	const char *prefix = prefixes[_i];

	for (int map = 0; map < 4; map++)
		for (int opcode = 0; opcode < 256; opcode++) {
			uint8_t bytes[PF_INSN_MAX];
			size_t at = strlen(prefix), escape = strlen(maps[map]);

			memcpy(bytes, prefix, at);
			memcpy(bytes + at, maps[map], escape);
			bytes[at + escape] = (uint8_t)opcode;
			every_modrm(bytes, at + escape + 1, true);
		}
}
END_TEST

START_TEST(vector_maps)
{
	static const uint8_t kinds[] = { 0xc5, 0xc4, 0x62, 0x8f };
	uint8_t bytes[PF_INSN_MAX], kind = kinds[_i];
	unsigned int maps = kind == 0xc5 ? 1 : kind == 0x62 ? 16 : 32;

	for (unsigned int map = 0; map < maps; map++)
		for (unsigned int i = 0; i < 256u * 16 && (map < 12 || i < 64); i++) { /* opcode, prefix, W, L */
			uint8_t last = (uint8_t)((i >> 8 & 3) | (i >> 10 & 1) << 2 | (i >> 11) << 7 |
						 (next_random() & 1 ? 0x78 : next_random() & 0x78));
			size_t at = 0;

			bytes[at++] = kind;
			if (kind != 0xc5)
				bytes[at++] = (uint8_t)(map | (next_random() & 1 ? 0xe0 : next_random() & 0xe0) |
							(kind == 0x62 ? 0x10 : 0));
			bytes[at++] = kind == 0x62 && next_random() % 16 ? last | 4 : last;
			if (kind == 0x62)
				bytes[at++] = (uint8_t)next_random();
			bytes[at++] = (uint8_t)i;
			every_modrm(bytes, at, false);
		}
}
END_TEST

START_TEST(every_sib)
{
	static const char *const openings[] = { "\x8b",
						"\x48\x8d",
						"\x0f\x10",
						"\xf6",
						"\xff",
						"\x69",
						"\x67\x8b",
						"\x0f\x3a\x0f",
						"\xc5\xf8\x58",
						"\xc4\xe2\x7d\x90",
						"\x62\xf1\x7c\x48\x58" };

	for (size_t o = 0; o < sizeof openings / sizeof *openings; o++)
		for (unsigned int i = 0; i < 0x10000; i++) { /* mod and reg, SIB */
			uint8_t bytes[PF_INSN_MAX];
			size_t at = strlen(openings[o]);

			random_bytes(bytes, sizeof bytes);
			memcpy(bytes, openings[o], at);
			bytes[at] = (uint8_t)((i >> 8 & 0xf8) | 4);
			bytes[at + 1] = (uint8_t)i;
			compare(bytes, PF_INSN_MAX);
		}
}
END_TEST

START_TEST(random_strings)
{
	for (int i = 0; i < 2000000; i++) {
		uint8_t bytes[PF_INSN_MAX + 1];

		random_bytes(bytes, sizeof bytes);
		compare(bytes, bytes[PF_INSN_MAX] % 4 ? PF_INSN_MAX : bytes[PF_INSN_MAX] / 4 % 16);
	}
}
END_TEST

static void sweep(const uint8_t *code, size_t size)
{
	for (size_t at = 0; at < size;) {
		struct pf_insn ours;

		compare(code + at, size - at);
		at += pf_decode(code + at, size - at, &ours) ? ours.length : 1;
	}
}

/* The executable segments of a program, as far as MOST bytes; a file that is not there is passed over. */
static uint64_t sweep_file(const char *path, uint64_t most)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint64_t swept = 0;
	struct stat st;

	if (fd < 0)
		return 0;
	ck_assert_int_eq(fstat(fd, &st), 0);
	const uint8_t *image = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	ck_assert_ptr_ne(image, MAP_FAILED);
	const Elf64_Ehdr *elf = (const void *)image;
	const Elf64_Phdr *segments = (const void *)(image + elf->e_phoff);
	for (int i = 0; i < elf->e_phnum; i++)
		if (segments[i].p_type == PT_LOAD && (segments[i].p_flags & PF_X)) {
			uint64_t size = segments[i].p_filesz < most ? segments[i].p_filesz : most;

			sweep(image + segments[i].p_offset, size);
			swept += size;
		}
	munmap((void *)image, (size_t)st.st_size);
	close(fd);
	return swept;
}

START_TEST(real_code)
{
	static const char *const files[] = { "/proc/self/exe",
					     "/lib64/ld-linux-x86-64.so.2",
					     "/lib/x86_64-linux-gnu/libc.so.6",
					     "/lib/x86_64-linux-gnu/libm.so.6",
					     "/usr/lib/gcc/x86_64-linux-gnu/12/cc1plus",
					     "/usr/bin/python3",
					     "/usr/bin/perl",
					     "/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
					     "/usr/lib/x86_64-linux-gnu/libavcodec.so.59",
					     "/usr/lib/x86_64-linux-gnu/libx264.so.164" };
	uint64_t swept = 0;

	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		swept += sweep_file(files[i], 4 << 20);
	ck_assert_uint_gt(swept, 4096);
}
END_TEST

/* Written by hand from the manuals: what is assembled, and what is to be found in it. */
static const struct sample {
	const char *bytes;
	uint8_t length, class, imm_size, disp_size;
	bool rip_relative;
	int64_t imm, disp;
} samples[] = {
	{ "\x90", 1, PF_INSN_PLAIN, 0, 0, 0, 0, 0 },
	{ "\x66\x66\x2e\x0f\x1f\x84\x00\x00\x02\x00\x00", 11, PF_INSN_PLAIN, 0, 4, 0, 0, 512 }, /* nop */
	{ "\xf3\x0f\x1e\xfa", 4, PF_INSN_PLAIN, 0, 0, 0, 0, 0 },                                /* endbr64 */
	{ "\x48\x8b\x05\xf9\xff\xff\xff", 7, PF_INSN_PLAIN, 0, 4, 1, 0, -7 },                   /* mov -7(%rip), %rax */
	{ "\x67\x48\x8b\x05\xf9\xff\xff\xff", 8, PF_INSN_NATIVE, 0, 4, 1, 0, -7 },              /* with 67 */
	{ "\xc7\x44\x24\x08\xfe\xff\xff\xff", 8, PF_INSN_PLAIN, 4, 1, 0, -2, 8 },               /* movl $-2, 8(%rsp) */
	{ "\x66\xc7\x00\x34\x12", 5, PF_INSN_PLAIN, 2, 0, 0, 0x1234, 0 },                       /* movw */
	{ "\x48\xb8\x01\x00\x00\x00\x00\x00\x00\x80", 10, PF_INSN_PLAIN, 8, 0, 0, INT64_MIN + 1, 0 }, /* movabs */
	{ "\x48\xa1\x01\x00\x00\x00\x00\x00\x00\x00", 10, PF_INSN_PLAIN, 0, 8, 0, 0, 1 }, /* movabs 1, %rax */
	{ "\xf6\x04\x25\x10\x00\x00\x00\x80", 8, PF_INSN_PLAIN, 1, 4, 0, -128, 16 },      /* testb $128, 16 */
	{ "\xf6\x14\x25\x10\x00\x00\x00", 7, PF_INSN_PLAIN, 0, 4, 0, 0, 16 },             /* notb 16 */
	{ "\xc8\x10\x00\x01", 4, PF_INSN_PLAIN, 2, 0, 0, 16, 0 },                         /* enter $16, $1 */
	{ "\x74\xfe", 2, PF_INSN_COND, 1, 0, 0, -2, 0 },                                  /* je . */
	{ "\x0f\x85\x00\x01\x00\x00", 6, PF_INSN_COND, 4, 0, 0, 256, 0 },                 /* jne */
	{ "\xe3\x05", 2, PF_INSN_COND, 1, 0, 0, 5, 0 },                                   /* jrcxz */
	{ "\xeb\x7f", 2, PF_INSN_JUMP, 1, 0, 0, 127, 0 },
	{ "\xe8\xfb\xff\xff\xff", 5, PF_INSN_CALL, 4, 0, 0, -5, 0 },
	{ "\x66\x66\x48\xe8\x01\x00\x00\x00", 8, PF_INSN_CALL, 4, 0, 0, 1, 0 }, /* __tls_get_addr */
	{ "\xff\x25\x00\x10\x00\x00", 6, PF_INSN_JUMP_INDIRECT, 0, 4, 1, 0, 4096 },
	{ "\x3e\xff\xe0", 3, PF_INSN_JUMP_INDIRECT, 0, 0, 0, 0, 0 }, /* notrack jmp *%rax */
	{ "\x41\xff\x54\xdc\xf0", 5, PF_INSN_CALL_INDIRECT, 0, 1, 0, 0, -16 },
	{ "\xff\x2c\x24", 3, PF_INSN_NATIVE, 0, 0, 0, 0, 0 }, /* far jump */
	{ "\xf3\xc3", 2, PF_INSN_RET, 0, 0, 0, 0, 0 },
	{ "\xc2\x10\x00", 3, PF_INSN_RET, 2, 0, 0, 16, 0 },
	{ "\x66\xc3", 2, PF_INSN_NATIVE, 0, 0, 0, 0, 0 },
	{ "\x0f\x05", 2, PF_INSN_SYSCALL, 0, 0, 0, 0, 0 },
	{ "\x0f\x34", 2, PF_INSN_SYSCALL, 0, 0, 0, 0, 0 },
	{ "\xcd\x80", 2, PF_INSN_SYSCALL, 1, 0, 0, -128, 0 },
	{ "\xcd\x81", 2, PF_INSN_NATIVE, 1, 0, 0, -127, 0 },
	{ "\xcc", 1, PF_INSN_NATIVE, 0, 0, 0, 0, 0 },
	{ "\x9d", 1, PF_INSN_NATIVE, 0, 0, 0, 0, 0 },                                 /* popf */
	{ "\x0f\x01\xef", 3, PF_INSN_NATIVE, 0, 0, 0, 0, 0 },                         /* wrpkru */
	{ "\x0f\x01\xd0", 3, PF_INSN_PLAIN, 0, 0, 0, 0, 0 },                          /* xgetbv */
	{ "\xf3\x48\x0f\xae\xd0", 5, PF_INSN_NATIVE, 0, 0, 0, 0, 0 },                 /* wrfsbase */
	{ "\x0f\xae\x24\x24", 4, PF_INSN_PLAIN, 0, 0, 0, 0, 0 },                      /* xsave (%rsp) */
	{ "\x0f\xc7\x64\x24\x40", 5, PF_INSN_PLAIN, 0, 1, 0, 0, 64 },                 /* xsavec */
	{ "\xc7\xf8\x00\x00\x00\x00", 6, PF_INSN_NATIVE, 4, 0, 0, 0, 0 },             /* xbegin */
	{ "\x65\x48\x8b\x04\x25\x00\x00\x00\x00", 9, PF_INSN_NATIVE, 0, 4, 0, 0, 0 }, /* mov %gs:0, %rax */
	{ "\x64\x48\x8b\x04\x25\x00\x00\x00\x00", 9, PF_INSN_PLAIN, 0, 4, 0, 0, 0 },
	{ "\xf0\x48\x0f\xc7\x0f", 5, PF_INSN_PLAIN, 0, 0, 0, 0, 0 },              /* lock cmpxchg16b (%rdi) */
	{ "\x0f\x0f\xc1\x9e", 4, PF_INSN_PLAIN, 0, 0, 0, 0, 0 },                  /* pfadd */
	{ "\x66\x0f\x3a\x0f\xc1\x08", 6, PF_INSN_PLAIN, 1, 0, 0, 8, 0 },          /* palignr */
	{ "\x66\x0f\x78\xc0\x04\x08", 6, PF_INSN_PLAIN, 1, 0, 0, 4, 0 },          /* extrq $8, $4 */
	{ "\xc5\xf8\x77", 3, PF_INSN_PLAIN, 0, 0, 0, 0, 0 },                      /* vzeroupper */
	{ "\xc5\xfc\x58\x05\x10\x00\x00\x00", 8, PF_INSN_PLAIN, 0, 4, 1, 0, 16 }, /* vaddps 16(%rip), %ymm0, %ymm0 */
	{ "\xc4\xe3\x7d\x19\xc1\x01", 6, PF_INSN_PLAIN, 1, 0, 0, 1, 0 },          /* vextractf128 */
	{ "\x62\xf1\x7c\x48\x58\x40\x01", 7, PF_INSN_PLAIN, 0, 1, 0, 0, 1 },      /* vaddps 64(%rax), %zmm0, %zmm0 */
	{ "\x62\xf3\xfd\x48\x1b\xc1\x01", 7, PF_INSN_PLAIN, 1, 0, 0, 1, 0 },      /* vextractf64x4 */
	{ "\x8f\xea\x78\x10\xc1\x08\x04\x00\x00", 9, PF_INSN_PLAIN, 4, 0, 0, 0x408, 0 }, /* bextr */
	{ "\x8f\xe8\x78\xc0\xc1\x05", 6, PF_INSN_PLAIN, 1, 0, 0, 5, 0 },                 /* vprotb */
	{ "\x8f\x45\x10", 3, PF_INSN_PLAIN, 0, 1, 0, 0, 16 },                            /* pop 16(%rbp) */
	{ "\xc4\xe2\x71\xe4\x07", 5, PF_INSN_PLAIN, 0, 0, 0, 0, 0 },      /* cmpzxadd %ecx, %eax, (%rdi) */
	{ "\x0f\x38\xfc\x07", 4, PF_INSN_PLAIN, 0, 0, 0, 0, 0 },          /* aadd %eax, (%rdi) */
	{ "\xc4\xe2\x72\xb1\x07", 5, PF_INSN_PLAIN, 0, 0, 0, 0, 0 },      /* vbcstnebf162ps */
	{ "\xc4\xe2\x78\x49\x07", 5, PF_INSN_PLAIN, 0, 0, 0, 0, 0 },      /* ldtilecfg (%rdi) */
	{ "\xc4\xe2\x7b\x49\xc0", 5, PF_INSN_NATIVE, 0, 0, 0, 0, 0 },     /* tilezero %tmm0 */
	{ "\xc4\xe2\x7b\x4b\x04\x18", 6, PF_INSN_NATIVE, 0, 0, 0, 0, 0 }, /* tileloadd (%rax,%rbx), %tmm0 */
	{ "\xc4\xe2\x6b\x5e\xc1", 5, PF_INSN_NATIVE, 0, 0, 0, 0, 0 },     /* tdpbssd %tmm2, %tmm1, %tmm0 */
	{ "\xc4\xe2\x6b\x5c\xc1", 5, PF_INSN_NATIVE, 0, 0, 0, 0, 0 },     /* tdpfp16ps %tmm2, %tmm1, %tmm0 */
	{ "\xc4\xe2\x69\x6c\xc1", 5, PF_INSN_NATIVE, 0, 0, 0, 0, 0 },     /* tcmmimfp16ps %tmm2, %tmm1, %tmm0 */
};

START_TEST(by_hand)
{
	const struct sample *s = &samples[_i];
	struct pf_insn insn;

	ck_assert(pf_decode((const uint8_t *)s->bytes, s->length, &insn));
	ck_assert_uint_eq(insn.length, s->length);
	ck_assert_uint_eq(insn.class, s->class);
	ck_assert_uint_eq(insn.imm_size, s->imm_size);
	ck_assert_uint_eq(insn.disp_size, s->disp_size);
	ck_assert_int_eq(insn.imm, s->imm);
	ck_assert_int_eq(insn.disp, s->disp);
	ck_assert_int_eq(insn.rip_relative, s->rip_relative);
}
END_TEST

/* Cut short, at the end of the last page that may be read. */
START_TEST(nothing_beyond)
{
	const struct sample *s = &samples[_i];
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct pf_insn insn;

	ck_assert_ptr_ne(pages, MAP_FAILED);
	ck_assert_int_eq(mprotect(pages + page, page, PROT_NONE), 0);
	for (size_t room = 0; room <= s->length; room++) {
		memcpy(pages + page - room, s->bytes, room);
		ck_assert_int_eq(pf_decode(pages + page - room, room, &insn), room == s->length);
	}
	munmap(pages, 2 * page);
}
END_TEST

/* Opcodes that are invalid in 64-bit mode, unassigned, of encodings to come, or with a prefix that makes them so. */
START_TEST(refused)
{
	static const char *const bytes[] = {
		"\x06",
		"\x27",
		"\x60",
		"\x82\xc0\x01",
		"\x9a",
		"\xce",
		"\xd5\x00\xa1",
		"\xd6",
		"\xea",
		"\xff\xf8",
		"\x0f\x04",
		"\x0f\x0a",
		"\x0f\x36",
		"\x0f\x0f\xc1\x00",
		"\xf0\x89\xc0",
		"\xf0\x8b\x07",
		"\xf0\x39\x07",
		"\x66\xc5\xf8\x77",
		"\x48\xc5\xf8\x77",
		"\xf0\xc5\xf8\x77",
		"\x8d\xc0",
		"\xc7\xc8\0\0\0\0",
		"\xd9\xd1",
		"\x0f\xba\xc0\x01",
		"\xc4\xe7\x7b\xf6\xc0\0\0\0",
		"\x62\xf4\x7c\x08\xff\xe0",
		"\x62\xf9\x7c\x48\x58\xc1",
		"\x62\xf1\x78\x48\x58\xc1",
	};

	for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
		uint8_t padded[PF_INSN_MAX] = { 0 };
		struct pf_insn insn;

		strcpy((char *)padded, bytes[i]);
		ck_assert_msg(!pf_decode(padded, sizeof padded, &insn), "number %zu", i);
	}
	uint8_t longest[16] = "\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x90";
	struct pf_insn insn;
	ck_assert(pf_decode(longest, 16, &insn) && insn.length == 15);
	longest[14] = 0x66;
	longest[15] = 0x90;
	ck_assert(!pf_decode(longest, 16, &insn));
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("agent-decode");

	ZydisDecoderInit(&zydis, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	tcase_add_loop_test(cases, legacy_maps, 0, (int)(sizeof prefixes / sizeof *prefixes));
	tcase_add_loop_test(cases, vector_maps, 0, 4);
	tcase_add_test(cases, every_sib);
	tcase_add_test(cases, random_strings);
	tcase_add_test(cases, real_code);
	tcase_add_loop_test(cases, by_hand, 0, (int)(sizeof samples / sizeof *samples));
	tcase_add_loop_test(cases, nothing_beyond, 0, (int)(sizeof samples / sizeof *samples));
	tcase_add_test(cases, refused);
	return run_case("agent-decode", cases);
}
