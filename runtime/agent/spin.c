/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A thread that waits for another in a loop has its time from the kernel as if it worked.  On a busy machine it loses
 * the processor at the very tick that expires its timer; when it has that again, and with it the signal, the other
 * thread has gone on.  So a burst that began in the loop would see its end, always, and what is done behind waits would
 * be most of the profile.  The time in the loop is a wait, as that of a system call is: what begins in there is no
 * sample of the program's time, and only tells how the program goes on behind the wait.
 *
 * So bursts end in front of `pause`, which is left to the processor, and of those that begin at once behind it the
 * recorder says so (begin.c).  The hard case is the rest of the loop, where a fifth of them would begin,
 * each at another place: there none does. */
#include "runtime/agent/spin.h"
#include "runtime/agent/decode.h"

#define PAUSE_LENGTH 2
#define REACH 32u /* bytes of a loop behind its `pause` */

bool pf_spin_is_pause(const uint8_t *code, size_t room)
{
	return room >= PAUSE_LENGTH && *(const uint16_t *)(const void *)code == PF_SPIN_PAUSE;
}

/* Does what begins at AT lead to END, ways out of the loop left aside?  Its jump back ends it. */
static bool leads_to(const uint8_t *at, const uint8_t *end)
{
	struct pf_insn insn;
	while (at < end) {
		if (!pf_decode(at, (size_t)(end - at), &insn) ||
		    (insn.class != PF_INSN_PLAIN && (insn.class != PF_INSN_COND || insn.imm < 0)))
			return false;
		at += insn.length;
	}
	return at == end;
}

bool pf_spin_has_paused(const uint8_t *code, size_t before)
{
	size_t reach = before < REACH ? before : REACH;
	for (size_t back = PAUSE_LENGTH + 1; back <= reach; back++)
		if (pf_spin_is_pause(code - back, back) && leads_to(code - back + PAUSE_LENGTH, code))
			return true;
	return false;
}
