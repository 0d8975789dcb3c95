/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One burst, from the timer's signal to its return: the frame is copied to private memory (the program will run on
 * below the original one, over it), the program runs forward in the code cache, and the copy, with the new state in
 * it, is what the signal returns through.  Once all is warm that return is the only system call beside a look at the
 * four handlers for faults (and three for GS where there is no FSGSBASE), and even that is left out where a filter of
 * system calls may be coming: time is the processor's time stamp, and the timer ticks on by itself.  The hard cases are
 * what must not start (policy.c), a thread between taking a restartable sequence's descriptor and storing it, and a
 * burst that interrupts the program on its alternate stack: a fault's frame would lie over what is in use there, so the
 * burst brings a stack of its own; the program's comes back with its frame.  So it does where the kernel takes that
 * stack away for each signal (SS_AUTODISARM): the program may be about to overflow the other. */
#include "runtime/agent/begin.h"
#include "runtime/agent/decode.h"
#include "runtime/agent/engine.h"
#include "runtime/agent/segments.h"
#include "runtime/agent/sightings.h"
#include "runtime/agent/signals.h"
#include "runtime/agent/step.h"
#include "runtime/agent/stream.h"
#include "runtime/agent/thread.h"
#include "runtime/agent/whole.h"

#include "perfdata/vectors.h"

#include <ucontext.h>

#define UCONTEXT_SIZE 304     /* the kernel's struct ucontext, shorter than libc's */
#define AUTODISARM (1u << 31) /* SS_AUTODISARM */
#define NO_PROGRESS_NS                                                                                                 \
	200000 /* the next burst after one that ended where it began must not come before the program                  \
		*/

/* A burst takes as long as the clock says, but not longer than what it did can take: it may have lost the processor. */
#define MOST_FOR_BURST_NS 50000u
#define MOST_FOR_BLOCK_NS 8000u
#define MOST_FOR_BRANCH_NS 100u

/* One burst in so many goes on, to have the time taken of its last branches; if it translates more new blocks than this
 * it is given up, for it would be dear.  What a branch in translated code costs beyond itself is a chain of 8 cycles,
 * and the comparison of a block by a trial. */
#define TIMED_ONE_IN 16
#define FIRST_WARM_UP 4096u
#define LAST_WARM_UP 32768u
#define PROBES 8u
#define MOST_NEW_BLOCKS 32
#define RECORDING_NS 3u
#define CHECK_NS 50u

#define BURDEN 8
#define RESERVE 8               /* one part in so many of the budget is left for what is not measured */
#define ADVANCE_OF_NS 30000000u /* the time of which the budget is spent in advance */
#define MOST_CREDIT_NS 20000000

static const uint8_t greg_of[16] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
				     REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };

/* Copies the frame; false if it does not fit or has no state that could be loaded, and then nothing may run over it. */
static bool copy_frame(struct pf_run *run, struct pf_slot *slot, const ucontext_t *context)
{
	ucontext_t *copy = (void *)(slot->frame + 8);
	const uint8_t *fpstate = (const void *)context->uc_mcontext.fpregs;
	uint32_t size = pf_vectors_size(fpstate);
	if (!size || size > pf_thread_frame_room())
		return false;
	__builtin_memcpy(copy, context, UCONTEXT_SIZE);
	__builtin_memcpy(slot->frame + PF_FRAME_FPSTATE, fpstate, size);
	copy->uc_mcontext.fpregs = (void *)(slot->frame + PF_FRAME_FPSTATE);
	/* A thread that never had an alternate stack is reported in a way in which it cannot be given back. */
	if (copy->uc_stack.ss_size == 0)
		copy->uc_stack.ss_flags = SS_DISABLE;
	pf_vectors_attach(run, slot->frame + PF_FRAME_FPSTATE);
	return true;
}

static void load_registers(struct pf_engine *engine, const greg_t *gregs)
{
	for (int i = 0; i < 16; i++)
		engine->run.regs[i] = (uint64_t)gregs[greg_of[i]];
	engine->run.flags = (uint64_t)gregs[REG_EFL];
	engine->run.pc = (uint64_t)gregs[REG_RIP];
}

/* Branches recorded since the run began. */
static uint32_t recorded(const struct pf_engine *engine)
{
	return (uint32_t)(engine->run.count + (int64_t)engine->asked);
}

static void store_registers(const struct pf_engine *engine, greg_t *gregs)
{
	for (int i = 0; i < 16; i++)
		gregs[greg_of[i]] = (greg_t)engine->run.regs[i];
	gregs[REG_EFL] = (greg_t)engine->run.flags;
	gregs[REG_RIP] = (greg_t)engine->run.pc;
}

static int check_rseq(void *argument)
{
	struct pf_engine *engine = argument;
	for (int i = 0; i < 16; i++)
		if (engine->run.regs[i] % 32 == 0 && pf_modules_is_rseq(&engine->modules, engine->run.regs[i]))
			return 1;
	return 0;
}

struct edge_request {
	struct pf_engine *engine;
	uint64_t start, from, to;
	int kind;
	uint32_t edge;
};

static uint32_t map_of(const struct pf_engine *engine, uint64_t pc)
{
	const struct pf_module *module = pf_modules_find(&engine->modules, pc);
	return module ? module->map : PF_NO_MAP;
}

static int find_edge(void *argument)
{
	struct edge_request *r = argument;
	struct pf_wire_edge edge = { .from = r->from,
				     .to = r->to,
				     .length = (uint32_t)(r->from - r->start),
				     .from_map = map_of(r->engine, r->from),
				     .to_map = map_of(r->engine, r->to),
				     .kind = (uint32_t)r->kind };
	r->edge = pf_recording_edge(&r->engine->recording, &edge);
	return 0;
}

/* Records an edge from C code; false if it has no number (table full). */
static bool record_new(struct pf_engine *engine, uint64_t start, uint64_t from, uint64_t to, int kind, uint32_t *edge)
{
	struct edge_request request = { engine, start, from, to, kind, PF_NO_EDGE };
	if (pf_run_guard(&engine->run, find_edge, &request) < 0)
		engine->full = true; /* the output's disk is */
	if (request.edge == PF_NO_EDGE)
		return false;
	engine->run.buffer[(int64_t)PF_MAX_BRANCHES + engine->run.count++] = request.edge;
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

bool pf_burst_edge(struct pf_engine *engine, uint64_t start, uint64_t from, uint64_t to, int kind)
{
	uint32_t edge;
	return record_new(engine, start, from, to, kind, &edge);
}

const struct pf_block *pf_burst_block(struct pf_engine *engine, uint64_t pc, int *why)
{
	uint64_t begin = pf_tsc(), translated = engine->cache.translated;
	const struct pf_block *block = pf_cache_block(&engine->cache, &engine->modules, pc, why);
	if (engine->cache.translated != translated)
		engine->recording.header->translate_ns += pf_ns_of(pf_tsc() - begin);
	return block;
}

/* An exit that is not linked: finds where it leads, links it.  Returns the block to run, or NULL and *WHY. */
static const struct pf_block *go_on(struct pf_engine *engine, uint32_t number, uint64_t target, int *why)
{
	const struct pf_exit *exit = &engine->cache.exits[number];
	uint32_t edge, flushes = engine->cache.flushes;
	engine->run.pc = target;
	*why = PF_END_CACHE_FULL;
	if (!record_new(engine, exit->start, exit->from, target, exit->kind, &edge))
		return NULL;
	*why = PF_END_LENGTH;
	if (engine->run.count == 0)
		return NULL;
	const struct pf_block *block = pf_burst_block(engine, target, why);
	if (block && engine->cache.flushes == flushes)
		pf_cache_link(&engine->cache, number, edge, target, block);
	return block;
}

/* Bytes by which the branch at ADDRESS, a return, raised the stack pointer. */
static uint64_t popped_by(uint64_t address)
{
	struct pf_insn insn;
	bool known = pf_decode((const uint8_t *)address, PF_INSN_MAX, &insn);
	return 8 + (known && insn.opcode == 0xc2 ? (uint64_t)insn.imm & 0xffff : 0);
}

/* A branch to where no code can be is the processor's to refuse, at the branch or behind it, each in its way: the
 * program stands in front of it again. */
static void back_out(struct pf_engine *engine, const struct pf_exit *exit)
{
	struct pf_run *run = &engine->run;
	run->pc = exit->from;
	if (exit->kind == PF_EDGE_INDIRECT_CALL)
		run->regs[PF_RSP] += 8;
	else if (exit->kind == PF_EDGE_RETURN)
		run->regs[PF_RSP] -= popped_by(exit->from);
}

static const struct pf_block *miss(struct pf_engine *engine, int *why)
{
	uint32_t number = engine->cache.site_exits[(engine->run.key >> PF_SITE_SHIFT) - 1];
	if (engine->run.target >> PF_SITE_SHIFT == 0)
		return go_on(engine, number, engine->run.target, why);
	back_out(engine, &engine->cache.exits[number]);
	*why = PF_END_FAULT;
	return NULL;
}

static const struct pf_block *leave(struct pf_engine *engine, int *why)
{
	struct pf_run *run = &engine->run;
	uint32_t number = (uint32_t)run->exit;
	if (number == PF_EXIT_FAULT) {
		record_tail(engine, run->fault_start, run->fault_previous, run->fault_pc);
		run->pc = run->fault_pc;
		*why = PF_END_FAULT;
		return NULL;
	}
	if (number == PF_EXIT_MISS)
		return miss(engine, why);
	if (number & PF_EXIT_CHECK) {
		run->pc = engine->cache.blocks[number & ~PF_EXIT_CHECK].pc;
		return pf_burst_block(engine, run->pc, why);
	}
	const struct pf_exit *exit = &engine->cache.exits[number & ~PF_EXIT_RECORDED];
	run->pc = exit->to;
	if (number & PF_EXIT_RECORDED) {
		*why = PF_END_LENGTH;
		return NULL;
	}
	if (exit->stop) {
		*why = exit->stop;
		record_tail(engine, exit->start, exit->from, exit->to);
		return NULL;
	}
	return go_on(engine, number, exit->to, why);
}

/* A stay in translated code, from its first instruction to its last. */
static void stay(struct pf_engine *engine, const struct pf_block *block)
{
	pf_vectors_load(&engine->run);
	engine->run.resume = block->code;
	uint64_t begin = pf_tsc();
	pf_run_enter(&engine->run);
	uint64_t ticks = pf_tsc() - begin;
	engine->stays++;
	engine->stay_ticks += ticks;
	engine->least_ticks = ticks < engine->least_ticks ? ticks : engine->least_ticks;
}

/* Time stamps that the run was in translated code, without the ways in and out: the shortest stay of all was hardly
 * anything else. */
static uint64_t native_ticks(const struct pf_engine *engine)
{
	uint64_t ways = engine->stays * engine->least_ticks;
	return engine->stay_ticks > ways ? engine->stay_ticks - ways : 0;
}

/* Runs the program forward for so many BRANCHES, which the buffer ends with; returns why that ended: also that the
 * cache is full if there were more than MOST blocks in it that it had not seen. */
static int run(struct pf_engine *engine, uint32_t branches, uint64_t most)
{
	int why = PF_END_LENGTH;
	uint64_t translated = engine->cache.translated;
	engine->asked = branches;
	engine->run.count = -(int64_t)branches;
	engine->stays = engine->stay_ticks = 0;
	if (pf_run_guard(&engine->run, check_rseq, engine) != 0)
		return PF_END_RSEQ;
	if (pf_settings.whole)
		pf_whole_begin(engine);
	const struct pf_block *block = pf_burst_block(engine, engine->run.pc, &why);
	while (block) {
		stay(engine, block);
		block = leave(engine, &why);
		if (!block && pf_settings.whole)
			block = pf_whole_go_on(engine, &why);
		if (block && engine->cache.translated - translated > most) {
			engine->run.pc = block->pc;
			why = PF_END_CACHE_FULL;
			break;
		}
	}
	pf_vectors_park(&engine->run);
	engine->ran += recorded(engine);
	engine->ran_ticks += native_ticks(engine);
	return why;
}

/* Runs the program forward for PF_TIMED_BRANCHES and takes the time of it, in which blocks that it has not come to
 * before are compared outside of translated code; 0 if it ended before. */
static uint64_t time_run(struct pf_engine *engine)
{
	void *check = engine->run.check_entry;
	engine->run.check_entry = (void *)pf_run_check_in_c;
	int why = run(engine, PF_TIMED_BRANCHES, MOST_NEW_BLOCKS);
	engine->run.check_entry = check;
	uint64_t native = pf_ns_of(native_ticks(engine));
	return why != PF_END_LENGTH ? 0 : native ? native : 1;
}

struct result {
	struct pf_engine *engine;
	uint64_t period; /* ns */
	uint64_t stands, native;
	const uint32_t *edges;
	uint32_t count;
	int why;
};

static uint32_t most_sightings(void)
{
	return pf_settings.memory ? PF_MAX_SIGHTINGS : pf_settings.values ? PF_VALUED_SIGHTINGS : PF_BURST_SIGHTINGS;
}

_Static_assert(sizeof(struct pf_vec_access) == sizeof(struct pf_sighting), "an access is noted as a sighting");
_Static_assert(PF_MAX_SIGHTINGS == PF_WIRE_MAX_ACCESSES, "a burst has room for what a stream takes");

/* Puts a burst into the stream, with the accesses that it noted. */
static bool hand_on(struct pf_engine *engine, struct pf_wire_burst *burst, const uint32_t *edges)
{
	const struct pf_sighting *noted = NULL;
	if (pf_settings.memory)
		noted = pf_sightings_noted(&engine->run, most_sightings(), &burst->accesses);
	return pf_stream_burst(&engine->recording, &engine->pulse, burst, edges, noted);
}

static int keep(void *argument)
{
	const struct result *r = argument;
	struct pf_engine *engine = r->engine;
	struct pf_wire_burst burst = { .tid = (uint32_t)engine->slot->name,
				       .edge_count = r->count,
				       .time_ns = engine->start_ns + pf_ns_of(pf_tsc() - engine->start_tsc),
				       .period = r->stands,
				       .native_ns = r->native,
				       .end_reason = (uint16_t)r->why,
				       .after_wait = engine->after_wait };
	engine->recording.header->steps = pf_process.steps;
	engine->recording.header->unseen = pf_process.unseen;
	if (!r->native && !pf_settings.memory)
		pf_sightings_keep(&engine->recording, &engine->run, most_sightings(), engine->asked, &engine->modules);
	if (!pf_settings.stream)
		pf_recording_burst(&engine->recording, &burst, r->edges);
	else if (!hand_on(engine, &burst, r->edges))
		engine->full = true; /* nobody reads */
	return 0;
}

/* Stores what the run recorded; false if the disk is full. */
static bool store(struct result *result)
{
	struct pf_engine *engine = result->engine;
	if (pf_run_guard(&engine->run, keep, result) < 0)
		engine->full = true;
	pf_sightings_stop(&engine->run);
	return !engine->full;
}

/* The last PF_TIMED_BRANCHES of the run. */
static const uint32_t *timed(const struct pf_engine *engine)
{
	return engine->run.buffer + PF_MAX_BRANCHES - PF_TIMED_BRANCHES;
}

/* Goes on for WARM_UP branches and then takes the time of the next: 0 if that was not to be. */
static uint64_t time_behind(struct pf_engine *engine, uint32_t warm_up)
{
	return run(engine, warm_up, MOST_NEW_BLOCKS) == PF_END_LENGTH ? time_run(engine) : 0;
}

/* Is most of what the run recorded, by some of its branches, what was timed before? */
static bool is_as_before(const struct pf_engine *engine)
{
	uint32_t found = 0;
	for (uint32_t i = 0; i < PROBES; i++) {
		uint32_t probe = timed(engine)[i * (PF_TIMED_BRANCHES / PROBES)], k = 0;
		while (k < PF_TIMED_BRANCHES && engine->timed[k] != probe)
			k++;
		found += k < PF_TIMED_BRANCHES;
	}
	return found > PROBES / 2;
}

/* How fast does the program run here?  What the burst took says nothing of that: a signal, the recorder's own tables,
 * and often another process that had the processor meanwhile, have left no line of the program's in its caches.  So it
 * goes on, and time is taken some way behind, and again twice as far, until it gets no faster.  Where it has come to
 * other code meanwhile, the time of the former stands as well. */
static void take_time(struct pf_engine *engine)
{
	struct result result = { .engine = engine, .edges = engine->timed, .count = PF_TIMED_BRANCHES };
	bool settled = false;
	for (uint32_t way = FIRST_WARM_UP; way <= LAST_WARM_UP && !settled; way *= 2) {
		uint64_t native = time_behind(engine, way - PF_TIMED_BRANCHES);
		if (!native)
			break;
		bool again = result.native && is_as_before(engine);
		if (result.native && !again)
			store(&result);
		settled = again && native >= result.native - result.native / 8;
		result.native = native;
		__builtin_memcpy(engine->timed, timed(engine), sizeof engine->timed);
	}
	if (result.native)
		store(&result);
}

/* Nanoseconds of the burst that the program would have used by itself, at the least. */
static uint64_t own_work(const struct pf_engine *engine)
{
	uint64_t ns = pf_ns_of(engine->ran_ticks), extra = engine->ran * RECORDING_NS + engine->checks * CHECK_NS;
	return ns > extra ? ns - extra : 0;
}

static int account(void *argument)
{
	const struct result *r = argument;
	struct pf_engine *engine = r->engine;
	struct pf_wire_header *header = engine->recording.header;
	header->cpu_ns += r->period;
	header->cost_ns += engine->spent;
	header->blocks_translated = engine->cache.translated;
	header->bursts_skipped = engine->skipped;
	header->counted += engine->slot->counter.page != NULL;
	return 0;
}

void pf_burst_keep(struct pf_engine *engine, int why)
{
	struct result result = {
		.engine = engine,
		.edges = engine->run.buffer + PF_MAX_BRANCHES - pf_settings.branches,
		.count = recorded(engine),
		.why = why,
	};
	store(&result);
	pf_sightings_begin(&engine->run, most_sightings());
	pf_cache_end_burst(&engine->cache);
	engine->run.count = -(int64_t)pf_settings.branches;
}

/* Would a fault find no alternate stack where the program's own would?  The program is on it; the kernel has taken
 * it away up to the signal's return; or another thread could be on it. */
static bool lacks_stack(const ucontext_t *context)
{
	uint64_t sp = (uint64_t)context->uc_mcontext.gregs[REG_RSP];
	return sp - (uint64_t)context->uc_stack.ss_sp < context->uc_stack.ss_size ||
	       (uint32_t)context->uc_stack.ss_flags & AUTODISARM || pf_signals_stacks_are_shared();
}

/* Can the burst do with the system calls that it may make?  Those that a fault in it needs it must. */
static bool can_do(const ucontext_t *context)
{
	return !pf_process.quiet || (!lacks_stack(context) && !(pf_mask_in(context) & pf_signals_faults()));
}

/* What the kernel needs so that a fault can be delivered in the burst, where the program's own state would not do. */
static void ready_for_faults(const struct pf_slot *slot, const ucontext_t *context)
{
	uint64_t mask = pf_signals_faults();
	if (lacks_stack(context)) {
		stack_t stack = pf_thread_fault_stack(slot);
		PF_SYS2(SYS_sigaltstack, &stack, NULL);
	}
	if (pf_mask_in(context) & mask) /* the kernel kills for a blocked fault */
		pf_sys_mask(SIG_UNBLOCK, &mask, NULL);
}

/* Before the lock is given back, so that who has it is the only one who can have taken what the program has blocked. */
static void done_with_faults(const ucontext_t *context)
{
	uint64_t mask = pf_signals_faults() & pf_mask_in(context);
	if (mask)
		pf_sys_mask(SIG_BLOCK, &mask, NULL);
}

/* What the burst cost that began at time stamp BEGIN, of BRANCHES in which BLOCKS were translated, and how long the
 * program's clock of CPU time ran meanwhile. */
static void settle(struct pf_engine *engine, uint64_t begin, uint64_t branches, uint64_t blocks)
{
	uint64_t own = own_work(engine), elapsed = pf_ns_of(pf_tsc() - begin) - own;
	uint64_t most_own = engine->ran * MOST_FOR_BRANCH_NS;
	uint64_t most =
	    MOST_FOR_BURST_NS + blocks * MOST_FOR_BLOCK_NS + branches * MOST_FOR_BRANCH_NS + engine->ran * RECORDING_NS;
	if (elapsed > most)
		elapsed = most;
	engine->spent = elapsed + PF_DELIVERY_NS;
	engine->taken = elapsed + (own < most_own ? own : most_own);
}

/* Runs the burst; what it cost began at time stamp BEGIN.  False if it recorded nothing. */
static bool record(struct pf_engine *engine, struct pf_slot *slot, ucontext_t *context, uint64_t begin)
{
	struct result result = {
		.engine = engine,
		.period = pf_young_weigh(&pf_process.young, pf_settings.overhead_ppm, pf_thread_period(slot)),
		.stands = pf_young_weigh(&pf_process.young, pf_settings.overhead_ppm, pf_thread_stands(slot)),
	};
	uint64_t translated = engine->cache.translated;
	engine->context = context;
	engine->ran = engine->ran_ticks = 0;
	load_registers(engine, context->uc_mcontext.gregs);
	pf_sightings_begin(&engine->run, most_sightings());
	if (!pf_segments_are_free() && (pf_settings.memory || pf_settings.values))
		engine->run.fs = pf_segments_fs();
	pf_segments_set_gs((uint64_t)&engine->run);
	result.why = run(engine, pf_settings.branches, UINT64_MAX);
	result.edges = engine->run.buffer + PF_MAX_BRANCHES - pf_settings.branches;
	result.count = recorded(engine);
	bool kept = store(&result) && !pf_settings.stream;
	if (kept && result.why == PF_END_LENGTH && engine->complete++ % TIMED_ONE_IN == 1)
		take_time(engine);
	pf_segments_set_gs(0);
	engine->checks = engine->run.checked_count;
	pf_cache_end_burst(&engine->cache);
	settle(engine, begin, result.count, engine->cache.translated - translated);
	if (pf_run_guard(&engine->run, account, &result) < 0)
		engine->full = true;
	store_registers(engine, context->uc_mcontext.gregs);
	if (pf_settings.whole)
		pf_step_foresee(engine, result.why);
	if (pf_settings.whole)
		pf_whole_leave(slot, context, result.why);
	return engine->ran > 0;
}

static uint64_t advance(void)
{
	return ADVANCE_OF_NS / 1000000u * pf_settings.overhead_ppm;
}

/* The governor: the least period after a burst at the end of PERIOD; MOVED: it brought the program on.  What is not
 * used of the budget is kept as credit, so that a new phase of the program, whose first bursts are cold and dear, is
 * seen as well as the old one; and a little is advanced.  Whatever the credit, no burst takes more than
 * BURDEN times the budget.
 */
static uint64_t floor_of(struct pf_engine *engine, bool moved, uint64_t period)
{
	uint64_t overhead = pf_settings.overhead_ppm, spent = engine->spent;
	int64_t earned = (int64_t)(period / 1000000 * overhead + period % 1000000 * overhead / 1000000);
	engine->debt += (int64_t)spent - (earned - earned / RESERVE);
	if (pf_young_is(&pf_process.young, overhead)) /* the lot has paid */
		engine->debt = 0;
	if (engine->debt < -MOST_CREDIT_NS)
		engine->debt = -MOST_CREDIT_NS;
	int64_t due = engine->debt - (int64_t)advance();
	uint64_t least = spent * 1000000 / overhead / BURDEN;
	uint64_t floor = due > 0 ? (uint64_t)due * 1000000 / overhead : 0;
	floor = floor < least ? least : floor;
	return moved || floor > NO_PROGRESS_NS ? floor : NO_PROGRESS_NS;
}

/* Signals are blocked up to the burst's return: what comes is the program's again, and its handlers must not begin
 * while the recorder is on the stack. */
static void withdraw(enum pf_refusal reason)
{
	uint64_t all = ~0ull;
	if (pf_process.quiet) {
		pf_process_rest(reason);
		return;
	}
	pf_sys_mask(SIG_SETMASK, &all, NULL);
	pf_process_shut_locked(reason);
}

/* The engine, made now if it is the first burst's; NULL if there is to be no recording here any more. */
static struct pf_engine *engine_for(uint64_t begin)
{
	struct pf_engine *engine = pf_process.engine;
	enum pf_refusal refusal = PF_REFUSE_NONE;
	if (engine && !pf_control_alive(&engine->pulse, pf_control, begin)) {
		if (!pf_process.quiet)
			pf_signals_guard(); /* the disk may be full */
		engine->recording.header->left = 1;
		withdraw(PF_REFUSE_NONE);
		return NULL;
	}
	if (engine && engine->full)
		refusal = PF_REFUSE_MEMORY;
	else if (!engine)
		refusal = pf_engine_make(&pf_process.engine);
	if (refusal != PF_REFUSE_NONE) {
		withdraw(refusal);
		return NULL;
	}
	return pf_process.engine;
}

/* May this burst be?  Where handlers for faults are not known to be in place they are put there. */
static enum pf_refusal ask(struct pf_engine *engine, const ucontext_t *context)
{
	enum pf_refusal refusal = pf_policy_burst(context);
	if (refusal != PF_REFUSE_NONE)
		return refusal;
	if (!engine->guarded || !pf_process.quiet)
		engine->guarded = pf_signals_guard();
	if (pf_settings.whole)
		pf_signals_keep();
	return pf_signals_ignore_faults() ? PF_REFUSE_FAULTS_IGNORED : PF_REFUSE_NONE;
}

/* Goes on with a copy of the signal's frame from here: a fault's frame is put where that one lies, if it is on an
 * alternate stack that the program was not on. */
static enum pf_refusal leave_frame(struct pf_engine *engine, struct pf_slot *slot, ucontext_t **context)
{
	if (pf_process.quiet ? !slot->frame : !pf_thread_frame(slot))
		return PF_REFUSE_MEMORY;
	if (!copy_frame(&engine->run, slot, *context))
		return PF_REFUSE_SIGNAL;
	*context = (ucontext_t *)(void *)(slot->frame + 8);
	return PF_REFUSE_NONE;
}

/* Runs the burst if it may be, and sets the time of the next one.  Returns the frame to go back through. */
static const void *attempt(struct pf_engine *engine, struct pf_slot *slot, ucontext_t *context, uint64_t begin)
{
	uint64_t period = pf_thread_period(slot);
	enum pf_refusal refusal = leave_frame(engine, slot, &context);
	if (refusal == PF_REFUSE_NONE)
		refusal = ask(engine, context);
	bool ready = refusal == PF_REFUSE_NONE && engine->guarded && can_do(context) &&
		     (pf_settings.whole || !pf_begin_has_faults_waiting(context));
	if (ready)
		ready_for_faults(slot, context);
	bool now = ready && pf_begin_may(engine, context);
	if (refusal != PF_REFUSE_NONE) {
		pf_thread_refuse(slot, refusal);
	} else if (!now) {
		pf_thread_wait(slot, 0, 0);
		if (pf_settings.whole)
			pf_whole_leave(slot, context, PF_END_LENGTH);
	} else {
		engine->slot = slot;
		bool moved = record(engine, slot, context, begin);
		uint64_t floor = floor_of(engine, moved, period);
		pf_control_spent(pf_control, 0, engine->spent);
		pf_thread_wait(slot, engine->taken, floor);
	}
	if (ready)
		done_with_faults(context);
	pf_signals_end_burst();
	return (const uint8_t *)context - 8;
}

void pf_burst(struct pf_slot *slot, ucontext_t *context)
{
	uint64_t begin = pf_tsc();
	const void *frame = (const uint8_t *)context - 8;
	if (!pf_process.quiet && !pf_signals_stand() && !pf_sys_can_write(pf_control))
		pf_control_forsake(pf_control);
	pf_control_spent(pf_control, pf_thread_period(slot), 0);
	bool may = pf_settings.whole || pf_young_may(&pf_process.young, pf_control, pf_settings.overhead_ppm,
						     pf_thread_period(slot), pf_thread_random(slot));
	struct pf_engine *engine = pf_process.shut || !may ? NULL : engine_for(begin);
	if (engine)
		frame = attempt(engine, slot, context, begin);
	else
		pf_thread_wait(slot, 0, 0);
	if (engine && engine->leaving != PF_REFUSE_NONE)
		withdraw(engine->leaving);
	pf_sent_give_back();
	atomic_fetch_add(&pf_process.turns, 1);
	pf_signal_return(frame, &pf_process.lock);
}
