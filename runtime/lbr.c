/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See lbr.h.  Each candidate is tried by opening it, since neither the CPU's model nor sysfs says what a hypervisor or
 * the kernel lets through.  Hard case: AMD's first branch sampling (BRS, Zen 3) takes one event only, a fixed period
 * and no frequency, while LBR (Intel, and AMD from Zen 4) takes any event; hence a list and not one name. */
#include "runtime/lbr.h"

#include "runtime/eventname.h"
#include "runtime/ring.h"
#include "runtime/sampler.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A prime, so that loops do not beat with it; perf's documentation and autofdo use about the same. */
#define FIXED_PERIOD 500009u
#define BRANCH_SAMPLE (PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY)
/* Zen 3 BRS: the one event that the kernel takes (amd_brs_hw_config). */
#define RAW_AMD_BRS 0xc4

struct candidate {
	const char *name; /* as perf spells it */
	const char *pfm;  /* for libpfm4; NULL: TYPE and CONFIG say it */
	uint32_t type;
	uint64_t config;
	bool fixed_period;
};

static const struct candidate candidates[] = {
	{ "br_inst_retired.near_taken", "BR_INST_RETIRED:NEAR_TAKEN", 0, 0, false },
	{ "br_inst_exec.taken", "BR_INST_EXEC:TAKEN", 0, 0, false },
	{ "ex_ret_brn_tkn", "RETIRED_TAKEN_BRANCH_INSTRUCTIONS", 0, 0, false },
	{ "branches", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, false },
	{ "cycles", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false },
	/* The last, since Intel would take it for another event. */
	{ "branch-brs", NULL, PERF_TYPE_RAW, RAW_AMD_BRS, true },
};

static int make_attr(struct perf_event_attr *attr, const struct candidate *candidate, uint32_t frequency,
		     struct pf_error *error)
{
	memset(attr, 0, sizeof *attr);
	attr->size = sizeof *attr;
	attr->type = candidate->type;
	attr->config = candidate->config;
	if (candidate->pfm) {
		int status = pf_eventname_encode(attr, candidate->pfm, error);

		if (status < 0)
			return status;
	}
	if (candidate->fixed_period) {
		attr->sample_period = FIXED_PERIOD;
	} else {
		attr->freq = 1;
		attr->sample_freq = frequency;
	}
	attr->sample_type = PERF_SAMPLE_BRANCH_STACK;
	attr->branch_sample_type = BRANCH_SAMPLE;
	pf_sampler_attr_common(attr);
	return PF_OK;
}

/* Opens the event for ourselves and closes it again. */
static int try_attr(const struct perf_event_attr *attr, struct pf_error *error)
{
	struct pf_ring ring;
	int status = pf_ring_open(&ring, attr, 0, -1, error);

	if (status == PF_OK)
		pf_ring_close(&ring);
	return status;
}

static int choose_named(struct perf_event_attr *attr, const char *event, uint32_t frequency, struct pf_error *error)
{
	struct candidate named = { .pfm = event };
	struct pf_error why;
	int status;

	/* A name from our own list is good with perf's spelling too. */
	for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++) {
		if (strcmp(event, candidates[i].name) == 0)
			named = candidates[i];
	}
	status = make_attr(attr, &named, frequency, &why);
	if (status == PF_OK)
		status = try_attr(attr, &why);
	return status == PF_OK ? PF_OK : pf_fail(error, status, "event '%s': %s", event, why.text);
}

static int none_opens(const struct pf_error *last, struct pf_error *error)
{
	if (access("/sys/bus/event_source/devices/cpu", F_OK) != 0 &&
	    access("/sys/bus/event_source/devices/cpu_core", F_OK) != 0)
		return pf_fail(error, PF_EUNSUPPORTED,
			       "the kernel sees no hardware event counters (no /sys/bus/event_source/devices/cpu): "
			       "give the virtual "
			       "machine a PMU (QEMU: -cpu host,pmu=on), or record on hardware");
	return pf_fail(
	    error, PF_EUNSUPPORTED,
	    "no event with branch stacks opens on this CPU: %s; record on a CPU with LBR or BRS, or with --source=soft",
	    last->text);
}

int pf_lbr_choose(struct perf_event_attr *attr, char name[PF_LBR_NAME_SIZE], const char *event, uint32_t frequency,
		  struct pf_error *error)
{
	struct pf_error last = { 0 };

	if (event) {
		snprintf(name, PF_LBR_NAME_SIZE, "%s:u", event);
		return choose_named(attr, event, frequency, error);
	}
	for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++) {
		int status = make_attr(attr, &candidates[i], frequency, &last);

		if (status == PF_OK)
			status = try_attr(attr, &last);
		if (status == PF_OK) {
			snprintf(name, PF_LBR_NAME_SIZE, "%s:u", candidates[i].name);
			return PF_OK;
		}
		/* What forbids one event forbids them all. */
		if (status == PF_EUNSUPPORTED)
			return pf_fail(error, status, "%s", last.text);
	}
	return none_opens(&last, error);
}
