/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of functions by who had whom inlined: by hand on a small profile, and on one whose chain of hosts is longer
 * than any stack of calls. */
#include "plugin/bodies.h"
#include "profile/text.h"
#include "support/buffer.h"
#include "testsuite/unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHAIN 30000
#define MOST 8

static const char text[] = "pathfdo-profile 1\n"
			   "unit executions\n"
			   "function top a.c:1 head 9 total 9\n"
			   "  inline @1 middle a.c:20 at 2:5 entries 9\n"
			   "    inline @2 leaf a.c:30 at 2:5 entries 9\n"
			   "      1:1 count 9\n"
			   "  inline @3 between a.c:70 at 3:5 entries 9\n"
			   "    inline @4 twig a.c:80 at 2:5 entries 9\n"
			   "      1:1 count 9\n"
			   "function middle a.c:20 head 9 total 9\n"
			   "  inline @1 leaf a.c:30 at 2:5 entries 9\n"
			   "    1:1 count 9\n"
			   "function ping a.c:40 head 9 total 9\n"
			   "  inline @1 pong a.c:50 at 2:5 entries 9\n"
			   "    1:1 count 9\n"
			   "function pong a.c:50 head 9 total 9\n"
			   "  inline @1 ping a.c:40 at 2:5 entries 9\n"
			   "    1:1 count 9\n"
			   "function again a.c:60 head 9 total 9\n"
			   "  inline @1 again a.c:60 at 2:5 entries 9\n"
			   "    1:1 count 9\n"
			   "  inline @2 leaf a.c:30 at 3:5 entries 9\n"
			   "    1:1 count 9\n";

static struct pf_bodies *open_profile(const char *what, size_t size)
{
	char path[] = "/tmp/pathfdo-hosts.XXXXXX";
	struct pf_profile *profile;
	struct pf_bodies *bodies;
	struct pf_error error;

	close(mkstemp(path));
	ck_assert_msg(pf_text_read("text", what, size, &profile, &error) == PF_OK, "%s", error.text);
	ck_assert_int_eq(pf_pfdo_write(profile, path, &error), PF_OK);
	pf_profile_free(profile);
	ck_assert_int_eq(pf_bodies_open(path, &bodies, &error), PF_OK);
	unlink(path);
	return bodies;
}

/* The functions NAMES, up to a NULL, in their order, as "a b c". */
static const char *ordered(const char *const *names)
{
	static char out[200];
	struct pf_bodies *bodies = open_profile(text, sizeof text - 1);
	struct pf_identity who[MOST];
	const struct pf_identity *list[MOST];
	uint32_t order[MOST], count = 0;

	for (; names[count]; count++) {
		who[count] = (struct pf_identity) { .names = &names[count], .name_count = 1, .file = "a.c" };
		list[count] = &who[count];
	}
	ck_assert_int_eq(pf_bodies_order(bodies, list, count, order), PF_OK);
	*out = '\0';
	for (uint32_t i = 0; i < count; i++)
		sprintf(out + strlen(out), "%s%s", i ? " " : "", names[order[i]]);
	pf_bodies_close(bodies);
	return out;
}

START_TEST(hosts_are_first)
{
	ck_assert_str_eq(ordered((const char *[]) { "leaf", "middle", "top", NULL }), "top middle leaf");
	ck_assert_str_eq(ordered((const char *[]) { "middle", "leaf", "top", NULL }), "top middle leaf");
	/* What is between them may have no record of its own. */
	ck_assert_str_eq(ordered((const char *[]) { "twig", "between", "top", NULL }), "top between twig");
	ck_assert_str_eq(ordered((const char *[]) { "twig", "between", NULL }), "between twig");
	/* A host that is not there is none. */
	ck_assert_str_eq(ordered((const char *[]) { "leaf", "top", NULL }), "top leaf");
}
END_TEST

START_TEST(all_else_stays)
{
	ck_assert_str_eq(ordered((const char *[]) { "unknown", "top", "other", "leaf", "last", NULL }),
			 "unknown top other leaf last");
	ck_assert_str_eq(ordered((const char *[]) { "unknown", "leaf", "other", "top", "last", NULL }),
			 "unknown top leaf other last");
	ck_assert_str_eq(ordered((const char *[]) { NULL }), "");
}
END_TEST

START_TEST(circles_are_cut)
{
	ck_assert_str_eq(ordered((const char *[]) { "ping", "pong", "top", NULL }), "pong ping top");
	ck_assert_str_eq(ordered((const char *[]) { "pong", "ping", "top", NULL }), "ping pong top");
	/* What a function had inlined of itself does not come before it. */
	ck_assert_str_eq(ordered((const char *[]) { "leaf", "again", NULL }), "again leaf");
}
END_TEST

/* Static functions of one name in a file, as of two scopes; the profile says of neither which it is. */
START_TEST(functions_of_one_name)
{
	ck_assert_str_eq(ordered((const char *[]) { "leaf", "middle", "middle", "top", NULL }),
			 "top middle middle leaf");
}
END_TEST

/* What has no linkage name in the profile is told from others of its name by its line: of two functions called
 * operator() one has sort inlined, and the other is inlined there, which is no circle. */
START_TEST(plain_names)
{
	static const char calls[] = "pathfdo-profile 1\n"
				    "unit executions\n"
				    "function main m.cc:1 head 0 total 9\n"
				    "  inline @1 operator() m.cc:10 at 2:5 entries 0\n"
				    "    inline @2 sort m.cc:20 at 2:5 entries 0\n"
				    "      inline @3 operator() m.cc:30 at 2:5 entries 9\n"
				    "        1:1 count 9\n";
	static const char *const names[][2] = {
		{ "_Zless", "operator()" },
		{ "_Zsort", "sort" },
		{ "_Zfn", "operator()" },
		{ "main", NULL },
	};
	static const uint32_t lines[] = { 30, 20, 10, 1 }, orders[][4] = {
		{ 0, 1, 2, 3 }, { 1, 0, 2, 3 }, { 1, 2, 0, 3 }, { 2, 0, 1, 3 }, { 3, 1, 0, 2 }, { 3, 2, 1, 0 },
	};
	struct pf_bodies *bodies = open_profile(calls, sizeof calls - 1);

	for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
		struct pf_identity who[4];
		const struct pf_identity *list[4];
		uint32_t order[4];

		for (unsigned k = 0; k < 4; k++) {
			uint32_t which = orders[i][k];

			who[k] = (struct pf_identity) { .names = names[which],
							.name_count = names[which][1] ? 2 : 1,
							.file = "m.cc",
							.line = lines[which] };
			list[k] = &who[k];
		}
		ck_assert_int_eq(pf_bodies_order(bodies, list, 4, order), PF_OK);
		for (unsigned k = 0; k < 4; k++)
			ck_assert_uint_eq(orders[i][order[k]], 3 - k);
	}
	pf_bodies_close(bodies);
}
END_TEST

/* Each function had the next one inlined, and the last is asked for first. */
START_TEST(chain_of_hosts)
{
	static char names[CHAIN][8];
	static const char *pointers[CHAIN];
	static struct pf_identity who[CHAIN];
	static const struct pf_identity *list[CHAIN];
	static uint32_t order[CHAIN];
	struct pf_buffer out = { 0 };
	struct pf_bodies *bodies;

	pf_buffer_printf(&out, "pathfdo-profile 1\nunit executions\n");
	for (uint32_t i = 0; i < CHAIN; i++) {
		snprintf(names[i], sizeof names[i], "f%u", CHAIN - 1 - i);
		pointers[i] = names[i];
		who[i] = (struct pf_identity) { .names = &pointers[i], .name_count = 1, .file = "a.c" };
		list[i] = &who[i];
		pf_buffer_printf(&out, "function f%u a.c:1 head 1 total 1\n  inline @1 f%u a.c:1 at 1:1 entries 1\n", i,
				 i + 1);
		pf_buffer_printf(&out, "    1:1 count 1\n");
	}
	ck_assert(!out.failed);
	bodies = open_profile((const char *)out.data, out.size);
	pf_buffer_fini(&out);
	ck_assert_int_eq(pf_bodies_order(bodies, list, CHAIN, order), PF_OK);
	for (uint32_t i = 0; i < CHAIN; i++)
		ck_assert_uint_eq(order[i], CHAIN - 1 - i);
	pf_bodies_close(bodies);
}
END_TEST

int main(void)
{
	return RUN_SUITE("plugin-hostorder", hosts_are_first, all_else_stays, circles_are_cut, functions_of_one_name,
			 plain_names, chain_of_hosts);
}
