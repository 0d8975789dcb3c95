/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the recorder outside enters the process, in a thread that it holds, and where signals return that the program
 * has no handler for.  The hard case: the thread's own stack may be as small or as full as it likes, so a call has a
 * stack of its own; one is enough, as the recorder makes one call at a time. */

#define VISIT_STACK 0x8000

	.text
	.macro function name
	.globl \name
	.hidden \name
	.type \name, @function
	.balign 16
\name:
	.endm

/* rax: the function, rdi: its argument.  Ends in a wait for ever, where the recorder finds the thread: a futex's, as no
 * other is allowed by so many filters of system calls, nor needs the kernel to remember anything of it. */
function pf_attached_enter
	leaq visit_stack+VISIT_STACK(%rip), %rsp
	xorl %ebp, %ebp
	call *%rax
	movq %rax, %rbx
0:	leaq visit_word(%rip), %rdi
	movl $128, %esi			/* FUTEX_WAIT_PRIVATE */
	xorl %edx, %edx
	xorl %r10d, %r10d
	movl $202, %eax			/* futex */
	syscall
	.globl pf_attached_landed
	.hidden pf_attached_landed
pf_attached_landed:
	jmp 0b
	.size pf_attached_enter, . - pf_attached_enter

	.balign 4
visit_word:
	.long 0

/* In the very bytes by which unwinders know the frame of a signal. */
	.globl pf_attached_restorer
	.hidden pf_attached_restorer
	.type pf_attached_restorer, @function
	.balign 16
	nop
pf_attached_restorer:
	movq $15, %rax			/* rt_sigreturn */
	syscall
	.size pf_attached_restorer, . - pf_attached_restorer

	.bss
	.balign 64
	.type visit_stack, @object
	.size visit_stack, VISIT_STACK
visit_stack:
	.skip VISIT_STACK

	.section .note.GNU-stack, "", @progbits
