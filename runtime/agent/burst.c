/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One burst, from the timer's signal to its return: the frame is copied to private memory (the program will run on
 * below the original one, over it), the program runs forward in the code cache, and the copy, with the new state in
 * it, is what the signal returns through.  The hard case is what must not start: a program that uses GS, a shadow
 * stack, single-stepping, or a thread between taking a restartable sequence's descriptor and storing it. */
#include "runtime/agent/engine.h"

#include "perfdata/vectors.h"

#define TRAP_FLAG 0x100u
#define CODE_SEGMENT_64 0x33 /* the selector of 64-bit code; a program may run 32-bit code beside it */
#define NO_PROGRESS_NS                                                                                                 \
	200000           /* the next burst after one that ended where it began must not come before the program        \
			  */
#define DELIVERY_NS 3000 /* what a timer signal costs outside of what its handler can see */

#define BURDEN 8
#define RESERVE 8               /* one part in so many of the budget is left for what is not measured */
#define ADVANCE_OF_NS 30000000u /* the time of which the budget is spent in advance */
#define MOST_CREDIT_NS 20000000

static const uint8_t greg_of[16] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
				     REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };

static uint64_t read_gs(void)
{
	uint64_t base;
	__asm__ volatile("rdgsbase %0" : "=r"(base));
	return base;
}

static void write_gs(uint64_t base)
{
	__asm__ volatile("wrgsbase %0" : : "r"(base) : "memory");
}

static uint64_t read_shadow_stack(void)
{
	uint64_t pointer = 0;
	__asm__ volatile("rdsspq %0" : "+r"(pointer)); /* does nothing where there is none */
	return pointer;
}

static ucontext_t *copy_frame(struct pf_engine *engine, struct pf_slot *slot, const ucontext_t *context, int *refusal)
{
	ucontext_t *copy = (void *)(slot->frame + 8);
	const uint8_t *fpstate = (const void *)context->uc_mcontext.fpregs;
	uint32_t size = 512;
	__builtin_memcpy(copy, context, PF_UCONTEXT_SIZE);
	if (fpstate) {
		const uint32_t *description = (const void *)(fpstate + 464);
		if (description[0] == 0x46505853u)
			size = description[1];
		if (size > pf_agent_frame_size() - PF_FRAME_FPSTATE) {
			*refusal = PF_REFUSE_MEMORY;
			return copy; /* the original state stays where it is: nothing will run over it */
		}
		__builtin_memcpy(slot->frame + PF_FRAME_FPSTATE, fpstate, size);
		copy->uc_mcontext.fpregs = (void *)(slot->frame + PF_FRAME_FPSTATE);
	}
	if (!fpstate || !pf_agent_vectors_attach(engine, slot->frame + PF_FRAME_FPSTATE))
		*refusal = PF_REFUSE_MEMORY;
	return copy;
}

static int check_rseq(void *argument)
{
	struct pf_engine *engine = argument;
	for (int i = 0; i < 16; i++)
		if (engine->regs[i] % 32 == 0 && pf_agent_is_rseq_descriptor(engine, engine->regs[i]))
			return 1;
	return 0;
}

static void record(struct pf_engine *engine, uint32_t edge)
{
	engine->buffer[(int64_t)PF_MAX_BRANCHES + engine->count++] = edge;
}

struct edge_request {
	struct pf_engine *engine;
	uint64_t start, from, to;
	int kind;
	uint32_t edge;
};

static int find_edge(void *argument)
{
	struct edge_request *r = argument;
	r->edge = pf_agent_wire_edge(r->engine, r->start, r->from, r->to, r->kind);
	return 0;
}

/* Records an edge from C code; false if it has no number (table full). */
static bool record_new(struct pf_engine *engine, uint64_t start, uint64_t from, uint64_t to, int kind, uint32_t *edge)
{
	struct edge_request request = { engine, start, from, to, kind, PF_NO_EDGE };
	if (pf_agent_guard(engine, find_edge, &request) < 0)
		engine->dead = true; /* the output's disk is full */
	if (request.edge == PF_NO_EDGE) {
		engine->wire->lost_branches += (uint64_t)-engine->count;
		return false;
	}
	record(engine, request.edge);
	*edge = request.edge;
	return true;
}

/* The straight code in front of the burst's end. */
static void record_tail(struct pf_engine *engine, uint64_t start, uint64_t from, uint64_t to)
{
	uint32_t edge;
	if (from)
		record_new(engine, start, from, to, PF_EDGE_FALL, &edge);
}

/* An exit that is not linked: finds where it leads, links it.  Returns the block to run, or NULL and *WHY. */
static const struct pf_block *go_on(struct pf_engine *engine, uint32_t number, uint64_t target, int *why)
{
	const struct pf_exit *exit = &engine->exits[number];
	uint32_t edge, flushes = engine->flushes;
	engine->pc = target;
	*why = PF_END_CACHE_FULL;
	if (!record_new(engine, exit->start, exit->from, target, exit->kind, &edge))
		return NULL;
	*why = PF_END_LENGTH;
	if (engine->count == 0)
		return NULL;
	const struct pf_block *block = pf_agent_cache_block(engine, target, why);
	if (block && engine->flushes == flushes)
		pf_agent_cache_link(engine, number, edge, target, block);
	return block;
}

static const struct pf_block *leave(struct pf_engine *engine, int *why)
{
	uint32_t number = (uint32_t)engine->exit;
	if (number == PF_EXIT_FAULT) {
		record_tail(engine, engine->fault_start, engine->fault_previous, engine->fault_pc);
		engine->pc = engine->fault_pc;
		*why = PF_END_FAULT;
		return NULL;
	}
	if (number == PF_EXIT_MISS)
		return go_on(engine, engine->site_exits[(engine->key >> PF_SITE_SHIFT) - 1], engine->target, why);
	const struct pf_exit *exit = &engine->exits[number & ~PF_EXIT_RECORDED];
	if (number & PF_EXIT_RECORDED || exit->stop) {
		engine->pc = exit->to;
		*why = number & PF_EXIT_RECORDED ? PF_END_LENGTH : exit->stop;
		if (!(number & PF_EXIT_RECORDED))
			record_tail(engine, exit->start, exit->from, exit->to);
		return NULL;
	}
	return go_on(engine, number, exit->to, why);
}

/* Runs the program forward; returns why that ended. */
static int run(struct pf_engine *engine)
{
	int why = PF_END_LENGTH;
	if (pf_agent_modules_changed(engine))
		pf_agent_modules_read(engine);
	if (pf_agent_guard(engine, check_rseq, engine) != 0)
		return PF_END_RSEQ;
	const struct pf_block *block = pf_agent_cache_block(engine, engine->pc, &why);
	while (block) {
		pf_agent_vectors_load(engine);
		engine->resume = block->code;
		pf_agent_run(engine);
		block = leave(engine, &why);
	}
	pf_agent_vectors_park(engine);
	return why;
}

static void load_registers(struct pf_engine *engine, const greg_t *gregs)
{
	for (int i = 0; i < 16; i++)
		engine->regs[i] = (uint64_t)gregs[greg_of[i]];
	engine->flags = (uint64_t)gregs[REG_EFL];
	engine->pc = (uint64_t)gregs[REG_RIP];
	engine->count = -(int64_t)engine->branches;
}

static void store_registers(const struct pf_engine *engine, greg_t *gregs)
{
	for (int i = 0; i < 16; i++)
		gregs[greg_of[i]] = (greg_t)engine->regs[i];
	gregs[REG_EFL] = (greg_t)((engine->flags & ~0x200ull) | ((uint64_t)gregs[REG_EFL] & 0x200));
	gregs[REG_RIP] = (greg_t)engine->pc;
}

struct result {
	struct pf_engine *engine;
	uint64_t period, elapsed;
	int why;
};

static int keep(void *argument)
{
	struct result *result = argument;
	struct pf_wire_header *wire = result->engine->wire;
	wire->cpu_ns += result->period + result->elapsed;
	wire->cost_ns += result->elapsed + DELIVERY_NS;
	pf_agent_wire_burst(result->engine, result->period, result->elapsed, result->why);
	return 0;
}

static int refusal_of(const ucontext_t *context)
{
	if (read_gs() != 0)
		return PF_REFUSE_GS_USED;
	if (read_shadow_stack() != 0)
		return PF_REFUSE_SHADOW_STACK;
	if ((context->uc_mcontext.gregs[REG_CSGSFS] & 0xffff) != CODE_SEGMENT_64)
		return PF_REFUSE_SIGNAL;
	return context->uc_mcontext.gregs[REG_EFL] & TRAP_FLAG ? PF_REFUSE_SIGNAL : PF_REFUSE_NONE;
}

/* Returns the time spent, and in *PERIOD the time before. */
static uint64_t record_burst(struct pf_engine *engine, struct pf_slot *slot, ucontext_t *context, uint64_t *period)
{
	uint64_t begin = pf_sys_clock(CLOCK_THREAD_CPUTIME_ID);
	struct result result = { .engine = engine, .period = begin - slot->last_cpu };
	*period = result.period;
	pf_agent_thread_late(slot, result.period);
	if (engine->wire->bursts == 0)
		pf_agent_cache_populate(engine);
	load_registers(engine, context->uc_mcontext.gregs);
	pf_agent_faults_arm(engine, *(const uint64_t *)(const void *)&context->uc_sigmask);
	write_gs((uint64_t)engine);
	result.why = run(engine);
	write_gs(0);
	slot->last_cpu = pf_sys_clock(CLOCK_THREAD_CPUTIME_ID);
	result.elapsed = slot->last_cpu - begin;
	if (pf_agent_guard(engine, keep, &result) < 0)
		engine->dead = true;
	pf_agent_faults_disarm(engine);
	store_registers(engine, context->uc_mcontext.gregs);
	return result.elapsed + DELIVERY_NS;
}

/* The governor: the least period after a burst that took SPENT at the end of PERIOD.  What is not used of the budget is
 * kept as credit, so that a new phase of the program, whose first bursts are cold and dear, is seen as well as the old
 * one; and a little is advanced at the start.  Whatever the credit, no burst takes more than BURDEN times the budget.
 */
static uint64_t floor_of(struct pf_engine *engine, uint64_t spent, uint64_t period)
{
	int64_t earned = (int64_t)(period / 1000000 * engine->overhead + period % 1000000 * engine->overhead / 1000000);
	engine->debt += (int64_t)spent - (earned - earned / RESERVE);
	if (engine->debt < -MOST_CREDIT_NS)
		engine->debt = -MOST_CREDIT_NS;
	int64_t due = engine->debt - (int64_t)(ADVANCE_OF_NS / 1000000u * engine->overhead);
	uint64_t least = spent * 1000000 / engine->overhead / BURDEN;
	uint64_t floor = due > 0 ? (uint64_t)due * 1000000 / engine->overhead : 0;
	floor = floor < least ? least : floor;
	bool moved = engine->count > -(int64_t)engine->branches;
	return moved || floor > NO_PROGRESS_NS ? floor : NO_PROGRESS_NS;
}

void pf_agent_burst(struct pf_slot *slot, ucontext_t *context)
{
	struct pf_engine *engine = pf_engine;
	uint64_t spent = 0, period = 0;
	engine->slot = slot;
	int refusal = refusal_of(context);
	ucontext_t *copy = copy_frame(engine, slot, context, &refusal);
	if (refusal == PF_REFUSE_NONE && !engine->dead)
		spent = record_burst(engine, slot, copy, &period);
	if (refusal != PF_REFUSE_NONE)
		pf_agent_refuse(slot, refusal);
	else if (!engine->dead)
		pf_agent_thread_arm(slot, floor_of(engine, spent, period));
	pf_agent_faults_resend(engine);
	engine->slot = NULL;
	pf_agent_sigreturn(slot->frame, &engine->lock);
}
