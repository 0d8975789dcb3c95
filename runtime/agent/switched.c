/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What switching.S needs of C, beside the masks of contexts (belief.c): the making of a context, since one that
 * the C library has made goes on with its successor by the C library's own ways.  The hard case: arguments are int by
 * the standard, and pointers in every program, so each is handed on whole. */
#include "runtime/agent/exported.h"
#include "runtime/agent/next.h"
#include "runtime/agent/offsets.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <ucontext.h>

#define IN_REGISTERS 6

#define CHECK_REGISTER(name)                                                                                           \
	_Static_assert(offsetof(ucontext_t, uc_mcontext.gregs[REG_##name]) == PF_C_##name, "switching.S saves " #name)
CHECK_REGISTER(R8);
CHECK_REGISTER(R9);
CHECK_REGISTER(R12);
CHECK_REGISTER(R13);
CHECK_REGISTER(R14);
CHECK_REGISTER(R15);
CHECK_REGISTER(RDI);
CHECK_REGISTER(RSI);
CHECK_REGISTER(RBP);
CHECK_REGISTER(RBX);
CHECK_REGISTER(RDX);
CHECK_REGISTER(RCX);
CHECK_REGISTER(RSP);
CHECK_REGISTER(RIP);
_Static_assert(offsetof(ucontext_t, uc_mcontext.fpregs) == PF_C_FPREGS, "switching.S points to its own state");
_Static_assert(offsetof(ucontext_t, uc_sigmask) == PF_C_MASK, "switching.S hands on the mask");
_Static_assert(offsetof(ucontext_t, __fpregs_mem) == PF_C_FPMEM, "switching.S saves its state there");
_Static_assert(offsetof(ucontext_t, __fpregs_mem.mxcsr) == PF_C_MXCSR, "switching.S saves MXCSR");

/* Where there is a shadow stack. */
#define NEXT_OF_CONTEXTS(name)                                                                                         \
	void *pf_context_##name(void);                                                                                 \
	void *pf_context_##name(void)                                                                                  \
	{                                                                                                              \
		return (void *)PF_NEXT(name);                                                                          \
	}
NEXT_OF_CONTEXTS(getcontext)
NEXT_OF_CONTEXTS(setcontext)
NEXT_OF_CONTEXTS(swapcontext)
NEXT_OF_CONTEXTS(makecontext)

/* switching.S: where a context's routine returns to, with a pointer to its successor in rbx. */
extern const char pf_context_end[] __attribute__((visibility("hidden")));
void pf_context_make(ucontext_t *context, void (*routine)(void), int count, ...);
void pf_context_exit(int status);

void pf_context_make(ucontext_t *context, void (*routine)(void), int count, ...)
{
	static const uint8_t registers[IN_REGISTERS] = { REG_RDI, REG_RSI, REG_RDX, REG_RCX, REG_R8, REG_R9 };
	greg_t *gregs = context->uc_mcontext.gregs;
	int on_stack = count > IN_REGISTERS ? count - IN_REGISTERS : 0;
	uint64_t top = (uint64_t)context->uc_stack.ss_sp + context->uc_stack.ss_size;
	/* The return address, the arguments, the successor; as behind a call. */
	greg_t *stack = (greg_t *)((top - 8 * ((uint64_t)on_stack + 1)) & ~15ull) - 1;
	va_list list;
	va_start(list, count);
	for (int i = 0; i < count; i++)
		*(i < IN_REGISTERS ? &gregs[registers[i]] : &stack[1 + i - IN_REGISTERS]) = va_arg(list, greg_t);
	va_end(list);
	stack[0] = (greg_t)pf_context_end;
	stack[1 + on_stack] = (greg_t)context->uc_link;
	gregs[REG_RIP] = (greg_t)routine;
	gregs[REG_RBX] = (greg_t)&stack[1 + on_stack];
	gregs[REG_RSP] = (greg_t)stack;
}

void pf_context_exit(int status)
{
	PF_NEXT(exit)(status);
}
