/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See segments.h.  By instruction where there are such: since Linux 5.9 on processors of 2013 or later, unless the host
 * of a virtual machine hides them or the kernel was booted with nofsgsbase.  Else by arch_prctl, with which every
 * program's loader has just set FS.  The hard case is a filter of system calls, which may kill for one: who knows that
 * one may be coming asks first whether it would be made. */
#include "runtime/agent/segments.h"
#include "runtime/agent/sys.h"

#include <asm/prctl.h>

static bool by_instruction;

static uint64_t ask(int which)
{
	uint64_t base = 0;
	PF_SYS2(SYS_arch_prctl, which, &base);
	return base;
}

bool pf_segments_start(bool instructions)
{
	uint64_t base;
	by_instruction = instructions;
	return instructions || PF_SYS2(SYS_arch_prctl, ARCH_GET_GS, &base) == 0;
}

bool pf_segments_are_free(void)
{
	return by_instruction;
}

uint64_t pf_segments_fs(void)
{
	uint64_t base;
	if (!by_instruction)
		return ask(ARCH_GET_FS);
	__asm__ volatile("rdfsbase %0" : "=r"(base));
	return base;
}

uint64_t pf_segments_gs(void)
{
	uint64_t base;
	if (!by_instruction)
		return ask(ARCH_GET_GS);
	__asm__ volatile("rdgsbase %0" : "=r"(base));
	return base;
}

void pf_segments_set_gs(uint64_t base)
{
	if (by_instruction)
		__asm__ volatile("wrgsbase %0" : : "r"(base) : "memory");
	else
		PF_SYS2(SYS_arch_prctl, ARCH_SET_GS, base);
}
