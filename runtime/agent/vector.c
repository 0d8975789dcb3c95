/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program's vector and x87 state during a burst.  The kernel saved it in the signal frame and left the registers
 * in their initial state; it is loaded when translated code is about to run for the first time, and parked (saved back)
 * when the run ends.  In between it stays in the registers: the agent's C code is compiled without vector instructions,
 * and a burst comes back to C some hundred times, where to save and load it would cost more than the rest of the way.
 * The frame itself says which features it holds, so AVX-512 and AMX need no knowledge here; but no thread may come to
 * a feature in a burst that it had not when its frame was made (decode.c).  The hard case: saving must not write to the
 * 48 bytes in which the kernel keeps the frame's own description; XSAVE leaves them alone.  Where there is no XSAVE, as
 * in virtual machines whose processor is to be everywhere the same, there is no description either, and FXSAVE does. */
#include "runtime/agent/run.h"

#define FRAME_MAGIC 0x46505853u /* FP_XSTATE_MAGIC1 */

#define FXSAVE_SIZE 512

struct frame_description {
	uint32_t magic, extended_size;
	uint64_t xfeatures;
	uint32_t xstate_size;
};

static bool has_xsave;

static const struct frame_description *description_of(const uint8_t *fpstate)
{
	return (const void *)(fpstate + 464);
}

void pf_vectors_start(bool xsave)
{
	has_xsave = xsave;
}

uint32_t pf_vectors_size(const uint8_t *fpstate)
{
	if (!fpstate)
		return 0;
	if (!has_xsave)
		return FXSAVE_SIZE;
	return description_of(fpstate)->magic == FRAME_MAGIC ? description_of(fpstate)->extended_size : 0;
}

void pf_vectors_attach(struct pf_run *run, uint8_t *fpstate)
{
	run->xsave = fpstate;
	run->xfeatures = has_xsave ? description_of(fpstate)->xfeatures : 0;
	run->vectors_live = false;
}

void pf_vectors_load(struct pf_run *run)
{
	if (run->vectors_live)
		return;
	if (!has_xsave)
		__asm__ volatile("fxrstor64 (%0)" : : "r"(run->xsave) : "memory");
	else
		__asm__ volatile("xrstor64 (%0)"
				 :
				 : "r"(run->xsave), "a"((uint32_t)run->xfeatures), "d"((uint32_t)(run->xfeatures >> 32))
				 : "memory");
	run->vectors_live = true;
}

void pf_vectors_park(struct pf_run *run)
{
	if (!run->vectors_live)
		return;
	if (!has_xsave)
		__asm__ volatile("fxsave64 (%0)" : : "r"(run->xsave) : "memory");
	else
		__asm__ volatile("xsave64 (%0)"
				 :
				 : "r"(run->xsave), "a"((uint32_t)run->xfeatures), "d"((uint32_t)(run->xfeatures >> 32))
				 : "memory");
	run->vectors_live = false;
}
