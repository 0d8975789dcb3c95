/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libpfm4 behind one function, so that the build for hosts that only record goes without it: there is no name that the
 * recorder cannot do without. */
#include "runtime/eventname.h"

#ifdef PF_LIBPFM4
#include <perfmon/pfmlib_perf_event.h>

int pf_eventname_encode(struct perf_event_attr *attr, const char *name, struct pf_error *error)
{
	pfm_perf_encode_arg_t argument = { .attr = attr, .size = sizeof argument };
	pfm_err_t code = pfm_initialize();

	if (code == PFM_SUCCESS)
		code = pfm_get_os_event_encoding(name, PFM_PLM3, PFM_OS_PERF_EVENT, &argument);
	if (code != PFM_SUCCESS)
		return pf_fail(error, PF_ENOTFOUND,
			       "libpfm4 does not know '%s' on this CPU (%s); 'perf list' shows what there is", name,
			       pfm_strerror(code));
	return PF_OK;
}
#else

int pf_eventname_encode(struct perf_event_attr *attr, const char *name, struct pf_error *error)
{
	(void)attr;
	return pf_fail(
	    error, PF_ENOTFOUND,
	    "'%s': this recorder was built without libpfm4, which knows the names of events; leave out --event, "
	    "or use the whole pathfdo",
	    name);
}
#endif
