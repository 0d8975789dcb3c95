/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as machine code for the agent's decoder and what looks for jump tables, in a block of exactly their size so
 * that a read beyond them is seen.  What it accepts must hold together: all parts lie within the instruction, which
 * decodes to the same without the bytes behind it, and not at all without its last one. */
#include "runtime/agent/decode.c" /* the files themselves, so that sanitizers see them */
#include "runtime/agent/tablejump.c"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

static bool decode_copy(const uint8_t *data, size_t size, struct pf_insn *insn)
{
	uint8_t *copy = malloc(size ? size : 1);

	require(copy != NULL);
	memcpy(copy, data, size);
	bool known = pf_decode(copy, size, insn);
	free(copy);
	return known;
}

static void check(const uint8_t *data, const struct pf_insn *insn)
{
	struct pf_insn again;

	require(insn->length > 0 && insn->length <= PF_INSN_MAX && insn->class <= PF_INSN_CALL_INDIRECT);
	require(insn->modrm_offset < insn->length && insn->disp_offset + insn->disp_size <= insn->length);
	require(insn->imm_offset + insn->imm_size <= insn->length);
	require(!insn->rip_relative || (insn->disp_size == 4 && (insn->modrm & 0xc7) == 5));
	require(!insn->has_modrm || data[insn->modrm_offset] == insn->modrm);
	require(decode_copy(data, insn->length, &again) && again.length == insn->length && again.class == insn->class);
	require(!decode_copy(data, insn->length - 1u, &again));
}

/* A jump through a table is an indirect one, in the code that there is. */
static void look_for_table(const uint8_t *data, size_t size, const struct pf_insn *insn)
{
	uint8_t *copy = malloc(size);
	struct pf_tablejump found;
	struct pf_insn jump;

	require(copy != NULL);
	memcpy(copy, data, size);
	if (pf_tablejump_at(insn, (uint64_t)copy, (uint64_t)copy + size, &found)) {
		size_t at = found.jump - (uint64_t)copy;

		require(found.index < 16 && found.index != 4 && at < size);
		require(pf_decode(copy + at, size - at, &jump) && jump.class == PF_INSN_JUMP_INDIRECT);
	}
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (size_t at = 0; at <= size;) {
		struct pf_insn insn;
		bool known = decode_copy(data + at, size - at, &insn);

		if (known) {
			require(insn.length <= size - at);
			check(data + at, &insn);
			look_for_table(data + at, size - at, &insn);
		}
		at += known ? insn.length : 1;
	}
	return 0;
}
