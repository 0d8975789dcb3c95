/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The translator and the code cache by themselves, without signals, threads or a recording: functions written in
 * assembly, whose branches can be counted by hand, run in the cache to their end or for a number of branches, and must
 * leave the registers, the stack and the sequence of edges that they leave natively. */
#include "perfdata/vectors.h"
#include "runtime/agent/sightings.h"
#include "runtime/agent/spin.h"
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
    jumps_case[], asks[], asks_call[], constant[], constant_value[], divides[], divides_1[], divides_2[], divides_3[],
    divides_4[], divides_5[], divides_6[], copies[], copies_call[], copies_tail[], string_slot[], accesses[],
    accesses_1[], accesses_2[], accesses_3[], accesses_4[], accesses_5[], accesses_6[], accesses_7[], accesses_8[],
    accesses_word[], switches[], switches_1[], switches_2[], switches_3[], switches_4[], words[], words_1[], words_2[],
    words_3[], words_4[], words_5[], words_data[], waits[], waits_pause[], waits_next[], waits_test[], waits_back[],
    waits_out[];
__asm__(
    ".text\n.balign 4096\ncode_begin:\n"
    "counts:	movl $100, %ecx\ncounts_loop:	decl %ecx\n	jnz counts_loop\n	ret\n"
    "calls:	movl $50, %r8d\ncalls_loop:	call callee\n	decl %r8d\n	jnz calls_loop\n	ret\n"
    "callee:	leaq 1(%rax), %rax\n	ret\n"
    /* The red zone, the flags over a taken and a not taken branch, rax and rcx over an indirect one. */
    "flags:	movq $7, -8(%rsp)\n	movl $5, %eax\n	movl $6, %ecx\n	leaq 1f(%rip), %rdx\n	stc\n	jmp *%rdx\n"
    "	ud2\n1:	jnc 2f\n	adcq -8(%rsp), %rax\n	addq %rcx, %rax\n2:	ret\n"
    "jumps:	leaq jumps_case(%rip), %rdx\n	movl $3, %ecx\n1:	jmp *%rdx\n	ud2\njumps_case:	decl "
    "%ecx\n	jnz 1b\n"
    "	ret\n"
    "waits:	movl $3, %ecx\nwaits_pause:	pause\nwaits_next:	decl %ecx\n	js waits_out\n"
    "waits_test:	testl %ecx, %ecx\nwaits_back:	jnz waits_pause\nwaits_out:	ret\n"
    "asks:	movl $39, %eax\nasks_call:	syscall\n	ret\n"
    "constant:	.byte 0xb8\nconstant_value:	.long 17\n	ret\n"
    /* Divisors in registers that the notes use, and others, in memory, of all widths. */
    "divides:	movl $100, %eax\n	xorl %edx, %edx\n	movl $7, %r9d\ndivides_1:	divl %r9d\n	movl "
    "%eax, %r8d\n"
    "	movq $-3, -8(%rsp)\n	movq $100, %rax\n	cqto\ndivides_2:	idivq -8(%rsp)\n	movq %rax, "
    "%r10\n"
    "	movl $9, %ecx\n	movl $95, %eax\n	xorl %edx, %edx\ndivides_3:	divl %ecx\n	movl %eax, %r11d\n"
    "	movl $205, %eax\n	movl $0x140a, %ecx\ndivides_4:	divb %ch\n	movl %eax, %ebx\n"
    "	movl $1000, %eax\n	xorl %edx, %edx\n	movl $0x5fff9, %esi\ndivides_5:	idivw %si\n	movl %eax, "
    "%ebp\n"
    "	movl $77, %eax\n	xorl %edx, %edx\ndivides_6:	divl divides_word(%rip)\n	ret\n"
    "	.balign 4\ndivides_word:	.long 11\n"
    /* A call and a tail call through a stub, and a call through the slot itself. */
    "copies:	movl $16, %edx\n	movl $0x1008, %edi\n	movl $5, %eax\n	movl $6, %ecx\n"
    "copies_call:	call copies_stub\n	incl %edx\n	call *string_slot(%rip)\n	incl %edx\n"
    "copies_tail:	jmp copies_stub\n"
    /* By rcx and rax, which the notes use; by the stack pointer; what is not aligned, and a value that is changed. */
    "accesses:	leaq accesses_word(%rip), %rcx\n	movl $2, %eax\n	stc\n"
    "accesses_1:	movzbl 1(%rcx,%rax), %eax\naccesses_2:	pushq %rcx\naccesses_3:	movq (%rsp), %rdx\n"
    "accesses_4:	popq %rbx\naccesses_5:	adcw $1, (%rcx)\naccesses_6:	cmpl accesses_word(%rip), %eax\n"
    "	movq %rcx, %xmm3\naccesses_7:	movups %xmm3, -40(%rsp)\n	leaq 8(%rcx), %rsi\naccesses_8:	ret\n"
    /* A load, an addition to memory, a store, an exchange that changes the register of its address, a call. */
    "words:	leaq words_data(%rip), %rdx\n	stc\nwords_1:	movzbl 3(%rdx), %eax\n"
    "words_2:	adcw $1, (%rdx)\nwords_3:	movl %eax, 8(%rdx)\n	leaq 8(%rdx), %rcx\n"
    "words_4:	xchgq %rcx, (%rcx)\n	movl $5, %edi\n	movl $7, %r9d\nwords_5:	call callee\n	ret\n"
    "copies_stub:	.byte 0xf3, 0x0f, 0x1e, 0xfa\n	jmp *string_slot(%rip)\n"
    /* Tables of distances and of addresses, by indexes in registers that the notes use, and others; the last but one
     * loads of such a form for something else, and the last jumps by the table that is not there. */
    "switches:	movl $5, %ebx\n	leaq switches_near(%rip), %rdx\n	movl $1, %ecx\n	stc\n"
    "	movslq (%rdx,%rcx,4), %rax\n	leaq (%rdx,%rax), %rax\nswitches_1:	notrack jmp *%rax\n	ud2\n"
    "switches_b:	adcl $0, %ebx\n	xorl %eax, %eax\n"
    "	movslq (%rdx,%rax,4), %rax\n	addq %rdx, %rax\nswitches_2:	jmp *%rax\n	ud2\n"
    "switches_a:	leaq switches_far(%rip), %rdx\n	movl $2, %r9d\n"
    "switches_3:	jmp *(%rdx,%r9,8)\n	ud2\n"
    "switches_c:	movl $3, %ecx\n	movq (%rdx,%rcx,8), %rcx\nswitches_4:	jmp *%rcx\n	ud2\n"
    "switches_d:	xorl %eax, %eax\n	movq (%rdx,%rax,8), %rcx\n	leaq 1f(%rip), %rsi\n"
    "	jmp *%rsi\n"
    "1:	movq (%rdx,%rax,8), %rcx\n	ret\n"
    "	.balign 4\nswitches_near:	.long switches_a - switches_near, switches_b - switches_near\n"
    ".balign 4096\ncode_end:\n"
    ".data\n.balign 8\nswitches_far:	.quad 0, 0, switches_c, switches_d\nstring_slot:	.quad callee\n"
    "accesses_word:	.quad 0x8877665544332211\nwords_data:	.quad 0x8877665544332211, 0\n.text\n");

static struct pf_run *run;
static struct pf_cache cache;
static struct pf_modules *modules;
static struct pf_wire_edge edges[MOST_EDGES];
static uint32_t edge_count, left_for_checks;
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
	edge_count = left_for_checks = 0;
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
	uint32_t number = (uint32_t)run->exit, plain = number & ~PF_EXIT_RECORDED;

	ck_assert_uint_ne(number, PF_EXIT_FAULT);
	if (number == PF_EXIT_MISS)
		return follow(cache.site_exits[(run->key >> PF_SITE_SHIFT) - 1], run->target, why);
	if (number & PF_EXIT_CHECK) {
		left_for_checks++;
		run->pc = cache.blocks[number & ~PF_EXIT_CHECK].pc;
		return pf_cache_block(&cache, modules, run->pc, why);
	}
	run->pc = cache.exits[plain].to;
	*why = number & PF_EXIT_RECORDED ? PF_END_LENGTH : cache.exits[plain].stop;
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

START_TEST(a_wait_for_another_thread_is_left_to_the_program_unless_all_is_wanted)
{
	ck_assert_int_eq(call(waits, LENGTH), PF_END_UNHANDLED);
	ck_assert_uint_eq(run->pc, (uint64_t)waits_pause);
	cache.whole = true;
	pf_cache_flush(&cache);
	ck_assert_int_eq(call(waits, LENGTH), PF_END_ANONYMOUS);
	ck_assert_uint_eq(times(waits_pause, PF_EDGE_COND, LENGTH), 2);
}
END_TEST

START_TEST(a_loop_that_waits_is_known_from_behind_its_pause_to_its_end)
{
	size_t before = (size_t)(waits_test - waits_pause);

	ck_assert(!pf_spin_has_paused(waits_pause, 64));
	ck_assert(!pf_spin_has_paused(waits_next, 64));
	ck_assert(pf_spin_has_paused(waits_test, 64));
	ck_assert(pf_spin_has_paused(waits_test, before));
	ck_assert(!pf_spin_has_paused(waits_test, before - 1));
	ck_assert(pf_spin_has_paused(waits_back, 64));
	ck_assert(!pf_spin_has_paused(waits_back + 1, 64)); /* no instruction begins there */
	ck_assert(!pf_spin_has_paused(waits_out, 64));
}
END_TEST

/* The third call comes to all of them by links; the fourth finds one of them changed, which is not the first. */
START_TEST(blocks_are_compared_without_leaving_unless_they_differ)
{
	uint8_t *place = callee + 3; /* leaq 1(%rax), %rax */

	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(call(calls, LENGTH), PF_END_ANONYMOUS);
	ck_assert_uint_eq(left_for_checks, 0);
	ck_assert_int_eq(mprotect(code_begin, 4096, PROT_READ | PROT_WRITE | PROT_EXEC), 0);
	*place = 2;
	ck_assert_int_eq(call(calls, LENGTH), PF_END_ANONYMOUS);
	ck_assert_uint_eq(run->regs[PF_RAX], 100);
	ck_assert_uint_eq(left_for_checks, 1);
	ck_assert_uint_eq(cache.flushes, 1);
	*place = 1;
	mprotect(code_begin, 4096, PROT_READ | PROT_EXEC);
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

/* What was noted, oldest first. */
static const struct pf_sighting *noted(uint32_t *count)
{
	return pf_sightings_noted(run, PF_BURST_SIGHTINGS, count);
}

START_TEST(divisors_are_noted_and_nothing_is_changed)
{
	static const struct {
		const uint8_t *at;
		uint64_t value, mask, second;
		uint32_t width;
		bool is_signed;
	} want[] = { { divides_1, 7, UINT32_MAX, 100, 4, false },
		     { divides_2, (uint64_t)-3, UINT64_MAX, 100, 8, true },
		     { divides_3, 9, UINT32_MAX, 95, 4, false },
		     { divides_4, 0x14, 0xff, 205, 1, false },
		     { divides_5, (uint16_t)-7, 0xffff, 1000, 2, true },
		     { divides_6, 11, UINT32_MAX, 77, 4, false } };
	const struct pf_sighting *s;
	uint32_t count;

	for (int i = 0; i < 2; i++) { /* without notes, and with */
		pf_sightings_stop(run);
		if (i)
			pf_sightings_begin(run, PF_BURST_SIGHTINGS);
		ck_assert_int_eq(call(divides, LENGTH), PF_END_ANONYMOUS);
		ck_assert_uint_eq(run->regs[8], 14);
		ck_assert_int_eq((int64_t)run->regs[10], -33);
		ck_assert_uint_eq(run->regs[11], 10);
		ck_assert_uint_eq(run->regs[PF_RCX], 0x140a);
		ck_assert_uint_eq(run->regs[PF_RBX], 205 / 0x14 + (205 % 0x14 << 8));
		ck_assert_uint_eq((uint16_t)run->regs[PF_RBP], (uint16_t)(1000 / -7));
		ck_assert_uint_eq(run->regs[PF_RAX], 7);
		ck_assert_uint_eq(run->regs[PF_RDX], 0);
		ck_assert_uint_eq(recorded(LENGTH), 1);
	}
	s = noted(&count);
	ck_assert_uint_eq(count, 6);
	for (uint32_t i = 0; i < count; i++) {
		ck_assert_uint_eq(s[i].pc, (uint64_t)want[i].at);
		ck_assert_uint_eq(s[i].value & want[i].mask, want[i].value);
		ck_assert_uint_eq(s[i].second, want[i].second);
		ck_assert_uint_eq(s[i].form & 0xff, PF_SIGHT_DIVISION);
		ck_assert_uint_eq(PF_SIGHT_WIDTH(s[i].form), want[i].width);
		ck_assert_uint_eq(PF_SIGHT_IS_SIGNED(s[i].form), want[i].is_signed);
	}
}
END_TEST

/* Loads have what was there, changes what was there before; registers and flags are as without notes. */
START_TEST(accesses_are_noted_and_nothing_is_changed)
{
	uint64_t word = (uint64_t)accesses_word, top = (uint64_t)&stack[32];
	const struct {
		const uint8_t *at;
		uint32_t form;
		uint64_t address, value;
	} want[] = { { accesses_1, PF_VEC_LOAD | PF_VEC_VALUE | 1 << 8, word + 3, 0x44 },
		     { accesses_2, PF_VEC_STORE | 8 << 8, top - 8, 0 },
		     { accesses_3, PF_VEC_LOAD | PF_VEC_VALUE | 8 << 8, top - 8, word },
		     { accesses_4, PF_VEC_LOAD | PF_VEC_VALUE | 8 << 8, top - 8, word },
		     { accesses_5, PF_VEC_LOAD | PF_VEC_STORE | PF_VEC_VALUE | 2 << 8, word, 0x2211 },
		     { accesses_6, PF_VEC_LOAD | PF_VEC_VALUE | 4 << 8, word, 0x44332213 },
		     { accesses_7, PF_VEC_STORE | 16 << 8, top - 40, 0 },
		     { accesses_8, PF_VEC_LOAD | PF_VEC_VALUE | 8 << 8, top, (uint64_t)&outside } };
	const struct pf_sighting *s;
	uint32_t count;

	cache.memory = true;
	pf_sightings_begin(run, PF_BURST_SIGHTINGS);
	ck_assert_int_eq(call(accesses, LENGTH), PF_END_ANONYMOUS);
	ck_assert_uint_eq(run->regs[PF_RAX], 0x44);
	ck_assert_uint_eq(run->regs[PF_RCX], word);
	ck_assert_uint_eq(run->regs[PF_RDX], word);
	ck_assert_uint_eq(run->regs[PF_RBX], word);
	ck_assert_uint_eq(run->regs[PF_RSI], word + 8);
	ck_assert_uint_eq(*(const uint64_t *)(const void *)accesses_word, 0x8877665544332213);
	s = noted(&count);
	ck_assert_uint_eq(count, sizeof want / sizeof *want);
	for (uint32_t i = 0; i < count; i++) {
		ck_assert_uint_eq(s[i].pc, (uint64_t)want[i].at);
		ck_assert_uint_eq(s[i].form, want[i].form);
		ck_assert_uint_eq(s[i].second, want[i].address);
		if (s[i].form & PF_VEC_VALUE)
			ck_assert_uint_eq(s[i].value, want[i].value);
	}
}
END_TEST

/* Loads have what was there, stores what is there then; what an exchange stored is not known. */
START_TEST(words_are_sighted_and_nothing_is_changed)
{
	uint64_t *data = (uint64_t *)(uintptr_t)words_data, address = (uint64_t)words_data;
	const struct {
		const uint8_t *at;
		uint32_t form;
		uint64_t value;
	} want[] = { { words_1, PF_SIGHT_LOAD | 1 << 8, 0x44 },     { words_2, PF_SIGHT_LOAD | 2 << 8, 0x2211 },
		     { words_2, PF_SIGHT_STORE | 2 << 8, 0x2213 },  { words_3, PF_SIGHT_STORE | 4 << 8, 0x44 },
		     { words_4, PF_SIGHT_LOAD | 8 << 8, 0x44 },     { words_5, PF_SIGHT_ARGUMENT, 5 },
		     { words_5, PF_SIGHT_ARGUMENT | 1 << 8, 77 },   { words_5, PF_SIGHT_ARGUMENT | 2 << 8, address },
		     { words_5, PF_SIGHT_ARGUMENT | 3 << 8, 0x44 }, { words_5, PF_SIGHT_ARGUMENT | 4 << 8, 88 },
		     { words_5, PF_SIGHT_ARGUMENT | 5 << 8, 7 } };
	const struct pf_sighting *s;
	uint32_t count;

	cache.values = true;
	run->regs[PF_RSI] = 77;
	run->regs[PF_R8] = 88;
	pf_sightings_begin(run, PF_BURST_SIGHTINGS);
	ck_assert_int_eq(call(words, LENGTH), PF_END_ANONYMOUS);
	ck_assert_uint_eq(run->regs[PF_RAX], 0x44 + 1); /* of the callee */
	ck_assert_uint_eq(run->regs[PF_RCX], 0x44);
	ck_assert_uint_eq(run->regs[PF_RDX], address);
	ck_assert_uint_eq(run->regs[PF_RSI], 77);
	ck_assert_uint_eq(data[0], 0x8877665544332213);
	ck_assert_uint_eq(data[1], address + 8);
	s = noted(&count);
	ck_assert_uint_eq(count, sizeof want / sizeof *want);
	for (uint32_t i = 0; i < count; i++) {
		ck_assert_uint_eq(s[i].pc, (uint64_t)want[i].at);
		ck_assert_uint_eq(s[i].form, want[i].form);
		ck_assert_uint_eq(s[i].value, want[i].value);
	}
}
END_TEST

START_TEST(entries_of_jump_tables_are_noted_and_nothing_is_changed)
{
	const struct {
		const uint8_t *at;
		uint64_t value;
	} want[] = { { switches_1, 1 }, { switches_2, 0 }, { switches_3, 2 }, { switches_4, 3 } };
	const struct pf_sighting *s;
	uint32_t count;

	for (int i = 0; i < 2; i++) { /* without notes, and with */
		pf_sightings_stop(run);
		if (i)
			pf_sightings_begin(run, PF_BURST_SIGHTINGS);
		ck_assert_int_eq(call(switches, LENGTH), PF_END_ANONYMOUS);
		ck_assert_uint_eq(run->regs[PF_RBX], 6); /* the carry came through */
		ck_assert_uint_eq(run->regs[PF_RAX], 0);
		ck_assert_uint_eq(recorded(LENGTH), 6);
	}
	s = noted(&count);
	ck_assert_uint_eq(count, sizeof want / sizeof *want);
	for (uint32_t i = 0; i < count; i++) {
		ck_assert_uint_eq(s[i].pc, (uint64_t)want[i].at);
		ck_assert_uint_eq(s[i].value, want[i].value);
		ck_assert_uint_eq(s[i].form, PF_SIGHT_SWITCH);
	}
}
END_TEST

START_TEST(no_more_is_noted_than_there_is_room_for)
{
	uint32_t count;

	pf_sightings_begin(run, PF_BURST_SIGHTINGS);
	for (uint32_t i = 0; i < PF_BURST_SIGHTINGS; i++)
		ck_assert_int_eq(call(divides, LENGTH), PF_END_ANONYMOUS);
	noted(&count);
	ck_assert_uint_eq(count, PF_BURST_SIGHTINGS);
	ck_assert_uint_eq(run->regs[PF_RAX], 7);
}
END_TEST

START_TEST(sizes_are_noted_at_their_calls)
{
	const struct pf_sighting *s;
	uint32_t count;

	modules->string_slots[0] = (uint64_t)string_slot;
	modules->string_slot_count = 1;
	pf_sightings_begin(run, PF_BURST_SIGHTINGS);
	ck_assert_int_eq(call(copies, LENGTH), PF_END_ANONYMOUS);
	ck_assert_uint_eq(run->regs[PF_RAX], 5 + 3); /* the callee was called three times */
	ck_assert_uint_eq(run->regs[PF_RCX], 6);
	s = noted(&count);
	ck_assert_uint_eq(count, 3);
	for (uint32_t i = 0; i < count; i++) {
		ck_assert_uint_eq(s[i].value, 16 + i);
		ck_assert_uint_eq(s[i].second, 0x1008);
	}
	/* The call is where the last branch was, two branches from the end of the room; so is the tail call. */
	ck_assert_uint_eq(s[0].form, PF_SIGHT_STRING | PF_SIGHT_IN_STUB);
	ck_assert_uint_eq(edges[run->buffer[PF_MAX_BRANCHES + (int64_t)s[0].pc - 1]].from, (uint64_t)copies_call);
	ck_assert_uint_eq(s[1].form, PF_SIGHT_STRING);
	ck_assert_uint_gt(s[1].pc, (uint64_t)copies_call);
	ck_assert_uint_lt(s[1].pc, (uint64_t)copies_tail);
	ck_assert_uint_eq(edges[run->buffer[PF_MAX_BRANCHES + (int64_t)s[2].pc - 1]].from, (uint64_t)copies_tail);
}
END_TEST

#define CHUNK 0x40000u
#define CHUNKS 1000u

/* A JIT makes a thousand pieces of memory writable and executable, one by one: there is no trust in any of them, and
 * still in the files around. */
START_TEST(memory_of_a_jit_costs_no_trust_in_files)
{
	static struct pf_modules known;
	const uint64_t program = 0x555555554000, jit = 0x7f1000000000, library = 0x7f2000000000;

	known.count = 3;
	known.list[0] = (struct pf_module) { .start = program, .end = program + CHUNK };
	known.list[1] = (struct pf_module) { .start = jit, .end = jit + CHUNKS * CHUNK };
	known.list[2] = (struct pf_module) { .start = library, .end = library + CHUNK };
	for (uint64_t i = 0; i < CHUNKS; i++) {
		uint64_t start = jit + i * 7 % CHUNKS * CHUNK;

		pf_modules_distrust(start, start + CHUNK / 2);
	}
	for (uint64_t i = 0; i < CHUNKS; i++) {
		ck_assert_ptr_null(pf_modules_find(&known, jit + i * CHUNK));
		ck_assert_ptr_null(pf_modules_find(&known, jit + i * CHUNK + CHUNK / 2 - 1));
	}
	ck_assert_ptr_eq(pf_modules_find(&known, program), &known.list[0]);
	ck_assert_ptr_eq(pf_modules_find(&known, library), &known.list[2]);
	pf_modules_distrust(library, library + 1);
	ck_assert_ptr_null(pf_modules_find(&known, library));
	ck_assert_ptr_eq(pf_modules_find(&known, program), &known.list[0]);
}
END_TEST

/* Where the kernel puts libraries if it is to put nothing at random, below the room for a stack. */
START_TEST(code_is_reached_at_the_end_of_memory)
{
	struct pf_module *library = &modules->list[1];

	*library = (struct pf_module) { .start = 0x7ffff7dd0000,
					.end = 0x7ffff7dd9000,
					.load_lo = 0x7ffff7dd0000,
					.load_hi = 0x7ffff7ddf000,
					.zone = -1 };
	modules->count = 2;
	pf_cache_zones(&cache, modules);
	ck_assert_int_ge(library->zone, 0);
	ck_assert_uint_lt(library->load_hi - (uint64_t)cache.zones[library->zone].base, INT32_MAX);
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
	tcase_add_test(cases, a_wait_for_another_thread_is_left_to_the_program_unless_all_is_wanted);
	tcase_add_test(cases, a_loop_that_waits_is_known_from_behind_its_pause_to_its_end);
	tcase_add_test(cases, blocks_are_compared_without_leaving_unless_they_differ);
	tcase_add_test(cases, changed_code_is_translated_anew);
	tcase_add_test(cases, divisors_are_noted_and_nothing_is_changed);
	tcase_add_test(cases, accesses_are_noted_and_nothing_is_changed);
	tcase_add_test(cases, words_are_sighted_and_nothing_is_changed);
	tcase_add_test(cases, entries_of_jump_tables_are_noted_and_nothing_is_changed);
	tcase_add_test(cases, no_more_is_noted_than_there_is_room_for);
	tcase_add_test(cases, sizes_are_noted_at_their_calls);
	tcase_add_test(cases, memory_of_a_jit_costs_no_trust_in_files);
	tcase_add_test(cases, code_is_reached_at_the_end_of_memory);
	return run_case("agent-translate", cases);
}
