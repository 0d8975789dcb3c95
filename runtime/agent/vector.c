/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program's vector and x87 state during a burst.  The kernel saved it in the signal frame and left the registers
 * in their initial state; it is loaded when translated code is about to run for the first time, and parked (saved back)
 * when the run ends.  In between it stays in the registers: the agent's C code is compiled without vector instructions,
 * and a burst comes back to C some hundred times, where to save and load it would cost more than the rest of the way.
 * The frame itself says which features it holds, so AVX-512 and AMX need no knowledge here; but no thread may come to
 * a feature in a burst that it had not when its frame was made (decode.c).  The hard case: saving must not write to the
 * 48 bytes in which the kernel keeps the frame's own description; XSAVE leaves them alone, FXSAVE would not be enough.
 */
#include "runtime/agent/run.h"

#define FRAME_MAGIC 0x46505853u /* FP_XSTATE_MAGIC1 */

struct frame_description {
	uint32_t magic, extended_size;
	uint64_t xfeatures;
	uint32_t xstate_size;
};

/* Takes FPSTATE, 64-byte aligned, as the state's home; false if it is not an XSAVE image. */
bool pf_vectors_attach(struct pf_run *run, uint8_t *fpstate)
{
	const struct frame_description *description = (const void *)(fpstate + 464);
	if (description->magic != FRAME_MAGIC)
		return false;
	run->xsave = fpstate;
	run->xfeatures = description->xfeatures;
	run->vectors_live = false;
	return true;
}

void pf_vectors_load(struct pf_run *run)
{
	if (run->vectors_live)
		return;
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
	__asm__ volatile("xsave64 (%0)"
			 :
			 : "r"(run->xsave), "a"((uint32_t)run->xfeatures), "d"((uint32_t)(run->xfeatures >> 32))
			 : "memory");
	run->vectors_live = false;
}
