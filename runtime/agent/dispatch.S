/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The borders between the recorder's C code and translated code: signal entry and return, entering the cache, leaving
 * it, the look-up of indirect branches, and calls under a guard against faults.  The hard case: nothing here may
 * touch the program's flags, its stack or the red zone below it, and after the lock is released the common stack may
 * belong to another thread. */
#include "runtime/agent/offsets.h"

	.text
	.macro function name
	.globl \name
	.hidden \name
	.type \name, @function
	.balign 16
\name:
	.endm

	.macro push_saved
	pushq %rbx
	pushq %rbp
	pushq %r12
	pushq %r13
	pushq %r14
	pushq %r15
	.endm

	.macro pop_saved
	popq %r15
	popq %r14
	popq %r13
	popq %r12
	popq %rbp
	popq %rbx
	.endm

/* The signal handler: (signal, siginfo, ucontext).  Takes the engine or goes to the skip path on the stack it has. */
function pf_agent_signal
	cmpl $-2, 8(%rsi)		/* si_code, SI_TIMER */
	jne pf_agent_foreign_signal
	movq 24(%rsi), %rax		/* si_value: the thread's slot, unless the timer is the program's */
	leaq pf_agent_slots(%rip), %r8
	movq %rax, %r9
	subq %r8, %r9
	cmpq $PF_SLOTS_SIZE, %r9
	jae pf_agent_foreign_signal
	cmpq %rax, (%rax)		/* a slot in use points to itself */
	jne pf_agent_restorer_return
	movq %rax, %rdi
	movq pf_engine(%rip), %r8
	movl $1, %eax
	xchgl %eax, PF_O_LOCK(%r8)
	testl %eax, %eax
	jne pf_agent_skip
	movq %rdx, %rsi
	leaq PF_O_STACK_TOP(%r8), %rsp
	pushq $0x202			/* the program may check alignment, C code cannot */
	popfq
	xorl %ebp, %ebp
	call pf_agent_burst
	ud2
pf_agent_restorer_return:
	ret
	.size pf_agent_signal, . - pf_agent_signal

/* (frame, lock): returns from the signal through a private copy of its frame; gives the engine back on the way. */
function pf_agent_sigreturn
	leaq 8(%rdi), %rsp
	movl $0, (%rsi)
	movl $15, %eax
	syscall
	ud2
	.size pf_agent_sigreturn, . - pf_agent_sigreturn

/* Restorer for the handlers that return normally. */
function pf_agent_restorer
	movl $15, %eax
	syscall
	ud2
	.size pf_agent_restorer, . - pf_agent_restorer

/* (engine): loads the program's registers, runs translated code from engine->resume until an exit. */
function pf_agent_run
	push_saved
	movq %rsp, PF_O_HOST_SP(%rdi)
	pushq PF_O_FLAGS(%rdi)
	popfq
	movq %gs:PF_O_REGS+0, %rax
	movq %gs:PF_O_REGS+8, %rcx
	movq %gs:PF_O_REGS+16, %rdx
	movq %gs:PF_O_REGS+24, %rbx
	movq %gs:PF_O_REGS+32, %rsp
	movq %gs:PF_O_REGS+40, %rbp
	movq %gs:PF_O_REGS+48, %rsi
	movq %gs:PF_O_REGS+56, %rdi
	movq %gs:PF_O_REGS+64, %r8
	movq %gs:PF_O_REGS+72, %r9
	movq %gs:PF_O_REGS+80, %r10
	movq %gs:PF_O_REGS+88, %r11
	movq %gs:PF_O_REGS+96, %r12
	movq %gs:PF_O_REGS+104, %r13
	movq %gs:PF_O_REGS+112, %r14
	movq %gs:PF_O_REGS+120, %r15
	jmp *%gs:PF_O_RESUME

/* Translated code comes here with rcx spilled and the exit's number in it. */
	.globl pf_agent_exit
	.hidden pf_agent_exit
pf_agent_exit:
	movq %rcx, %gs:PF_O_EXIT
	movq %gs:PF_O_SPILL_RCX, %rcx
save_state:
	movq %rax, %gs:PF_O_REGS+0
	movq %rcx, %gs:PF_O_REGS+8
	movq %rdx, %gs:PF_O_REGS+16
	movq %rbx, %gs:PF_O_REGS+24
	movq %rsp, %gs:PF_O_REGS+32
	movq %rbp, %gs:PF_O_REGS+40
	movq %rsi, %gs:PF_O_REGS+48
	movq %rdi, %gs:PF_O_REGS+56
	movq %r8, %gs:PF_O_REGS+64
	movq %r9, %gs:PF_O_REGS+72
	movq %r10, %gs:PF_O_REGS+80
	movq %r11, %gs:PF_O_REGS+88
	movq %r12, %gs:PF_O_REGS+96
	movq %r13, %gs:PF_O_REGS+104
	movq %r14, %gs:PF_O_REGS+112
	movq %r15, %gs:PF_O_REGS+120
	movq %gs:PF_O_HOST_SP, %rsp
	pushfq
	popq %gs:PF_O_FLAGS
	pushq $0x202			/* C wants DF and AC clear */
	popfq
	.globl pf_agent_landing		/* where a fault in the cache resumes, its state already saved */
	.hidden pf_agent_landing
pf_agent_landing:
	pop_saved
	ret
	.size pf_agent_run, . - pf_agent_run

/* Indirect branches: rcx and rax spilled; rcx = target, rax = key of the branch.  No instruction here writes flags:
 * the table holds negated keys, so that a hit is a sum of zero. */
function pf_agent_lookup
	movq %rcx, %gs:PF_O_TARGET
	movq %rax, %gs:PF_O_KEY
	leaq (%rcx,%rax), %rcx
	movzwl %cx, %eax
	movq %rax, %gs:PF_O_INDEX
	movq %gs:PF_O_NEGATED_KEYS(,%rax,8), %rax
	leaq (%rcx,%rax), %rcx
	jrcxz 1f
	movl $PF_EXIT_MISS, %ecx
	movq %rcx, %gs:PF_O_EXIT
	movq %gs:PF_O_SPILL_RAX, %rax
	movq %gs:PF_O_SPILL_RCX, %rcx
	jmp save_state
1:	movq %gs:PF_O_INDEX, %rax
	jmp *%gs:PF_O_CODES(,%rax,8)
	.size pf_agent_lookup, . - pf_agent_lookup

/* (engine, function, argument): calls function(argument) and returns what it returns, or -1 if it faulted. */
function pf_agent_guard
	push_saved
	pushq %rdi
	movq %rsp, PF_O_GUARD_SP(%rdi)
	movq %rdx, %rdi
	call *%rsi
	cltq
2:	popq %rdi
	movq $0, PF_O_GUARD_SP(%rdi)
	pop_saved
	ret
	.globl pf_agent_guard_landing	/* rsp is the guard's */
	.hidden pf_agent_guard_landing
pf_agent_guard_landing:
	cld
	movq $-1, %rax
	jmp 2b
	.size pf_agent_guard, . - pf_agent_guard

/* syscall(3), which a program may use to install a filter that would kill it for the recorder's own calls. */
	.globl syscall
	.type syscall, @function
	.balign 16
syscall:
	cmpq $317, %rdi			/* seccomp */
	je 4f
	cmpq $157, %rdi			/* prctl */
	jne 5f
	cmpq $22, %rsi			/* PR_SET_SECCOMP */
	jne 5f
4:	pushq %rdi
	pushq %rsi
	pushq %rdx
	pushq %rcx
	pushq %r8
	pushq %r9
	subq $8, %rsp
	call pf_agent_stop_for_filter
	addq $8, %rsp
	popq %r9
	popq %r8
	popq %rcx
	popq %rdx
	popq %rsi
	popq %rdi
5:	movq %rdi, %rax
	movq %rsi, %rdi
	movq %rdx, %rsi
	movq %rcx, %rdx
	movq %r8, %r10
	movq %r9, %r8
	movq 8(%rsp), %r9
	syscall
	cmpq $-4095, %rax
	jae 6f
	ret
6:	negl %eax
	movl %eax, %edi
	jmp pf_agent_set_errno
	.size syscall, . - syscall

	.section .note.GNU-stack, "", @progbits
