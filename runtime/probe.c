/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See probe.h.  Hard case: what a machine announces and what it does differ (a hypervisor that shows a PMU whose
 * counters stand still, a container that forbids a system call), so nothing is believed that was not tried. */
#include "runtime/probe.h"

#include "runtime/harvest.h"
#include "runtime/launch.h"
#include "runtime/lbr.h"
#include "runtime/ring.h"
#include "runtime/sampler.h"
#include "runtime/session.h"
#include "runtime/soft.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#define PROBE_FREQUENCY 1000
#define SPIN_NS 20000000u
#define RING_BYTES 65536u

static void works_not(struct pf_probe *probe, const struct pf_error *error)
{
	probe->works = false;
	snprintf(probe->text, sizeof probe->text, "%s", error->text);
}

/* Uses CPU time, for something to be sampled. */
static void spin(void)
{
	struct timespec t = { 0 }, start;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
	do {
		/* Mostly in user space, where the samples are taken. */
		for (volatile int i = 0; i < 100000; i++)
			continue;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while ((t.tv_sec - start.tv_sec) * 1000000000l + t.tv_nsec - start.tv_nsec < (long)SPIN_NS);
}

static int count_samples(void *context, const void *records, size_t size, struct pf_error *error)
{
	uint64_t *samples = context;

	(void)error;
	for (size_t at = 0; at < size;) {
		struct perf_event_header header;

		memcpy(&header, (const char *)records + at, sizeof header);
		*samples += header.type == PERF_RECORD_SAMPLE;
		at += header.size;
	}
	return PF_OK;
}

/* Samples this process with ATTR and counts. */
static int sample_self(struct perf_event_attr attr, uint64_t *samples, struct pf_error *error)
{
	struct pf_ring ring;
	int status;

	/* An event that is not bound to a CPU has a ring only if it is not inherited. */
	attr.inherit = 0;
	attr.enable_on_exec = 0;
	attr.wakeup_watermark = RING_BYTES / 2;
	*samples = 0;
	status = pf_ring_open(&ring, &attr, 0, -1, error);
	if (status < 0)
		return status;
	status = pf_ring_map(&ring, RING_BYTES, error);
	if (status == PF_OK) {
		ioctl(ring.fd, PERF_EVENT_IOC_ENABLE, 0);
		spin();
		ioctl(ring.fd, PERF_EVENT_IOC_DISABLE, 0);
		status = pf_ring_drain(&ring, count_samples, samples, error);
	}
	pf_ring_close(&ring);
	return status;
}

void pf_probe_lbr(struct pf_probe *probe)
{
	struct perf_event_attr attr;
	char name[PF_LBR_NAME_SIZE];
	struct pf_error error;
	uint64_t samples;

	if (pf_lbr_choose(&attr, name, NULL, PROBE_FREQUENCY, &error) < 0 || sample_self(attr, &samples, &error) < 0) {
		works_not(probe, &error);
		return;
	}
	probe->works = samples > 0;
	if (probe->works)
		snprintf(probe->text, sizeof probe->text, "%s, %" PRIu64 " branch stacks in 20 ms", name, samples);
	else
		snprintf(probe->text, sizeof probe->text,
			 "%s opens but gave no sample in 20 ms: the hypervisor's PMU does not count; record with "
			 "--source=soft, or on hardware",
			 name);
}

void pf_probe_clock(struct pf_probe *probe)
{
	struct perf_event_attr attr;
	struct pf_error error;
	uint64_t samples;

	pf_sampler_attr_clock(&attr, PROBE_FREQUENCY);
	if (sample_self(attr, &samples, &error) < 0) {
		works_not(probe, &error);
		return;
	}
	probe->works = samples > 0;
	if (probe->works)
		snprintf(probe->text, sizeof probe->text, "cpu-clock:u, %" PRIu64 " samples in 20 ms", samples);
	else
		snprintf(probe->text, sizeof probe->text,
			 "cpu-clock:u opens but gave no sample in 20 ms: run 'sudo sysctl "
			 "kernel.perf_event_max_sample_rate=100000'");
}

/* What the shell loop under the agent left behind. */
static int judge(const struct pf_harvest *h, struct pf_probe *probe, struct pf_error *error)
{
	for (int i = 1; i < PF_REFUSE_COUNT; i++) {
		if (h->refusals[i] || h->control.refusals[i])
			return pf_fail(error, PF_EUNSUPPORTED, "the recorder library refused to record: %s",
				       pf_session_refusal(i));
	}
	if (h->control.starts == 0 && h->vectors.process_count == 0)
		return pf_fail(error, PF_EEMPTY,
			       "the recorder library left no recording of /bin/sh: is /bin/sh static?");
	if (h->vectors.burst_count == 0)
		return pf_fail(error, PF_EEMPTY,
			       "the recorder library was loaded but took no burst: the thread CPU-time timer does not "
			       "fire here; use --source=clock");
	probe->works = true;
	snprintf(probe->text, sizeof probe->text, "%" PRIu64 " bursts, %" PRIu64 " branches from a shell loop",
		 h->vectors.burst_count, h->branches);
	return PF_OK;
}

static int run_loop(const struct pf_soft *soft, struct pf_error *error)
{
	char *const argv[] = { "sh", "-c", "i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done", NULL };
	struct pf_launch launch;
	int status = pf_launch_init(&launch, error);

	if (status < 0)
		return status;
	status = pf_launch_start(&launch, "/bin/sh", argv, soft->environment, error);
	if (status == PF_OK)
		status = pf_launch_release(&launch, error);
	if (status == PF_OK)
		pf_launch_wait(&launch, -1);
	if (status == PF_OK && launch.wait_status != 0)
		status = pf_fail(error, PF_EUNSUPPORTED,
				 "/bin/sh fails under the recorder library (wait status 0x%x); please report it",
				 (unsigned)launch.wait_status);
	pf_launch_fini(&launch);
	return status;
}

static int try_soft(struct pf_probe *probe, struct pf_error *error)
{
	const struct pf_soft_options options = {
		.frequency = PROBE_FREQUENCY, .branches = 1024, .budget_ppm = 1000000, .limit = 1 << 20
	};
	struct pf_harvest h = { 0 };
	struct pf_soft soft = { .lock = -1, .file = -1 };
	char agent[PATH_MAX];
	int status;

	status = pf_soft_find_agent(agent, error);
	if (status == PF_OK)
		status = pf_soft_init(&soft, agent, &options, error);
	if (status == PF_OK)
		status = run_loop(&soft, error);
	if (status == PF_OK)
		status = pf_harvest_file(&h, soft.file, soft.inner, NULL, NULL, error);
	if (status == PF_OK)
		status = judge(&h, probe, error);
	pf_harvest_fini(&h);
	pf_soft_fini(&soft);
	return status;
}

void pf_probe_soft(struct pf_probe *probe)
{
	struct pf_error error;

	if (try_soft(probe, &error) < 0)
		works_not(probe, &error);
}
