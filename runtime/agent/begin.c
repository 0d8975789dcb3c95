/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A burst begins where the timer's signal found the program, which the code in front of that place says more of: at
 * once behind a system call or a `pause` the program has waited, and the burst is no sample of its time, though it
 * tells how the program goes on (converter/followers.c).  The hard cases are a call that sent the thread itself a
 * signal, which must arrive before anything else runs, and code that another thread takes out of memory meanwhile: it
 * is read under a guard. */
#include "runtime/agent/begin.h"
#include "runtime/agent/signals.h"
#include "runtime/agent/spin.h"

/* Instructions of two bytes in which the program waits, as words in memory. */
#define SYSCALL 0x050f
#define INT80 0x80cd

struct place {
	const uint8_t *code;
	size_t before;
};

static uint64_t pending(void)
{
	uint64_t signals = 0;
	PF_SYS2(SYS_rt_sigpending, &signals, sizeof signals);
	return signals;
}

bool pf_begin_has_faults_waiting(const ucontext_t *context)
{
	uint64_t blocked = pf_mask_in(context) & pf_signals_faults();
	return blocked && !pf_process.quiet && pending() & blocked;
}

static int word_before(void *argument)
{
	return *(const uint16_t *)(((const struct place *)argument)->code - 2);
}

static int has_paused(void *argument)
{
	const struct place *place = argument;
	return pf_spin_has_paused(place->code, place->before);
}

/* A signal that the program has just sent itself must arrive before the call returns to it; the timer's, which was for
 * this thread alone, may have come in front of it. */
static bool must_return(long word, const ucontext_t *context)
{
	return word == SYSCALL && (pf_process.quiet || pending() & ~pf_mask_in(context));
}

bool pf_begin_may(struct pf_engine *engine, const ucontext_t *context)
{
	uint64_t pc = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
	engine->after_wait = false;
	pf_engine_look(engine);
	if (pf_settings.whole)
		return true;
	/* By what ends in front of it: a call may be the last instruction of its module. */
	const struct pf_module *module = pf_modules_find(&engine->modules, pc - 2);
	struct place place = { (const uint8_t *)pc, module ? pc - module->start : 0 };
	long word = module ? pf_run_guard(&engine->run, word_before, &place) : 0;
	engine->after_wait = word == SYSCALL || word == INT80 || word == PF_SPIN_PAUSE;
	return !module || (!must_return(word, context) && pf_run_guard(&engine->run, has_paused, &place) != 1);
}
