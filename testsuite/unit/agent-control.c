/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The control page: what is taken for one, what is not, and when the recorder counts as gone. */
#include "runtime/agent/control.h"
#include "runtime/keeper.h"
#include "testsuite/unit/suite.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64], path[96];
static int keeper;

static void set_up(void)
{
	struct pf_keeper_settings settings = {
		.frequency = 100, .branches = 1024, .budget_ppm = 10000, .recorder_pid = 1, .limit = 1 << 20, .seed = 42
	};
	struct pf_error error;

	strcpy(folder, "/tmp/agent-control.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/" PF_WIRE_FILE, folder);
	keeper = pf_keeper_make(folder, &settings, &error);
	ck_assert_msg(keeper >= 0, "%s", error.text);
}

static void tear_down(void)
{
	close(keeper);
	remove(path);
	rmdir(folder);
}

static int open_descriptors(void)
{
	int count = 0;

	for (int fd = 0; fd < 256; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static bool opens(void)
{
	int before = open_descriptors();
	struct pf_control *control = pf_control_open(folder);

	ck_assert_int_eq(open_descriptors(), before);
	munmap(control, PF_WIRE_PAGE);
	return control != NULL;
}

START_TEST(a_page_is_shared)
{
	struct pf_control *control = pf_control_open(folder), seen;
	struct pf_error error;

	ck_assert_ptr_nonnull(control);
	ck_assert_uint_eq(control->frequency, 100);
	ck_assert_uint_eq(control->branches, 1024);
	ck_assert_uint_eq(control->seed, 42);
	/* Any processor of today: 500 MHz to 10 GHz. */
	ck_assert_uint_gt(control->tsc_khz, 500000);
	ck_assert_uint_lt(control->tsc_khz, 10000000);
	pf_control_started(control, 1000);
	pf_control_started(control, 234);
	pf_control_refuse(control, PF_REFUSE_TRACED);
	ck_assert_int_eq(pf_keeper_read(keeper, "page", &seen, &error), PF_OK);
	ck_assert_uint_eq(seen.starts, 2);
	ck_assert_uint_eq(seen.start_ns, 1234);
	ck_assert_uint_eq(seen.refusals[PF_REFUSE_TRACED], 1);
	munmap(control, PF_WIRE_PAGE);
}
END_TEST

/* Writes VALUE over what is at OFFSET of the page. */
static void spoil(size_t offset, uint64_t value)
{
	ck_assert_int_eq(pwrite(keeper, &value, sizeof value, (off_t)offset), sizeof value);
}

START_TEST(what_cannot_be_is_not_opened)
{
	static const struct {
		size_t offset;
		uint64_t value;
	} damages[] = {
		{ 0, 0 },
		{ offsetof(struct pf_control, version), (uint64_t)sizeof(struct pf_control) << 32 | 1 },
		{ offsetof(struct pf_control, version), 12ull << 32 | PF_WIRE_VERSION },
		{ offsetof(struct pf_control, frequency), 1024ull << 32 },
		{ offsetof(struct pf_control, frequency), 65537ull << 32 | 100 },
		{ offsetof(struct pf_control, tsc_khz), 0 },
		{ offsetof(struct pf_control, overhead_ppm), 42ull << 32 },
		{ offsetof(struct pf_control, overhead_ppm), 1000001 },
		{ offsetof(struct pf_control, layout.section_size), 4097 },
		{ offsetof(struct pf_control, layout.section_size), 1ull << 60 },
		{ offsetof(struct pf_control, layout.sections), 0 },
		{ offsetof(struct pf_control, layout.chunks.offset), 1ull << 40 },
		{ offsetof(struct pf_control, layout.chunks.offset), 0 },
		{ offsetof(struct pf_control, layout.chunks.capacity), UINT64_MAX },
		{ offsetof(struct pf_control, layout.edges.capacity), UINT64_MAX / 16 },
		{ offsetof(struct pf_control, layout.strings.offset), 12 },
		{ offsetof(struct pf_control, layout.chunk_size), 0 },
		{ offsetof(struct pf_control, state), PF_CONTROL_ENDED },
	};
	struct pf_control good;

	ck_assert_int_eq(pread(keeper, &good, sizeof good, 0), sizeof good);
	for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
		ck_assert(opens());
		spoil(damages[i].offset, damages[i].value);
		ck_assert_msg(!opens(), "damage %zu at %zu", i, damages[i].offset);
		ck_assert_int_eq(pwrite(keeper, &good, sizeof good, 0), sizeof good);
	}
}
END_TEST

START_TEST(only_a_file_in_the_folder_itself_is_opened)
{
	char other[96], link[96];

	snprintf(other, sizeof other, "%s/other", folder);
	ck_assert_int_eq(rename(path, other), 0);
	ck_assert(!opens());
	ck_assert_int_eq(symlink("other", path), 0);
	ck_assert(!opens());
	ck_assert_int_eq(remove(path), 0);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	ck_assert(!opens());
	ck_assert_int_eq(rmdir(path), 0);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert(!opens());
	ck_assert_int_eq(remove(path), 0);
	ck_assert_int_eq(close(open(path, O_CREAT | O_WRONLY, 0600)), 0);
	ck_assert_int_eq(truncate(path, 13), 0);
	ck_assert(!opens());
	ck_assert_int_eq(rename(other, path), 0);
	ck_assert(opens());
	/* A link in the folder's place. */
	snprintf(link, sizeof link, "%s.link", folder);
	ck_assert_int_eq(symlink(folder, link), 0);
	ck_assert_ptr_null(pf_control_open(link));
	ck_assert_int_eq(remove(link), 0);
	ck_assert_ptr_null(pf_control_open(""));
	ck_assert_ptr_null(pf_control_open("/nonexistent"));
}
END_TEST

#define SECOND 1000000ull /* of a time stamp of 1000 kHz */

START_TEST(a_standstill_of_ten_seconds_is_death)
{
	struct pf_control page = { .state = PF_CONTROL_RECORDING, .recorder_pid = 1, .tsc_khz = 1000 };
	struct pf_pulse pulse = { 0 };
	uint64_t tsc = 5000 * SECOND;

	/* The first call knows nothing, the second sees no change for the first time, and each more counts a second. */
	ck_assert(pf_control_alive(&pulse, &page, tsc));
	for (int i = 0; i < 10; i++)
		ck_assert_msg(pf_control_alive(&pulse, &page, tsc += SECOND), "call %d", i);
	ck_assert(!pf_control_alive(&pulse, &page, tsc += SECOND));
	/* It stays dead, until the heart beats again. */
	ck_assert(!pf_control_alive(&pulse, &page, tsc + SECOND));
	page.heartbeat++;
	ck_assert(pf_control_alive(&pulse, &page, tsc + 2 * SECOND));
}
END_TEST

START_TEST(a_common_stop_is_no_death)
{
	struct pf_control page = { .state = PF_CONTROL_RECORDING, .recorder_pid = 1, .tsc_khz = 1000 };
	struct pf_pulse pulse = { 0 };
	uint64_t tsc = SECOND;

	ck_assert(pf_control_alive(&pulse, &page, tsc));
	ck_assert(pf_control_alive(&pulse, &page, tsc += SECOND));
	/* Stopped for an hour, twice, with a beat between the calls after that. */
	ck_assert(pf_control_alive(&pulse, &page, tsc += 3600 * SECOND));
	ck_assert(pf_control_alive(&pulse, &page, tsc += 3600 * SECOND));
	page.heartbeat++;
	ck_assert(pf_control_alive(&pulse, &page, tsc += SECOND / 100));
	ck_assert(pf_control_alive(&pulse, &page, tsc += 3600 * SECOND));
}
END_TEST

START_TEST(the_word_of_the_page_is_obeyed)
{
	struct pf_control page = { .state = PF_CONTROL_RECORDING, .recorder_pid = 0, .tsc_khz = 1000 };
	struct pf_pulse pulse = { 0 };

	/* Without a recorder no heartbeat is expected. */
	for (uint64_t i = 0; i < 100; i++)
		ck_assert(pf_control_alive(&pulse, &page, i * 3600 * SECOND));
	page.state = PF_CONTROL_ENDED;
	ck_assert(!pf_control_alive(&pulse, &page, 1));
}
END_TEST

START_TEST(the_keeper_beats_and_ends)
{
	struct pf_control *control = pf_control_open(folder);

	ck_assert_uint_eq(control->heartbeat, 0);
	pf_keeper_beat(keeper);
	pf_keeper_beat(keeper);
	ck_assert_uint_eq(control->heartbeat, 2);
	pf_keeper_end(keeper);
	ck_assert_uint_eq(control->state, PF_CONTROL_ENDED);
	munmap(control, PF_WIRE_PAGE);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { a_page_is_shared,
				       what_cannot_be_is_not_opened,
				       only_a_file_in_the_folder_itself_is_opened,
				       a_standstill_of_ten_seconds_is_death,
				       a_common_stop_is_no_death,
				       the_word_of_the_page_is_obeyed,
				       the_keeper_beats_and_ends };
	TCase *cases = tcase_create("agent-control");

	tcase_add_checked_fixture(cases, set_up, tear_down);
	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
		tcase_add_test(cases, tests[i]);
	return run_case("agent-control", cases);
}
