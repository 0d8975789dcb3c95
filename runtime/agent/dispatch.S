/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The borders between the recorder's C code, the program and translated code: signal entry and return, entering the
 * cache, leaving it, the look-up of indirect branches, and calls under a guard against faults.  The hard case: nothing
 * here may touch the program's flags, its stack or the red zone below it, and after the lock is released the common
 * stack may belong to another thread. */
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

/* Calls C on the stack that is there, with flags as C wants them (the program may check alignment), keeping the
 * handler's three arguments. */
	.macro call_on_signal target
	pushq %rdi
	pushq %rsi
	pushq %rdx
	pushfq
	subq $8, %rsp
	pushq $0x202
	popfq
	call \target
	addq $8, %rsp
	popfq
	popq %rdx
	popq %rsi
	popq %rdi
	.endm

/* The timer's signal: (signal, siginfo, ucontext).  When a burst is due it takes the lock or is skipped. */
function pf_signal_timer
	cmpl $-2, 8(%rsi)		/* si_code, SI_TIMER */
	jne 3f
	movq 24(%rsi), %rax		/* si_value: the thread's slot, unless the timer is the program's */
	leaq pf_thread_slots(%rip), %r8
	movq %rax, %r9
	subq %r8, %r9
	cmpq $PF_SLOTS_SIZE, %r9
	jae 3f
	cmpq %rax, (%rax)		/* a slot in use points to itself */
	jne 2f
	movq %rax, %rdi
	call_on_signal pf_thread_tick
	testl %eax, %eax
	je 2f
	movl $1, %eax
	xchgl %eax, pf_process(%rip)
	testl %eax, %eax
	jne 4f
	movq %rdx, %rsi
	leaq pf_agent_stack+PF_STACK_SIZE(%rip), %rsp
	pushq $0x202
	popfq
	xorl %ebp, %ebp
	call pf_burst
	ud2
2:	ret
3:	call_on_signal pf_signals_foreign
	jmp pass_on
4:	call_on_signal pf_thread_skip
	ret
	.size pf_signal_timer, . - pf_signal_timer

/* A fault, or a signal of that name that somebody sent.  What is not a burst's goes on to the program's handler, with the
 * stack, the mask and the arguments that the kernel made for it. */
function pf_signal_fault
	call_on_signal pf_fault
pass_on:
	testq %rax, %rax
	je 2b
	movq %rax, %r11
	xorl %eax, %eax
	jmp *%r11
	.size pf_signal_fault, . - pf_signal_fault

/* (frame, lock): returns from the signal through a frame; gives the engine back on the way. */
function pf_signal_return
	leaq 8(%rdi), %rsp
	movl $0, (%rsi)
	movl $15, %eax
	syscall
	ud2
	.size pf_signal_return, . - pf_signal_return

/* (run): loads the program's registers, runs translated code from run->resume until an exit. */
function pf_run_enter
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
	.globl pf_run_exit
	.hidden pf_run_exit
pf_run_exit:
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
	.globl pf_run_landing		/* where a fault in the cache resumes, its state already saved */
	.hidden pf_run_landing
pf_run_landing:
	pop_saved
	ret
	.size pf_run_enter, . - pf_run_enter

/* Indirect branches: rcx and rax spilled; rcx = target, rax = key of the branch.  No instruction here writes flags:
 * the table holds negated keys, so that a hit is a sum of zero. */
function pf_run_lookup
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
	.size pf_run_lookup, . - pf_run_lookup

/* (run, function, argument): calls function(argument) and returns what it returns, or -1 if it faulted. */
function pf_run_guard
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
	.globl pf_run_guard_landing	/* rsp is the guard's */
	.hidden pf_run_guard_landing
pf_run_guard_landing:
	cld
	movq $-1, %rax
	jmp 2b
	.size pf_run_guard, . - pf_run_guard

/* syscall(3), which a program may use to do what the recorder must know of: install a filter of system calls, change a
 * handler or a mask, wait for a signal.  Those numbers are asked about in C, which may deal with them. */
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

	.bss
	.globl pf_agent_stack
	.hidden pf_agent_stack
	.balign 64
	.type pf_agent_stack, @object
	.size pf_agent_stack, PF_STACK_SIZE
pf_agent_stack:
	.skip PF_STACK_SIZE

	.section .note.GNU-stack, "", @progbits
