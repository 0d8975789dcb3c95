/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recorder comes into a process by the dynamic loader: what little happens when a program starts (a timer and a
 * handler; all else waits for the first burst), and what a fork's child does.  The hard case: it must cost next to
 * nothing in thousands of short programs, and make no system call that a filter could forbid before it has asked. */
#include "runtime/agent/engine.h"
#include "runtime/agent/environment.h"
#include "runtime/agent/next.h"
#include "runtime/agent/process.h"
#include "runtime/agent/signals.h"
#include "runtime/agent/thread.h"
#include "runtime/agent/whole.h"

#include <sys/auxv.h>

#define MOST_START_NS 200000u /* a start that took longer has lost the processor meanwhile */

/* Nor a timer signal in the forking thread: kernels that deliver it inside a fork begin the fork again, for ever if it
 * takes longer than the period.  A signal that comes meanwhile may fork in its handler, under a mask of its own:
 * nothing but the recorder's signal is closed and opened, and by the outer fork only. */
static __thread int forking __attribute__((tls_model("initial-exec")));
static __thread bool opens __attribute__((tls_model("initial-exec")));

static void before_fork(void)
{
	uint64_t bit = PF_SIGNAL_BIT, before = 0;
	pf_process_lasts();
	if (forking++)
		return;
	pf_sys_mask(SIG_BLOCK, &bit, &before);
	opens = !(before & bit);
}

static void after_fork(void)
{
	uint64_t bit = PF_SIGNAL_BIT;
	if (--forking)
		return;
	if (opens)
		pf_sys_mask(SIG_UNBLOCK, &bit, NULL);
	pf_whole_enter();
}

/* The page is clear.  Where the parent was left, or has reason to forbid system calls, the child makes none for us. */
static void forked(void)
{
	pf_process.shut = pf_process_barred;
	if (!pf_process_barred)
		pf_process.pid = (int)PF_SYS0(SYS_getpid);
	pf_signals_forked();
	pf_thread_forked(!pf_process_barred);
	after_fork();
}

static bool hook_forks(void)
{
	int (*hook)(void (*)(void), void (*)(void), void (*)(void), void *) = pf_next_find("__register_atfork");
	return hook && hook(before_fork, after_fork, forked, NULL) == 0;
}

/* Behind the environment lies the auxiliary vector, and between them a NULL, and one more for each variable that code
 * which ran before has taken out (unsetenv). */
static void start_next(char **environment)
{
	while (*environment)
		environment++;
	while (!*environment)
		environment++;
	pf_next_start((const void *)environment);
}

static enum pf_refusal begin(char **arguments)
{
	enum pf_refusal refusal = pf_policy_process(pf_control);
	if (refusal != PF_REFUSE_NONE)
		return refusal;
	if (!pf_process_separate())
		return PF_REFUSE_MEMORY;
	if (!pf_signals_start() || !hook_forks())
		return PF_REFUSE_SIGNAL;
	pf_process.pid = (int)PF_SYS0(SYS_getpid);
	pf_thread_begin(pf_thread_slot());
	const char *path = (const char *)pf_next_auxiliary(AT_EXECFN);
	struct pf_command name = pf_thinning_name(path ? path : "", arguments);
	pf_settings.weight = pf_thinning_begin(pf_control, &name);
	if (pf_thread_self() && pf_thread_is_recorded(pf_thread_self()))
		pf_process_command = name;
	return PF_REFUSE_NONE;
}

__attribute__((constructor)) static void start(int count, char **arguments, char **environment)
{
	uint64_t tsc = pf_tsc();
	(void)count;
	start_next(environment);
	if (!pf_next_is_glibc())
		return;
	const char *folder = pf_environment_value(environment, "PATHFDO_DIR");
	struct pf_control *control = folder && *folder ? pf_control_open(folder) : NULL;
	if (!control || !pf_process_configure(control))
		return;
	pf_environment_begin(folder, pf_environment_value(environment, PF_AGAIN_NAME));
	enum pf_refusal refusal = begin(arguments);
	if (refusal != PF_REFUSE_NONE)
		pf_control_refuse(pf_control, refusal);
	uint64_t ns = pf_ns_of(pf_tsc() - tsc);
	pf_control_started(pf_control, ns < MOST_START_NS ? ns : MOST_START_NS);
	pf_whole_enter();
}

/* Without a system call where the program has announced that it forbids them. */
__attribute__((destructor)) static void finish(void)
{
	struct pf_engine *engine =
	    __atomic_load_n(&pf_process.engine, __ATOMIC_SEQ_CST); /* another thread may take it */
	if (engine)
		engine->recording.header->state = PF_WIRE_EXITED;
	if (pf_process.pid && pf_process_command.program && (pf_process.quiet || pf_sys_can_write(pf_control)))
		pf_thinning_was_brief(pf_control, &pf_process_command);
}
