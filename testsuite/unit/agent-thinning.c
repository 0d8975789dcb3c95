/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which commands go without the recorder: counted by hand against the rules at the top of thinning.c, on a control page
 * as `pathfdo record` makes it. */
#include "runtime/agent/thinning.h"
#include "runtime/agent/control.h"
#include "runtime/keeper.h"
#include "testsuite/unit/suite.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char folder[64], path[96], program[96];
static struct pf_control *control;

static void set_up(void)
{
	struct pf_keeper_settings settings = {
		.frequency = 100, .branches = 1024, .budget_ppm = 10000, .recorder_pid = 1, .limit = 1 << 20, .seed = 42
	};
	struct pf_error error;
	int keeper;

	strcpy(folder, "/tmp/agent-thinning.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/" PF_WIRE_FILE, folder);
	snprintf(program, sizeof program, "%s/program", folder);
	keeper = pf_keeper_make(folder, &settings, &error);
	ck_assert_msg(keeper >= 0, "%s", error.text);
	close(keeper);
	control = pf_control_open(folder);
	ck_assert_ptr_nonnull(control);
	close(open(program, O_CREAT | O_WRONLY, 0700));
}

static void tear_down(void)
{
	munmap(control, PF_WIRE_PAGE);
	remove(program);
	remove(path);
	rmdir(folder);
}

/* So many that they are beyond any budget: no CPU time has been seen. */
static void make_starts_dear(void)
{
	for (int i = 0; i < 100; i++)
		pf_control_started(control, 100000);
}

static struct pf_command command(const char *argument)
{
	char *arguments[] = { "program", (char *)argument, NULL };

	return pf_thinning_name(program, arguments);
}

/* One run of it, brief if it is looked at.  The number of runs that it stands for. */
static uint32_t run(const struct pf_command *c)
{
	uint32_t weight = pf_thinning_decide(control, c);

	if (weight) {
		ck_assert_uint_eq(pf_thinning_begin(control, c), weight);
		pf_thinning_was_brief(control, c);
	}
	return weight;
}

/* ROWS rows of SIZE runs of C, each with one look that stands for all of it. */
static void check_rows(const struct pf_command *c, int rows, uint32_t size)
{
	for (int row = 0; row < rows; row++) {
		uint32_t looks = 0, sum = 0;

		for (uint32_t i = 0; i < size; i++) {
			uint32_t weight = run(c);

			looks += weight != 0;
			sum += weight;
		}
		ck_assert_uint_eq(looks, 1);
		ck_assert_uint_eq(sum, size);
	}
}

/* 8 runs bring the first step, 8 looks at one of 2 the next, 16 looks at one of 4 the last. */
START_TEST(the_same_command_is_thinned_step_by_step)
{
	struct pf_command c = command("x");
	uint64_t looks[9] = { 0 }, sum = 0;

	make_starts_dear();
	for (int i = 0; i < 8; i++)
		ck_assert_uint_eq(run(&c), 1);
	for (int i = 0; i < 160; i++) {
		uint32_t weight = run(&c);

		looks[weight]++;
		sum += weight;
	}
	ck_assert_uint_eq(looks[1], 0);
	ck_assert_uint_eq(looks[2], 8);
	ck_assert_uint_eq(looks[4], 16);
	ck_assert_uint_eq(looks[0], control->thinned);
	/* A step may cut a row. */
	ck_assert_uint_ge(sum + 2 + 4, 160);
	ck_assert_uint_le(sum, 160 + 4 + 8);
	check_rows(&c, 1000, 8);
	ck_assert_uint_eq(control->thinned, looks[0] + 7000);
}
END_TEST

START_TEST(nothing_is_thinned_within_the_budget)
{
	struct pf_command c = command("x");

	/* 32 starts are free, whatever they cost. */
	for (int i = 0; i < 32; i++) {
		pf_control_started(control, 0);
		ck_assert_uint_eq(run(&c), 1);
	}
	make_starts_dear();
	while (pf_thinning_decide(control, &c))
		continue;
	/* 1% of an hour pays for all of them. */
	pf_control_spent(control, 3600000000000u, 0);
	for (int i = 0; i < 100; i++)
		ck_assert_uint_eq(run(&c), 1);
	ck_assert_uint_eq(control->thinned, 1);
}
END_TEST

START_TEST(a_long_run_ends_it_for_good)
{
	struct pf_command c = command("x"), other = command("y");
	uint64_t before;
	uint32_t weight;

	make_starts_dear();
	for (int i = 0; i < 200; i++)
		run(&c);
	while (!(weight = pf_thinning_decide(control, &c)))
		continue;
	ck_assert_uint_eq(weight, 8);
	ck_assert_uint_eq(pf_thinning_begin(control, &c), 8);
	pf_thinning_lasts(control, &c);
	for (int i = 0; i < 1000; i++)
		ck_assert_uint_eq(run(&c), 1);
	/* Other arguments, which were always brief, take four times the evidence from now on. */
	before = control->thinned;
	for (int i = 0; i < 32; i++)
		ck_assert_uint_eq(run(&other), 1);
	for (int i = 0; i < 100; i++)
		ck_assert_uint_le(run(&other), 8);
	ck_assert_uint_gt(control->thinned, before);
}
END_TEST

/* List NUMBER of arguments, new each time. */
static struct pf_command list(int number)
{
	char text[16];

	snprintf(text, sizeof text, "%d", number);
	return command(text);
}

START_TEST(new_arguments_take_many_lists)
{
	uint64_t sum = 0;

	make_starts_dear();
	for (int i = 0; i < 32; i++) {
		struct pf_command c = list(i);

		ck_assert_uint_eq(run(&c), 1);
		/* The same again is no new evidence. */
		ck_assert(i == 31 || run(&c) == 1);
	}
	ck_assert_uint_eq(control->thinned, 0);
	for (int i = 32; i < 10032; i++) {
		struct pf_command c = list(i);

		sum += run(&c);
	}
	ck_assert_uint_ge(sum, 10000 - 16);
	ck_assert_uint_le(sum, 10000 + 16);
	/* 32 looks at one of 2, 64 at one of 4, and then one of 8. */
	ck_assert_uint_ge(control->thinned, 32 + 192 + 8400 - 16);
	ck_assert_uint_le(control->thinned, 32 + 192 + 8500 + 16);
}
END_TEST

START_TEST(new_arguments_of_what_was_long_once_are_never_thinned)
{
	struct pf_command c = list(1000);

	make_starts_dear();
	for (int i = 0; i < 200; i++) {
		struct pf_command one = list(i);

		run(&one);
	}
	pf_thinning_lasts(control, &c);
	control->thinned = 0;
	for (int i = 2000; i < 2500; i++) {
		struct pf_command one = list(i);

		ck_assert_uint_eq(run(&one), 1);
	}
	ck_assert_uint_eq(control->thinned, 0);
}
END_TEST

/* Which run of a row is looked at follows from the seed, and each is as likely as the others: of 8,000 rows 1,000 have
 * it in each place, within five standard deviations of 30. */
START_TEST(all_places_are_alike)
{
	uint32_t places[8] = { 0 };
	struct pf_command c = command("x");

	make_starts_dear();
	for (uint64_t seed = 0; seed < 1000; seed++) {
		control->seed = seed * 7919;
		memset(control->programs, 0, sizeof control->programs);
		memset(control->commands, 0, sizeof control->commands);
		for (int i = 0; i < 8 + 160; i++)
			run(&c);
		for (int i = 0; i < 64; i++)
			places[i % 8] += run(&c) != 0;
	}
	for (int i = 0; i < 8; i++) {
		ck_assert_uint_gt(places[i], 850);
		ck_assert_uint_lt(places[i], 1150);
	}
}
END_TEST

START_TEST(a_weight_is_taken_once)
{
	struct pf_command c = command("x");

	make_starts_dear();
	for (int i = 0; i < 200; i++)
		run(&c);
	while (!pf_thinning_decide(control, &c))
		continue;
	ck_assert_uint_eq(pf_thinning_begin(control, &c), 8);
	ck_assert_uint_eq(pf_thinning_begin(control, &c), 1);
}
END_TEST

START_TEST(names_tell_commands_apart)
{
	char *plain[] = { "program", "a", "b", NULL }, *joined[] = { "program", "ab", NULL },
	     *called[] = { "other", "a", "b", NULL };
	struct pf_command one = pf_thinning_name(program, plain), same = pf_thinning_name(program, plain), next;
	int fd;

	ck_assert_uint_ne(one.program, 0);
	ck_assert_uint_eq(one.program, same.program);
	ck_assert_uint_eq(one.whole, same.whole);
	next = pf_thinning_name(program, joined);
	ck_assert_uint_eq(next.program, one.program);
	ck_assert_uint_ne(next.whole, one.whole);
	/* A multi-call program is as many programs as it has names. */
	ck_assert_uint_ne(pf_thinning_name(program, called).program, one.program);
	/* However it is reached. */
	ck_assert_int_eq(chdir(folder), 0);
	ck_assert_uint_eq(pf_thinning_name("program", plain).whole, one.whole);
	ck_assert_uint_eq(pf_thinning_name("./nothing", plain).program, 0);
	ck_assert_uint_eq(pf_thinning_name(program, NULL).program, 0);
	fd = open(program, O_WRONLY);
	ck_assert_int_eq(write(fd, "x", 1), 1);
	close(fd);
	ck_assert_uint_ne(pf_thinning_name(program, plain).program, one.program);
}
END_TEST

/* Whatever others write there: a weight is a power of two up to 8, or the command is left out. */
START_TEST(the_tables_are_not_trusted)
{
	struct pf_command c = command("x");
	uint32_t state = 1;

	make_starts_dear();
	for (int i = 0; i < 20000; i++) {
		uint8_t *bytes = (uint8_t *)control->programs;
		uint32_t decided, begun;

		for (int n = 0; n < 64; n++) {
			state = state * 1103515245u + 12345u;
			bytes[(state >> 8) % (sizeof control->programs + sizeof control->commands)] =
			    (uint8_t)(state >> 24);
		}
		for (uint32_t n = 0; n < PF_WIRE_COMMANDS; n++)
			control->commands[n].tag = (uint32_t)(c.whole >> 32) | 1;
		decided = pf_thinning_decide(control, &c);
		ck_assert(decided == 0 || decided == 1 || decided == 2 || decided == 4 || decided == 8);
		for (uint32_t n = 0; n < PF_WIRE_COMMANDS; n++)
			control->commands[n].shift = (uint8_t)(state >> 16);
		begun = pf_thinning_begin(control, &c);
		ck_assert(begun == 1 || begun == 2 || begun == 4 || begun == 8);
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { the_same_command_is_thinned_step_by_step,
				       nothing_is_thinned_within_the_budget,
				       a_long_run_ends_it_for_good,
				       new_arguments_take_many_lists,
				       new_arguments_of_what_was_long_once_are_never_thinned,
				       all_places_are_alike,
				       a_weight_is_taken_once,
				       names_tell_commands_apart,
				       the_tables_are_not_trusted };
	TCase *cases = tcase_create("agent-thinning");

	tcase_add_checked_fixture(cases, set_up, tear_down);
	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
		tcase_add_test(cases, tests[i]);
	return run_case("agent-thinning", cases);
}
