/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recorder's life in a process: what little happens when a program starts (a timer and a handler; all else waits
 * for the first burst), what a fork's child does, and how it leaves.  Whatever fails leaves the program to run
 * unrecorded, with the reason counted.  The hard case is leaving: other threads may be anywhere, so the handlers stay
 * callable, and only what no thread can be using is taken away. */
#include "runtime/agent/process.h"
#include "runtime/agent/engine.h"
#include "runtime/agent/next.h"
#include "runtime/agent/signals.h"
#include "runtime/agent/thinning.h"
#include "runtime/agent/thread.h"
#include "runtime/agent/whole.h"

#include <sys/auxv.h>
#include <sys/mman.h>

#define MOST_START_NS 200000u /* a start that took longer has lost the processor meanwhile */
#define WAIT_ROUNDS 20000     /* of 50 us each: a second */

_Alignas(4096) static union {
	struct pf_process process;
	uint8_t page[4096];
} state;
extern struct pf_process pf_process __attribute__((alias("state"), visibility("hidden")));

struct pf_control *pf_control;

static struct pf_command command; /* what this image of the program was executed as; known while it can be brief */
static bool barred;               /* no child is to be recorded; a child knows it, too */

void pf_process_lasts(void)
{
	struct pf_command name = command;
	command.program = 0;
	pf_thinning_lasts(pf_control, &name);
}

bool pf_process_is_mine(void)
{
	return pf_process.pid && pf_process.pid == (int)PF_SYS0(SYS_getpid);
}

bool pf_process_take(uint64_t *before)
{
	uint64_t all = ~0ull;
	pf_sys_mask(SIG_BLOCK, &all, before);
	for (unsigned int round = 0; atomic_exchange(&pf_process.lock, 1); round++) {
		if (round >= WAIT_ROUNDS) {
			pf_sys_mask(SIG_SETMASK, before, NULL);
			return false;
		}
		pf_sys_relax(round);
	}
	return true;
}

void pf_process_give(uint64_t before)
{
	atomic_store(&pf_process.lock, 0);
	pf_sys_mask(SIG_SETMASK, &before, NULL);
}

void pf_process_prepare(void)
{
	uint64_t before;
	if (pf_settings.whole)
		pf_process_shut(PF_REFUSE_FILTER); /* a whole run makes system calls all the time */
	if (!pf_process.pid || pf_process.shut || !pf_process_is_mine() || !pf_process_take(&before))
		return;
	pf_process.quiet = barred = true;
	pf_thread_prepare();
	if (!pf_process.engine && !pf_process.shut) {
		enum pf_refusal refusal = pf_engine_make(&pf_process.engine);
		if (refusal != PF_REFUSE_NONE)
			pf_process_shut_locked(refusal);
	}
	if (!pf_process.shut) {
		pf_engine_look(pf_process.engine); /* also of one that has had no burst yet */
		pf_signals_guard();
		pf_signals_keep();
		pf_process.engine->guarded = true;
	}
	pf_process_give(before);
}

void pf_process_shut_locked(enum pf_refusal reason)
{
	if (pf_process.shut)
		return;
	pf_process.shut = barred = true;
	command.program = 0;
	pf_thread_stop_all();
	pf_signals_unguard();
	if (reason != PF_REFUSE_NONE)
		pf_control_refuse(pf_control, reason);
	if (pf_process.engine)
		pf_engine_leave(pf_process.engine);
	pf_process.engine = NULL;
	/* Nothing of the recording is to stay, and other threads may still be counting there. */
	pf_sys_map((uint64_t)pf_control, PF_WIRE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		   -1);
}

void pf_process_shut(enum pf_refusal reason)
{
	uint64_t before;
	if (!pf_process.pid || pf_process.shut || !pf_process_is_mine() || !pf_process_take(&before))
		return;
	pf_process_shut_locked(reason);
	pf_process_give(before);
}

/* Nor a timer signal in the forking thread: kernels that deliver it inside a fork begin the fork again, for ever if it
 * takes longer than the period. */
static __thread uint64_t mask_at_fork __attribute__((tls_model("initial-exec")));

static void before_fork(void)
{
	uint64_t bit = PF_SIGNAL_BIT;
	pf_process_lasts();
	pf_sys_mask(SIG_BLOCK, &bit, &mask_at_fork);
}

static void after_fork(void)
{
	pf_sys_mask(SIG_SETMASK, &mask_at_fork, NULL);
	pf_whole_enter();
}

/* The page is clear.  Where the parent was left, or has reason to forbid system calls, the child makes none for us. */
static void forked(void)
{
	pf_process.shut = barred;
	if (!barred)
		pf_process.pid = (int)PF_SYS0(SYS_getpid);
	pf_signals_forked();
	pf_thread_forked(!barred);
	after_fork();
}

static bool hook_forks(void)
{
	int (*hook)(void (*)(void), void (*)(void), void (*)(void), void *) = pf_next_find("__register_atfork");
	return hook && hook(before_fork, after_fork, forked, NULL) == 0;
}

static const char *variable(char **environment, const char *name)
{
	size_t length = __builtin_strlen(name);
	for (; *environment; environment++)
		if (__builtin_memcmp(*environment, name, length) == 0 && (*environment)[length] == '=')
			return *environment + length + 1;
	return NULL;
}

static void copy_settings(void)
{
	uint32_t branches = pf_control->branches;
	pf_settings = (struct pf_settings) { .frequency = pf_control->frequency,
					     .branches = branches < PF_MAX_BRANCHES ? branches : PF_MAX_BRANCHES,
					     .overhead_ppm = pf_control->overhead_ppm,
					     .weight = 1,
					     .seed = pf_control->seed,
					     .tsc_khz = pf_control->tsc_khz,
					     .whole = pf_control->whole != 0 };
}

static enum pf_refusal begin(char **arguments)
{
	enum pf_refusal refusal = pf_policy_process(pf_control);
	if (refusal != PF_REFUSE_NONE)
		return refusal;
	if (PF_SYS3(SYS_madvise, &state, sizeof state, MADV_WIPEONFORK) != 0)
		return PF_REFUSE_MEMORY;
	if (!pf_signals_start() || !hook_forks())
		return PF_REFUSE_SIGNAL;
	pf_process.pid = (int)PF_SYS0(SYS_getpid);
	pf_thread_begin(pf_thread_slot());
	const char *path = (const char *)pf_next_auxiliary(AT_EXECFN);
	struct pf_command name = pf_thinning_name(path ? path : "", arguments);
	pf_settings.weight = pf_thinning_begin(pf_control, &name);
	if (pf_thread_self() && pf_thread_self()->timer >= 0)
		command = name;
	return PF_REFUSE_NONE;
}

__attribute__((constructor)) static void start(int count, char **arguments, char **environment)
{
	uint64_t tsc = pf_tsc();
	(void)count;
	if (!pf_next_is_glibc())
		return;
	pf_next_start(environment);
	const char *folder = variable(environment, "PATHFDO_DIR");
	pf_control = folder && *folder ? pf_control_open(folder) : NULL;
	if (!pf_control)
		return;
	copy_settings();
	enum pf_refusal refusal = begin(arguments);
	if (refusal != PF_REFUSE_NONE)
		pf_control_refuse(pf_control, refusal);
	uint64_t ns = pf_ns_of(pf_tsc() - tsc);
	pf_control_started(pf_control, ns < MOST_START_NS ? ns : MOST_START_NS);
	pf_whole_enter();
}

/* Without a system call: the program may have forbidden them. */
__attribute__((destructor)) static void finish(void)
{
	if (pf_process.engine)
		pf_process.engine->recording.header->state = PF_WIRE_EXITED;
	if (pf_process.pid)
		pf_thinning_was_brief(pf_control, &command);
}
