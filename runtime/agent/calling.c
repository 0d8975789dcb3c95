/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The calling thread's own slot, where the loader has loaded the recorder and gave it thread-local storage.  The hard
 * case: a thread that was made behind the recorder's back, or a child of vfork on its parent's thread, has none, or one
 * that is not its own.  And one that begins or ends under a filter of system calls must make none of its own. */
#include "runtime/agent/segments.h"
#include "runtime/agent/signals.h"
#include "runtime/agent/thread.h"

static __thread struct pf_slot *self __attribute__((tls_model("initial-exec")));

struct pf_slot *pf_thread_self(void)
{
	return self;
}

void pf_thread_end(struct pf_slot *slot)
{
	if (!pf_process.quiet)
		pf_signals_end_thread(pf_thread_is_recorded(slot));
	pf_thread_stop(slot);
	self = NULL;
	pf_thread_put(slot);
}

void pf_thread_begin(struct pf_slot *slot)
{
	if (!slot)
		return;
	if (pf_process.quiet) {
		pf_thread_put(slot);
		return;
	}
	self = slot;
	slot->tid = (int)PF_SYS0(SYS_gettid);
	slot->fs = pf_segments_fs();
	pf_signals_begin_thread();
	if (pf_process.shut || !pf_process_is_mine())
		return;
	pf_thread_start(slot);
}

void pf_thread_forked(bool go)
{
	struct pf_slot *slot = self;
	bool recorded = slot && pf_thread_is_recorded(slot); /* one that was refused stays so */
	pf_thread_put_others(slot);
	if (slot)
		pf_thread_forget(slot);
	if (!recorded || !go)
		return;
	slot->tid = slot->name = (int)PF_SYS0(SYS_gettid);
	pf_thread_start(slot);
}
