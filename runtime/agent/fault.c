/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Faults during a burst.  For its few microseconds the burst puts handlers of its own in place of the program's.  A
 * fault of translated code ends the burst with the program's registers as they were in front of the faulting
 * instruction; it then faults natively, and the program's own handler sees the truth.  A fault of the recorder under
 * its guard (memory of the program that went away, a full disk) makes the guarded call fail.  The hard case is what
 * is not ours: a fault of another thread waits for the burst to end and happens again, and a signal that somebody
 * sent (kill, sigqueue) is sent again, unchanged. */
#include "runtime/agent/engine.h"

#define RESTORER 0x04000000u

static const int signals[PF_FAULT_SIGNALS] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL };
static const uint8_t greg_of[16] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
				     REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };

bool pf_agent_faults_is(int signal)
{
	for (int i = 0; i < PF_FAULT_SIGNALS; i++)
		if (signals[i] == signal)
			return true;
	return false;
}

static void send_again(int signal, siginfo_t *info)
{
	PF_SYS4(SYS_rt_tgsigqueueinfo, PF_SYS0(SYS_getpid), PF_SYS0(SYS_gettid), signal, info);
}

static void not_ours(struct pf_engine *engine, int signal, siginfo_t *info)
{
	for (unsigned int round = 0; __atomic_load_n(&engine->armed, __ATOMIC_ACQUIRE); round++)
		pf_sys_relax(round);
	if (info->si_code <= 0)
		send_again(signal, info);
}

static bool in_zone(const struct pf_engine *engine, uint64_t pc)
{
	for (uint32_t i = 0; i < engine->zone_count; i++)
		if (pc - (uint64_t)engine->zones[i].base < engine->zones[i].size)
			return true;
	return false;
}

/* Finds the original instruction, and the registers as it would have found them. */
static bool translate_back(struct pf_engine *engine, const greg_t *gregs)
{
	uint8_t *code = (uint8_t *)gregs[REG_RIP];
	const struct pf_block *block = pf_agent_cache_at(engine, code);
	if (!block || !block->step_count)
		return false;
	const struct pf_step *steps = engine->steps + block->first_step;
	uint32_t step = block->step_count - 1;
	while (step > 0 && block->code + steps[step].code > code)
		step--;
	for (int i = 0; i < 16; i++)
		engine->regs[i] = (uint64_t)gregs[greg_of[i]];
	if (steps[step].original & PF_STEP_RCX)
		engine->regs[PF_RCX] = engine->spill_rcx;
	if (steps[step].original & PF_STEP_RAX)
		engine->regs[PF_RAX] = engine->spill_rax;
	engine->flags = (uint64_t)gregs[REG_EFL] & ~0x10000ull; /* the resume flag comes from the fault */
	uint16_t original = steps[step].original & PF_STEP_MASK;
	while (step > 0 && (steps[step].original & PF_STEP_MASK) == original)
		step--;
	uint16_t previous = steps[step].original & PF_STEP_MASK;
	engine->fault_start = block->pc;
	engine->fault_pc = block->pc + original;
	engine->fault_previous = previous < original ? block->pc + previous : 0;
	return true;
}

static void handle(int signal, siginfo_t *info, void *argument)
{
	struct pf_engine *engine = pf_engine;
	greg_t *gregs = ((ucontext_t *)argument)->uc_mcontext.gregs;
	struct pf_slot *slot = __atomic_load_n(&engine->armed, __ATOMIC_ACQUIRE) ? engine->slot : NULL;
	if (!slot || slot->tid != (int)PF_SYS0(SYS_gettid)) {
		not_ours(engine, signal, info);
		return;
	}
	if (info->si_code <= 0) {
		for (int i = 0; i < PF_FAULT_SIGNALS; i++) {
			if (signals[i] != signal)
				continue;
			engine->deferred |= 1u << i;
			engine->deferred_info[i] = *info;
		}
		return;
	}
	if (in_zone(engine, (uint64_t)gregs[REG_RIP]) && translate_back(engine, gregs)) {
		engine->exit = PF_EXIT_FAULT;
		gregs[REG_RSP] = (greg_t)engine->host_sp;
		gregs[REG_RIP] = (greg_t)&pf_agent_landing;
		gregs[REG_EFL] = 0x202;
	} else if (engine->guard_sp) {
		gregs[REG_RSP] = (greg_t)engine->guard_sp;
		gregs[REG_RIP] = (greg_t)&pf_agent_guard_landing;
	} else {
		pf_agent_faults_disarm(engine); /* the program's handlers, or the end: happens again at once */
	}
}

void pf_agent_faults_arm(struct pf_engine *engine, uint64_t blocked)
{
	static const struct pf_kernel_action action = { (void *)handle, SA_SIGINFO | SA_ONSTACK | RESTORER,
							(void *)pf_agent_restorer, ~0ull };
	uint64_t mask = 0;
	stack_t stack = { .ss_sp = engine->fault_stack, .ss_flags = 0, .ss_size = sizeof engine->fault_stack };
	PF_SYS2(SYS_sigaltstack, &stack, NULL); /* the program's comes back with its frame */
	engine->deferred = 0;
	__atomic_store_n(&engine->armed, true, __ATOMIC_SEQ_CST);
	for (int i = 0; i < PF_FAULT_SIGNALS; i++)
		pf_sys_action(signals[i], &action, &engine->saved_actions[i]);
	for (int i = 0; i < PF_FAULT_SIGNALS; i++)
		mask |= 1ull << (signals[i] - 1);
	if (blocked & mask) /* the kernel kills for a blocked fault */
		pf_sys_mask(SIG_UNBLOCK, &mask, NULL);
}

void pf_agent_faults_disarm(struct pf_engine *engine)
{
	struct pf_kernel_action was;
	for (int i = 0; i < PF_FAULT_SIGNALS; i++) {
		pf_sys_action(signals[i], &engine->saved_actions[i], &was);
		if (was.handler != (void *)handle) /* the program changed it by a bare system call */
			pf_sys_action(signals[i], &was, NULL);
	}
	__atomic_store_n(&engine->armed, false, __ATOMIC_SEQ_CST);
}

void pf_agent_faults_resend(struct pf_engine *engine)
{
	uint64_t all = ~0ull;
	if (!engine->deferred)
		return;
	pf_sys_mask(SIG_SETMASK, &all, NULL);
	for (int i = 0; i < PF_FAULT_SIGNALS; i++)
		if (engine->deferred & 1u << i)
			send_again(signals[i], &engine->deferred_info[i]);
	engine->deferred = 0;
}
