/* SPDX-License-Identifier: GPL-3.0-or-later */
/* syscall(3), which a program may use to do what the recorder must know of: install a filter of system calls, change a
 * handler or a mask, wait for a signal.  Those numbers are asked about in C, which may deal with them.  The hard case:
 * who unwinds through it (a cancelled thread, a profiler) must find its frame. */
#include "runtime/agent/offsets.h"

	.text
	.globl syscall
	.type syscall, @function
	.balign 16
syscall:
	.cfi_startproc
	cmpq $PF_WATCHED_MOST, %rdi
	ja 5f
	btq %rdi, pf_watched_calls(%rip)
	jnc 5f
	pushq 8(%rsp)			/* the sixth argument */
	.cfi_adjust_cfa_offset 8
	pushq %r9
	.cfi_adjust_cfa_offset 8
	pushq %r8
	.cfi_adjust_cfa_offset 8
	pushq %rcx
	.cfi_adjust_cfa_offset 8
	pushq %rdx
	.cfi_adjust_cfa_offset 8
	pushq %rsi
	.cfi_adjust_cfa_offset 8
	pushq %rdi
	.cfi_adjust_cfa_offset 8
	movq %rsp, %rdi
	call pf_watch_call
	movq %rax, %r11
	popq %rdi
	.cfi_adjust_cfa_offset -8
	popq %rsi
	.cfi_adjust_cfa_offset -8
	popq %rdx
	.cfi_adjust_cfa_offset -8
	popq %rcx
	.cfi_adjust_cfa_offset -8
	popq %r8
	.cfi_adjust_cfa_offset -8
	popq %r9
	.cfi_adjust_cfa_offset -8
	addq $8, %rsp
	.cfi_adjust_cfa_offset -8
	movq %r11, %rax
	cmpq $PF_WATCH_PASS, %rax
	jne 7f
5:	movq %rdi, %rax
	movq %rsi, %rdi
	movq %rdx, %rsi
	movq %rcx, %rdx
	movq %r8, %r10
	movq %r9, %r8
	movq 8(%rsp), %r9
	syscall
7:	cmpq $-4095, %rax
	jae 6f
	ret
6:	negl %eax
	movl %eax, %edi
	jmp pf_set_errno
	.cfi_endproc
	.size syscall, . - syscall

	.section .note.GNU-stack, "", @progbits
