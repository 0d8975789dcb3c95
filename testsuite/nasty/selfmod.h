/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For the programs that change code while it is in use: functions on pages of their own that return one of two
 * constants, found in their text.  Hard case: the compiler must neither inline them nor know what they return. */
#ifndef SELFMOD_H
#define SELFMOD_H

#include "nasty.h"

/* int NAME(void): returns 0x11223344, in section SECTION. */
#define SELFMOD_FUNCTION(name, section)                                                                                \
	extern unsigned char name##_constant[];                                                                        \
	uint32_t name(uint32_t round);                                                                                 \
	__asm__(                                                                                                       \
	    ".section " section "\n.balign 4096\n.globl " #name "\n.type " #name ",@function\n" #name ":\n"            \
	    "	testl $1, %edi\n	jz 1f\n	nop\n1:	.byte 0xb8\n.globl " #name "_constant\n" #name "_constant:\n"  \
	    "	.long 0x11223344\n	xorl $0, %eax\n	ret\n.size " #name ", . - " #name "\n.balign 4096\n.text\n")

#define SELFMOD_FIRST 0x11223344u

/* Calls FUNCTION many times; each must return WANT. */
static __attribute__((noinline, unused)) void selfmod_check(uint32_t (*function)(uint32_t), uint32_t want, int calls)
{
	for (int i = 0; i < calls; i++)
		if (function((uint32_t)i) != want)
			nasty_fail(__FILE__, __LINE__, "the code is as it was changed");
}

#endif
