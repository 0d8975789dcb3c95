/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The translator and the code cache by themselves, without signals, threads or a recording: functions written in
 * assembly, whose branches can be counted by hand, run in the cache to their end or for a number of branches, and must
 * leave the registers, the stack and the sequence of edges that they leave natively. */
#include "perfdata/vectors.h"
#include "runtime/agent/cache.h"
#include "testsuite/unit/suite.h"

#include <asm/prctl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST_EDGES 64
#define LENGTH 1000

/* A page of code of its own, which one test changes. */
extern uint8_t code_begin[], code_end[], counts[], counts_loop[], calls[], calls_loop[], callee[], flags[], jumps[],
    jumps_case[], asks[], asks_call[], constant[], constant_value[];
__asm__(".text\n.balign 4096\ncode_begin:\n"
	"counts:	movl $100, %ecx\ncounts_loop:	decl %ecx\n	jnz counts_loop\n	ret\n"
	"calls:	movl $50, %r8d\ncalls_loop:	call callee\n	decl %r8d\n	jnz calls_loop\n	ret\n"
	"callee:	leaq 1(%rax), %rax\n	ret\n"
	/* The red zone, the flags over a taken and a not taken branch, rax and rcx over an indirect one. */
	"flags:	movq $7, -8(%rsp)\n	movl $5, %eax\n	movl $6, %ecx\n	leaq 1f(%rip), %rdx\n	stc\n	jmp *%rdx\n"
	"	ud2\n1:	jnc 2f\n	adcq -8(%rsp), %rax\n	addq %rcx, %rax\n2:	ret\n"
	"jumps:	leaq jumps_case(%rip), %rdx\n	movl $3, %ecx\n1:	jmp *%rdx\n	ud2\njumps_case:	decl "
	"%ecx\n	jnz 1b\n"
	"	ret\n"
	"asks:	movl $39, %eax\nasks_call:	syscall\n	ret\n"
	"constant:	.byte 0xb8\nconstant_value:	.long 17\n	ret\n"
	".balign 4096\ncode_end:\n");

static struct pf_run *run;
static struct pf_cache cache;
static struct pf_modules *modules;
static struct pf_wire_edge edges[MOST_EDGES];
static uint32_t edge_count;
static uint64_t stack[64];
static uint8_t outside; /* where the functions return to: no code of a module */

static void *memory(size_t size)
{
	void *place = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(place, MAP_FAILED);
	return place;
}

static void set_up(void)
{
	run = memory(sizeof *run);
	modules = memory(sizeof *modules);
	memset(&cache, 0, sizeof cache);
	edge_count = 0;
	pf_cache_init(&cache, run, memory(pf_cache_tables_size()));
	modules->count = 1;
	modules->list[0] = (struct pf_module) { .start = (uint64_t)code_begin,
						.end = (uint64_t)code_end,
						.load_lo = (uint64_t)code_begin,
						.load_hi = (uint64_t)code_end,
						.zone = -1 };
	pf_cache_zones(&cache, modules);
	ck_assert_int_ge(modules->list[0].zone, 0);
	ck_assert_int_eq(syscall(SYS_arch_prctl, ARCH_SET_GS, run), 0);
}

static void tear_down(void)
{
	syscall(SYS_arch_prctl, ARCH_SET_GS, 0);
	pf_cache_fini(&cache);
}

static uint32_t edge_of(uint64_t start, uint64_t from, uint64_t to, uint32_t kind)
{
	struct pf_wire_edge edge = { .from = from, .to = to, .length = (uint32_t)(from - start), .kind = kind };

	for (uint32_t i = 0; i < edge_count; i++) {
		if (memcmp(&edges[i], &edge, sizeof edge) == 0)
			return i;
	}
	ck_assert_uint_lt(edge_count, MOST_EDGES);
	edges[edge_count] = edge;
	return edge_count++;
}

/* An exit that is not linked yet; what it leads to, or NULL and *WHY. */
static const struct pf_block *follow(uint32_t number, uint64_t target, int *why)
{
	const struct pf_exit *exit = &cache.exits[number];
	uint32_t edge = edge_of(exit->start, exit->from, target, exit->kind);
	const struct pf_block *block;

	run->buffer[PF_MAX_BRANCHES + run->count++] = edge;
	run->pc = target;
	*why = PF_END_LENGTH;
	if (run->count == 0)
		return NULL;
	block = pf_cache_block(&cache, modules, target, why);
	if (block)
		pf_cache_link(&cache, number, edge, target, block);
	return block;
}

static const struct pf_block *leave(int *why)
{
	uint32_t number = (uint32_t)run->exit, plain = number & ~(PF_EXIT_RECORDED | PF_EXIT_CHECK);

	ck_assert_uint_ne(number, PF_EXIT_FAULT);
	if (number == PF_EXIT_MISS)
		return follow(cache.site_exits[(run->key >> PF_SITE_SHIFT) - 1], run->target, why);
	run->pc = cache.exits[plain].to;
	*why = number & PF_EXIT_RECORDED ? PF_END_LENGTH : cache.exits[plain].stop;
	if (number & PF_EXIT_CHECK)
		return pf_cache_block(&cache, modules, run->pc, why);
	return number & PF_EXIT_RECORDED || *why ? NULL : follow(number, run->pc, why);
}

/* Runs on from run->pc for at most LENGTH branches; why it ended. */
static int burst(int64_t length)
{
	int why = PF_END_LENGTH;
	const struct pf_block *block = pf_cache_block(&cache, modules, run->pc, &why);

	run->count = -length;
	while (block) {
		run->resume = block->code;
		pf_run_enter(run);
		block = leave(&why);
	}
	pf_cache_end_burst(&cache);
	return why;
}

static int call(const uint8_t *function, int64_t length)
{
	stack[32] = (uint64_t)&outside;
	run->regs[PF_RSP] = (uint64_t)&stack[32];
	run->regs[PF_RAX] = 0;
	run->flags = 0x202;
	run->pc = (uint64_t)function;
	return burst(length);
}

static uint64_t recorded(int64_t length)
{
	return (uint64_t)(run->count + length);
}

/* How often the edge to TO was recorded in the last burst of LENGTH. */
static uint32_t times(const uint8_t *to, uint32_t kind, int64_t length)
{
	uint32_t sum = 0;

	for (int64_t i = -length; i < run->count; i++) {
		const struct pf_wire_edge *edge = &edges[run->buffer[PF_MAX_BRANCHES + i]];

		sum += edge->to == (uint64_t)to && edge->kind == kind;
	}
	return sum;
}

START_TEST(a_loop_is_recorded_branch_by_branch)
{
	for (int i = 0; i < 3; i++) { /* translated, then found */
		ck_assert_int_eq(call(counts, LENGTH), PF_END_ANONYMOUS);
		ck_assert_uint_eq(recorded(LENGTH), 100);
		ck_assert_uint_eq(times(counts_loop, PF_EDGE_COND, LENGTH), 99);
		ck_assert_uint_eq(times(&outside, PF_EDGE_RETURN, LENGTH), 1);
		ck_assert_uint_eq(run->pc, (uint64_t)&outside);
		ck_assert_uint_eq(run->regs[PF_RSP], (uint64_t)&stack[33]);
		ck_assert_uint_eq((uint32_t)run->regs[PF_RCX], 0);
	}
	ck_assert_uint_eq(cache.flushes, 0);
}
END_TEST

START_TEST(a_burst_ends_after_its_length_and_the_next_goes_on)
{
	ck_assert_int_eq(call(counts, 10), PF_END_LENGTH);
	ck_assert_uint_eq(recorded(10), 10);
	ck_assert_uint_eq(run->pc, (uint64_t)counts_loop);
	ck_assert_uint_eq((uint32_t)run->regs[PF_RCX], 90);
	ck_assert_int_eq(burst(LENGTH), PF_END_ANONYMOUS);
	ck_assert_uint_eq(recorded(LENGTH), 90);
}
END_TEST

START_TEST(calls_return_to_the_program)
{
	ck_assert_int_eq(call(calls, LENGTH), PF_END_ANONYMOUS);
	ck_assert_uint_eq(recorded(LENGTH), 150);
	ck_assert_uint_eq(times(callee, PF_EDGE_CALL, LENGTH), 50);
	ck_assert_uint_eq(times(calls_loop, PF_EDGE_COND, LENGTH), 49);
	ck_assert_uint_eq(run->regs[PF_RAX], 50);
	/* What the call left on the stack is the program's address, not the cache's. */
	ck_assert_uint_ge(stack[31], (uint64_t)calls_loop);
	ck_assert_uint_lt(stack[31], (uint64_t)callee);
}
END_TEST

START_TEST(registers_flags_and_red_zone_are_the_programs)
{
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(call(flags, LENGTH), PF_END_ANONYMOUS);
		ck_assert_uint_eq(run->regs[PF_RAX], 5 + 7 + 1 + 6);
		ck_assert_uint_eq(recorded(LENGTH), 2);
	}
}
END_TEST

START_TEST(indirect_jumps_are_looked_up)
{
	ck_assert_int_eq(call(jumps, LENGTH), PF_END_ANONYMOUS);
	ck_assert_uint_eq(times(jumps_case, PF_EDGE_INDIRECT, LENGTH), 3);
	ck_assert_uint_eq(recorded(LENGTH), 6);
}
END_TEST

START_TEST(a_system_call_is_left_to_the_program)
{
	ck_assert_int_eq(call(asks, LENGTH), PF_END_SYSCALL);
	ck_assert_uint_eq(run->pc, (uint64_t)asks_call);
	ck_assert_uint_eq((uint32_t)run->regs[PF_RAX], 39);
}
END_TEST

START_TEST(changed_code_is_translated_anew)
{
	uint32_t value = 18;

	call(constant, LENGTH);
	ck_assert_uint_eq(run->regs[PF_RAX], 17);
	ck_assert_int_eq(mprotect(code_begin, 4096, PROT_READ | PROT_WRITE | PROT_EXEC), 0);
	memcpy(constant_value, &value, sizeof value);
	call(constant, LENGTH);
	ck_assert_uint_eq(run->regs[PF_RAX], 18);
	ck_assert_uint_eq(cache.flushes, 1);
	value = 17;
	memcpy(constant_value, &value, sizeof value);
	mprotect(code_begin, 4096, PROT_READ | PROT_EXEC);
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("agent-translate");

	tcase_add_checked_fixture(cases, set_up, tear_down);
	tcase_add_test(cases, a_loop_is_recorded_branch_by_branch);
	tcase_add_test(cases, a_burst_ends_after_its_length_and_the_next_goes_on);
	tcase_add_test(cases, calls_return_to_the_program);
	tcase_add_test(cases, registers_flags_and_red_zone_are_the_programs);
	tcase_add_test(cases, indirect_jumps_are_looked_up);
	tcase_add_test(cases, a_system_call_is_left_to_the_program);
	tcase_add_test(cases, changed_code_is_translated_anew);
	return run_case("agent-translate", cases);
}
