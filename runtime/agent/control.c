/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See control.h.  Hard case: the file may be replaced, cut or written to by anybody who knows its name, so it is looked
 * at by its descriptor, and read before it is mapped. */
#include "runtime/agent/control.h"

#include "runtime/agent/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define SETTINGS offsetof(struct pf_control, next_section) /* all but what agents count */
#define STILL_SECONDS 10u
#define GAP_SECONDS 2u

bool pf_control_settings(const struct pf_control *control, struct pf_settings *settings)
{
	*settings = (struct pf_settings) { .frequency = control->frequency,
					   .branches = control->branches,
					   .overhead_ppm = control->overhead_ppm,
					   .weight = 1,
					   .seed = control->seed,
					   .tsc_khz = control->tsc_khz,
					   .tick_ns = control->tick_ns,
					   .whole = control->whole != 0,
					   .memory = control->memory != 0,
					   .fixed = control->fixed != 0,
					   .values = control->values != 0,
					   .fsgsbase = control->fsgsbase != 0,
					   .xsave = control->xsave != 0,
					   .stream = control->whole != 0 || control->memory != 0,
					   .event_type = control->event_type,
					   .event_config = control->event_config,
					   .event_pace = control->event_pace };
	return settings->branches > 0 && settings->branches <= PF_WIRE_MAX_BRANCHES && settings->frequency > 0 &&
	       settings->frequency <= PF_WIRE_MAX_FREQUENCY && settings->overhead_ppm > 0 &&
	       settings->overhead_ppm <= 1000000u && settings->tsc_khz > 0 && settings->event_pace <= PF_WIRE_MOST_PACE;
}

static bool is_usable(const struct pf_control *control)
{
	struct pf_settings settings;

	return control->magic == PF_WIRE_CONTROL_MAGIC && control->version == PF_WIRE_VERSION &&
	       control->size == sizeof *control && control->state == PF_CONTROL_RECORDING &&
	       pf_control_settings(control, &settings) && pf_wire_layout_valid(&control->layout);
}

static struct pf_control *map(int fd)
{
	struct pf_control seen, *control;
	struct stat st;

	if (PF_SYS2(SYS_fstat, fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size < (off_t)PF_WIRE_PAGE ||
	    PF_SYS4(SYS_pread64, fd, &seen, SETTINGS, 0) != (long)SETTINGS || !is_usable(&seen))
		return NULL;
	control = pf_sys_map(0, PF_WIRE_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
	if (!control || pf_sys_can_write(control))
		return control;
	PF_SYS2(SYS_munmap, control, PF_WIRE_PAGE);
	return NULL;
}

/* A descriptor of the recording in FOLDER, or the negative error. */
static long open_recording(const char *folder)
{
	/* O_PATH: the folder can be passed through by all, but not listed. */
	long at = PF_SYS4(SYS_openat, AT_FDCWD, folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0), fd;

	if (at < 0)
		return at;
	fd = PF_SYS4(SYS_openat, at, PF_WIRE_FILE, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
	PF_SYS1(SYS_close, at);
	return fd;
}

struct pf_control *pf_control_open(const char *folder)
{
	long fd = open_recording(folder);
	struct pf_control *control = fd >= 0 ? map((int)fd) : NULL;

	if (fd >= 0)
		PF_SYS1(SYS_close, fd);
	return control;
}

bool pf_control_is_there(const char *folder)
{
	long fd = open_recording(folder);

	if (fd >= 0)
		PF_SYS1(SYS_close, fd);
	return fd >= 0 || fd == -EMFILE;
}

void pf_control_forsake(void *page)
{
	pf_sys_map((uint64_t)page, PF_WIRE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1);
}

void pf_control_started(struct pf_control *control, uint64_t cpu_ns)
{
	__atomic_fetch_add(&control->starts, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&control->start_ns, cpu_ns, __ATOMIC_RELAXED);
}

void pf_control_refuse(struct pf_control *control, enum pf_refusal reason)
{
	__atomic_fetch_add(&control->refusals[reason], 1, __ATOMIC_RELAXED);
}

void pf_control_spent(struct pf_control *control, uint64_t cpu_ns, uint64_t cost_ns)
{
	__atomic_fetch_add(&control->cpu_ns, cpu_ns, __ATOMIC_RELAXED);
	__atomic_fetch_add(&control->cost_ns, cost_ns, __ATOMIC_RELAXED);
}

bool pf_control_alive(struct pf_pulse *pulse, const struct pf_control *control, uint64_t tsc)
{
	uint32_t heartbeat = __atomic_load_n(&control->heartbeat, __ATOMIC_RELAXED);
	uint64_t second = control->tsc_khz * 1000u, gap = tsc - pulse->last_tsc;

	if (__atomic_load_n(&control->state, __ATOMIC_RELAXED) != PF_CONTROL_RECORDING)
		return false;
	if (control->recorder_pid == 0)
		return true;
	if (!pulse->known || pulse->heartbeat != heartbeat) {
		*pulse = (struct pf_pulse) { .last_tsc = tsc, .heartbeat = heartbeat, .known = true };
		return true;
	}
	/* The call that first sees no change only starts the clock. */
	if (pulse->still_tsc == 0)
		pulse->still_tsc = 1;
	else
		pulse->still_tsc += gap < GAP_SECONDS * second ? gap : GAP_SECONDS * second;
	pulse->last_tsc = tsc;
	return pulse->still_tsc <= STILL_SECONDS * second;
}
