/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See trigger.h.  Hard case: a hypervisor that shows counters which stand still, or which count and never interrupt, so
 * the event is tried on our own branches before it is believed. */
#include "runtime/trigger.h"

#include "runtime/agent/wire.h"
#include "runtime/eventname.h"
#include "runtime/ring.h"

#include <linux/perf_event.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>

#define TRIED_BRANCHES 1000000
#define TRIED_PERIOD 10007u
#define RING_BYTES 65536u
#define USUAL_PACE 400000u /* taken branches in a millisecond: one in some eight cycles */
#define CLOCK_PACE 1000000u
#define OTHER_PACE 100u

struct candidate {
	const char *name, *pfm; /* as perf spells it, and as libpfm4 does */
};

static const struct candidate taken[] = {
	{ "br_inst_retired.near_taken", "BR_INST_RETIRED:NEAR_TAKEN" },
	{ "ex_ret_brn_tkn", "RETIRED_TAKEN_BRANCH_INSTRUCTIONS" },
};

static struct perf_event_attr attr_of(uint32_t type, uint64_t config, uint64_t period)
{
	return (struct perf_event_attr) { .size = sizeof(struct perf_event_attr),
					  .type = type,
					  .config = config,
					  .sample_period = period,
					  .sample_type = PERF_SAMPLE_IP,
					  .disabled = 1,
					  .exclude_kernel = 1,
					  .exclude_hv = 1 };
}

static int count_sample(void *context, const void *records, size_t size, struct pf_error *error)
{
	(void)records;
	(void)error;
	*(size_t *)context += size;
	return PF_OK;
}

/* Does it interrupt for branches of ours? */
static int try_branches(struct pf_ring *ring, struct pf_error *error)
{
	struct pollfd look = { .fd = ring->fd, .events = POLLIN };
	size_t bytes = 0;
	int status = pf_ring_map(ring, RING_BYTES, error);

	if (status < 0)
		return status;
	ioctl(ring->fd, PERF_EVENT_IOC_ENABLE, 0);
	for (volatile int i = 0; i < TRIED_BRANCHES; i++)
		continue;
	ioctl(ring->fd, PERF_EVENT_IOC_DISABLE, 0);
	poll(&look, 1, 0);
	status = pf_ring_drain(ring, count_sample, &bytes, error);
	if (status == PF_OK && bytes == 0)
		status = pf_fail(error, PF_ENOTFOUND, "it opens but does not count: the hypervisor's PMU stands still");
	return status;
}

static int try_candidate(struct pf_trigger *trigger, const struct candidate *candidate, struct pf_error *error)
{
	struct perf_event_attr attr = attr_of(0, 0, TRIED_PERIOD);
	struct pf_ring ring;
	int status = pf_eventname_encode(&attr, candidate->pfm, error);

	if (status == PF_OK)
		status = pf_ring_open(&ring, &attr, 0, -1, error);
	if (status < 0)
		return status;
	status = try_branches(&ring, error);
	pf_ring_close(&ring);
	if (status < 0)
		return status;
	*trigger = (struct pf_trigger) { .type = attr.type, .config = attr.config, .pace = USUAL_PACE };
	snprintf(trigger->name, sizeof trigger->name, "%s", candidate->name);
	snprintf(trigger->text, sizeof trigger->text, "taken branches (%s)", candidate->name);
	return PF_OK;
}

/* An event tells its thread by SIGTRAP, which before Linux 6.1 ended a program that blocked it: see counter.c. */
static int check_kernel(struct pf_error *error)
{
	struct utsname name = { 0 };
	unsigned int major = 0, minor = 0;

	uname(&name);
	sscanf(name.release, "%u.%u", &major, &minor);
	if (major > 6 || (major == 6 && minor >= 1))
		return PF_OK;
	return pf_fail(error, PF_EUNSUPPORTED, "that needs Linux 6.1 or later, and this is %.64s", name.release);
}

static int choose_branches(struct pf_trigger *trigger, struct pf_error *error)
{
	int status = check_kernel(error);

	if (status < 0)
		return status;
	status = PF_ENOTFOUND;
	/* What forbids one event forbids them all. */
	for (size_t i = 0; i < sizeof taken / sizeof *taken && status != PF_OK && status != PF_EUNSUPPORTED; i++)
		status = try_candidate(trigger, &taken[i], error);
	return status;
}

static void choose_timer(struct pf_trigger *trigger, const char *why)
{
	*trigger = (struct pf_trigger) { .text = "CPU timer" };
	snprintf(trigger->why, sizeof trigger->why, "%.*s", PF_TRIGGER_WHY - 1, why);
}

static int choose_named(struct pf_trigger *trigger, const char *name, struct pf_error *error)
{
	struct perf_event_attr attr = attr_of(0, 0, TRIED_PERIOD);
	struct pf_error why;
	struct pf_ring ring;
	int status = pf_eventname_encode(&attr, name, &why);

	if (status == PF_OK)
		status = check_kernel(&why);
	if (status == PF_OK && strlen(name) >= sizeof trigger->name)
		status = pf_fail(&why, PF_ENOTFOUND, "its name is too long");
	if (status == PF_OK)
		status = pf_ring_open(&ring, &attr, 0, -1, &why);
	if (status < 0)
		return pf_fail(error, status, "bursts cannot begin by '%s': %s", name, why.text);
	pf_ring_close(&ring);
	*trigger = (struct pf_trigger) { .type = attr.type, .config = attr.config, .pace = OTHER_PACE };
	if (attr.type == PERF_TYPE_SOFTWARE && attr.config <= PERF_COUNT_SW_TASK_CLOCK)
		trigger->pace = CLOCK_PACE;
	else if (attr.type != PERF_TYPE_SOFTWARE)
		trigger->pace = USUAL_PACE;
	snprintf(trigger->name, sizeof trigger->name, "%s", name);
	snprintf(trigger->text, sizeof trigger->text, "%s", name);
	return PF_OK;
}

int pf_trigger_choose(struct pf_trigger *trigger, const char *wanted, struct pf_error *error)
{
	struct pf_error why = { 0 };
	int status;

	if (!wanted || strcmp(wanted, "timer") == 0) {
		choose_timer(trigger, "");
		return PF_OK;
	}
	if (strcmp(wanted, "auto") != 0 && strcmp(wanted, "branches") != 0)
		return choose_named(trigger, wanted, error);
	status = choose_branches(trigger, &why);
	if (status == PF_OK)
		return PF_OK;
	if (strcmp(wanted, "branches") == 0)
		return pf_fail(error, status, "bursts cannot begin by taken branches: %s", why.text);
	choose_timer(trigger, why.text);
	return PF_OK;
}
