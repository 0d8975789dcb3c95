/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the recorder outside enters the process, in a thread that it holds, and where signals return that the program
 * has no handler for.  The hard case: the thread's own stack may be as small or as full as it likes, so a call has a
 * stack of its own; one is enough, as the recorder makes one call at a time. */

#define VISIT_STACK 0x8000

/* struct pf_attached_parting */
#define PARTING_PC 120
#define PARTING_FLAGS 128
#define PARTING_SP 136
#define PARTING_MASK 144
#define PARTING_SIGNAL 152
#define PARTING_ZERO 156
#define PARTING_SIZE 160

	.text
	.macro function name
	.globl \name
	.hidden \name
	.type \name, @function
	.balign 16
\name:
	.endm

/* rax: the function, rdi: its argument.  Ends in a signal to itself, for which it stops while the recorder holds it.
 * If that has died it does not stop: the signal is one that is ignored, and the thread goes on with what it has been
 * left, as it would have been let go.  If it cannot be sent, the thread sleeps until the recorder comes for it. */
function pf_attached_enter
	leaq visit_stack+VISIT_STACK(%rip), %rsp
	xorl %ebp, %ebp
	call *%rax
	movq %rax, %rbx
	movl $39, %eax			/* getpid */
	syscall
	movl %eax, %r12d
	movl $186, %eax			/* gettid */
	syscall
	movl %eax, %esi
	movl %r12d, %edi
	movl pf_attached_parting+PARTING_SIGNAL(%rip), %edx
	movl $234, %eax			/* tgkill */
	syscall
	.globl pf_attached_landed
	.hidden pf_attached_landed
pf_attached_landed:
	testl %eax, %eax
	jnz 1f
	movl $2, %edi			/* SIG_SETMASK */
	leaq pf_attached_parting+PARTING_MASK(%rip), %rsi
	xorl %edx, %edx
	movl $8, %r10d
	movl $14, %eax			/* rt_sigprocmask */
	syscall
	pushq pf_attached_parting+PARTING_FLAGS(%rip)
	popfq
	.set at, 0
	.irp register, r15, r14, r13, r12, rbp, rbx, r11, r10, r9, r8, rax, rcx, rdx, rsi, rdi
	movq pf_attached_parting+at(%rip), %\register
	.set at, at + 8
	.endr
	movq pf_attached_parting+PARTING_SP(%rip), %rsp
	jmp *pf_attached_parting+PARTING_PC(%rip)
1:	leaq pf_attached_parting+PARTING_ZERO(%rip), %rdi
	xorl %esi, %esi			/* FUTEX_WAIT */
	xorl %edx, %edx
	xorl %r10d, %r10d
	movl $202, %eax			/* futex */
	syscall
	jmp 1b
	.size pf_attached_enter, . - pf_attached_enter

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

	.globl pf_attached_parting
	.hidden pf_attached_parting
	.type pf_attached_parting, @object
	.size pf_attached_parting, PARTING_SIZE
pf_attached_parting:
	.skip PARTING_SIZE

	.section .note.GNU-stack, "", @progbits
