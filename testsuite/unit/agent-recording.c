/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process's section: what is in the file afterwards, read by its bytes; forked children that could not open any file
 * any more; and what the recording takes of the address space and of memory. */
#include "perfdata/vectors.h"
#include "runtime/agent/section.h"
#include "runtime/harvest.h"
#include "runtime/keeper.h"
#include "testsuite/unit/suite.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LIMIT (32ull << 20)
#define BRANCHES 1024u

static char folder[64];
static int keeper;
static struct pf_control *control;
static struct pf_recording recording;

static void begin(uint64_t limit)
{
	struct pf_keeper_settings settings = {
		.frequency = 100, .branches = BRANCHES, .budget_ppm = 10000, .limit = limit, .for_all = true
	};
	struct pf_error error;

	strcpy(folder, "/tmp/agent-recording.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	keeper = pf_keeper_make(folder, &settings, &error);
	ck_assert_msg(keeper >= 0, "%s", error.text);
	control = pf_control_open(folder);
	ck_assert_ptr_nonnull(control);
	recording = (struct pf_recording) { 0 };
}

static void set_up(void)
{
	begin(LIMIT);
}

static void tear_down(void)
{
	char path[96];

	pf_recording_leave(&recording);
	munmap(control, PF_WIRE_PAGE);
	close(keeper);
	snprintf(path, sizeof path, "%s/" PF_WIRE_FILE, folder);
	remove(path);
	rmdir(folder);
}

/* SIZE bytes at OFFSET of section NUMBER, from the file. */
static void read_file(uint64_t number, void *to, size_t size, uint64_t offset)
{
	const struct pf_wire_layout *layout = &control->layout;

	ck_assert_int_eq(pread(keeper, to, size, (off_t)(layout->first + number * layout->section_size + offset)),
			 (ssize_t)size);
}

static uint32_t add_edge(uint64_t from)
{
	struct pf_wire_edge edge = { from, from + 16, 4, PF_NO_MAP, PF_NO_MAP, PF_EDGE_COND };

	return pf_recording_edge(&recording, &edge);
}

static void add_burst(uint32_t tid, uint64_t from)
{
	struct pf_wire_burst burst = { .tid = tid, .edge_count = 3, .time_ns = 5, .period = 7 };
	uint32_t id = add_edge(from), ids[3] = { id, id, id };

	pf_recording_burst(&recording, &burst, ids);
}

/* Kept, and not counted. */
static void add_timing(uint64_t from)
{
	struct pf_wire_burst timing = { .tid = 1, .edge_count = 1, .native_ns = 9 };
	uint32_t id = add_edge(from);

	pf_recording_burst(&recording, &timing, &id);
}

START_TEST(what_is_recorded_is_in_the_file)
{
	struct pf_wire_map map = { .start = 0x1000, .end = 0x2000, .pgoff = 0x3000, .time_ns = 17 }, other = map, seen;
	struct pf_wire_header header;
	struct pf_wire_edge edge;
	struct {
		struct pf_wire_burst burst;
		uint32_t ids[4];
	} burst;
	static const char program[] = "/bin/worker";
	char exe[sizeof program], text[16];

	other.start = 0;
	ck_assert_int_eq(pf_recording_start(&recording, control, "/bin/worker", 1), PF_REFUSE_NONE);
	ck_assert_uint_eq(pf_recording_map(&recording, &map, "/lib/a.so"), 0);
	ck_assert_uint_eq(pf_recording_map(&recording, &other, "/lib/a.so"), 1);
	ck_assert_uint_eq(pf_recording_map(&recording, &map, "/lib/b.so"), 2);
	ck_assert_uint_eq(pf_recording_map(&recording, &map, "/lib/a.so"), 0);
	ck_assert_uint_eq(add_edge(0x1010), 0);
	ck_assert_uint_eq(add_edge(0x1020), 1);
	ck_assert_uint_eq(add_edge(0x1010), 0);
	add_burst(99, 0x1020);
	add_timing(0x1020);

	read_file(0, &header, sizeof header, 0);
	ck_assert_uint_eq(header.magic, PF_WIRE_MAGIC);
	ck_assert_uint_eq(header.pid, (uint32_t)getpid());
	ck_assert_uint_eq(header.ppid, (uint32_t)getppid());
	ck_assert_uint_eq(header.maps_used, 3);
	ck_assert_uint_eq(header.edges_used, 2);
	ck_assert_uint_eq(header.bursts, 1);
	ck_assert_uint_eq(header.branches_recorded, 3);
	ck_assert_uint_eq(header.ends[PF_END_LENGTH], 1);
	read_file(0, exe, sizeof exe, control->layout.strings.offset);
	ck_assert_mem_eq(exe, program, sizeof exe);
	/* The path of the executable, and each library's path once. */
	ck_assert_uint_eq(header.strings_used, sizeof program + 2 * sizeof "/lib/a.so");
	read_file(0, &seen, sizeof seen, control->layout.maps.offset + 2 * sizeof seen);
	ck_assert_uint_eq(seen.time_ns, 17);
	read_file(0, text, 10, control->layout.strings.offset + seen.path);
	ck_assert_str_eq(text, "/lib/b.so");
	read_file(0, &edge, sizeof edge, control->layout.edges.offset + sizeof edge);
	ck_assert_uint_eq(edge.from, 0x1020);
	read_file(0, &burst, sizeof burst, control->layout.chunks.offset);
	ck_assert_uint_eq(burst.burst.tid, 99);
	ck_assert_uint_eq(burst.burst.period, 7);
	for (int i = 0; i < 3; i++)
		ck_assert_uint_eq(burst.ids[i], 1);
}
END_TEST

START_TEST(edges_beyond_the_table_are_counted)
{
	uint64_t capacity;

	tear_down();
	begin(4096);
	ck_assert_int_eq(pf_recording_start(&recording, control, "/bin/worker", 1), PF_REFUSE_NONE);
	capacity = control->layout.edges.capacity;
	for (uint64_t i = 0; i < capacity; i++)
		ck_assert_uint_eq(add_edge(i * 32), i);
	ck_assert_uint_eq(add_edge(capacity * 32), PF_NO_EDGE);
	ck_assert_uint_eq(add_edge(capacity * 32 + 32), PF_NO_EDGE);
	for (uint64_t i = 0; i < capacity; i += 7)
		ck_assert_uint_eq(add_edge(i * 32), i);
	ck_assert_uint_eq(recording.header->lost_branches, 2);
}
END_TEST

START_TEST(a_small_limit_still_holds_48_bursts)
{
	tear_down();
	begin(4096);
	ck_assert_int_eq(pf_recording_start(&recording, control, "/bin/worker", 1), PF_REFUSE_NONE);
	ck_assert_uint_eq(control->layout.chunks.capacity, 48);
	ck_assert_uint_ge(control->layout.chunk_size, 40 + 4 * BRANCHES);
}
END_TEST

/* The file is cut short of what is written first, as where the disk is full: there is no signal, and no recording. */
START_TEST(without_room_nothing_is_begun)
{
	const struct pf_wire_layout *layout = &control->layout;

	ck_assert_int_eq(ftruncate(keeper, PF_WIRE_PAGE), 0);
	ck_assert_int_eq(pf_recording_start(&recording, control, "/bin/worker", 1), PF_REFUSE_MEMORY);
	ck_assert_int_eq(ftruncate(keeper, (off_t)(layout->first + layout->section_size + layout->strings.offset)), 0);
	ck_assert_int_eq(pf_recording_start(&recording, control, "/bin/worker", 1), PF_REFUSE_MEMORY);
	ck_assert_ptr_null(recording.header);
	ck_assert_uint_eq(control->next_section, 2);
}
END_TEST

/* Everything is taken from the child that it could open a file with: descriptors, environment, user, root folder. */
static void strip_child(void)
{
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	clearenv();
	if (geteuid() == 0 && (chroot("/proc/self/fdinfo") != 0 || setgid(65534) != 0 || setuid(65534) != 0))
		_exit(50);
}

static int run_child(void (*work)(void))
{
	int status;
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		work();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 0);
	return pid;
}

static void record_stripped(void)
{
	const struct pf_wire_header *parents = recording.header;
	unsigned char resident;

	strip_child();
	/* The parent's section is not mapped here. */
	if (mincore((void *)parents, 4096, &resident) == 0 || errno != ENOMEM)
		_exit(2);
	recording = (struct pf_recording) { 0 };
	if (pf_recording_start(&recording, control, "/bin/worker", 1) != PF_REFUSE_NONE)
		_exit(1);
	add_burst(2, 0x5000);
	add_burst(2, 0x6000);
}

START_TEST(a_stripped_child_has_a_section)
{
	struct pf_wire_header header;
	char ours[64], theirs[64];
	struct pf_wire_edge edge;
	int pid;

	ck_assert_int_eq(pf_recording_start(&recording, control, "/bin/worker", 1), PF_REFUSE_NONE);
	add_burst(1, 0x1000);
	pid = run_child(record_stripped);
	read_file(1, &header, sizeof header, 0);
	ck_assert_uint_eq(header.magic, PF_WIRE_MAGIC);
	ck_assert_uint_eq(header.pid, (uint32_t)pid);
	ck_assert_uint_eq(header.ppid, (uint32_t)getpid());
	ck_assert_uint_eq(header.bursts, 2);
	ck_assert_uint_eq(header.edges_used, 2);
	read_file(1, &edge, sizeof edge, control->layout.edges.offset);
	ck_assert_uint_eq(edge.from, 0x5000);
	read_file(0, ours, sizeof ours, control->layout.strings.offset);
	read_file(1, theirs, sizeof theirs, control->layout.strings.offset);
	ck_assert_mem_eq(ours, theirs, sizeof ours);
	/* The parent's is as it was. */
	read_file(0, &header, sizeof header, 0);
	ck_assert_uint_eq(header.bursts, 1);
	ck_assert_uint_eq(header.edges_used, 1);
	add_burst(1, 0x2000);
	ck_assert_uint_eq(recording.header->bursts, 2);
}
END_TEST

/* The parent has not recorded before the fork; the child starts by itself, with nothing but the control page. */
static void start_stripped(void)
{
	strip_child();
	if (pf_recording_start(&recording, control, "/bin/worker", 1) != PF_REFUSE_NONE)
		_exit(1);
	add_burst(3, 0x7000);
}

START_TEST(a_stripped_child_can_start)
{
	struct pf_wire_header header;
	int pid = run_child(start_stripped);

	read_file(0, &header, sizeof header, 0);
	ck_assert_uint_eq(header.pid, (uint32_t)pid);
	ck_assert_uint_eq(header.bursts, 1);
}
END_TEST

static void be_refused(void)
{
	control->next_section = control->layout.sections;
	recording = (struct pf_recording) { 0 };
	if (pf_recording_start(&recording, control, "/bin/worker", 1) != PF_REFUSE_FULL || recording.header)
		_exit(1);
	add_burst(4, 0x8000);
	if (add_edge(0x9000) != PF_NO_EDGE)
		_exit(3);
}

START_TEST(a_refused_child_writes_nothing)
{
	struct pf_wire_header before, after;

	ck_assert_int_eq(pf_recording_start(&recording, control, "/bin/worker", 1), PF_REFUSE_NONE);
	read_file(0, &before, sizeof before, 0);
	run_child(be_refused);
	read_file(0, &after, sizeof after, 0);
	ck_assert_mem_eq(&before, &after, sizeof before);
}
END_TEST

/* Records until it is killed, and thins at every burst but the first ones: no faster than a thread's timer ticks at 100
 * Hz, as a reader on a slow machine must come to an end between two of them. */
static void record_for_ever(void)
{
	static const struct timespec pause = { 0, 10000000 };
	static uint32_t ids[BRANCHES];

	if (pf_recording_start(&recording, control, "/bin/worker", 1) != PF_REFUSE_NONE)
		_exit(1);
	for (uint64_t i = 0;; i++) {
		struct pf_wire_burst burst = { .edge_count = BRANCHES, .time_ns = i };

		ids[i % BRANCHES] = add_edge(0x1000 + i % 1000 * 32);
		pf_recording_burst(&recording, &burst, ids);
		nanosleep(&pause, NULL);
	}
}

/* Whatever the process does at the moment, what is read is whole; and so it is after it was killed. */
START_TEST(a_living_process_can_be_read)
{
	struct pf_wire_header header = { 0 };
	struct pf_harvest h = { 0 };
	pid_t pid;

	tear_down();
	begin(4096);
	pid = fork();
	if (pid == 0)
		record_for_ever();
	while (header.bursts < 200)
		if (pread(keeper, &header, sizeof header, (off_t)control->layout.first) < 0)
			break;
	for (int i = 0; i < 20; i++) {
		ck_assert_int_eq(pf_harvest_file(&h, keeper, "NAME", NULL, NULL, NULL), PF_OK);
		ck_assert_msg(h.damaged == 0, "%s", h.damages[0]);
		/* 48 chunks of one burst each, of which one is free, and one is being filled. */
		ck_assert_uint_ge(h.vectors.burst_count, 46);
		ck_assert_uint_le(h.vectors.burst_count, 47);
		pf_harvest_fini(&h);
		if (i == 18)
			ck_assert_int_eq(kill(pid, SIGKILL), 0);
	}
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}
END_TEST

/* "VmSize:" and its like of this process, in kB. */
static long own_size(const char *key)
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[256];
	long value = -1;

	while (file && fgets(line, sizeof line, file))
		if (strncmp(line, key, strlen(key)) == 0)
			value = atol(line + strlen(key));
	ck_assert_ptr_nonnull(file);
	fclose(file);
	return value;
}

START_TEST(it_takes_40_MB_of_addresses_and_little_memory)
{
	long size = own_size("VmSize:"), taken;
	struct stat st;

	ck_assert_int_eq(pf_recording_start(&recording, control, "/bin/worker", 1), PF_REFUSE_NONE);
	for (uint64_t i = 0; i < 100; i++)
		add_burst(1, i * 32);
	taken = own_size("VmSize:") - size;
	ck_assert_int_gt(taken, LIMIT >> 10);
	ck_assert_int_lt(taken, 40000);
	ck_assert_int_eq(fstat(keeper, &st), 0);
	/* The control page, header, strings, mappings, edges, table, vectors: a page or two each. */
	ck_assert_int_lt(st.st_blocks * 512, 128 << 10);
	pf_recording_leave(&recording);
	ck_assert_int_lt(own_size("VmSize:") - size, 1000);
}
END_TEST

/* With all memory locked, the way to a far section must not fetch what lies before it. */
START_TEST(locked_memory_costs_nothing_more)
{
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	struct stat st;

	setrlimit(RLIMIT_MEMLOCK, &all);
	if (mlock(control, PF_WIRE_PAGE) != 0)
		ck_abort_msg("not even a page can be locked: %s", strerror(errno));
	control->next_section = 1000;
	ck_assert_int_eq(pf_recording_start(&recording, control, "/bin/worker", 1), PF_REFUSE_NONE);
	add_burst(1, 0x1000);
	ck_assert_int_eq(fstat(keeper, &st), 0);
	ck_assert_int_lt(st.st_blocks * 512, 128 << 10);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		what_is_recorded_is_in_the_file,     edges_beyond_the_table_are_counted,
		a_small_limit_still_holds_48_bursts, a_stripped_child_has_a_section,
		a_stripped_child_can_start,          a_refused_child_writes_nothing,
		a_living_process_can_be_read,        it_takes_40_MB_of_addresses_and_little_memory,
		locked_memory_costs_nothing_more,    without_room_nothing_is_begun
	};
	TCase *cases = tcase_create("agent-recording");

	tcase_add_checked_fixture(cases, set_up, tear_down);
	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
		tcase_add_test(cases, tests[i]);
	return run_case("agent-recording", cases);
}
