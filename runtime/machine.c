/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See machine.h.  Hard case: most of what is asked for is missing somewhere (no /proc/sys/kernel/yama, no sysfs in a
 * container), and missing is an answer too. */
#include "runtime/machine.h"

#include "runtime/ring.h"
#include "runtime/trigger.h"

#include <cpuid.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define HWCAP2_FSGSBASE_BIT 2ul /* of AT_HWCAP2 */

static void trim(char *text)
{
	text[strcspn(text, "\n")] = 0;
}

/* The first line of PATH, or NONE. */
static void first_line(char value[PF_MACHINE_VALUE], const char *path, const char *none)
{
	FILE *file = fopen(path, "re");

	if (!file || !fgets(value, PF_MACHINE_VALUE, file))
		snprintf(value, PF_MACHINE_VALUE, "%s", none);
	if (file)
		fclose(file);
	trim(value);
}

/* The value of the first line of PATH that begins with KEY; what follows the colon.  Empty if there is none. */
static void field_of(char value[PF_MACHINE_VALUE], const char *path, const char *key)
{
	char line[4096];
	FILE *file = fopen(path, "re");

	value[0] = 0;
	while (file && !value[0] && fgets(line, sizeof line, file)) {
		const char *colon = strchr(line, ':');

		if (strncmp(line, key, strlen(key)) == 0 && colon) {
			snprintf(value, PF_MACHINE_VALUE, "%s", colon + 1 + strspn(colon + 1, " \t"));
			trim(value);
		}
	}
	if (file)
		fclose(file);
}

static void fact_cpu(char value[PF_MACHINE_VALUE])
{
	char name[PF_MACHINE_VALUE], vendor[PF_MACHINE_VALUE], family[PF_MACHINE_VALUE], model[PF_MACHINE_VALUE];

	field_of(vendor, "/proc/cpuinfo", "vendor_id");
	field_of(family, "/proc/cpuinfo", "cpu family");
	field_of(model, "/proc/cpuinfo", "model\t");
	field_of(name, "/proc/cpuinfo", "model name");
	snprintf(value, PF_MACHINE_VALUE, "%.200s (%.40s family %.8s model %.8s), %ld online", name, vendor, family,
		 model, sysconf(_SC_NPROCESSORS_ONLN));
}

static void fact_virtual(char value[PF_MACHINE_VALUE])
{
	static const char *const names[][2] = { { "KVMKVMKVM", "KVM" },       { "Microsoft Hv", "Hyper-V" },
						{ "VMwareVMware", "VMware" }, { "XenVMMXenVMM", "Xen" },
						{ "TCGTCGTCGTCG", "QEMU" },   { "", "an unnamed hypervisor" } };
	unsigned a, b, c, d;
	const char *name;
	char vendor[13] = "";

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 31)) {
		strcpy(value, "no");
		return;
	}
	__cpuid(0x40000000, a, b, c, d);
	memcpy(vendor, &b, 4);
	memcpy(vendor + 4, &c, 4);
	memcpy(vendor + 8, &d, 4);
	name = vendor;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (strcmp(vendor, names[i][0]) == 0)
			name = names[i][1];
	}
	snprintf(value, PF_MACHINE_VALUE, "yes, by %s", name);
}

static void fact_container(char value[PF_MACHINE_VALUE])
{
	if (access("/.dockerenv", F_OK) == 0)
		strcpy(value, "yes, docker");
	else if (access("/run/.containerenv", F_OK) == 0)
		strcpy(value, "yes, podman");
	else
		first_line(value, "/run/systemd/container", "none seen");
}

static void fact_kernel(char value[PF_MACHINE_VALUE])
{
	struct utsname name;

	if (uname(&name) == 0)
		snprintf(value, PF_MACHINE_VALUE, "%.64s %.64s %.64s", name.sysname, name.release, name.machine);
	else
		strcpy(value, "unknown");
}

static void fact_paranoid(char value[PF_MACHINE_VALUE])
{
	int level = pf_ring_paranoid();

	if (level == INT_MIN)
		strcpy(value, "none: this kernel has no perf events");
	else
		snprintf(value, PF_MACHINE_VALUE, "%d%s", level,
			 geteuid() == 0 ? " (root: does not matter)"
			 : level > 2    ? " (forbids all; 'sudo sysctl kernel.perf_event_paranoid=2')"
					: " (user space may be recorded)");
}

static void fact_rate(char value[PF_MACHINE_VALUE])
{
	first_line(value, "/proc/sys/kernel/perf_event_max_sample_rate", "unknown");
}

static void fact_hardware(char value[PF_MACHINE_VALUE])
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.size = sizeof attr,
					.config = PERF_COUNT_HW_CPU_CYCLES,
					.disabled = 1,
					.exclude_kernel = 1,
					.exclude_hv = 1 };
	struct pf_error error;
	struct pf_ring ring;

	if (pf_ring_open(&ring, &attr, 0, -1, &error) < 0) {
		snprintf(value, PF_MACHINE_VALUE, "none: %.400s", error.text);
		return;
	}
	pf_ring_close(&ring);
	strcpy(value, "yes, cycles can be counted");
}

static void fact_branches(char value[PF_MACHINE_VALUE])
{
	char entries[PF_MACHINE_VALUE];

	first_line(entries, "/sys/bus/event_source/devices/cpu/caps/branches", "");
	if (*entries)
		snprintf(value, PF_MACHINE_VALUE, "%.16s entries", entries);
	else
		strcpy(value, "none announced by the kernel");
}

bool pf_machine_has_fsgsbase(void)
{
	return getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE_BIT;
}

bool pf_machine_has_xsave(void)
{
	unsigned int a, b, c, d;

	return __get_cpuid(1, &a, &b, &c, &d) && c & bit_OSXSAVE;
}

static void fact_fsgsbase(char value[PF_MACHINE_VALUE])
{
	strcpy(value, pf_machine_has_fsgsbase() ? "yes" : "no");
}

/* The coarse clocks advance with the tick. */
uint32_t pf_machine_tick(void)
{
	struct timespec tick;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) != 0 || tick.tv_sec != 0 || tick.tv_nsec <= 0)
		return 0;
	return (uint32_t)((1000000000 + tick.tv_nsec / 2) / tick.tv_nsec);
}

static void fact_tick(char value[PF_MACHINE_VALUE])
{
	uint32_t tick = pf_machine_tick();

	if (tick)
		snprintf(value, PF_MACHINE_VALUE,
			 "%u Hz: by the CPU timer soft takes at most %u bursts in a second of a thread", tick, tick);
	else
		strcpy(value, "unknown");
}

static void fact_trigger(char value[PF_MACHINE_VALUE])
{
	struct pf_trigger trigger;
	struct pf_error error;

	if (pf_trigger_choose(&trigger, "auto", &error) < 0)
		snprintf(value, PF_MACHINE_VALUE, "%.*s", PF_MACHINE_VALUE - 1, error.text);
	else
		snprintf(value, PF_MACHINE_VALUE, "%s%s%.300s", trigger.text,
			 *trigger.why ? "; taken branches cannot be counted: " : "", trigger.why);
}

static void fact_shadow_stack(char value[PF_MACHINE_VALUE])
{
	char features[PF_MACHINE_VALUE];

	field_of(features, "/proc/self/status", "x86_Thread_features:");
	strcpy(value,
	       strstr(features, "shstk") ? "on for this process: threads with it are not recorded by soft" : "off");
}

static void fact_rseq(char value[PF_MACHINE_VALUE])
{
	/* An impossible registration: the kernel that knows the call says EINVAL. */
	long status = syscall(SYS_rseq, NULL, 0u, -1, 0u);

	strcpy(value, status < 0 && errno == ENOSYS ? "no" : "yes");
}

static void fact_ptrace(char value[PF_MACHINE_VALUE])
{
	char scope[PF_MACHINE_VALUE];

	first_line(scope, "/proc/sys/kernel/yama/ptrace_scope", "");
	if (*scope)
		snprintf(value, PF_MACHINE_VALUE, "yama ptrace_scope %.8s%s", scope,
			 strcmp(scope, "0") == 0 ? "" : " (own children only, or less)");
	else
		strcpy(value, "not limited by yama");
}

size_t pf_machine_facts(struct pf_fact facts[PF_MACHINE_FACTS])
{
	static const struct {
		const char *name;
		void (*find)(char value[PF_MACHINE_VALUE]);
	} finders[] = {
		{ "cpu", fact_cpu },
		{ "virtualised", fact_virtual },
		{ "container", fact_container },
		{ "kernel", fact_kernel },
		{ "perf_event_paranoid", fact_paranoid },
		{ "max_sample_rate", fact_rate },
		{ "hardware_events", fact_hardware },
		{ "branch_stack", fact_branches },
		{ "fsgsbase", fact_fsgsbase },
		{ "tick", fact_tick },
		{ "bursts_begun_by", fact_trigger },
		{ "shadow_stack", fact_shadow_stack },
		{ "rseq", fact_rseq },
		{ "ptrace", fact_ptrace },
	};
	size_t count = sizeof finders / sizeof finders[0];

	_Static_assert(sizeof finders / sizeof finders[0] == PF_MACHINE_FACTS, "the header's number");
	for (size_t i = 0; i < count; i++) {
		facts[i].name = finders[i].name;
		finders[i].find(facts[i].value);
	}
	return count;
}
