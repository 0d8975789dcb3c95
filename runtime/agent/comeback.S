/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The way around a function of the recorder's own that a whole run does not step through (resting.c): the function is
 * called, and then the trap flag set, so that the trap comes when the program has its result.  The hard case:
 * the trap comes one instruction behind the flag, which must be the return. */
	.text
	.globl pf_resting_call
	.hidden pf_resting_call
	.type pf_resting_call, @function
	.balign 16
pf_resting_call:		/* r11: the function; all else as at its entry */
	.cfi_startproc
	subq $8, %rsp
	.cfi_adjust_cfa_offset 8
	call *%r11
	addq $8, %rsp
	.cfi_adjust_cfa_offset -8
	pushfq
	.cfi_adjust_cfa_offset 8
	orl $0x100, (%rsp)
	popfq
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size pf_resting_call, . - pf_resting_call

	.section .note.GNU-stack, "", @progbits
