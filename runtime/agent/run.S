/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The borders between C code and translated code: entering the cache, leaving it, the look-up of indirect branches, and
 * calls under a guard against faults.  Knows nothing of signals.  The hard case: nothing here may touch the program's
 * flags, its stack or the red zone below it. */
#include "runtime/agent/offsets.h"

	.text
	.globl pf_run_text
	.hidden pf_run_text
pf_run_text:
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

	.macro unspill_for_check
	movq %gs:PF_O_SPILL_RDI, %rdi
	movq %gs:PF_O_SPILL_RSI, %rsi
	movq %gs:PF_O_SPILL_RDX, %rdx
	movq %gs:PF_O_SPILL_RAX, %rax
	.endm

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
	leaq (%rax,%rax), %rax
	movq %rax, %gs:PF_O_INDEX
	movq %gs:PF_O_TARGETS+PF_T_NEGATED_KEY(,%rax,8), %rax
	leaq (%rcx,%rax), %rcx
	jrcxz 1f
	movl $PF_EXIT_MISS, %ecx
	movq %rcx, %gs:PF_O_EXIT
	movq %gs:PF_O_SPILL_RAX, %rax
	movq %gs:PF_O_SPILL_RCX, %rcx
	jmp save_state
1:	movq %gs:PF_O_INDEX, %rax
	jmp *%gs:PF_O_TARGETS+PF_T_CODE(,%rax,8)
	.size pf_run_lookup, . - pf_run_lookup

/* The check of a block that this burst has not come to before: rcx spilled; rcx = where in what is kept the block is.
 * No instruction here writes flags: the complement of a word, its like and one sum to zero.  Whatever is not equal, or
 * not there, C looks at. */
function pf_run_check
	movq %rax, %gs:PF_O_SPILL_RAX
	movq %rdx, %gs:PF_O_SPILL_RDX
	movq %rsi, %gs:PF_O_SPILL_RSI
	movq %rdi, %gs:PF_O_SPILL_RDI
	movq %rcx, %rdi
	movl %gs:PF_O_KEPT+PF_K_SIZE(%rdi), %edx
	movq %gs:PF_O_KEPT+PF_K_SOURCE(%rdi), %rsi
	.globl pf_run_check_load
	.hidden pf_run_check_load
pf_run_check_load:
	movq -8(%rsi,%rdx), %rcx
	notq %rcx
	movq %gs:PF_O_KEPT+PF_K_WORDS-8(%rdi,%rdx), %rax
	leaq 1(%rcx,%rax), %rcx
	jrcxz 1f
	jmp pf_run_check_differs
1:	leaq -8(%rdx), %rdx
	movq %rdx, %rcx
	jrcxz 2f
	jmp pf_run_check_load
2:	movl %gs:PF_O_KEPT+PF_K_INDEX(%rdi), %eax
	movb $1, %gs:PF_O_IS_CHECKED(%rax)
	movq %gs:PF_O_CHECKED_COUNT, %rcx
	movl %eax, %gs:PF_O_CHECKED(,%rcx,4)
	leaq 1(%rcx), %rcx
	movq %rcx, %gs:PF_O_CHECKED_COUNT
	movq %gs:PF_O_KEPT+PF_K_CODE(%rdi), %rcx
	movq %rcx, %gs:PF_O_RESUME
	unspill_for_check
	movq %gs:PF_O_SPILL_RCX, %rcx
	jmp *%gs:PF_O_RESUME
	.globl pf_run_check_differs
	.hidden pf_run_check_differs
pf_run_check_differs:
	movq %rdi, %rcx
	unspill_for_check
	.globl pf_run_check_in_c
	.hidden pf_run_check_in_c
pf_run_check_in_c:
	movl %gs:PF_O_KEPT+PF_K_INDEX(%rcx), %ecx
	leaq PF_EXIT_CHECK(%rcx), %rcx
	jmp pf_run_exit
	.size pf_run_check, . - pf_run_check

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
	.globl pf_run_text_end
	.hidden pf_run_text_end
pf_run_text_end:

	.section .note.GNU-stack, "", @progbits
