/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A whole run: where a burst is full its edges go into the stream and it goes on; where it must end, at a system call
 * or an instruction that it does not translate, the program returns to that instruction with the processor's trap flag
 * set, which brings it back one instruction later (of a system call: one behind it) by SIGTRAP, wherever the kernel has
 * been meanwhile.  What ran so is known, and is put into the stream as an edge (step.c).  A thread comes in first by
 * the signal of its own timer, which it sends to itself.
 *
 * The hard cases: a trap that comes while SIGTRAP is blocked ends the process, so the call that changes the mask is
 * made here, on the frame's mask, and a step is made without that block.  The child of a clone has its parent's flags,
 * so those calls are made without a trap, and whoever called enters anew (spawn.c, process.c).  The recorder's own code
 * may hold the engine, so it is stepped through, or run in one go (resting.c), and no burst begins in it.  Handlers of
 * the program's begin without the flag; the next tick of the timer enters there, and their return, which restores the
 * flag, is left alone; so is for good a thread that sets the flag to step itself.  And what forbids system calls, of
 * which this makes many, is seen before it is done, by whatever call: the recorder leaves. */
#include "runtime/agent/whole.h"

#include "runtime/agent/leaving.h"
#include "runtime/agent/resting.h"
#include "runtime/agent/signals.h"
#include "runtime/agent/step.h"

#include <asm/prctl.h>
#include <errno.h>

#define TRAP_BIT (1ull << (SIGTRAP - 1))
#define UNBLOCKABLE (1ull << (SIGKILL - 1) | 1ull << (SIGSTOP - 1))
/* How the kernel says that a step is done: TRAP_TRACE; or TRAP_BRKPT, which on x86 no breakpoint has (int3 has
 * SI_KERNEL), where a virtual machine has lost the processor's word that it was a step. */
#define IS_STEP(code) ((code) == 2 || (code) == 1)
#define MOST_STEPS 100000u
#define MOST_WAITS 4000u /* of 50 us each: a fifth of a second */
#define LEAST_WAITS 20u
#define MOST_YIELDS 200u
#define TURN PF_MAX_BRANCHES
#define STEP_WORTH 64u    /* branches */
#define STEP_NS 10000000u /* in which a step is done, if its thread has a processor at all */
#define CALL_NS 50000u    /* ...and a system call, unless it waits */

extern const uint8_t own_start[] __asm__("__ehdr_start") __attribute__((visibility("hidden")));
extern const uint8_t own_end[] __asm__("_etext") __attribute__((visibility("hidden")));

/* Threads take turns.  Who had the engine last has it again until his turn is over, if he is soon back from a step:
 * else each of his steps would cost him a turn of another's. */
static struct pf_slot *_Atomic last;
static _Atomic uint64_t turn;     /* his branches, and steps, so far */
static _Atomic uint64_t back_tsc; /* when he should be back from one */

/* How long a thread waits for the engine.  Less, when it was in vain: who has it may wait for memory that only this one
 * can bring, and will again.  And more, when the engine came late: its thread has only lost the processor. */
static _Atomic uint32_t patience = MOST_WAITS;

static uint64_t *mask_of(ucontext_t *context)
{
	return (uint64_t *)(void *)&context->uc_sigmask;
}

static bool is_own(uint64_t pc)
{
	return pc - (uint64_t)own_start < (uint64_t)(own_end - own_start);
}

/* Nobody sees the program until it enters anew. */
static void let_go(struct pf_slot *slot)
{
	slot->stepping = slot->resting = false;
	slot->step_pc = 0;
	atomic_fetch_add(&pf_process.unseen, 1);
}

void pf_whole_enter(void)
{
	struct pf_slot *slot = pf_settings.whole && pf_thread_by_fs() ? pf_thread_self() : NULL;
	struct {
		int signal, error, code, pad;
		int timer, overrun;
		void *value;
		uint64_t rest[12];
	} info = { .signal = PF_SIGNAL, .code = SI_TIMER, .value = slot };

	if (slot && slot->timer >= 0 && !pf_process.shut && pf_process_is_mine())
		PF_SYS4(SYS_rt_tgsigqueueinfo, PF_SYS0(SYS_getpid), slot->tid, PF_SIGNAL, &info);
}

/* --- coming in ---------------------------------------------------------------------------------------------------- */

int pf_whole_tick(struct pf_slot *slot, const ucontext_t *context)
{
	if (slot->stepping && context->uc_mcontext.gregs[REG_EFL] & PF_TRAP_FLAG)
		return 0;
	slot->step_pc = 0;
	return !is_own((uint64_t)context->uc_mcontext.gregs[REG_RIP]) || !slot->stepping;
}

/* Whose turn is over lets another have the engine who waits; whose it is not waits for the other to be back. */
static void take_turn(const struct pf_slot *slot)
{
	atomic_fetch_add(&pf_process.waiting, 1);
	for (unsigned int round = 0;
	     round < MOST_YIELDS && last == slot && turn >= TURN && pf_process.waiting > 1 && !pf_process.shut; round++)
		pf_sys_relax(round);
	while (last != slot && turn < TURN && pf_tsc() < back_tsc && !pf_process.shut)
		pf_sys_relax(0);
	atomic_fetch_sub(&pf_process.waiting, 1);
}

static void leave_for_step(const struct pf_slot *slot, bool call)
{
	if (last != slot)
		return;
	turn += STEP_WORTH;
	back_tsc = pf_tsc() + (call ? CALL_NS : STEP_NS) * pf_settings.tsc_khz / 1000000;
}

/* The thread that waits may have been interrupted in code that holds the engine, so it does not wait for ever. */
int pf_whole_wait(struct pf_slot *slot)
{
	uint32_t most = patience;
	if (slot->step_count++ >= most || pf_process.shut) {
		patience = most / 2 > LEAST_WAITS ? most / 2 : LEAST_WAITS;
		slot->step_count = 0;
		let_go(slot);
		return 0;
	}
	atomic_fetch_add(&pf_process.waiting, 1);
	if (!pf_process.shut)
		pf_sys_relax(slot->step_count);
	atomic_fetch_sub(&pf_process.waiting, 1);
	take_turn(slot);
	return 1;
}

/* --- stepping ----------------------------------------------------------------------------------------------------- */

static bool is_clone(uint64_t number)
{
	return number == SYS_clone || number == SYS_fork || number == SYS_vfork || number == SYS_clone3;
}

/* rt_sigprocmask(2) on MASK; SET and OLD are the program's memory. */
static long change_mask(uint64_t *mask, long how, const uint64_t *set, uint64_t *old)
{
	uint64_t before = *mask, change = set ? *set & ~UNBLOCKABLE : 0;

	if (set && how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK)
		return -EINVAL;
	if (old)
		*old = before;
	if (set)
		*mask = how == SIG_BLOCK ? before | change : how == SIG_UNBLOCK ? before & ~change : change;
	return 0;
}

/* The trap flag, and SIGTRAP let through. */
static void set_trap(struct pf_slot *slot, ucontext_t *context)
{
	slot->trap_blocked |= (*mask_of(context) & TRAP_BIT) != 0;
	*mask_of(context) &= ~TRAP_BIT;
	context->uc_mcontext.gregs[REG_EFL] |= PF_TRAP_FLAG;
	slot->stepping = true;
}

/* One instruction of the recorder's own, which only the program's calls run. */
static void step_own(struct pf_slot *slot, ucontext_t *context)
{
	greg_t *gregs = context->uc_mcontext.gregs;
	const uint8_t *at = (const uint8_t *)gregs[REG_RIP];
	bool call = at[0] == 0x0f && at[1] == 0x05;
	uint64_t number = (uint64_t)gregs[REG_RAX];

	slot->step_pc = 0;
	leave_for_step(slot, call);
	/* In no known way it changes nothing, and is the kernel's: see watch.c. */
	if (call && number == SYS_rt_sigprocmask && (uint32_t)gregs[REG_RDI] <= SIG_SETMASK && gregs[REG_R10] == 8) {
		gregs[REG_RAX] = change_mask(mask_of(context), gregs[REG_RDI], (const uint64_t *)gregs[REG_RSI],
					     (uint64_t *)gregs[REG_RDX]);
		gregs[REG_RIP] += PF_SYSCALL_LENGTH;
	}
	if ((call && is_clone(number)) || slot->step_count++ >= MOST_STEPS)
		let_go(slot);
	else
		set_trap(slot, context);
}

/* A flag that came back with the frame of a handler in which the program was let go; or the program's own steps, for
 * which it has a handler. */
static void *forgotten(greg_t *gregs)
{
	if (pf_signals_view(SIGTRAP).handler != (void *)SIG_DFL)
		return NULL;
	gregs[REG_EFL] &= ~PF_TRAP_FLAG;
	return (void *)PF_TRAP_DONE;
}

void *pf_whole_trap(int signal, const siginfo_t *info, ucontext_t *context)
{
	struct pf_slot *slot =
	    pf_settings.whole && IS_STEP(info->si_code) && pf_thread_by_fs() ? pf_thread_self() : NULL;
	greg_t *gregs = context->uc_mcontext.gregs;

	(void)signal;
	if (!slot)
		return NULL;
	if (!slot->stepping)
		return forgotten(gregs);
	if (is_own((uint64_t)gregs[REG_RIP]) && !(gregs[REG_EFL] & PF_TRAP_FLAG))
		return (void *)PF_TRAP_DONE; /* it rests */
	bool steps_itself = slot->step_pops && gregs[REG_EFL] & PF_TRAP_FLAG;
	if (!steps_itself)
		gregs[REG_EFL] &= ~PF_TRAP_FLAG;
	if (slot->step_call)
		gregs[REG_R11] &= ~PF_TRAP_FLAG; /* where a system call leaves the flags */
	if (slot->trap_blocked)
		*mask_of(context) |= TRAP_BIT;
	slot->stepping = slot->trap_blocked = slot->step_call = slot->step_pops = slot->resting = false;
	if (steps_itself)
		pf_thread_refuse(slot, PF_REFUSE_SIGNAL);
	if (!pf_process.pid || pf_process.shut || slot->timer < 0)
		return (void *)PF_TRAP_DONE;
	atomic_fetch_add(&pf_process.steps, 1);
	if (is_own((uint64_t)gregs[REG_RIP])) {
		step_own(slot, context);
		return (void *)PF_TRAP_DONE;
	}
	slot->step_count = 0;
	take_turn(slot);
	return slot;
}

/* --- in a burst --------------------------------------------------------------------------------------------------- */

void pf_whole_begin(struct pf_engine *engine)
{
	engine->slot->resting = false;
	if (engine->slot->step_count > patience / 2)
		patience = patience > MOST_WAITS / 2 ? MOST_WAITS : patience * 2;
	if (last != engine->slot || turn >= TURN)
		turn = 0;
	last = engine->slot;
	pf_step_record(engine);
}

/* Does something wait for this thread to be out of its burst? */
static bool is_wanted(struct pf_engine *engine)
{
	uint64_t pending = 0;

	if (pf_process.waiting || engine->full || pf_process.kept || atomic_exchange(&pf_process.asked, false))
		return true;
	PF_SYS2(SYS_rt_sigpending, &pending, sizeof pending);
	return pending & ~pf_mask_in(engine->context);
}

static int make_mask_call(void *argument)
{
	struct pf_engine *engine = argument;
	uint64_t *regs = engine->run.regs;

	regs[PF_RAX] = (uint64_t)change_mask(mask_of(engine->context), (long)regs[PF_RDI],
					     (const uint64_t *)regs[PF_RSI], (uint64_t *)regs[PF_RDX]);
	return 0;
}

/* The program's SIGTRAP is kept from the kernel: see signals.c. */
static int make_action_call(void *argument)
{
	struct pf_engine *engine = argument;
	uint64_t *regs = engine->run.regs;

	regs[PF_RAX] = (uint64_t)pf_signals_kernel_action(SIGTRAP, (const struct pf_kernel_action *)regs[PF_RSI],
							  (struct pf_kernel_action *)regs[PF_RDX]);
	return 0;
}

/* Makes the call at the program's place here; false: it is the kernel's to make. */
static bool make_call(struct pf_engine *engine)
{
	uint64_t *regs = engine->run.regs;

	int (*call)(void *) = regs[PF_RAX] == SYS_rt_sigprocmask                            ? make_mask_call
			      : regs[PF_RAX] == SYS_rt_sigaction && regs[PF_RDI] == SIGTRAP ? make_action_call
											    : NULL;

	if (!call || regs[PF_R8 + 2] != 8)
		return false;
	if (pf_run_guard(&engine->run, call, engine) < 0)
		regs[PF_RAX] = (uint64_t)-EFAULT;
	engine->run.pc += PF_SYSCALL_LENGTH;
	regs[PF_RCX] = engine->run.pc;
	regs[PF_R8 + 3] = engine->run.flags;
	return true;
}

const struct pf_block *pf_whole_go_on(struct pf_engine *engine, int *why)
{
	uint64_t pc = engine->run.pc;

	if (*why != PF_END_LENGTH && (*why != PF_END_SYSCALL || !make_call(engine)))
		return NULL;
	turn += (uint64_t)(engine->run.count + (int64_t)engine->asked);
	pf_burst_keep(engine, *why);
	if (*why == PF_END_SYSCALL)
		pf_burst_edge(engine, pc, pc, engine->run.pc, PF_EDGE_FALL);
	*why = PF_END_LENGTH;
	if (is_wanted(engine))
		return NULL;
	return pf_burst_block(engine, engine->run.pc, why);
}

/* May a step be made from PC, where the burst ended by WHY?  It is a long way through code that is not translated at
 * all, and a restartable sequence would begin anew for ever. */
static bool is_steppable(const struct pf_engine *engine, uint64_t pc, int why)
{
	const struct pf_module *module = why == PF_END_UNHANDLED ? pf_modules_find(&engine->modules, pc) : NULL;

	return why != PF_END_ANONYMOUS && why != PF_END_RSEQ && !(module && module->zone < 0);
}

/* A call after which the recorder may not be there: why not. */
static enum pf_refusal refusal_of(const greg_t *gregs)
{
	const long a[3] = { gregs[REG_RDI], gregs[REG_RSI], gregs[REG_RDX] };

	/* The trap would find another thread's variables, or none. */
	if (gregs[REG_RAX] == SYS_arch_prctl && a[0] == ARCH_SET_FS)
		return PF_REFUSE_SEGMENTS;
	return pf_leaving_is_announced(gregs[REG_RAX], a) ? PF_REFUSE_FILTER : pf_leaving_reason(gregs[REG_RAX], a);
}

/* The frame that rt_sigreturn(2) restores is the program's memory. */
static int set_trap_in_frame(void *argument)
{
	struct pf_engine *engine = argument;

	set_trap(engine->slot, (ucontext_t *)engine->run.regs[PF_RSP]);
	return 0;
}

/* Is the instruction POPF, which may set the trap flag that a program steps itself by? */
static int is_popf(void *argument)
{
	const uint8_t *at = argument;

	return at[at[0] == 0x66] == 0x9d;
}

/* A function of the recorder's own at PC, if it leads nowhere else, runs in one go; behind it the trap flag is set. */
static bool rest_in_function(struct pf_slot *slot, ucontext_t *context, uint64_t pc)
{
	greg_t *gregs = context->uc_mcontext.gregs;
	uint64_t instead = pf_resting_instead(pc);

	if (!instead)
		return false;
	set_trap(slot, context);
	gregs[REG_EFL] &= ~PF_TRAP_FLAG;
	gregs[REG_R11] = (greg_t)pc;
	gregs[REG_RIP] = (greg_t)instead;
	slot->resting = true;
	return true;
}

void pf_whole_leave(struct pf_slot *slot, ucontext_t *context, int why)
{
	struct pf_engine *engine = pf_process.engine;
	uint64_t number = (uint64_t)context->uc_mcontext.gregs[REG_RAX];
	uint64_t pc = (uint64_t)context->uc_mcontext.gregs[REG_RIP];

	turn += engine->ran;
	leave_for_step(slot, why == PF_END_SYSCALL);
	if (why == PF_END_SYSCALL)
		engine->leaving = refusal_of(context->uc_mcontext.gregs);
	if (engine->leaving != PF_REFUSE_NONE || !is_steppable(engine, pc, why) ||
	    (why == PF_END_SYSCALL && is_clone(number))) {
		let_go(slot);
		return;
	}
	if (why == PF_END_SYSCALL && number == SYS_rt_sigreturn) {
		slot->step_pc = 0;
		if (pf_run_guard(&engine->run, set_trap_in_frame, engine) < 0)
			let_go(slot);
		return;
	}
	slot->step_call = why == PF_END_SYSCALL;
	slot->step_pops = !slot->step_call && pf_run_guard(&engine->run, is_popf, (void *)pc) > 0;
	slot->step_pc = why == PF_END_OWN_TEXT ? 0 : pc;
	if (why != PF_END_OWN_TEXT || !rest_in_function(slot, context, pc))
		set_trap(slot, context);
}
