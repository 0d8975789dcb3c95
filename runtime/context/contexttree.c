/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes and finds arcs.  A tree belongs to its thread, but signal handlers of that thread come in between anywhere: so
 * each step leaves lists that can be walked, a handler adds at their front and moves nothing while something is being
 * moved, and the worst that can happen is an arc that is no longer in its list.  It is still in the tree; another is
 * made for the same call, and who reads the file adds them up.
 *
 * The hard case is to know a handler when it is called: not by its caller, which said nothing, but by its return
 * address, where the kernel's way back from a signal is.  A callee that was inlined into the handler has the same one:
 * so frames of handlers are remembered. */
#include "runtime/context/contexttree.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#define NONE UINT64_MAX /* no function's number */
#define MEMORY_SIZE (256 * 1024)

_Atomic(struct pf_context_tree *) pf_context_trees;
_Atomic(struct pf_context_known *) pf_context_known;

/* Where a thread begins that has no tree yet. */
static uint64_t nowhere = NONE;
static struct pf_context_arc *outside = (struct pf_context_arc *)&nowhere;

_Thread_local struct pf_context_arc **PF_COUNTING_NAME(context_slot) = &outside;
_Thread_local uint64_t PF_COUNTING_NAME(context_spent);

/* The same by a name that nobody else has: who entered here has this library's.  To a name that is shown GNU ld has a
 * program relocate itself, which one that is linked statically cannot do for variables of threads. */
extern __attribute__((alias(PF_COUNTING_TEXT(context_slot)),
		      visibility("hidden"))) _Thread_local struct pf_context_arc **pf_context_own_slot;

static _Thread_local struct pf_context_tree *current;
static pthread_key_t key;
static bool has_key;
static _Atomic(struct pf_context_memory *) common; /* what belongs to no tree */
static _Atomic uint64_t last_number;

/* Takes the calls for which there is no memory, whosever they are, and their paths. */
static struct {
	pf_path_word words[2 * PF_CONTEXT_MOST_WORDS];
	union {
		struct pf_context_record record;
		char with_slots[offsetof(struct pf_context_record, slots[PF_CONTEXT_MOST_SLOTS])];
	};
} waste;

static void *map(uint64_t size)
{
	int kept = errno;
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	errno = kept;
	return memory == MAP_FAILED ? NULL : memory;
}

static struct pf_context_memory *map_memory(void)
{
	struct pf_context_memory *m = map(MEMORY_SIZE);

	if (!m)
		return NULL;
	m->size = MEMORY_SIZE;
	m->used = sizeof *m;
	return m;
}

/* SIZE zeroed bytes of *MEMORY, and more of that if it is used up; what is large has pages of its own.  NULL without
 * memory. */
static void *take(_Atomic(struct pf_context_memory *) *memory, uint64_t size)
{
	size = (size + 15) & ~UINT64_C(15);
	if (size > MEMORY_SIZE / 8)
		return map(size);
	for (;;) {
		struct pf_context_memory *m = atomic_load(memory), *more;

		if (m) {
			uint64_t at = atomic_fetch_add(&m->used, size);

			if (at + size <= m->size)
				return (char *)m + at;
		}
		more = map_memory();
		if (!more)
			return NULL;
		if (!atomic_compare_exchange_strong(memory, &m, more))
			munmap(more, MEMORY_SIZE);
	}
}

static struct pf_context_arc *none_of(struct pf_context_record *r)
{
	return (struct pf_context_arc *)&r->none;
}

static void prepare(struct pf_context_record *r, uint64_t function, uint64_t slots)
{
	r->arc.function = function;
	r->none = NONE;
	for (uint64_t i = 0; i < slots; i++)
		r->slots[i] = none_of(r);
	atomic_thread_fence(memory_order_release);
	r->arc.record = r;
}

/* To begin with the slots of the record are empty; the arc is its own, so that what is called from it comes here too.
 */
static struct pf_context_arc *waste_arc(void)
{
	if (!waste.record.arc.record)
		prepare(&waste.record, NONE, PF_CONTEXT_MOST_SLOTS);
	return &waste.record.arc;
}

/* Where handlers return to; to begin with what no function returns to. */
static _Atomic(const volatile void *) way_back = &waste;

uint64_t pf_context_lost(void)
{
	return waste.record.arc.count;
}

/* The record that SLOT is of. */
static struct pf_context_record *owner_of(struct pf_context_arc **slot)
{
	struct pf_context_arc *first = *slot;

	if (first->function == NONE)
		return (struct pf_context_record *)((char *)first - offsetof(struct pf_context_record, none));
	return first->from;
}

static struct pf_context_tree *make_tree(void)
{
	struct pf_context_tree *tree = take(&common, sizeof *tree);
	struct pf_context_record *root =
	    tree ? take(&common, sizeof *root + PF_CONTEXT_ROOTS * sizeof *root->slots) : NULL;

	if (!root)
		return NULL;
	prepare(root, NONE, PF_CONTEXT_ROOTS);
	tree->root = root;
	tree->last = &root->arc;
	tree->next = atomic_load(&pf_context_trees);
	while (!atomic_compare_exchange_weak(&pf_context_trees, &tree->next, tree))
		continue;
	return tree;
}

/* A tree for this thread, if it has none. */
static struct pf_context_tree *have_tree(void)
{
	struct pf_context_tree *tree;

	if (current)
		return current;
	for (tree = atomic_load(&pf_context_trees); tree; tree = tree->next) {
		int is_free = 1;

		if (atomic_compare_exchange_strong(&tree->is_free, &is_free, 0))
			break;
	}
	if (!tree)
		tree = make_tree();
	current = tree;
	if (tree && has_key)
		pthread_setspecific(key, tree);
	return tree;
}

/* When the thread ends, behind what else is done then. */
static void end_thread(void *of)
{
	struct pf_context_tree *tree = of;

	if (++tree->rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
		pthread_setspecific(key, tree);
		return;
	}
	tree->rounds = 0;
	current = NULL;
	pf_context_own_slot = &outside;
	atomic_store(&tree->is_free, 1);
}

/* The number of F, known from now on; 0 without memory. */
static uint64_t number_of(struct pf_context_function *f)
{
	uint64_t number = atomic_load(&f->number), nothing = 0;
	uint64_t size = sizeof(struct pf_context_known) + f->description_size;
	struct pf_context_known *k;

	if (number > 0)
		return number;
	k = take(&common, size);
	if (!k)
		return 0;
	pf_metric_note(f->metric);
	k->number = number = atomic_fetch_add(&last_number, 1) + 1;
	k->size = f->description_size;
	memcpy(k->description, f->description, f->description_size);
	k->next = atomic_load(&pf_context_known);
	while (!atomic_compare_exchange_weak(&pf_context_known, &k->next, k))
		continue;
	return atomic_compare_exchange_strong(&f->number, &nothing, number) ? number : nothing;
}

/* The arc at SLOT that leads to FUNCTION; NULL if there is none.  It becomes the first if it is looked for again and
 * the first has not been called meanwhile: of two that take turns each second one is not looked for at all. */
static struct pf_context_arc *find(struct pf_context_tree *tree, struct pf_context_arc **slot, uint64_t function)
{
	struct pf_context_arc *first = *slot, **link = slot, *a = first;

	while (a->function != function) {
		if (a->function == NONE)
			return NULL;
		link = &a->next;
		a = a->next;
	}
	if (a != first && a->seen != (uint32_t)first->count) {
		a->seen = (uint32_t)first->count;
		return a;
	}
	if (a != first && !tree->is_moving) {
		atomic_store_explicit(&tree->is_moving, 1, memory_order_relaxed);
		atomic_signal_fence(memory_order_seq_cst);
		/* A handler may have moved it meanwhile. */
		if (*(struct pf_context_arc *volatile *)link == a && *(struct pf_context_arc *volatile *)slot != a) {
			*link = a->next;
			atomic_signal_fence(memory_order_seq_cst);
			a->next = *slot;
			atomic_signal_fence(memory_order_seq_cst);
			*slot = a;
		}
		atomic_signal_fence(memory_order_seq_cst);
		atomic_store_explicit(&tree->is_moving, 0, memory_order_relaxed);
	}
	return a;
}

static void append(struct pf_context_tree *tree, struct pf_context_arc *a)
{
	struct pf_context_arc *last = atomic_load(&tree->last), *nothing = NULL;

	while (!atomic_compare_exchange_strong(&last->later, &nothing, a)) {
		last = nothing;
		nothing = NULL;
	}
	atomic_store(&tree->last, a);
}

/* A record of F with its counters in front of it. */
static struct pf_context_record *make_record(struct pf_context_tree *tree, const struct pf_context_function *f)
{
	const struct pf_context_record like = { .path_count = f->path_count, .metric = f->metric };
	uint64_t front = f->path_count ? (uint64_t)((pf_path_word *)&like - pf_context_words(&like)) : 0;
	pf_path_word *words =
	    take(&tree->memory, front * sizeof *words + sizeof like + f->slot_count * sizeof *like.slots);
	struct pf_context_record *r = words ? (struct pf_context_record *)(words + front) : NULL;

	if (r) {
		r->path_count = f->path_count;
		r->metric = f->metric;
	}
	return r;
}

/* An arc from OWNER, back to the record of an ancestor if there is one of this function. */
static struct pf_context_arc *make(struct pf_context_tree *tree, struct pf_context_record *owner, uint64_t site,
				   const struct pf_context_function *f, uint64_t function)
{
	struct pf_context_record *r = owner;
	struct pf_context_arc *a;

	while (r && r->arc.function != function)
		r = r->arc.from;
	if (r) {
		a = take(&tree->memory, sizeof *a);
		if (!a)
			return NULL;
		a->function = function;
		a->record = r;
	} else {
		r = make_record(tree, f);
		if (!r)
			return NULL;
		prepare(r, function, f->slot_count);
		a = &r->arc;
	}
	a->from = owner;
	a->site = (uint32_t)site;
	a->next = owner->slots[site];
	append(tree, a);
	atomic_signal_fence(memory_order_seq_cst);
	owner->slots[site] = a;
	return a;
}

static bool is_of(const struct pf_context_tree *tree, const struct pf_context_record *r)
{
	while (r->arc.from)
		r = r->arc.from;
	return r == tree->root;
}

/* Whether SIZE bytes AT some address are in a module.  A return address may be none: so the first frames of coroutines
 * have it.  Safe in handlers. */
static bool is_in_module(const volatile unsigned char *at, size_t size)
{
	struct dl_find_object module;

	return _dl_find_object((void *)(uintptr_t)at, &module) == 0 &&
	       (uintptr_t)module.dlfo_map_end - (uintptr_t)at >= size;
}

/* Whether the function whose frame this is returns to what the kernel has handlers return to: a call of rt_sigreturn,
 * by which unwinders know it, too.  It is remembered. */
static bool returns_to_kernel(void *const *frame)
{
	static const unsigned char code[] = { 0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05 };
	const volatile unsigned char *at = frame[-1];

	if (at == atomic_load_explicit(&way_back, memory_order_relaxed))
		return true;
	if (!is_in_module(at, sizeof code))
		return false;
	for (size_t i = 0; i < sizeof code; i++) {
		if (at[i] != code[i])
			return false;
	}
	atomic_store_explicit(&way_back, at, memory_order_relaxed);
	return true;
}

/* Whether OWNER's call is one in the frame of a handler. */
static bool is_in_handler(const struct pf_context_tree *tree, const struct pf_context_record *owner, const void *frame)
{
	for (unsigned i = 0; i < sizeof tree->handlers / sizeof *tree->handlers; i++) {
		const struct pf_context_record *r = owner;

		if (tree->handlers[i].frame != frame)
			continue;
		while (r && r != tree->handlers[i].record)
			r = r->arc.from;
		if (r)
			return true;
	}
	return false;
}

static void remember_handler(struct pf_context_tree *tree, const void *frame, const struct pf_context_record *record)
{
	unsigned most = sizeof tree->handlers / sizeof *tree->handlers, i = 0;

	while (i < most && tree->handlers[i].frame != frame)
		i++;
	if (i == most)
		i = (unsigned)(tree->handler_count++ % most);
	tree->handlers[i] = (struct pf_context_handler) { frame, record };
}

/* The arc is not made yet, or belongs elsewhere. */
static __attribute__((noinline)) struct pf_context_arc *enter_new(struct pf_context_function *f,
								  struct pf_context_arc **slot, void *const *frame)
{
	struct pf_context_tree *tree = have_tree();
	uint64_t function = number_of(f);
	struct pf_context_record *owner;
	struct pf_context_arc *a;
	bool is_handler;

	if (!tree || function == 0)
		return waste_arc();
	if (slot == &outside)
		pf_context_own_slot = slot = &tree->root->slots[PF_CONTEXT_OUTSIDE];
	owner = owner_of(slot);
	is_handler = returns_to_kernel(frame) && !is_in_handler(tree, owner, frame);
	if (is_handler) {
		owner = tree->root;
		slot = &owner->slots[PF_CONTEXT_SIGNALS];
	}
	if (owner == &waste.record)
		return waste_arc();
	a = find(tree, slot, function);
	if (!a && !is_of(tree, owner)) {
		/* A coroutine has come to another thread: there its calls are those of code that does not count. */
		owner = tree->root;
		slot = &owner->slots[PF_CONTEXT_OUTSIDE];
		a = find(tree, slot, function);
	}
	if (!a)
		a = make(tree, owner, (uint64_t)(slot - owner->slots), f, function);
	if (!a)
		return waste_arc();
	if (is_handler)
		remember_handler(tree, frame, a->record);
	return a;
}

/* Most calls come here since a call site has several callees in turn: that is to be quick.  A handler is known here
 * once one was met as a callee of nobody; before, only one that the place it interrupts calls as well is mistaken. */
struct pf_context_arc *pf_context_enter(struct pf_context_function *f, struct pf_context_arc **slot, void *const *frame)
{
	uint64_t function = atomic_load_explicit(&f->number, memory_order_relaxed);
	struct pf_context_tree *tree = current;
	struct pf_context_arc *a = NULL;

	if (tree && function > 0 && slot != &outside &&
	    frame[-1] != atomic_load_explicit(&way_back, memory_order_relaxed))
		a = find(tree, slot, function);
	return a ? a : enter_new(f, slot, frame);
}

/* What is not this thread's alone is the waste. */
void pf_context_count_path(struct pf_context_record *record, uint64_t number, uint64_t took)
{
	if (record == &waste.record || !pf_path_table_count(pf_context_words(record), number, took))
		waste.record.arc.count++;
}

void pf_context_forget(void)
{
	for (struct pf_context_tree *tree = atomic_load(&pf_context_trees); tree; tree = tree->next) {
		for (struct pf_context_arc *a = tree->root->arc.later; a; a = a->later) {
			if (a->count > 0 || a->took > 0)
				a->count = a->took = 0;
			if (a == &a->record->arc && a->record->path_count > 0)
				pf_path_words_forget(pf_context_words(a->record), pf_context_length(a->record),
						     a->record->metric);
		}
		if (tree != current)
			atomic_store(&tree->is_free, 1);
	}
	waste.record.arc.count = 0;
}

__attribute__((constructor(101))) static void begin(void)
{
	has_key = pthread_key_create(&key, end_thread) == 0;
	if (has_key && current)
		pthread_setspecific(key, current);
}

/* A thread that ends later must not come back to a module that is gone. */
__attribute__((destructor(101))) static void finish(void)
{
	if (has_key)
		pthread_key_delete(key);
	has_key = false;
}
