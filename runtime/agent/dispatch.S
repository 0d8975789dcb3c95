/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The borders between the program and the recorder's C code: signals that arrive and their return.  The
 * hard case: a handler begins on whatever stack the program has, with its flags, and after the lock is released the
 * recorder's own stack may belong to another thread. */
#include "runtime/agent/offsets.h"

	.text
	.macro function name
	.globl \name
	.hidden \name
	.type \name, @function
	.balign 16
\name:
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

/* The signal of a timer or a counter: (signal, siginfo, ucontext).  When a burst is due it takes the lock or is skipped. */
function pf_signal_timer
	cmpl $PF_CODE_COUNTER, 8(%rsi)
	je 5f
	cmpl $PF_CODE_TIMER, 8(%rsi)
	jne 3f
5:	movq 24(%rsi), %rax		/* si_value, si_perf_data: the thread's slot, unless it is the program's */
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
take_engine:			/* rdi: the slot, rdx: the context */
	movl $1, %eax
	xchgl %eax, pf_process(%rip)
	.globl pf_signal_taken
	.hidden pf_signal_taken
pf_signal_taken:		/* from here, if eax is 0, the signals of faults are the burst's, though the stack is the program's */
	testl %eax, %eax
	jne 4f
	movq %rdx, %rsi
	movb $1, pf_process+PF_O_ARMED(%rip)
	leaq pf_agent_stack+PF_STACK_SIZE(%rip), %rsp
	pushq $0x202
	.globl pf_signal_taken_end
	.hidden pf_signal_taken_end
pf_signal_taken_end:
	popfq
	xorl %ebp, %ebp
	call pf_burst
	ud2
2:	ret
3:	call_on_signal pf_signals_foreign
	jmp pass_on
4:	call_on_signal pf_thread_skip
	testl %eax, %eax
	jne take_engine
	ret
	.size pf_signal_timer, . - pf_signal_timer

/* A fault, or a signal of that name that somebody sent.  What is not a burst's goes on to the program's handler, with the
 * stack, the mask and the arguments that the kernel made for it. */
function pf_signal_fault
	cmpl $PF_SIGTRAP, %edi
	jne 8f
	call_on_signal pf_whole_trap
	cmpq $PF_TRAP_DONE, %rax
	je 2b
	testq %rax, %rax
	je 8f
	movq %rax, %rdi
	jmp take_engine
8:	call_on_signal pf_fault
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
	.globl pf_signal_return_end
	.hidden pf_signal_return_end
pf_signal_return_end:
	.size pf_signal_return, . - pf_signal_return

	.bss
	.globl pf_agent_stack
	.hidden pf_agent_stack
	.balign 64
	.type pf_agent_stack, @object
	.size pf_agent_stack, PF_STACK_SIZE
pf_agent_stack:
	.skip PF_STACK_SIZE

	.section .note.GNU-stack, "", @progbits
