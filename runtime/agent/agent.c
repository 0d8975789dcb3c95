/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Start of the recorder in a process, and in a forked child.  Whatever fails leaves the program to run unrecorded; if
 * there is a file by then, its header says why.  The hard case is the child: it has the parent's memory and shares
 * the parent's file, but has neither its timers nor its threads; everything is made anew. */
#include "runtime/agent/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define FSGSBASE_IN_HWCAP2 2u
#define RESTORER 0x04000000u
#define LEAST_ADDRESS_SPACE (8ull << 30)

struct pf_engine *pf_engine;

static struct pf_engine storage;
static const char *directory;
static pthread_key_t thread_key;

long pf_agent_set_errno(int error)
{
	errno = error;
	return -1;
}

void pf_agent_take(struct pf_engine *engine)
{
	uint64_t all = ~0ull, before;
	pf_sys_mask(SIG_BLOCK, &all, &before);
	for (unsigned int round = 0; atomic_exchange(&engine->lock, 1); round++)
		pf_sys_relax(round);
	engine->mask_before = before;
}

void pf_agent_give(struct pf_engine *engine)
{
	uint64_t before = engine->mask_before;
	atomic_store(&engine->lock, 0);
	pf_sys_mask(SIG_SETMASK, &before, NULL);
}

void pf_agent_stop_for_filter(void)
{
	struct pf_engine *engine = pf_engine;
	if (!engine || engine->shut)
		return;
	pf_agent_take(engine);
	engine->shut = engine->dead = true;
	pf_agent_stop_timers();
	pf_agent_give(engine);
}

/* A decimal number from the environment, kept between LEAST and MOST. */
static uint64_t number(const char *name, uint64_t standard, uint64_t least, uint64_t most)
{
	const char *text = getenv(name);
	uint64_t value = 0;
	if (!text || !*text)
		return standard;
	for (; *text >= '0' && *text <= '9' && value < UINT64_MAX / 16; text++)
		value = value * 10 + (uint64_t)(*text - '0');
	if (*text)
		return standard;
	return value < least ? least : value > most ? most : value;
}

static void read_environment(struct pf_engine *engine)
{
	directory = getenv("PATHFDO_DIR");
	engine->frequency = (uint32_t)number("PATHFDO_HZ", 100, 1, 50000);
	engine->branches = (uint32_t)number("PATHFDO_BRANCHES", 1024, 1, PF_MAX_BRANCHES);
	engine->overhead = (uint32_t)number("PATHFDO_OVERHEAD", 10000, 1, 1000000);
	engine->limit = number("PATHFDO_LIMIT", 64ull << 20, 1ull << 12, 1ull << 40) & ~7ull;
	engine->seed = number("PATHFDO_SEED", (uint64_t)PF_SYS0(SYS_getpid) * 65537u, 0, UINT64_MAX / 16);
}

static bool has_address_space(void)
{
	struct rlimit limit;
	static const int which[] = { RLIMIT_AS, RLIMIT_DATA };
	for (int i = 0; i < 2; i++)
		if (getrlimit((__rlimit_resource_t)which[i], &limit) || limit.rlim_cur < LEAST_ADDRESS_SPACE)
			return false;
	return true;
}

/* Does a debugger watch the process?  It would stop at each of the recorder's signals, and a breakpoint that it sets in
 * code that is in the cache already would be passed over. */
static bool is_traced(void)
{
	static const char key[] = "TracerPid:\t";
	char text[2048];
	long fd = PF_SYS2(SYS_open, "/proc/self/status", O_RDONLY | O_CLOEXEC);
	long size = fd < 0 ? 0 : PF_SYS3(SYS_read, fd, text, sizeof text);
	if (fd >= 0)
		PF_SYS1(SYS_close, fd);
	for (long i = 0; i + (long)sizeof key <= size; i++)
		if (__builtin_memcmp(text + i, key, sizeof key - 1) == 0)
			return text[i + (long)sizeof key - 1] != '0';
	return false;
}

static bool install_handler(void)
{
	struct pf_kernel_action action = { (void *)pf_agent_signal, SA_SIGINFO | SA_ONSTACK | SA_RESTART | RESTORER,
					   (void *)pf_agent_restorer, 0 };
	action.mask = ~0ull;
	for (int signal = 1; signal <= 64; signal++)
		if (pf_agent_faults_is(signal))
			action.mask &= ~(1ull << (signal - 1));
	return pf_sys_action(PF_SIGNAL, &action, NULL) == 0;
}

static void key_destroyed(void *argument)
{
	(void)argument;
	pf_agent_thread_stop();
}

/* For a thread about to run the program's start routine. */
void pf_agent_thread_begin(struct pf_slot *slot);
void pf_agent_thread_begin(struct pf_slot *slot)
{
	pf_agent_thread_start(slot);
	pthread_setspecific(thread_key, slot);
}

static int prepare(struct pf_engine *engine)
{
	if (!(getauxval(AT_HWCAP2) & FSGSBASE_IN_HWCAP2))
		return PF_REFUSE_NO_FSGSBASE;
	if (is_traced())
		return PF_REFUSE_SIGNAL;
	if (!has_address_space() || !pf_agent_cache_init(engine))
		return PF_REFUSE_MEMORY;
	engine->exit_entry = (void *)pf_agent_exit;
	engine->lookup_entry = (void *)pf_agent_lookup;
	pf_agent_modules_read(engine);
	pf_agent_modules_zones(engine);
	return engine->zone_count ? PF_REFUSE_NONE : PF_REFUSE_MEMORY;
}

/* No burst while the process is copied: the child would get the burst's handlers for faults, if only for some of its
 * signals.  Nor a timer signal in the forking thread: kernels that deliver it inside a fork begin the fork again, for
 * ever if it takes longer than the period. */
static void before_fork(void)
{
	pf_agent_take(pf_engine);
}

static void after_fork(void)
{
	pf_agent_give(pf_engine);
}

static void forked(void)
{
	struct pf_engine *engine = pf_engine;
	engine->slot = NULL;
	engine->guard_sp = 0;
	engine->edge_hash_size = PF_FIRST_HASH_SIZE;
	engine->debt = 0;
	PF_SYS3(SYS_madvise, engine->edge_hash, 2 * PF_MAX_EDGES * sizeof *engine->edge_hash, MADV_DONTNEED);
	if (!pf_agent_wire_open(engine, engine->shut ? NULL : directory))
		engine->shut = engine->dead = true;
	else
		pf_agent_modules_read(engine);
	pf_agent_thread_forked();
	if (!engine->shut)
		engine->wire->state = 1;
	pf_agent_give(engine);
}

__attribute__((constructor)) static void start(void)
{
	struct pf_engine *engine = &storage;
	read_environment(engine);
	if (!directory || !*directory || !pf_agent_wire_open(engine, directory))
		return;
	int refusal = prepare(engine);
	struct pf_slot *slot = pf_agent_slot_get();
	if (refusal == PF_REFUSE_NONE && (!install_handler() || pthread_key_create(&thread_key, key_destroyed) ||
					  pthread_atfork(before_fork, after_fork, forked)))
		refusal = PF_REFUSE_SIGNAL;
	if (refusal != PF_REFUSE_NONE) {
		engine->wire->refusals[refusal]++;
		return;
	}
	pf_engine = engine;
	engine->wire->state = 1;
	pf_agent_thread_begin(slot);
}

__attribute__((destructor)) static void finish(void)
{
	struct pf_engine *engine = pf_engine;
	if (engine && engine->wire->pid == (uint32_t)PF_SYS0(SYS_getpid))
		engine->wire->state = 2;
}
