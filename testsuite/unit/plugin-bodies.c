/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a body's record is made of, over a profile written for the purpose: `hot' was inlined into `host' 900 times and
 * into `other' 5 times, and ran out of line 20 times. */
#include "plugin/bodies.h"
#include "profile/text.h"
#include "testsuite/unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char text[] = "pathfdo-profile 1\n"
			   "unit executions\n"
			   "function host a.c:10 head 1 total 901\n"
			   "  1:1 count 1\n"
			   "  inline @1 hot h.h:3 at 2:5 entries 900\n"
			   "    1:7 count 900\n"
			   "  path 700 1:1 1:7@1 1:7@1 2:7@1\n"
			   "  path 40 1:7@1 2:7@1 1:1 1:1\n"
			   "function other b.c:10 head 1 total 6\n"
			   "  1:1 count 1\n"
			   "  inline @1 hot h.h:3 at 4:5 entries 5\n"
			   "    1:7 count 5\n"
			   "  inline @2 split h.h:20 at 5:5 entries 7\n"
			   "    1:1 count 7\n"
			   "    2:1 count 4\n"
			   "  path 3 1:7@1 2:7@1\n"
			   "function hot h.h:3 head 20 total 40\n"
			   "  1:7.2 count 20\n"
			   "  2:7 count 20\n"
			   "function split h.h:20 head 0 total 4\n"
			   "  3:1 count 4\n"
			   "function turn r.c:1 head 10 total 112\n"
			   "  1:1 count 10\n"
			   "  inline @1 turn r.c:1 at 2:5 entries 30\n"
			   "    1:1 count 30\n"
			   "    inline @2 turn r.c:1 at 2:5 entries 60\n"
			   "      1:1 count 60\n"
			   "  inline @3 leaf r.c:20 at 3:5 entries 7\n"
			   "    1:1 count 7\n"
			   "    inline @4 turn r.c:1 at 1:5 entries 5\n"
			   "      1:1 count 5\n"
			   "function far f.c:1 head 1 total 250\n"
			   "  inline @1 roll r.h:40 at 2:5 entries 50\n"
			   "    1:1 count 50\n"
			   "    inline @2 roll r.h:40 at 2:5 entries 200\n"
			   "      1:1 count 200\n"
			   "function away w.c:1 head 1 total 186\n"
			   "  inline @1 outer o.c:5 at 2:5 entries 10\n"
			   "    1:1 count 10\n"
			   "    inline @2 inner o.c:20 at 3:5 entries 20\n"
			   "      1:1 count 20\n"
			   "      inline @3 inmost o.c:30 at 1:9 entries 5\n"
			   "        1:1 count 5\n"
			   "  inline @4 header o.h:40 at 5:5 entries 150\n"
			   "    inline @5 inner o.c:20 at 3:5 entries 1\n"
			   "      1:1 count 1\n"
			   "function maker m.cc:1 head 1 total 12\n"
			   "  inline @1 _ZN4MadeC2Ev m.cc:30 at 2:5 entries 5\n"
			   "    1:1 count 5\n"
			   "  inline @2 _ZN4MadeC4Ev m.cc:30 at 3:5 entries 7\n"
			   "    1:1 count 7\n";
static char path[] = "/tmp/pathfdo-bodies.XXXXXX";
static const char *const names[] = { "hot" };

static struct pf_bodies *open_bodies(void)
{
	struct pf_bodies *bodies;
	struct pf_profile *profile;
	struct pf_error error;

	close(mkstemp(path));
	ck_assert_msg(pf_text_read("text", text, sizeof text - 1, &profile, &error) == PF_OK, "%s", error.text);
	ck_assert_int_eq(pf_pfdo_write(profile, path, &error), PF_OK);
	pf_profile_free(profile);
	ck_assert_int_eq(pf_bodies_open(path, &bodies, &error), PF_OK);
	unlink(path);
	strcpy(path + strlen(path) - 6, "XXXXXX");
	pf_bodies_set_hot(bodies, 100);
	return bodies;
}

static uint64_t head_of_hot(struct pf_bodies *bodies, bool elsewhere, uint64_t *first_count)
{
	struct pf_identity who = { names, 1, "h.h", 3, false, elsewhere, false, false };
	struct pf_body body;
	struct pf_error error;

	ck_assert_int_eq(pf_bodies_take(bodies, &who, &body, &error), PF_OK);
	ck_assert_ptr_nonnull(body.function);
	ck_assert(body.own && !body.stale);
	uint64_t head = body.function->head;
	*first_count = body.function->records[0].count;
	ck_assert_uint_eq(body.function->record_count, 2);
	pf_body_release(&body);
	return head;
}

static void define(struct pf_bodies *bodies, const char *name)
{
	struct pf_identity who = { .names = &name, .name_count = 1, .file = "host.c" };

	ck_assert_int_eq(pf_bodies_define(bodies, &who), PF_OK);
}

START_TEST(cold_instances_come_back)
{
	struct pf_bodies *bodies = open_bodies();
	uint64_t count;

	/* The hot instance is inlined again by its own host's compile; the discriminator is adopted. */
	ck_assert_uint_eq(head_of_hot(bodies, true, &count), 25);
	ck_assert_uint_eq(count, 25);
	pf_bodies_close(bodies);
}
END_TEST

START_TEST(nobody_else_has_the_body)
{
	struct pf_bodies *bodies = open_bodies();
	uint64_t count;

	ck_assert_uint_eq(head_of_hot(bodies, false, &count), 925);
	ck_assert_uint_eq(count, 925);
	pf_bodies_close(bodies);
}
END_TEST

START_TEST(what_the_host_left)
{
	static const char *const host_names[] = { "host" };
	struct pf_identity who = { host_names, 1, "a.c", 10, false, false, false, false };
	struct pf_bodies *bodies = open_bodies();
	struct pf_body host;
	struct pf_error error;
	uint64_t count;

	define(bodies, "host");
	ck_assert_int_eq(pf_bodies_take(bodies, &who, &host, &error), PF_OK);
	ck_assert_int_eq(pf_bodies_leave(bodies, host.function, 1, NULL), PF_OK);
	ck_assert_uint_eq(head_of_hot(bodies, true, &count), 925);
	ck_assert_int_eq(pf_bodies_leave(bodies, host.function, 1, NULL), PF_ENOTFOUND);
	pf_body_release(&host);
	pf_bodies_close(bodies);
}
END_TEST

/* Three calls of one macro: a third each of what was inlined, and the rest of the body as it is. */
START_TEST(calls_of_one_position_share)
{
	static const char *const host[] = { "host" };
	static const uint32_t copies[] = { 1, 3 };
	struct pf_bodies *bodies = open_bodies();
	struct pf_identity who = { host, 1, "a.c", 10, false, false, false, false };
	struct pf_body body;
	struct pf_error error;

	ck_assert_int_eq(pf_bodies_take(bodies, &who, &body, &error), PF_OK);
	ck_assert_uint_eq(body.function->node_count, 2);
	pf_body_share(&body, copies);
	ck_assert_uint_eq(body.function->nodes[1].entries, 300);
	ck_assert_uint_eq(body.function->records[0].count, 1);
	ck_assert_uint_eq(body.function->records[1].count, 300);
	ck_assert_uint_eq(body.function->records[1].max, 300);
	pf_body_release(&body);
	pf_bodies_close(bodies);
}
END_TEST

/* A path comes along from where it enters the instance; one that ends outside of it is the host's. */
START_TEST(paths_come_along)
{
	struct pf_bodies *bodies = open_bodies();
	struct pf_identity who = { names, 1, "h.h", 3, false, false, false, false };
	struct pf_body body;
	struct pf_error error;

	ck_assert_int_eq(pf_bodies_take(bodies, &who, &body, &error), PF_OK);
	ck_assert_uint_eq(body.function->path_count, 1);
	ck_assert_uint_eq(body.function->paths[0].count, 703);
	ck_assert_uint_eq(body.function->paths[0].place_count, 2);
	ck_assert_uint_eq(body.function->paths[0].places[0].node, 0);
	ck_assert_int_eq(body.function->paths[0].places[0].position.line, 1);
	ck_assert_int_eq(body.function->paths[0].places[1].position.line, 2);
	pf_body_release(&body);
	pf_bodies_close(bodies);
}
END_TEST

/* The parts keep what their sum adds up: `hot' as it is (20), in `other' (5) and in `host' (900).  Of two copies of the
 * body each has half, rounded up. */
START_TEST(parts_are_kept)
{
	struct pf_bodies *bodies = open_bodies();
	struct pf_identity who = { names, 1, "h.h", 3, false, false, false, false };
	const uint32_t copies[] = { 2 };
	struct pf_body body;
	struct pf_error error;
	uint64_t heads = 0;

	ck_assert_int_eq(pf_bodies_take(bodies, &who, &body, &error), PF_OK);
	ck_assert_uint_eq(body.parts.count, 3);
	for (uint32_t i = 0; i < body.parts.count; i++)
		heads += body.parts.at[i].profile->functions[0].head;
	ck_assert_uint_eq(heads, body.function->head);
	pf_body_share(&body, copies);
	for (uint32_t i = 0; i < body.parts.count; i++) {
		const struct pf_function *f = &body.parts.at[i].profile->functions[0];

		ck_assert_uint_eq(f->records[0].count, f->head == 900 ? 450 : f->head == 20 ? 10 : 3);
	}
	ck_assert_uint_eq(body.function->records[0].count, 463);
	pf_body_release(&body);
	pf_bodies_close(bodies);
}
END_TEST

/* Of `split' the end was split off, and the beginning inlined into `other': one flow of seven entries. */
START_TEST(what_was_split_is_one_flow)
{
	static const char *const split[] = { "split" };
	struct pf_bodies *bodies = open_bodies();
	struct pf_identity who = { split, 1, "h.h", 20, false, false, false, false };
	struct pf_body body;
	struct pf_error error;

	ck_assert_int_eq(pf_bodies_take(bodies, &who, &body, &error), PF_OK);
	ck_assert_uint_eq(body.parts.count, 0);
	ck_assert_uint_eq(body.function->head, 7);
	ck_assert_uint_eq(body.function->record_count, 3);
	pf_body_release(&body);
	pf_bodies_close(bodies);
}
END_TEST

/* The profile's `hot' is y::hot of line 3; x::hot of line 50, which shares the plain name, was taken before. */
START_TEST(functions_of_one_plain_name)
{
	static const char *const host_names[] = { "host" };
	static const char *const x_names[] = { "_ZN1x3hotEv", "hot" }, *const y_names[] = { "_ZN1y3hotEv", "hot" };
	struct pf_identity x = { x_names, 2, "h.h", 50, true, false, false, false },
			   y = { y_names, 2, "h.h", 3, true, false, false, false };
	struct pf_identity who = { host_names, 1, "a.c", 10, false, false, false, false };
	struct pf_bodies *bodies = open_bodies();
	struct pf_body host, body;
	struct pf_error error;

	define(bodies, "host");
	ck_assert_int_eq(pf_bodies_take(bodies, &who, &host, &error), PF_OK);
	ck_assert_int_eq(pf_bodies_take(bodies, &x, &body, &error), PF_OK);
	pf_body_release(&body);
	ck_assert_int_eq(pf_bodies_leave(bodies, host.function, 1, NULL), PF_OK);
	ck_assert_int_eq(pf_bodies_take(bodies, &y, &body, &error), PF_OK);
	ck_assert_uint_eq(body.function->head, 925);
	ck_assert_int_eq(pf_bodies_leave(bodies, host.function, 1, NULL), PF_ENOTFOUND);
	pf_body_release(&body);
	pf_body_release(&host);
	pf_bodies_close(bodies);
}
END_TEST

/* A member function of C++ shares the plain name of a function of C in another file, or of a local one in its own. */
START_TEST(plain_name_of_another)
{
	static const char *const x_names[] = { "_ZN1x3hotEv", "hot" };
	static const struct pf_identity others[] = { { x_names, 2, "x.cc", 3, false, false, false, false },
						     { x_names, 2, "h.h", 50, false, false, false, false } };
	struct pf_bodies *bodies = open_bodies();
	struct pf_body body;
	struct pf_error error;

	for (size_t i = 0; i < 2; i++) {
		ck_assert_int_eq(pf_bodies_take(bodies, &others[i], &body, &error), PF_OK);
		ck_assert_ptr_null(body.function);
		ck_assert(!body.own);
		pf_body_release(&body);
	}
	pf_bodies_close(bodies);
}
END_TEST

/* Two instances of a template have one plain name and line; the host's compile knows which of them it calls. */
START_TEST(left_to_one_of_two)
{
	static const char *const host_names[] = { "host" };
	static const char *const x_names[] = { "_ZN1x3hotEv", "hot" }, *const y_names[] = { "_ZN1y3hotEv", "hot" };
	struct pf_identity x = { x_names, 2, "h.h", 3, true, false, false, false },
			   y = { y_names, 2, "h.h", 3, true, false, false, false };
	struct pf_identity who = { host_names, 1, "a.c", 10, false, false, false, false };
	struct pf_bodies *bodies = open_bodies();
	struct pf_body host, body;
	struct pf_error error;

	define(bodies, "host");
	ck_assert_int_eq(pf_bodies_take(bodies, &who, &host, &error), PF_OK);
	ck_assert_int_eq(pf_bodies_leave(bodies, host.function, 1, y_names[0]), PF_OK);
	ck_assert_int_eq(pf_bodies_take(bodies, &x, &body, &error), PF_OK);
	ck_assert_uint_eq(body.function->head, 25);
	pf_body_release(&body);
	ck_assert_int_eq(pf_bodies_leave(bodies, host.function, 1, x_names[0]), PF_ENOTFOUND);
	ck_assert_int_eq(pf_bodies_take(bodies, &y, &body, &error), PF_OK);
	ck_assert_uint_eq(body.function->head, 925);
	pf_body_release(&body);
	pf_body_release(&host);
	pf_bodies_close(bodies);
}
END_TEST

/* What a function has inlined of itself is never inlined again; what another one has of it within it goes along with
 * that. */
START_TEST(recursion_is_its_own)
{
	static const char *const turn_names[] = { "turn" };
	struct pf_identity who = { turn_names, 1, "r.c", 1, true, false, false, false };
	struct pf_bodies *bodies = open_bodies();
	struct pf_body body;
	struct pf_error error;

	ck_assert_int_eq(pf_bodies_take(bodies, &who, &body, &error), PF_OK);
	ck_assert_uint_eq(body.function->head, 100);
	ck_assert_uint_eq(body.function->records[0].count, 100);
	ck_assert_uint_eq(body.entries, 10);
	ck_assert_uint_eq(body.merged, 2);
	ck_assert_uint_eq(body.function->total, 112);
	pf_body_release(&body);
	pf_bodies_close(bodies);
}
END_TEST

/* Within an instance that is too cold to be inlined again the next one is not, either, however hot it is. */
START_TEST(recursion_in_a_host)
{
	static const char *const roll_names[] = { "roll" };
	struct pf_identity who = { roll_names, 1, "r.h", 40, false, true, false, false };
	struct pf_bodies *bodies = open_bodies();
	struct pf_body body;
	struct pf_error error;

	ck_assert_int_eq(pf_bodies_take(bodies, &who, &body, &error), PF_OK);
	ck_assert_uint_eq(body.function->head, 250);
	ck_assert_uint_eq(body.function->total, 250);
	pf_body_release(&body);
	pf_bodies_close(bodies);
}
END_TEST

/* Takes the function NAME of o.c; its head, 0 if nothing is known of it.  What it has inlined is left if wanted. */
static uint64_t head_in_o(struct pf_bodies *bodies, const char *name, uint32_t line, bool elsewhere, bool leave)
{
	struct pf_identity who = { &name, 1, elsewhere ? "o.h" : "o.c", line, false, elsewhere, false, false };
	struct pf_body body;
	struct pf_error error;
	uint64_t head = 0;

	ck_assert_int_eq(pf_bodies_take(bodies, &who, &body, &error), PF_OK);
	if (body.function) {
		head = body.function->head;
		for (uint32_t n = 1; leave && n < body.function->node_count; n++) {
			if (body.function->nodes[n].parent == 0)
				ck_assert_int_eq(pf_bodies_leave(bodies, body.function, n, NULL), PF_OK);
		}
	}
	pf_body_release(&body);
	return head;
}

/* A function of another unit, as -flto leaves them, has inlined one of this unit, in which there is another of it, and
 * so on: each was entered as often as its instance, however deep that is.  Where the header's function is inlined again
 * by that unit, what it calls is this unit's own. */
START_TEST(instances_within_instances)
{
	static const char *const defined[] = { "outer", "inner", "inmost" };
	struct pf_identity header = { (const char *const[]) { "header" }, 1, "o.h", 40, false, true, false, false };

	for (int leave = 0; leave <= 1; leave++) {
		struct pf_bodies *bodies = open_bodies();

		for (int i = 0; i < 3; i++)
			define(bodies, defined[i]);
		ck_assert_int_eq(pf_bodies_define(bodies, &header), PF_OK);
		ck_assert_uint_eq(head_in_o(bodies, "outer", 5, false, leave), 10);
		ck_assert_uint_eq(head_in_o(bodies, "header", 40, true, leave), 0);
		ck_assert_uint_eq(head_in_o(bodies, "inner", 20, false, leave), leave ? 21 : 1);
		ck_assert_uint_eq(head_in_o(bodies, "inmost", 30, false, leave), leave ? 5 : 0);
		pf_bodies_close(bodies);
	}
}
END_TEST

/* As one compiler has a constructor and as another one has it, in a profile of both. */
START_TEST(instances_of_two_names)
{
	static const char *const made[] = { "_ZN4MadeC2Ev", "_ZN4MadeC4Ev", "Made" };
	struct pf_identity who = { made, 3, "m.cc", 30, false, false, false, false };
	struct pf_bodies *bodies = open_bodies();
	struct pf_body body;
	struct pf_error error;

	ck_assert_int_eq(pf_bodies_take(bodies, &who, &body, &error), PF_OK);
	ck_assert_ptr_nonnull(body.function);
	ck_assert_uint_eq(body.merged, 2);
	ck_assert_uint_eq(body.function->head, 12);
	pf_body_release(&body);
	pf_bodies_close(bodies);
}
END_TEST

START_TEST(unknown_function)
{
	static const char *const none[] = { "nobody" };
	struct pf_identity who = { none, 1, "a.c", 1, false, false, false, false };
	struct pf_bodies *bodies = open_bodies();
	struct pf_body body;
	struct pf_error error;

	ck_assert_int_eq(pf_bodies_take(bodies, &who, &body, &error), PF_OK);
	ck_assert_ptr_null(body.function);
	pf_body_release(&body);
	pf_bodies_close(bodies);
	ck_assert_int_eq(pf_bodies_open("/nonexistent", &bodies, &error), PF_EIO);
	ck_assert_ptr_null(bodies);
}
END_TEST

int main(void)
{
	return RUN_SUITE("plugin-bodies", cold_instances_come_back, nobody_else_has_the_body, what_the_host_left,
			 calls_of_one_position_share, parts_are_kept, what_was_split_is_one_flow, paths_come_along,
			 functions_of_one_plain_name, plain_name_of_another, left_to_one_of_two, recursion_is_its_own,
			 recursion_in_a_host, instances_within_instances, instances_of_two_names, unknown_function);
}
