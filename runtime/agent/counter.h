/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A thread's counter of the event that bursts begin by, where the recording has one.  See counter.c. */
#ifndef PF_AGENT_COUNTER_H
#define PF_AGENT_COUNTER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct pf_slot;

/* Of a slot; zeroed: the thread has none. */
struct pf_counter {
	const void *page; /* the kernel's: the event lives as long as it is mapped; NULL: there is none */
	uint64_t step;    /* events a tick */
	uint64_t pace;    /* events in a millisecond, as it was set up for */
	uint64_t stands;  /* events that the next burst stands for, if it begins when it is due */
	uint64_t seen_ns; /* the thread's CPU time when it was last asked for */
	uint64_t events,
	    ns;     /* of the thread's whole life, up to the last tick and the last burst; of late, if it is long */
	bool beats; /* the first tick has been */
	bool rests; /* taken away for an exec that may yet fail */
	bool own;   /* the next tick was made by the recorder's own work in the last burst */
};

/* Are bursts to begin by a counter in this process, as far as it is up to the recorder? */
bool pf_counter_is_wanted(void);
/* Sets one up for the calling thread, whose slot it is; its first tick comes at a random moment.  If the kernel will
 * not, now or whenever a thread's counter is replaced by another, the thread has a timer. */
void pf_counter_start(struct pf_slot *slot);
/* Takes it away; the thread need not be the calling one. */
void pf_counter_stop(struct pf_slot *slot);
/* What can be no more where system calls are about to be forbidden: see to it that ticks are as far apart as usual. */
void pf_counter_prepare(struct pf_slot *slot);
/* It has ticked: is a burst due? */
int pf_counter_tick(struct pf_slot *slot);
/* As pf_thread_wait; false if a timer has taken the counter's place. */
bool pf_counter_wait(struct pf_slot *slot, uint64_t spent, uint64_t floor);
/* Events that a burst stands for which begins now. */
uint64_t pf_counter_stands(const struct pf_slot *slot);

#endif
