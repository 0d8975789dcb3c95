/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The system calls behind which the recorder may not be in the process any more, whoever makes them: filters of system
 * calls, being traced, the processor's time stamp forbidden.  The hard case: programs also make them to ask what the
 * kernel can do, in a way in which it changes nothing, and work on for long without a filter. */
#include "runtime/agent/leaving.h"
#include "runtime/agent/sys.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>

#define SYSCALL_USER_DISPATCH 59 /* PR_SET_SYSCALL_USER_DISPATCH, Linux 5.11 */
#define DISPATCH_OFF 0
#define GET_ACTION_AVAIL 2u /* SECCOMP_GET_ACTION_AVAIL, Linux 4.14 */
#define GET_NOTIF_SIZES 3u  /* SECCOMP_GET_NOTIF_SIZES, Linux 5.0 */

/* Sandboxes find out what the kernel can by a filter that is nowhere, or by flags that strict mode does not have. */
static bool puts_on_filter(unsigned int operation, unsigned int flags, long what)
{
	switch (operation) {
	case SECCOMP_SET_MODE_STRICT:
		return flags == 0 && what == 0;
	case SECCOMP_SET_MODE_FILTER:
		return what != 0;
	default:
		return operation != GET_ACTION_AVAIL && operation != GET_NOTIF_SIZES;
	}
}

static enum pf_refusal refusal_of_prctl(const long *a)
{
	switch ((int)a[0]) {
	case PR_SET_SECCOMP:
		return a[1] == SECCOMP_MODE_STRICT || (a[1] == SECCOMP_MODE_FILTER && a[2] != 0) ? PF_REFUSE_FILTER
												 : PF_REFUSE_NONE;
	case SYSCALL_USER_DISPATCH:
		return a[1] == DISPATCH_OFF ? PF_REFUSE_NONE : PF_REFUSE_DISPATCH;
	case PR_SET_TSC:
		return a[1] == PR_TSC_SIGSEGV ? PF_REFUSE_TIME_STAMP : PF_REFUSE_NONE;
	default:
		return PF_REFUSE_NONE;
	}
}

bool pf_leaving_is_announced(long number, const long *a)
{
	return number == SYS_prctl && (int)a[0] == PR_SET_NO_NEW_PRIVS && a[1] == 1;
}

enum pf_refusal pf_leaving_reason(long number, const long *a)
{
	switch (number) {
	case SYS_seccomp:
		return puts_on_filter((unsigned int)a[0], (unsigned int)a[1], a[2]) ? PF_REFUSE_FILTER : PF_REFUSE_NONE;
	case SYS_prctl:
		return refusal_of_prctl(a);
	case SYS_ptrace: /* it would stop at each of the recorder's signals */
		return a[0] == PTRACE_TRACEME ? PF_REFUSE_TRACED : PF_REFUSE_NONE;
	default:
		return PF_REFUSE_NONE;
	}
}
