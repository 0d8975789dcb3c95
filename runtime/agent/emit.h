/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the few machine instructions that translated code adds to the program's own.  None of them touches flags,
 * memory below the stack pointer, or a register that was not spilled.  The caller has checked that there is room. */
#ifndef PF_AGENT_EMIT_H
#define PF_AGENT_EMIT_H

#include "runtime/agent/cache.h"
#include "runtime/agent/segments.h"

static inline void emit_bytes(uint8_t **at, const void *bytes, size_t size)
{
	uint8_t *to = *at;
	const uint8_t *from = bytes;
	for (size_t i = 0; i < size; i++)
		to[i] = from[i];
	*at = to + size;
}

#define EMIT(at, ...)                                                                                                  \
	do {                                                                                                           \
		static const uint8_t emit_constant[] = { __VA_ARGS__ };                                                \
		__builtin_memcpy(*at, emit_constant, sizeof emit_constant);                                            \
		*at += sizeof emit_constant;                                                                           \
	} while (0)

static inline void emit_u32(uint8_t **at, uint32_t value)
{
	__builtin_memcpy(*at, &value, sizeof value);
	*at += sizeof value;
}

static inline void emit_u64(uint8_t **at, uint64_t value)
{
	__builtin_memcpy(*at, &value, sizeof value);
	*at += sizeof value;
}

/* mov %rcx, %gs:OFFSET and its kin. */
static inline void emit_spill_rcx(uint8_t **at)
{
	EMIT(at, 0x65, 0x48, 0x89, 0x0c, 0x25);
	emit_u32(at, PF_O_SPILL_RCX);
}

static inline void emit_unspill_rcx(uint8_t **at)
{
	EMIT(at, 0x65, 0x48, 0x8b, 0x0c, 0x25);
	emit_u32(at, PF_O_SPILL_RCX);
}

static inline void emit_spill_rax(uint8_t **at)
{
	EMIT(at, 0x65, 0x48, 0x89, 0x04, 0x25);
	emit_u32(at, PF_O_SPILL_RAX);
}

static inline void emit_unspill_rax(uint8_t **at)
{
	EMIT(at, 0x65, 0x48, 0x8b, 0x04, 0x25);
	emit_u32(at, PF_O_SPILL_RAX);
}

/* mov $VALUE, %rax or, from 32 bits, the shorter form that zero-extends. */
static inline void emit_load(uint8_t **at, int reg, uint64_t value)
{
	if (value > UINT32_MAX)
		*(*at)++ = 0x48;
	*(*at)++ = (uint8_t)(0xb8 + reg);
	if (value > UINT32_MAX)
		emit_u64(at, value);
	else
		emit_u32(at, (uint32_t)value);
}

/* jmp TARGET, absolute where the target is out of reach. */
static inline void emit_jump(uint8_t **at, const uint8_t *target)
{
	int64_t distance = target - (*at + 5);
	if (distance == (int32_t)distance) {
		EMIT(at, 0xe9);
		emit_u32(at, (uint32_t)distance);
		return;
	}
	EMIT(at, 0xff, 0x25, 0, 0, 0, 0);
	emit_u64(at, (uint64_t)target);
}

/* Leaves the cache for C with EXIT's number in rcx, which is spilled. */
static inline void emit_leave(uint8_t **at, uint32_t exit)
{
	emit_load(at, PF_RCX, exit);
	EMIT(at, 0x65, 0xff, 0x24, 0x25);
	emit_u32(at, PF_O_EXIT_ENTRY);
}

/* Looks up an indirect branch: rax and rcx are spilled, rcx holds the target. */
static inline void emit_lookup(uint8_t **at, uint64_t key)
{
	emit_load(at, PF_RAX, key);
	EMIT(at, 0x65, 0xff, 0x24, 0x25);
	emit_u32(at, PF_O_LOOKUP_ENTRY);
}

/* Has the block checked whose source is kept at KEPT, in rcx, which is spilled. */
static inline void emit_check(uint8_t **at, uint32_t kept)
{
	emit_load(at, PF_RCX, kept);
	EMIT(at, 0x65, 0xff, 0x24, 0x25);
	emit_u32(at, PF_O_CHECK_ENTRY);
}

/* Adds the base of FS to %rax, by %rcx.  Without FSGSBASE only the kernel changes it, and system calls end the burst.
 */
static inline void emit_add_fs(uint8_t **at)
{
	if (pf_segments_are_free()) {
		EMIT(at, 0xf3, 0x48, 0x0f, 0xae, 0xc1); /* rdfsbase %rcx */
	} else {
		EMIT(at, 0x65, 0x48, 0x8b, 0x0c, 0x25); /* mov %gs:fs, %rcx */
		emit_u32(at, PF_O_FS);
	}
	EMIT(at, 0x48, 0x8d, 0x04, 0x08); /* lea (%rax,%rcx), %rax */
}

/* Appends EDGE to the burst; when that was the last one leaves by EXIT.  Else goes on to BLOCK, of number INDEX, if
 * this burst has checked that, and to its check if not.  rcx is spilled. */
static inline void emit_record(uint8_t **at, uint32_t edge, uint32_t exit, uint32_t index, const struct pf_block *block)
{
	EMIT(at, 0x65, 0x48, 0x8b, 0x0c, 0x25); /* mov %gs:count, %rcx */
	emit_u32(at, PF_O_COUNT);
	EMIT(at, 0x65, 0xc7, 0x04, 0x8d); /* movl $edge, %gs:buffer_end(,%rcx,4) */
	emit_u32(at, PF_O_BUFFER_END);
	emit_u32(at, edge);
	EMIT(at, 0x48, 0x8d, 0x49, 0x01);       /* lea 1(%rcx), %rcx */
	EMIT(at, 0x65, 0x48, 0x89, 0x0c, 0x25); /* mov %rcx, %gs:count */
	emit_u32(at, PF_O_COUNT);
	EMIT(at, 0xe3, 0); /* jrcxz to the last way out */
	uint8_t *to_last = *at;
	EMIT(at, 0x65, 0x0f, 0xb6, 0x0c, 0x25); /* movzbl %gs:is_checked + index, %ecx */
	emit_u32(at, PF_O_IS_CHECKED + index);
	EMIT(at, 0xe3, 0); /* jrcxz to the check */
	uint8_t *to_check = *at;
	emit_unspill_rcx(at);
	emit_jump(at, block->code);
	to_check[-1] = (uint8_t)(*at - to_check);
	emit_check(at, block->kept);
	to_last[-1] = (uint8_t)(*at - to_last);
	emit_leave(at, exit | PF_EXIT_RECORDED);
}

#endif
