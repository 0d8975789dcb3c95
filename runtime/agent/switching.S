/* SPDX-License-Identifier: GPL-3.0-or-later */
/* getcontext, setcontext, swapcontext and makecontext, which in the C library give a context's mask to the kernel
 * themselves: here it passes through belief.c, for what a context says is what the program believes.  All else is as
 * the C library does it.  The hard case is setcontext: a context may lie anywhere, so nothing of it is copied, and
 * nothing is called once its stack is taken.  With a shadow stack the C library's own do it: they know how, and
 * nothing is recorded there. */
#include "runtime/agent/offsets.h"

/* PREFIX: none, or pf_resting_ of the same for a whole run, which comes back by the trap behind (resting.c). */
	.macro begin name, prefix
	.globl \prefix\name
	.ifnb \prefix
	.hidden \prefix\name
	.pushsection pf_resting, "a"
	.long \name - .
	.long \prefix\name - .
	.popsection
	.endif
	.type \prefix\name, @function
	.balign 16
\prefix\name:
	.cfi_startproc
	xorl %eax, %eax
	rdsspq %rax
	testq %rax, %rax
	jnz 9f
	.endm

	.macro end name, prefix
9:	.irp register, rdi, rsi, rdx, rcx, r8, r9
	pushq %\register
	.cfi_adjust_cfa_offset 8
	.endr
	subq $8, %rsp
	.cfi_adjust_cfa_offset 8
	call pf_context_\name
	addq $8, %rsp
	.cfi_adjust_cfa_offset -8
	.irp register, r9, r8, rcx, rdx, rsi, rdi
	popq %\register
	.cfi_adjust_cfa_offset -8
	.endr
	jmp *%rax
	.cfi_endproc
	.size \prefix\name, . - \prefix\name
	.endm

	.macro go_back prefix
	.ifnb \prefix
	pushfq
	.cfi_adjust_cfa_offset 8
	orl $0x100, (%rsp)
	popfq
	.cfi_adjust_cfa_offset -8
	.endif
	ret
	.endm

/* The caller of the function that has just begun, in the context at rdi. */
	.macro save
	movq %rbx, PF_C_RBX(%rdi)
	movq %rbp, PF_C_RBP(%rdi)
	movq %r12, PF_C_R12(%rdi)
	movq %r13, PF_C_R13(%rdi)
	movq %r14, PF_C_R14(%rdi)
	movq %r15, PF_C_R15(%rdi)
	movq %rdi, PF_C_RDI(%rdi)
	movq %rsi, PF_C_RSI(%rdi)
	movq %rdx, PF_C_RDX(%rdi)
	movq %rcx, PF_C_RCX(%rdi)
	movq %r8, PF_C_R8(%rdi)
	movq %r9, PF_C_R9(%rdi)
	movq (%rsp), %rcx
	movq %rcx, PF_C_RIP(%rdi)
	leaq 8(%rsp), %rcx
	movq %rcx, PF_C_RSP(%rdi)
	leaq PF_C_FPMEM(%rdi), %rcx
	movq %rcx, PF_C_FPREGS(%rdi)
	fnstenv (%rcx)
	fldenv (%rcx)
	stmxcsr PF_C_MXCSR(%rdi)
	.endm

/* Goes on with the context at rdx, whose mask is the thread's already. */
	.macro load prefix
	movq PF_C_FPREGS(%rdx), %rcx
	fldenv (%rcx)
	ldmxcsr PF_C_MXCSR(%rdx)
	.cfi_remember_state
	.cfi_def_cfa %rdx, 0
	.cfi_offset %rbx, PF_C_RBX
	.cfi_offset %rbp, PF_C_RBP
	.cfi_offset %r12, PF_C_R12
	.cfi_offset %r13, PF_C_R13
	.cfi_offset %r14, PF_C_R14
	.cfi_offset %r15, PF_C_R15
	.cfi_offset %rsp, PF_C_RSP
	.cfi_offset %rip, PF_C_RIP
	movq PF_C_RSP(%rdx), %rsp
	movq PF_C_RBX(%rdx), %rbx
	movq PF_C_RBP(%rdx), %rbp
	movq PF_C_R12(%rdx), %r12
	movq PF_C_R13(%rdx), %r13
	movq PF_C_R14(%rdx), %r14
	movq PF_C_R15(%rdx), %r15
	pushq PF_C_RIP(%rdx)
	movq PF_C_RDI(%rdx), %rdi
	movq PF_C_RSI(%rdx), %rsi
	movq PF_C_RCX(%rdx), %rcx
	movq PF_C_R8(%rdx), %r8
	movq PF_C_R9(%rdx), %r9
	movq PF_C_RDX(%rdx), %rdx
	.cfi_def_cfa %rsp, 8
	.cfi_same_value %rbx
	.cfi_same_value %rbp
	.cfi_same_value %r12
	.cfi_same_value %r13
	.cfi_same_value %r14
	.cfi_same_value %r15
	.cfi_restore %rsp
	.cfi_offset %rip, -8
	xorl %eax, %eax
	go_back \prefix
	.cfi_restore_state
	.endm

	.text
	.macro switches prefix
begin getcontext, \prefix
	save
	leaq PF_C_MASK(%rdi), %rsi
	xorl %edi, %edi
	subq $8, %rsp
	.cfi_adjust_cfa_offset 8
	call pf_signals_context
	addq $8, %rsp
	.cfi_adjust_cfa_offset -8
	testq %rax, %rax
	jnz \prefix\()refuse
	go_back \prefix
end getcontext, \prefix

begin setcontext, \prefix
	pushq %rdi
	.cfi_adjust_cfa_offset 8
	leaq PF_C_MASK(%rdi), %rdi
	xorl %esi, %esi
	call pf_signals_context
	popq %rdx
	.cfi_adjust_cfa_offset -8
	testq %rax, %rax
	jnz \prefix\()refuse
	load \prefix
end setcontext, \prefix

begin swapcontext, \prefix
	save
	pushq %rsi
	.cfi_adjust_cfa_offset 8
	leaq PF_C_MASK(%rdi), %rax
	leaq PF_C_MASK(%rsi), %rdi
	movq %rax, %rsi
	call pf_signals_context
	popq %rdx
	.cfi_adjust_cfa_offset -8
	testq %rax, %rax
	jnz \prefix\()refuse
	load \prefix
end swapcontext, \prefix

/* A negative errno becomes -1 and errno. */
	.type \prefix\()refuse, @function
\prefix\()refuse:
	.cfi_startproc
	negl %eax
	movl %eax, %edi
	subq $8, %rsp
	.cfi_adjust_cfa_offset 8
	call pf_set_errno
	addq $8, %rsp
	.cfi_adjust_cfa_offset -8
	go_back \prefix
	.cfi_endproc
	.size \prefix\()refuse, . - \prefix\()refuse
	.endm

switches
switches pf_resting_

begin makecontext
	jmp pf_context_make
end makecontext

/* A routine has returned; rbx points to its context's successor.  Nobody called what begins here. */
	.globl pf_context_end
	.hidden pf_context_end
	.type pf_context_end, @function
	.cfi_startproc
	.cfi_undefined %rip
	nop
pf_context_end:
	movq (%rbx), %rdi
	andq $-16, %rsp
	testq %rdi, %rdi
	jz 1f
	call setcontext
	movl %eax, %edi
1:	call pf_context_exit
	.cfi_endproc
	.size pf_context_end, . - pf_context_end

	.section .note.GNU-stack, "", @progbits
