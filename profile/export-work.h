/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much work a record stands for, in the formats that show where time goes: where counts are executions, the machine
 * instructions that were executed; samples are proportional to time as they are. */
#ifndef PF_PROFILE_EXPORT_WORK_H
#define PF_PROFILE_EXPORT_WORK_H

#include "profile/model.h"

/* Saturates.  A record of a profile that knows no instructions counts as one. */
static inline uint64_t pf_export_work(const struct pf_profile *profile, const struct pf_record *record)
{
	uint64_t each = profile->unit == PF_UNIT_EXECUTIONS && record->instructions ? record->instructions : 1, work;

	return __builtin_mul_overflow(record->count, each, &work) ? UINT64_MAX : work;
}

#endif
