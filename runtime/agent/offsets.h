/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Offsets of what translated code and dispatch.S reach through the GS segment: struct pf_run.  C code checks them
 * against the structure (run.h), so that the three users cannot drift apart. */
#ifndef PF_AGENT_OFFSETS_H
#define PF_AGENT_OFFSETS_H

#define PF_O_SPILL_RCX 0x00
#define PF_O_SPILL_RAX 0x08
#define PF_O_COUNT 0x10 /* minus the branches still to record */
#define PF_O_EXIT 0x18
#define PF_O_TARGET 0x20
#define PF_O_KEY 0x28
#define PF_O_INDEX 0x30
#define PF_O_RESUME 0x38
#define PF_O_HOST_SP 0x40
#define PF_O_REGS 0x48 /* in the order of their encoding: rax rcx rdx rbx rsp rbp rsi rdi r8..r15 */
#define PF_O_FLAGS 0xc8
#define PF_O_EXIT_ENTRY 0xd0
#define PF_O_LOOKUP_ENTRY 0xd8
#define PF_O_GUARD_SP 0xe0
#define PF_O_SIGHTING_COUNT 0xe8 /* minus the 8-byte words of sightings that there is still room for */
#define PF_O_CHECKED_COUNT 0xf0
#define PF_O_CHECK_ENTRY 0xf8
#define PF_O_SPILL_RDX 0x100
#define PF_O_SPILL_RSI 0x108
#define PF_O_SPILL_RDI 0x110
#define PF_O_FS 0x118
#define PF_O_BUFFER 0x1000
#define PF_O_BUFFER_END 0x41000
#define PF_O_TARGETS 0x41000
#define PF_O_IS_CHECKED 0x141000
#define PF_O_SIGHTINGS 0x151000
#define PF_O_SIGHTINGS_END 0x251000
#define PF_O_CHECKED 0x251000
#define PF_O_KEPT 0x291000
#define PF_O_KEPT_END 0x791000

/* Of struct pf_target. */
#define PF_T_NEGATED_KEY 0
#define PF_T_CODE 8

/* Of struct pf_kept. */
#define PF_K_SOURCE 0
#define PF_K_CODE 8
#define PF_K_INDEX 16
#define PF_K_SIZE 20
#define PF_K_WORDS 24

#define PF_O_ARMED 8 /* of struct pf_process */

/* Of glibc's ucontext_t: see switching.S; checked in switched.c. */
#define PF_C_R8 40
#define PF_C_R9 48
#define PF_C_R12 72
#define PF_C_R13 80
#define PF_C_R14 88
#define PF_C_R15 96
#define PF_C_RDI 104
#define PF_C_RSI 112
#define PF_C_RBP 120
#define PF_C_RBX 128
#define PF_C_RDX 136
#define PF_C_RCX 152
#define PF_C_RSP 160
#define PF_C_RIP 168
#define PF_C_FPREGS 224
#define PF_C_MASK 296
#define PF_C_FPMEM 424
#define PF_C_MXCSR 448

#define PF_MAX_SLOTS 4096
#define PF_SLOT_SIZE 176
#define PF_SLOTS_SIZE (PF_MAX_SLOTS * PF_SLOT_SIZE)
#define PF_STACK_SIZE 0x10000

#define PF_MAX_BRANCHES ((PF_O_BUFFER_END - PF_O_BUFFER) / 4)
#define PF_MAX_BLOCKS 65536
#define PF_TABLE_SLOTS 65536
#define PF_MAX_SIGHTINGS ((PF_O_SIGHTINGS_END - PF_O_SIGHTINGS) / 32)
#define PF_MAX_KEPT (PF_O_KEPT_END - PF_O_KEPT)
#define PF_BURST_SIGHTINGS 128 /* of a sampled burst; the last ones */
#define PF_VALUED_SIGHTINGS 512 /* ...where what is loaded, stored and handed to functions is sighted, too */
#define PF_SITE_SHIFT 47       /* user addresses lie below 1 << 47 */

#define PF_EXIT_MISS 0xfffffffe     /* an indirect branch that the table does not know */
#define PF_EXIT_FAULT 0xfffffffd    /* an instruction in the cache faulted */
#define PF_EXIT_RECORDED 0x80000000 /* the exit's edge is recorded already, and was the burst's last */
#define PF_EXIT_CHECK 0x40000000    /* recorded already, and leads to the block of this number, to be compared in C */

#define PF_SIGTRAP 5
#define PF_CODE_TIMER -2 /* si_code of a signal: SI_TIMER, and TRAP_PERF, by which a counter tells */
#define PF_CODE_COUNTER 6
#define PF_TRAP_DONE 1 /* of pf_whole_trap: the program just goes on */

#define PF_WATCHED_MOST 511   /* system calls that syscall(3) may be asked to watch are below */
#define PF_WATCH_PASS -100000 /* ...and are then passed on */

#endif
