/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who may have the recorder back, and the variable that says who had. */
#include "runtime/agent/again.c" /* the file itself: the agent is no library */

#include "testsuite/unit/suite.h"

#include <string.h>

static const struct pf_command server = { 0x123456789abcdef1, 77 }, other = { 5, 6 }, unknown = { 0, 0 };

START_TEST(nobody_had_it)
{
	struct pf_again last = pf_again_read(NULL);

	ck_assert_uint_eq(last.times, 0);
	ck_assert(pf_again_may(&last, &server, 4711));
	ck_assert_uint_eq(last.command.program, server.program);
	ck_assert_uint_eq(last.command.whole, server.whole);
	ck_assert_uint_eq(last.pid, 4711);
	ck_assert_uint_eq(last.times, 1);
}
END_TEST

START_TEST(the_same_once_more_may_not)
{
	const struct pf_command arguments = { server.program, 78 };
	struct pf_again last = { server, 4711, 1 };

	ck_assert(!pf_again_may(&last, &server, 4711));
	ck_assert_msg(!pf_again_may(&last, &server, 4712), "the same command in another process");
	ck_assert_msg(!pf_again_may(&last, &arguments, 4711), "other arguments in the same process");
	ck_assert_msg(pf_again_may(&last, &arguments, 4712), "other arguments in another process are another command");
}
END_TEST

START_TEST(a_process_of_several_programs_ends)
{
	struct pf_again last = pf_again_read(NULL);
	int times = 0;

	while (times < 100 && pf_again_may(&last, times % 2 ? &server : &other, 4711))
		times++;
	ck_assert_int_eq(times, 8);
	last = pf_again_read(NULL);
	for (times = 0; times < 100 && pf_again_may(&last, &unknown, 4711);)
		times++;
	ck_assert_int_eq(times, 8);
	ck_assert_msg(pf_again_may(&last, &unknown, 4712), "another process begins to count");
}
END_TEST

START_TEST(what_is_written_is_read)
{
	const struct pf_again written = { server, 0xfffffffe, 8 };
	char entry[PF_AGAIN_SIZE];

	memset(entry, 'x', sizeof entry);
	pf_again_write(&written, entry);
	ck_assert_uint_eq(strlen(entry), sizeof entry - 1);
	ck_assert_str_eq(entry, "PATHFDO_AGAIN=123456789abcdef1000000000000004dfffffffe00000008");
	struct pf_again read = pf_again_read(strchr(entry, '=') + 1);
	ck_assert_mem_eq(&read, &written, sizeof read);
}
END_TEST

START_TEST(anything_else_says_nothing)
{
	static const char *const texts[] = { "", "1", "123456789abcdef1000000000000004dfffffffe0000000",
					     "123456789abcdef1000000000000004dfffffffe000000088",
					     "123456789abcdef1000000000000004dfffffffe0000000G",
					     "123456789ABCDEF1000000000000004dfffffffe00000008",
					     "123456789abcdef1 00000000000004dfffffffe00000008" };

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		ck_assert_msg(pf_again_read(texts[i]).times == 0, "\"%s\"", texts[i]);
}
END_TEST

int main(void)
{
	return RUN_SUITE("agent-again", nobody_had_it, the_same_once_more_may_not, a_process_of_several_programs_ends,
			 what_is_written_is_read, anything_else_says_nothing);
}
