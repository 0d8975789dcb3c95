/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values that a burst sees: the sizes that memcpy and its kin are called with, what is divided by, and which entries
 * of jump tables are wanted.  Translated code notes them in a small buffer of the run, in which only so many of a burst
 * have room; when the burst is over they are added to the recording's table, a site an instruction. */
#ifndef PF_AGENT_SIGHTINGS_H
#define PF_AGENT_SIGHTINGS_H

#include "runtime/agent/emit.h"
#include "runtime/agent/section.h"

/* Notes nothing more until the next burst. */
static inline void pf_sightings_stop(struct pf_run *run)
{
	run->sighting_count = 0;
}

/* There is room for MOST. */
static inline void pf_sightings_begin(struct pf_run *run, uint32_t most)
{
	run->sighting_count = -(int64_t)(most * sizeof(struct pf_sighting) / 8);
}

/* What was noted since, of MOST. */
static inline const struct pf_sighting *pf_sightings_noted(const struct pf_run *run, uint32_t most, uint32_t *count)
{
	*count = (uint32_t)(run->sighting_count / (int64_t)(sizeof(struct pf_sighting) / 8) + most);
	*count = *count < most ? *count : most;
	return run->sightings + PF_MAX_SIGHTINGS - most;
}

/* Notes ONE, as translated code would, if there is still room. */
static inline void pf_sightings_note(struct pf_run *run, const struct pf_sighting *one)
{
	if (run->sighting_count == 0)
		return;
	run->sightings[PF_MAX_SIGHTINGS + run->sighting_count / (int64_t)(sizeof *one / 8)] = *one;
	run->sighting_count += sizeof *one / 8;
}

/* Adds what RUN, which was to record ASKED branches and had room for MOST, noted to R, which counts it as seen in one
 * moment.  Under the guard. */
void pf_sightings_keep(struct pf_recording *r, const struct pf_run *run, uint32_t most, uint32_t asked,
		       const struct pf_modules *modules);

/* mov count, %rcx; jrcxz to what emit_sighting_end will lead to: rcx and rax are spilled. */
static inline uint8_t *emit_sighting_begin(uint8_t **at)
{
	EMIT(at, 0x65, 0x48, 0x8b, 0x0c, 0x25);
	emit_u32(at, PF_O_SIGHTING_COUNT);
	EMIT(at, 0xe3, 0);
	return *at;
}

/* mov %gs:count, %rax */
static inline void emit_load_count(uint8_t **at)
{
	EMIT(at, 0x65, 0x48, 0x8b, 0x04, 0x25);
	emit_u32(at, PF_O_COUNT);
}

/* mov %REG, field OFFSET of the sighting; REG is one of the first eight. */
static inline void emit_sighting_field(uint8_t **at, int reg, uint32_t offset)
{
	uint8_t modrm = (uint8_t)(0x04 | reg << 3);
	EMIT(at, 0x65, 0x48, 0x89);
	emit_bytes(at, &modrm, 1);
	EMIT(at, 0xcd);
	emit_u32(at, PF_O_SIGHTINGS_END + offset);
}

/* The sighting is complete, of FORM; restores rcx and rax.  BEGIN is what emit_sighting_begin returned. */
static inline void emit_sighting_end(uint8_t **at, uint32_t form, uint8_t *begin)
{
	EMIT(at, 0x65, 0xc7, 0x04, 0xcd); /* movl $form, %gs:sightings_end(,%rcx,8) */
	emit_u32(at, PF_O_SIGHTINGS_END + offsetof(struct pf_sighting, form));
	emit_u32(at, form);
	EMIT(at, 0x48, 0x8d, 0x49, sizeof(struct pf_sighting) / 8); /* lea 4(%rcx), %rcx */
	EMIT(at, 0x65, 0x48, 0x89, 0x0c, 0x25);                     /* mov %rcx, count */
	emit_u32(at, PF_O_SIGHTING_COUNT);
	begin[-1] = (uint8_t)(*at - begin);
	emit_unspill_rcx(at);
	emit_unspill_rax(at);
}

#endif
