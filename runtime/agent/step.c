/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A step is one instruction that the processor runs by the trap flag, or a system call and the instruction behind it,
 * where the trap comes.  What it did is known from the code and from where the program is afterwards: one edge.  Its
 * loads and stores are found from the registers in front of it, as translated code has them, so that a step hides none.
 * The hard case is the instruction behind a system call: the call leaves its result in rax, so that no address is known
 * that has rax in it, and what is loaded may be what the call has written. */
#include "runtime/agent/step.h"

#include "runtime/agent/access.h"
#include "runtime/agent/decode.h"
#include "runtime/agent/segments.h"
#include "runtime/agent/sightings.h"
#include "runtime/agent/thread.h"

static int kind_of(const struct pf_insn *insn)
{
	static const uint8_t kinds[] = {
		[PF_INSN_COND] = PF_EDGE_COND,
		[PF_INSN_JUMP] = PF_EDGE_JUMP,
		[PF_INSN_CALL] = PF_EDGE_CALL,
		[PF_INSN_RET] = PF_EDGE_RETURN,
		[PF_INSN_JUMP_INDIRECT] = PF_EDGE_INDIRECT,
		[PF_INSN_CALL_INDIRECT] = PF_EDGE_INDIRECT_CALL,
	};

	return insn->class < sizeof kinds ? kinds[insn->class] : 0;
}

/* --- what it accesses --------------------------------------------------------------------------------------------- */

_Static_assert(PF_FRAME_ACCESSES + 2 * sizeof(struct pf_vec_access) <= PF_FRAME_FPSTATE, "the frame has no room");

static struct pf_vec_access *accesses_of(const struct pf_slot *slot)
{
	return (struct pf_vec_access *)(void *)(slot->frame + PF_FRAME_ACCESSES);
}

static bool is_loaded(const struct pf_vec_access *access)
{
	return access->form & PF_VEC_LOAD && PF_VEC_ACCESS_SIZE(access->form);
}

/* As many bytes as translated code notes.  To be called under the guard. */
static int load_value(void *argument)
{
	struct pf_vec_access *access = argument;
	uint32_t size = PF_VEC_ACCESS_SIZE(access->form);

	access->value = 0;
	__builtin_memcpy(&access->value, (const void *)access->address, size < 8 ? size : 8);
	access->form |= PF_VEC_VALUE;
	return 0;
}

struct foresight {
	uint64_t pc;
	struct pf_access_state state;
	struct pf_slot *slot;
};

static int foresee(void *argument)
{
	struct foresight *f = argument;
	struct pf_insn insn;

	if (pf_decode((const uint8_t *)f->pc, PF_INSN_MAX, &insn))
		f->slot->step_accesses =
		    pf_access_at(&insn, (const uint8_t *)f->pc, f->pc, &f->state, accesses_of(f->slot));
	return 0;
}

void pf_step_foresee(struct pf_engine *engine, int why)
{
	struct pf_slot *slot = engine->slot;
	struct foresight f = { .pc = engine->run.pc, .slot = slot };

	slot->step_accesses = 0;
	if (!pf_settings.memory || !pf_modules_find(&engine->modules, f.pc))
		return;
	__builtin_memcpy(f.state.regs, engine->run.regs, sizeof f.state.regs);
	f.state.fs = pf_segments_fs();
	if (why == PF_END_SYSCALL) {
		f.pc += PF_SYSCALL_LENGTH;
		f.state.lost_rax = true;
		f.state.regs[PF_RCX] = f.pc;
		f.state.regs[PF_R8 + 3] = engine->run.flags;
	}
	if (pf_run_guard(&engine->run, foresee, &f) < 0)
		slot->step_accesses = 0;
	for (uint32_t i = 0; i < slot->step_accesses; i++)
		if (is_loaded(&accesses_of(slot)[i]))
			pf_run_guard(&engine->run, load_value, &accesses_of(slot)[i]);
}

/* Those of the instruction at LAST.  What was loaded behind a system call (CALL) and not stored is still there: so the
 * call's own is seen. */
static void record_accesses(struct pf_engine *engine, const struct pf_slot *slot, uint64_t last, bool call)
{
	for (uint32_t i = 0; i < slot->step_accesses; i++) {
		struct pf_vec_access access = accesses_of(slot)[i];

		if (access.pc != last)
			continue;
		if (call && is_loaded(&access) && !(access.form & PF_VEC_STORE))
			pf_run_guard(&engine->run, load_value, &access);
		pf_sightings_note(&engine->run, (const struct pf_sighting *)(const void *)&access);
	}
}

/* --- the edge ----------------------------------------------------------------------------------------------------- */

struct step {
	uint64_t start, last, to; /* what ran natively: from START to the instruction at LAST; it went TO */
	int kind;                 /* 0: that is not known */
};

/* A system call and the instruction behind it, or one instruction. */
static int look(void *argument)
{
	struct step *step = argument;
	struct pf_insn insn;
	const uint8_t *at = (const uint8_t *)step->start;

	step->last = step->start;
	if (at[0] == 0x0f && at[1] == 0x05)
		step->last += PF_SYSCALL_LENGTH;
	if (!pf_decode((const uint8_t *)step->last, PF_INSN_MAX, &insn))
		return 0;
	step->kind = kind_of(&insn);
	if (step->to == step->last + insn.length && (!step->kind || step->kind == PF_EDGE_COND))
		step->kind = PF_EDGE_FALL;
	return 0;
}

void pf_step_record(struct pf_engine *engine)
{
	struct pf_slot *slot = engine->slot;
	struct step step = { .start = slot->step_pc, .to = engine->run.pc };
	bool made = step.start && step.start != step.to && pf_modules_find(&engine->modules, step.start);

	if (made && pf_run_guard(&engine->run, look, &step) == 0 && step.kind &&
	    pf_burst_edge(engine, step.start, step.last, step.to, step.kind))
		record_accesses(engine, slot, step.last, step.last != step.start);
	slot->step_pc = 0;
	slot->step_accesses = 0;
}
