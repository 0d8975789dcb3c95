/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Faults, the burst's and the program's.  A fault of translated code ends the burst with the program's registers as
 * they were in front of the faulting instruction; it then faults natively, and the program's own handler sees the
 * truth.  A fault of the recorder under its guard (memory of the program that went away, a full disk) makes the guarded
 * call fail. Everything else goes on to the program's handler, or to the default action, as if the recorder were not
 * there.  Whose a fault is is told by where it happened: in the code cache, in the code that leads there and back, on
 * the recorder's own stack, or right below where its guard is; so a thread or a child of which the recorder does not
 * know cannot be mistaken for the burst.  The hard case is a signal that somebody sent (kill, sigqueue), which comes at
 * any instruction, also where nothing can fault: sent.c. */
#include "runtime/agent/engine.h"
#include "runtime/agent/signals.h"

#include <ucontext.h>

static const uint8_t greg_of[16] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
				     REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };

extern uint8_t pf_agent_stack[PF_STACK_SIZE] __attribute__((visibility("hidden")));

static bool in_zone(const struct pf_cache *cache, uint64_t pc)
{
	for (uint32_t i = 0; i < cache->zone_count; i++)
		if (pc - (uint64_t)cache->zones[i].base < cache->zones[i].size)
			return true;
	return false;
}

/* Finds the original instruction, and the registers as it would have found them. */
static bool translate_back(struct pf_engine *engine, const greg_t *gregs)
{
	struct pf_run *run = &engine->run;
	uint8_t *code = (uint8_t *)gregs[REG_RIP];
	const struct pf_block *block = pf_cache_at(&engine->cache, code);
	if (!block || !block->step_count)
		return false;
	const struct pf_step *steps = engine->cache.steps + block->first_step;
	uint32_t step = block->step_count - 1u;
	while (step > 0 && block->code + steps[step].code > code)
		step--;
	for (int i = 0; i < 16; i++)
		run->regs[i] = (uint64_t)gregs[greg_of[i]];
	if (steps[step].original & PF_STEP_RCX)
		run->regs[PF_RCX] = run->spill_rcx;
	if (steps[step].original & PF_STEP_RAX)
		run->regs[PF_RAX] = run->spill_rax;
	run->flags = (uint64_t)gregs[REG_EFL] & ~0x10000ull; /* the resume flag comes from the fault */
	uint16_t original = steps[step].original & PF_STEP_MASK;
	while (step > 0 && (steps[step].original & PF_STEP_MASK) == original)
		step--;
	uint16_t previous = steps[step].original & PF_STEP_MASK;
	run->fault_start = block->pc;
	run->fault_pc = block->pc + original;
	run->fault_previous = previous < original ? block->pc + previous : 0;
	return true;
}

/* Of the burst: where it goes on.  False if there is no telling. */
static bool recover(struct pf_engine *engine, greg_t *gregs)
{
	struct pf_run *run = &engine->run;
	if (in_zone(&engine->cache, (uint64_t)gregs[REG_RIP]) && translate_back(engine, gregs)) {
		run->exit = PF_EXIT_FAULT;
		gregs[REG_RSP] = (greg_t)run->host_sp;
		gregs[REG_RIP] = (greg_t)&pf_run_landing;
		gregs[REG_EFL] = 0x202;
		return true;
	}
	if (gregs[REG_RIP] == (greg_t)pf_run_check_load) { /* a block's source is not there: C looks, under its guard */
		gregs[REG_RIP] = (greg_t)pf_run_check_differs;
		return true;
	}
	if (!run->guard_sp)
		return false;
	gregs[REG_RSP] = (greg_t)run->guard_sp;
	gregs[REG_RIP] = (greg_t)&pf_run_guard_landing;
	return true;
}

static bool is_between(uint64_t address, const void *start, const void *end)
{
	return address - (uint64_t)start < (uint64_t)end - (uint64_t)start;
}

/* It has the lock, but not yet the recorder's stack. */
static bool begins(const greg_t *gregs)
{
	return is_between((uint64_t)gregs[REG_RIP], pf_signal_taken, pf_signal_taken_end) && gregs[REG_RAX] == 0;
}

/* It may have the lock no more. */
static bool returns(const greg_t *gregs)
{
	return is_between((uint64_t)gregs[REG_RIP], (const void *)pf_signal_return, pf_signal_return_end);
}

/* Under the guard on a stack of the program's: pf_process_prepare. */
static bool is_guarded(const struct pf_engine *engine, const greg_t *gregs)
{
	return engine->run.guard_sp - (uint64_t)gregs[REG_RSP] < PF_STACK_SIZE;
}

/* In a burst, or the recorder at its beginning or end: only who has the lock comes there. */
static bool is_in_burst(const struct pf_engine *engine, const greg_t *gregs)
{
	uint64_t pc = (uint64_t)gregs[REG_RIP];
	return is_between((uint64_t)gregs[REG_RSP], pf_agent_stack, pf_agent_stack + PF_STACK_SIZE) || begins(gregs) ||
	       returns(gregs) || is_between(pc, pf_run_text, pf_run_text_end) ||
	       (engine && (in_zone(&engine->cache, pc) || is_guarded(engine, gregs)));
}

/* What the program asked for; a fault that it ignores is the kernel's to answer. */
static void *pass_on(int signal, siginfo_t *info, const ucontext_t *context)
{
	struct pf_kernel_action action = pf_signals_view(signal);
	if (action.handler == (void *)SIG_IGN && info->si_code <= 0)
		return NULL;
	if (action.handler != (void *)SIG_DFL && action.handler != (void *)SIG_IGN) {
		if (action.flags & SA_RESETHAND)
			pf_signals_reset(signal);
		if (signal == SIGTRAP) /* of all handlers for faults the one with a mask of the recorder's */
			pf_signals_enter_handler(signal, &action, context);
		return action.handler;
	}
	struct pf_kernel_action standard = { (void *)SIG_DFL, 0, NULL, 0 };
	pf_sys_action(signal, &standard, NULL);
	PF_SYS4(SYS_rt_tgsigqueueinfo, PF_SYS0(SYS_getpid), PF_SYS0(SYS_gettid), signal,
		info); /* it waits until this handler returns: the core shows the program where it was */
	return NULL;
}

/* Outside of a guarded call what is counted in the recording's file lies on few pages: where its disk is full the
 * process goes on with memory of its own there, and the recorder leaves at the next burst. */
static bool is_full_disk(int signal, const siginfo_t *info, struct pf_engine *engine)
{
	uint64_t page = (uint64_t)info->si_addr & ~(PF_WIRE_PAGE - 1ull);
	bool counts = page == (uint64_t)pf_control;
	if (signal != SIGBUS || info->si_code != BUS_ADRERR)
		return false;
	if (engine && !counts)
		counts = page - (uint64_t)engine->recording.header < engine->recording.layout.section_size;
	if (!counts)
		return false;
	if (engine)
		engine->full = true;
	pf_control_forsake((void *)page);
	return true;
}

void *pf_fault(int signal, siginfo_t *info, void *context)
{
	greg_t *gregs = ((ucontext_t *)context)->uc_mcontext.gregs;
	struct pf_engine *engine = pf_process.engine;
	if (!is_in_burst(engine, gregs))
		return is_full_disk(signal, info, engine) ? NULL : pass_on(signal, info, context);
	if (info->si_code > 0)
		return (engine && recover(engine, gregs)) || is_full_disk(signal, info, engine)
			   ? NULL
			   : pass_on(signal, info, context);
	if (begins(gregs) || (!returns(gregs) && pf_process.armed))
		pf_sent_keep(signal, info);
	else
		pf_sent_put_off(signal, info, context);
	return NULL;
}
