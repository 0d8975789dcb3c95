/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bases of FS and GS, by instruction where the machine has them and by system call everywhere: FS is what the word
 * at its beginning says, as the ABI of thread-local storage wants it, and what is loaded through GS is what lies where
 * GS was put. */
#include "runtime/agent/segments.h"
#include "runtime/machine.h"
#include "testsuite/unit/suite.h"

#include <pthread.h>

static uint64_t first_of_fs(void)
{
	uint64_t word;

	__asm__ volatile("mov %%fs:0, %0" : "=r"(word));
	return word;
}

static uint64_t second_of_gs(void)
{
	uint64_t word;

	__asm__ volatile("mov %%gs:8, %0" : "=r"(word) : : "memory");
	return word;
}

static void *look(void *none)
{
	uint64_t area[2] = { 1, 640 };

	(void)none;
	ck_assert_uint_eq(pf_segments_fs(), first_of_fs());
	ck_assert_uint_eq(pf_segments_gs(), 0);
	pf_segments_set_gs((uint64_t)area);
	ck_assert_uint_eq(second_of_gs(), 640);
	ck_assert_uint_eq(pf_segments_gs(), (uint64_t)area);
	pf_segments_set_gs(0);
	ck_assert_uint_eq(pf_segments_gs(), 0);
	return NULL;
}

/* Of this thread and of another, whose FS is another. */
static void look_twice(void)
{
	pthread_t thread;

	look(NULL);
	ck_assert_int_eq(pthread_create(&thread, NULL, look, NULL), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
}

START_TEST(by_system_call)
{
	ck_assert(pf_segments_start(false));
	ck_assert(!pf_segments_are_free());
	look_twice();
}
END_TEST

START_TEST(by_instruction)
{
	if (!pf_machine_has_fsgsbase())
		return;
	ck_assert(pf_segments_start(true));
	ck_assert(pf_segments_are_free());
	look_twice();
}
END_TEST

int main(void)
{
	return RUN_SUITE("agent-segments", by_system_call, by_instruction);
}
