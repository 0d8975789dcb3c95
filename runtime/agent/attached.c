/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recorder comes into a process that has been running, and leaves it: what it does there by calls that the recorder
 * outside makes in a thread that it holds (attached.h).  Nothing stands in for library calls here.  What the program
 * must not see is therefore not there but for the moments of a burst, and threads, children and the end of it all are
 * the recorder's outside to notice.  Threads have no thread-local storage of ours; what is asked of the calling thread
 * is asked of the kernel.  The hard case is a child of fork: it has this image, and handlers that point to it, but
 * nothing that is held, armed or set up; the recorder finds it by the token and begins anew, or takes it all away. */
#include "runtime/agent/attached.h"
#include "runtime/agent/altstack.h"
#include "runtime/agent/engine.h"
#include "runtime/agent/next.h"
#include "runtime/agent/resting.h"
#include "runtime/agent/signals.h"
#include "runtime/agent/thread.h"

#include <elf.h>
#include <sys/prctl.h>

_Static_assert(sizeof(ElfW(auxv_t)) == 16, "the auxiliary vector is copied as words");

/* visit.S */
void pf_attached_enter(void);
void pf_attached_landed(void);
extern struct pf_attached_parting pf_attached_parting;
_Static_assert(sizeof pf_attached_parting == 160 && offsetof(struct pf_attached_parting, pc) == 120 &&
		   offsetof(struct pf_attached_parting, signal) == 152,
	       "as visit.S takes it");
void pf_attached_restorer(void);

extern struct pf_attached pf_attached;

const bool pf_next_is_listed = false;

const struct pf_debug *pf_next_debug(void)
{
	return (const void *)pf_attached.debug;
}

/* Sent by somebody: what the program wants done with it is what it wanted when the recorder came. */
void *pf_signals_foreign(int signal, siginfo_t *info, void *context)
{
	struct pf_kernel_action action = pf_signals_view(PF_SIGNAL), standard = { (void *)SIG_DFL, 0, NULL, 0 };
	(void)info;
	(void)context;
	if (action.handler == (void *)SIG_IGN)
		return NULL;
	pf_sys_action(signal, &standard, NULL);
	PF_SYS3(SYS_tgkill, PF_SYS0(SYS_getpid), PF_SYS0(SYS_gettid), signal);
	return NULL;
}

/* In a child the handlers of its parent's burst may have stayed. */
static enum pf_refusal install(void)
{
	struct pf_kernel_action first = { 0 };
	pf_process.pid = (int)PF_SYS0(SYS_getpid);
	pf_signals_forked();
	pf_signals_unguard();
	if (pf_sys_action(PF_SIGNAL, NULL, &first) == 0 &&
	    (first.handler == (void *)SIG_DFL || first.handler == (void *)SIG_IGN) &&
	    pf_signals_install(&first, (void *)pf_attached_restorer, true))
		return PF_REFUSE_NONE;
	pf_process.pid = 0;
	return PF_REFUSE_SIGNAL;
}

/* Of the calling thread; what it begins has the same. */
static bool may_take_time(void)
{
	int mode = PR_TSC_ENABLE;
	PF_SYS2(SYS_prctl, PR_GET_TSC, &mode);
	return mode == PR_TSC_ENABLE;
}

static long begin(void)
{
	struct pf_control *control = (struct pf_control *)pf_attached.control;
	pf_next_start((const void *)pf_attached.auxiliary);
	if (!pf_sys_can_write(control) || !pf_process_configure(control) || pf_settings.stream)
		return PF_REFUSE_MEMORY;
	pf_settings.name = (uint32_t)pf_attached.name;
	pf_thread_put_others(NULL);
	enum pf_refusal refusal = may_take_time() ? pf_policy_setup() : PF_REFUSE_TIME_STAMP;
	if (refusal == PF_REFUSE_NONE && !pf_process_separate())
		refusal = PF_REFUSE_MEMORY;
	if (refusal == PF_REFUSE_NONE)
		refusal = install();
	if (refusal == PF_REFUSE_NONE)
		pf_control_started(control, 0);
	return refusal;
}

static bool is_roomy(stack_t *stack)
{
	return PF_SYS2(SYS_sigaltstack, NULL, stack) == 0 &&
	       (stack->ss_flags & SS_DISABLE || stack->ss_size >= PF_LEAST_ALTERNATE_STACK);
}

static long adopt(long name)
{
	if (pf_process.shut || !pf_process_is_mine())
		return PF_ATTACHED_OVER;
	if (!may_take_time())
		return PF_REFUSE_TIME_STAMP;
	stack_t stack;
	if (!is_roomy(&stack))
		return PF_REFUSE_SIGNAL;
	struct pf_slot *slot = pf_thread_slot();
	if (!slot)
		return PF_REFUSE_FULL;
	slot->tid = (int)PF_SYS0(SYS_gettid);
	slot->name = (int)name;
	pf_altstack_note(slot, &stack);
	pf_thread_start(slot);
	if (pf_thread_is_recorded(slot))
		return PF_REFUSE_NONE;
	return pf_process.shut ? PF_ATTACHED_OVER : PF_REFUSE_TIMER;
}

static long leave(void)
{
	uint64_t before;
	if (pf_process.pid && !pf_process.shut) {
		if (!pf_process_take(&before))
			return PF_ATTACHED_BUSY;
		pf_process_shut_locked(PF_REFUSE_NONE);
		pf_process_give(before);
	} else if (!pf_process.pid) {
		pf_signals_forked();
		pf_signals_unguard();
	}
	return 0;
}

static long drop(void)
{
	pf_thread_drop_frames();
	return 0;
}

/* Only a whole run asks, and no whole run begins in the midst of a program. */
struct pf_slot *pf_thread_self(void)
{
	return NULL;
}

uint64_t pf_resting_instead(uint64_t pc)
{
	(void)pc;
	return 0;
}

struct pf_attached pf_attached = { .exe = pf_engine_exe,
				   .process = &pf_process,
				   .enter = (const void *)pf_attached_enter,
				   .landed = (const void *)pf_attached_landed,
				   .parting = &pf_attached_parting,
				   .begin = begin,
				   .adopt = adopt,
				   .leave = leave,
				   .free = drop };
