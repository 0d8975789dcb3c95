/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See attach.h.  A thread is touched when it is seen to use CPU time, and then once: one that sleeps all the time gives
 * no vectors, and its wait is not disturbed.  The hard cases: a thread that is caught in a wait which would end early
 * (it is looked at again until it runs); a process that executes another program at any moment, between two looks at it
 * or in the midst of one, before it is recorded or after, and is a new one then, whatever was found of the old; one
 * whose number is another's by now; one that cannot be recorded, as a static shell, but starts what can be, which is
 * recorded in its place; and a child of fork, which has the image and the handlers of its parent, and must
 * lose them at the end even if its parent is long gone. */
#include "runtime/attach.h"

#include "runtime/inject.h"
#include "runtime/keeper.h"
#include "runtime/procfs.h"
#include "support/array.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_NS 2000000000u /* for a thread to be seen where it can be interrupted without a trace */
#define SEARCH_NS 1000000000u   /* between two looks for new processes and programs */
#define BEAT_NS 1000000000u
#define SHORT_LOOKS 20 /* of half a millisecond */
#define MOST_MASKS 4

enum thread_state { THREAD_NEW, THREAD_RECORDED, THREAD_REFUSED };

enum member_state {
	MEMBER_OPEN,    /* its threads are recorded when they use CPU time */
	MEMBER_YOUNG,   /* its program is about to begin */
	MEMBER_REFUSED, /* its program cannot be recorded; it may execute one that can */
	MEMBER_ENDED
};

struct thread {
	pid_t tid;
	enum thread_state state;
	uint64_t blocked;   /* its mask, of which the signal was opened for us; 0: it was open */
	bool late;          /* seen first when that had been done to another */
	uint64_t cpu_ns;    /* when it was last looked at */
	uint64_t due_since; /* 0: it is not */
};

struct member {
	pid_t pid;
	uint64_t start; /* tells it from a later process of its number */
	enum member_state state;
	uint64_t image; /* of the program that STATE is about: pf_procfs_image */
	struct pf_injection injection;
	char program[PATH_MAX];
	struct pf_error why;     /* its program is left out; code 0: it is not */
	enum pf_refusal refusal; /* ...by the agent */
	bool heir;               /* a child of fork of another member */
	bool replaced;           /* children of it are recorded in its place */
	bool renewed;            /* it has executed a program since it was seen first */
	bool looked;             /* its threads are known */
	struct thread *threads;
	size_t thread_count;
	uint64_t opened[MOST_MASKS]; /* of its threads or its parent's, different ones; 0: no more */
	uint64_t cpu_first, cpu_last;
};

struct pf_attach {
	const struct pf_selection *selection;
	int file;
	PF_ARRAY(struct member *) members;
	uint64_t searched; /* when new processes were last looked for */
	uint64_t beaten;   /* when the agents were last told that the recorder lives */
	struct pf_attach_counts counts;
};

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* CPU time of this program: what it does with a held thread. */
static uint64_t own_cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Agents that hear nothing for long leave by themselves, and a round through many threads takes long. */
static void beat(struct pf_attach *a)
{
	if (now() - a->beaten < BEAT_NS)
		return;
	pf_keeper_beat(a->file);
	a->beaten = now();
}

static void note_left_out(struct pf_attach_counts *counts, const struct pf_error *why)
{
	enum { LAST = sizeof counts->why[0] - 1 };

	if (counts->left_out++ < PF_SESSION_REASONS)
		snprintf(counts->why[counts->left_out - 1], LAST + 1, "%.*s", LAST, why->text);
}

/* Why the first of those that are left out is; false: none is. */
static bool take_reason(const struct pf_attach *a, struct pf_error *error)
{
	for (size_t i = 0; i < a->members.count; i++) {
		if (a->members.at[i]->why.code) {
			*error = a->members.at[i]->why;
			return true;
		}
	}
	return false;
}

static struct member *find(const struct pf_attach *a, pid_t pid)
{
	for (size_t i = 0; i < a->members.count; i++) {
		if (a->members.at[i]->pid == pid)
			return a->members.at[i];
	}
	return NULL;
}

static void free_member(struct member *m)
{
	pf_inject_close(&m->injection);
	free(m->threads);
	free(m);
}

/* A member that is PID, PARENT's child by fork if that is not NULL.  NULL: without memory. */
static struct member *add(struct pf_attach *a, pid_t pid, const struct member *parent)
{
	struct member *m = calloc(1, sizeof *m), **place = m ? pf_array_push(&a->members) : NULL;

	if (!place) {
		free(m);
		return NULL;
	}
	*place = m;
	m->pid = pid;
	m->start = pf_procfs_start(pid);
	m->injection = (struct pf_injection) { .pid = pid, .memory = -1, .handle = -1 };
	m->heir = parent != NULL;
	if (parent)
		memcpy(m->opened, parent->opened, sizeof m->opened);
	m->cpu_first = parent ? 0 : pf_procfs_process_cpu_ns(pid);
	return m;
}

/* Everything that can be known before anything is done; the mark before all else, as the rest may be of the next
 * program already. */
static int open_injection(struct member *m, const struct member *parent, struct pf_error *why)
{
	int status;

	m->image = pf_procfs_image(m->pid);
	pf_selection_program(m->pid, m->program);
	status = pf_selection_fits(m->pid, parent != NULL, why);
	if (status == PF_OK)
		status = pf_inject_open(&m->injection, m->pid, why);
	if (status == PF_OK && parent)
		pf_inject_inherit(&m->injection, &parent->injection);
	return status;
}

/* IMAGE: what it runs now.  A process that gives back its memory has none. */
static bool has_ended(const struct member *m, uint64_t image)
{
	return pf_procfs_start(m->pid) != m->start ||
	       (!image && pf_procfs_is_ending(m->pid, pf_procfs_witness(m->pid)));
}

static void open_member(struct member *m, const struct member *parent)
{
	int status = open_injection(m, parent, &m->why);

	m->refusal = PF_REFUSE_NONE;
	m->why.code = status == PF_ENOTFOUND ? PF_OK : status;
	if (status == PF_OK)
		m->state = MEMBER_OPEN;
	else if (status == PF_EINVAL)
		m->state = MEMBER_YOUNG;
	else if (status != PF_ENOTFOUND)
		m->state = MEMBER_REFUSED;
	else /* or a thread that was looked at is another's by now, which executes a program */
		m->state = has_ended(m, pf_procfs_image(m->pid)) ? MEMBER_ENDED : MEMBER_YOUNG;
}

/* The member of whose image the process has a copy.  Those that have one of another member are as good as that. */
static const struct member *parent_of(const struct pf_attach *a, pid_t pid)
{
	const struct member *parent = NULL;
	char path[64];
	int memory;

	snprintf(path, sizeof path, "/proc/%d/mem", pid);
	memory = open(path, O_RDONLY | O_CLOEXEC);
	for (size_t i = 0; memory >= 0 && !parent && i < a->members.count; i++) {
		if (!a->members.at[i]->heir && pf_inject_is_heir(&a->members.at[i]->injection, memory))
			parent = a->members.at[i];
	}
	if (memory >= 0)
		close(memory);
	return parent;
}

/* Adds what the selection finds now and is not known yet: it may be a member's child. */
static int search_selection(struct pf_attach *a, struct pf_error *error)
{
	pid_t *list;
	size_t count;
	int status = pf_selection_find(a->selection, &list, &count, error);

	for (size_t i = 0; status == PF_OK && i < count; i++) {
		const struct member *parent;
		struct member *m;

		if (find(a, list[i]))
			continue;
		parent = parent_of(a, list[i]);
		m = add(a, list[i], parent);
		if (!m)
			status = pf_fail(error, PF_ENOMEM, "out of memory");
		else
			open_member(m, parent);
	}
	free(list);
	return status;
}

static void adopt_child(struct pf_attach *a, pid_t pid)
{
	const struct member *parent = find(a, pid) ? NULL : parent_of(a, pid);
	struct member *m = parent ? add(a, pid, parent) : NULL;

	if (m)
		open_member(m, parent);
}

/* The child PID of UNFIT, which cannot be recorded: in its place, if it can be, or for its own children. */
static void take_instead(struct pf_attach *a, pid_t pid, struct member *unfit)
{
	struct member *m = find(a, pid) ? NULL : add(a, pid, NULL);

	if (!m)
		return;
	open_member(m, NULL);
	unfit->replaced |= m->state < MEMBER_REFUSED;
	if (m->state >= MEMBER_REFUSED && !pf_procfs_starts_others(pid)) {
		free_member(m);
		a->members.count--;
	}
}

/* The children of M that the kernel lists. */
static void search_children(struct pf_attach *a, struct member *m)
{
	char text[16384], *at = text;
	pid_t *threads;
	size_t count = pf_procfs_threads(m->pid, &threads);

	for (size_t i = 0; i < count; i++) {
		if (pf_procfs_read(m->pid, threads[i], "children", text, sizeof text) <= 0)
			continue;
		for (at = text; *at >= '0' && *at <= '9'; at += *at == ' ') {
			pid_t child = (pid_t)strtol(at, &at, 10);

			if (m->injection.begun)
				adopt_child(a, child);
			else
				take_instead(a, child, m);
		}
	}
	free(threads);
}

/* Of those who are recorded, and of those who were named and cannot be, also where they are found just now. */
static void search_all_children(struct pf_attach *a)
{
	for (size_t i = 0; i < a->members.count; i++) {
		struct member *m = a->members.at[i];

		if (m->injection.begun || (a->selection->pids && m->state == MEMBER_REFUSED && m->why.code))
			search_children(a, m);
	}
}

/* Children that nobody has seen yet, wherever they have gone. */
static void search_everywhere(struct pf_attach *a)
{
	pid_t *all;
	size_t count = pf_procfs_processes(&all);

	for (size_t i = 0; i < count; i++)
		adopt_child(a, all[i]);
	free(all);
}

/* Where nobody can be recorded but who starts programs: one of these may just not be there. */
static void wait_for_children(struct pf_attach *a)
{
	static const struct timespec pause = { 0, 10000000 };
	bool starts = false;

	for (size_t i = 0; a->selection->pids && i < a->members.count; i++)
		starts |= pf_procfs_starts_others(a->members.at[i]->pid);
	search_all_children(a);
	while (starts && !pf_attach_is_alive(a) && now() - a->searched < SEARCH_NS) {
		nanosleep(&pause, NULL);
		search_all_children(a);
	}
}

int pf_attach_alloc(struct pf_attach **attach, const struct pf_selection *selection, int file, struct pf_error *error)
{
	struct pf_attach *a = calloc(1, sizeof *a);
	int status;

	*attach = a;
	if (!a)
		return pf_fail(error, PF_ENOMEM, "out of memory");
	a->selection = selection;
	a->file = file;
	status = search_selection(a, error);
	a->searched = now();
	if (status == PF_OK)
		wait_for_children(a);
	if (status == PF_OK && !pf_attach_is_alive(a)) {
		if (!take_reason(a, error))
			pf_fail(error, PF_ENOTFOUND, "the process has ended");
		status = error->code;
	}
	return status;
}

/* Waits for signals that include the recorder's: one of the timer's could be what it gets. */
static bool awaits_signal(const struct member *m, const struct pf_proc_place *place)
{
	uint64_t set = 0;

	return !place->running && place->call == SYS_rt_sigtimedwait &&
	       (pread(m->injection.memory, &set, sizeof set, (off_t)place->arguments[0]) != (ssize_t)sizeof set ||
		set & PF_INJECT_SIGNAL_BIT);
}

/* Can the thread be interrupted now?  Waits a little for it to run. */
static bool is_ready(const struct member *m, const struct thread *t)
{
	static const struct timespec pause = { 0, 500000 };
	struct pf_proc_place place;

	for (int i = 0; i < SHORT_LOOKS; i++) {
		if (!pf_procfs_place(m->pid, t->tid, &place) || awaits_signal(m, &place))
			return false;
		if (pf_tracee_is_calm(&place))
			return true;
		nanosleep(&pause, NULL);
	}
	return now() - t->due_since > PATIENCE_NS;
}

static void note_opened(struct member *m, uint64_t mask)
{
	int i = 0;

	while (i < MOST_MASKS && m->opened[i] && m->opened[i] != mask)
		i++;
	if (i < MOST_MASKS)
		m->opened[i] = mask;
}

static void record_thread(struct pf_attach *a, struct member *m, struct thread *t)
{
	bool begun = m->injection.begun;
	enum pf_refusal refusal;
	struct pf_error error;
	uint64_t since = own_cpu();
	int status = pf_inject_adopt(&m->injection, t->tid, a->file, m->program, &refusal, &t->blocked, &error);

	a->counts.cost_ns += own_cpu() - since;
	if (t->blocked)
		note_opened(m, t->blocked);
	if (status == PF_EINVAL || status == PF_EIO)
		return; /* the next look tries again */
	if (status == PF_ENOTFOUND) {
		t->state = THREAD_REFUSED;
		return;
	}
	if (status < 0) {
		m->why = error;
		m->state = MEMBER_REFUSED;
		return;
	}
	a->counts.processes += !begun && m->injection.begun;
	t->state = refusal == PF_REFUSE_NONE ? THREAD_RECORDED : THREAD_REFUSED;
	if (refusal == PF_REFUSE_NONE)
		return;
	if (m->injection.begun) {
		a->counts.refusals[refusal]++;
	} else {
		m->refusal = refusal;
		m->state = MEMBER_REFUSED;
	}
}

static int compare_threads(const void *a, const void *b)
{
	return *(const pid_t *)a < *(const pid_t *)b ? -1 : *(const pid_t *)a > *(const pid_t *)b;
}

/* The present list of threads, with what was known of those that are still there. */
static void list_threads(struct member *m)
{
	pid_t *tids;
	size_t count = pf_procfs_threads(m->pid, &tids), old = 0;
	struct thread *threads = calloc(count + 1, sizeof *threads);

	if (!threads) {
		free(tids);
		return;
	}
	if (count > 0)
		qsort(tids, count, sizeof *tids, compare_threads);
	for (size_t i = 0; i < count; i++) {
		while (old < m->thread_count && m->threads[old].tid < tids[i])
			old++;
		if (old < m->thread_count && m->threads[old].tid == tids[i])
			threads[i] = m->threads[old];
		else
			threads[i] = (struct thread) { .tid = tids[i],
						       .late = m->opened[0],
						       .cpu_ns = m->looked ? 0 : pf_procfs_cpu_ns(m->pid, tids[i]) };
	}
	free(m->threads);
	free(tids);
	m->threads = threads;
	m->thread_count = count;
	m->looked = true;
}

static void look_at_thread(struct pf_attach *a, struct member *m, struct thread *t)
{
	uint64_t cpu_ns = pf_procfs_cpu_ns(m->pid, t->tid);

	if (!t->due_since && cpu_ns > t->cpu_ns)
		t->due_since = now();
	t->cpu_ns = cpu_ns;
	if (t->due_since && is_ready(m, t))
		record_thread(a, m, t);
}

/* Does it run another program than it did?  IMAGE: what it runs now; 0, where that cannot be told, says nothing. */
static bool has_changed(const struct member *m, uint64_t image)
{
	if (pf_inject_is_there(&m->injection))
		return false;
	return (image && image != m->image) || (m->state == MEMBER_OPEN && !pf_inject_is_current(&m->injection));
}

/* Children that it has made with the program that it had are known by what was in that, which is forgotten here. */
static void renew(struct pf_attach *a, struct member *m)
{
	if (m->injection.begun)
		search_everywhere(a);
	pf_inject_close(&m->injection);
	free(m->threads);
	m->threads = NULL;
	m->thread_count = 0;
	m->heir = false;
	m->renewed = true;
	open_member(m, NULL);
}

static void look_at_threads(struct pf_attach *a, struct member *m, const struct pf_attach_end *end)
{
	list_threads(m);
	for (size_t i = 0; m->state == MEMBER_OPEN && i < m->thread_count; i++) {
		if (m->threads[i].state != THREAD_NEW)
			continue;
		if (end->is_there(end->context))
			break;
		look_at_thread(a, m, &m->threads[i]);
		beat(a);
	}
}

static void look_at(struct pf_attach *a, struct member *m, const struct pf_attach_end *end)
{
	uint64_t image = pf_procfs_image(m->pid);

	if (has_ended(m, image)) {
		m->state = MEMBER_ENDED;
		return;
	}
	m->cpu_last = pf_procfs_process_cpu_ns(m->pid);
	if (has_changed(m, image))
		renew(a, m);
	else if (m->state == MEMBER_YOUNG)
		open_member(m, NULL);
	if (m->state == MEMBER_OPEN)
		look_at_threads(a, m, end);
}

static void search(struct pf_attach *a)
{
	struct pf_error none;

	if (!a->selection->pids)
		search_selection(a, &none);
	search_all_children(a);
	a->searched = now();
}

int pf_attach_look(struct pf_attach *a, const struct pf_attach_end *end, struct pf_error *error)
{
	bool searches = now() - a->searched >= SEARCH_NS;

	pf_tracee_sweep();
	if (searches)
		search(a);
	for (size_t i = 0; i < a->members.count; i++) {
		if (a->members.at[i]->state < (searches ? MEMBER_ENDED : MEMBER_REFUSED))
			look_at(a, a->members.at[i], end);
		beat(a);
	}
	return a->counts.processes || pf_attach_is_alive(a) || !take_reason(a, error) ? PF_OK : error->code;
}

bool pf_attach_is_alive(const struct pf_attach *a)
{
	for (size_t i = 0; i < a->members.count; i++) {
		const struct member *m = a->members.at[i];

		/* What has executed a program that cannot be recorded may be on its way to one that can; what has
		 * started one that can be may do so again. */
		if (m->state < (m->renewed || m->replaced ? MEMBER_ENDED : MEMBER_REFUSED))
			return true;
	}
	return false;
}

static void note_stuck(struct pf_attach *a, int status, const struct pf_error *why)
{
	if (status < 0 && status != PF_ENOTFOUND && a->counts.stuck++ == 0)
		snprintf(a->counts.stuck_why, sizeof a->counts.stuck_why, "%s", why->text);
}

/* A child that was not to be recorded when it was seen, as its parent traced it, has its copy all the same. */
static void reopen(struct pf_attach *a, struct member *m)
{
	const struct member *parent =
	    m->heir && !m->injection.there && pf_procfs_start(m->pid) == m->start ? parent_of(a, m->pid) : NULL;
	struct pf_error why;

	if (!parent)
		return;
	pf_inject_close(&m->injection);
	note_stuck(a, open_injection(m, parent, &why), &why);
}

/* Is the thread's mask MASK but for the signal?  One that is recorded may be in a burst, where all are blocked. */
static bool may_lack_signal(const struct member *m, const struct thread *t, uint64_t mask)
{
	struct pf_proc_status status;

	return mask && (t->state == THREAD_RECORDED || (pf_procfs_status(m->pid, t->tid, &status) &&
							status.blocked == (mask & ~PF_INJECT_SIGNAL_BIT)));
}

/* The signal is blocked again: first in those in which it was opened, then in what these have made since, which has
 * begun with their mask. */
static void give_masks_back(struct member *m)
{
	for (size_t i = 0; i < m->thread_count; i++) {
		if (m->threads[i].blocked && pf_inject_is_there(&m->injection))
			pf_inject_block(&m->injection, m->threads[i].tid, m->threads[i].blocked);
	}
	if (m->opened[0])
		list_threads(m);
	for (size_t i = 0; i < m->thread_count * MOST_MASKS; i++) {
		const struct thread *t = &m->threads[i / MOST_MASKS];
		uint64_t mask = m->opened[i % MOST_MASKS];

		if (t->late && !t->blocked && may_lack_signal(m, t, mask) && pf_inject_is_there(&m->injection))
			pf_inject_block(&m->injection, t->tid, mask);
	}
}

static void withdraw(struct pf_attach *a, struct member *m)
{
	uint64_t since = own_cpu();
	struct pf_error why;
	int status;

	give_masks_back(m);
	status = pf_inject_withdraw(&m->injection, &why);
	a->counts.cost_ns += own_cpu() - since;
	note_stuck(a, status, &why);
}

void pf_attach_withdraw(struct pf_attach *a)
{
	for (size_t done = 0; done < a->members.count;) {
		for (; done < a->members.count; done++) {
			struct member *m = a->members.at[done];

			if (pf_procfs_start(m->pid) == m->start)
				m->cpu_last = pf_procfs_process_cpu_ns(m->pid);
			reopen(a, m);
			if (m->injection.there)
				withdraw(a, m);
			beat(a);
		}
		search_everywhere(a);
	}
}

const struct pf_attach_counts *pf_attach_counts(const struct pf_attach *attach)
{
	struct pf_attach *a = (struct pf_attach *)attach;
	struct pf_attach_counts *counts = &a->counts;

	counts->cpu_ns = counts->left_out = 0;
	memset(counts->refused_processes, 0, sizeof counts->refused_processes);
	for (size_t i = 0; i < a->members.count; i++) {
		const struct member *m = a->members.at[i];

		counts->cpu_ns += m->cpu_last > m->cpu_first ? m->cpu_last - m->cpu_first : 0;
		if (m->why.code)
			note_left_out(counts, &m->why);
		if (m->refusal != PF_REFUSE_NONE)
			counts->refused_processes[m->refusal]++;
	}
	return counts;
}

void pf_attach_free(struct pf_attach *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->members.count; i++)
		free_member(a->members.at[i]);
	pf_array_fini(&a->members);
	free(a);
}
