/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records brought to an edited source, over a profile written for the purpose: `f' calls `g', which was inlined into it
 * and also ran by itself.  In today's source two lines were put in front of the second line of `g', and nothing was
 * changed in `f'. */
#include "plugin/edits.h"
#include "plugin/landmarks.h"
#include "profile/text.h"
#include "testsuite/unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char text[] = "pathfdo-profile 1\n"
			   "unit executions\n"
			   "function f a.c:10 head 100 total 1500\n"
			   "  1:3 count 100\n"
			   "  2:7 count 400\n"
			   "  3:3 count 100\n"
			   "  inline @1 g a.c:1 at 2:9 entries 400\n"
			   "    1:5 count 400\n"
			   "    2:9 count 300\n"
			   "      taken 3:9@1 200\n"
			   "    3:9 count 200\n"
			   "function g a.c:1 head 7 total 21\n"
			   "  1:5 count 7\n"
			   "  2:9 count 7\n"
			   "  3:9 count 7\n"
			   "  3:14 count 7\n"
			   "  4:5 count 7\n"
			   "  4:12 count 7\n"
			   "  5:5 count 7\n"
			   "  5:12 count 7\n";

static struct pf_pfdo *open_profile(const char *written)
{
	char path[] = "/tmp/pathfdo-edits.XXXXXX";
	struct pf_profile *profile;
	struct pf_pfdo *file;
	struct pf_error error;

	close(mkstemp(path));
	ck_assert_msg(pf_text_read("text", written, strlen(written), &profile, &error) == PF_OK, "%s", error.text);
	ck_assert_int_eq(pf_pfdo_write(profile, path, &error), PF_OK);
	pf_profile_free(profile);
	ck_assert_int_eq(pf_pfdo_open(path, &file, &error), PF_OK);
	unlink(path);
	return file;
}

struct spot {
	int32_t line;
	uint32_t column;
	const char *call;
};

static void add_source(struct pf_sources *sources, const char *name, uint32_t line, const struct spot *spots,
		       size_t count)
{
	struct pf_outline outline = { 0 };

	for (size_t i = 0; i < count; i++) {
		struct pf_position at = { spots[i].line, spots[i].column, 0 };

		ck_assert(pf_outline_add(&outline, &at, spots[i].call));
	}
	ck_assert_int_eq(pf_sources_add(sources, &name, 1, "/new/a.c", line, &outline), PF_OK);
}

static const struct spot old_g[] = { { 1, 5, NULL }, { 2, 9, NULL },  { 3, 9, NULL }, { 3, 14, NULL },
				     { 4, 5, NULL }, { 4, 12, NULL }, { 5, 5, NULL }, { 5, 12, NULL } };
static const struct spot new_g[] = {
	{ 1, 5, NULL },  { 2, 5, "log" }, { 3, 5, NULL },  { 4, 9, NULL }, { 5, 9, NULL },
	{ 5, 14, NULL }, { 6, 5, NULL },  { 6, 12, NULL }, { 7, 5, NULL }, { 7, 12, NULL }
};

/* The function NAME of the profile PROFILED, after it was brought to a source in which `g' has the name NOW and is GS,
 * declared in LINE. */
static struct pf_profile *apply_to(const char *profiled, const char *name, const char *now, const struct spot *gs,
				   size_t count, uint32_t line, uint32_t below, uint32_t *found)
{
	const struct spot f[] = { { 1, 3, NULL }, { 2, 7, NULL }, { 2, 9, now }, { 3, 3, NULL } };
	struct pf_sources *sources = pf_sources_alloc();
	struct pf_pfdo *file = open_profile(profiled);
	struct pf_profile *profile = pf_profile_alloc(PF_UNIT_EXECUTIONS);
	struct pf_edits *edits;
	struct pf_error error;
	uint32_t first, functions;

	add_source(sources, "f", 12, f, 4);
	add_source(sources, now, line, gs, count);
	edits = pf_edits_alloc(sources, file);
	ck_assert_ptr_nonnull(edits);
	ck_assert_int_eq(pf_edits_learn(edits, "a.c", line, line), PF_OK);
	ck_assert_int_eq(pf_edits_learn(edits, "a.c", 30, 30 + below), PF_OK);
	ck_assert_int_eq(pf_pfdo_find(file, name, profile, &first, &functions, &error), PF_OK);
	ck_assert_uint_eq(functions, 1);
	*found = 0;
	ck_assert_int_eq(pf_edits_apply(edits, &profile->functions[0], found, &error), PF_OK);
	pf_edits_free(edits);
	pf_sources_free(sources);
	pf_pfdo_close(file);
	return profile;
}

static struct pf_profile *apply(const char *name, const char *now, const struct spot *gs, size_t count, uint32_t line,
				uint32_t *found)
{
	return apply_to(text, name, now, gs, count, line, 0, found);
}

START_TEST(own_record)
{
	uint32_t found;
	struct pf_profile *profile = apply("g", "g", new_g, 10, 1, &found);
	const struct pf_record *r = profile->functions[0].records;

	ck_assert_uint_eq(found, 7);
	ck_assert_int_eq(r[0].place.position.line, 1);
	ck_assert_int_eq(r[1].place.position.line, 4);
	ck_assert_int_eq(r[3].place.position.line, 5);
	ck_assert_uint_eq(r[3].place.position.column, 14);
	ck_assert_int_eq(r[5].place.position.line, 6);
	pf_profile_free(profile);
}
END_TEST

/* The instance says of `g' only three positions; what its own record says decides for it, too.  The call of it stands
 * in `f', which is what it was. */
START_TEST(instance_in_another)
{
	uint32_t found;
	struct pf_profile *profile = apply("f", "g", new_g, 10, 5, &found);
	const struct pf_function *f = &profile->functions[0];

	ck_assert_uint_eq(found, 2);
	ck_assert_int_eq(f->records[1].place.position.line, 2);
	ck_assert_uint_eq(f->records[4].place.node, 1);
	ck_assert_int_eq(f->records[4].place.position.line, 4);
	ck_assert_int_eq(f->records[4].outcomes[0].to.position.line, 5);
	ck_assert_int_eq(f->records[5].place.position.line, 5);
	ck_assert_int_eq(f->nodes[1].site.line, 2);
	ck_assert_uint_eq(f->nodes[1].line, 5);
	pf_profile_free(profile);
}
END_TEST

START_TEST(nothing_edited)
{
	uint32_t found;
	struct pf_profile *profile = apply("f", "g", old_g, 8, 5, &found);
	const struct pf_function *f = &profile->functions[0];

	ck_assert_uint_eq(found, 0);
	for (uint32_t i = 0; i < f->record_count; i++)
		ck_assert_int_eq(f->records[i].place.position.line, i < 3 ? (int)i + 1 : (int)i - 2);
	ck_assert_uint_eq(f->nodes[1].line, 1);
	pf_profile_free(profile);
}
END_TEST

/* `g' is called `h' now, and edited; where `f' called the one it calls the other. */
START_TEST(another_name)
{
	uint32_t found;
	struct pf_profile *profile = apply("f", "h", new_g, 10, 5, &found);
	const struct pf_function *f = &profile->functions[0];

	ck_assert_uint_eq(found, 2);
	ck_assert_uint_eq(f->nodes[1].line, 5);
	ck_assert_int_eq(f->records[4].place.position.line, 4);
	pf_profile_free(profile);
}
END_TEST

/* `f' calls something else there now, which has little of `g'. */
START_TEST(another_function)
{
	const struct spot other[] = { { 1, 3, NULL }, { 4, 30, NULL }, { 6, 31, NULL }, { 9, 32, NULL } };
	uint32_t found;
	struct pf_profile *profile = apply("f", "h", other, 4, 5, &found);

	ck_assert_uint_eq(found, 0);
	ck_assert_str_eq(profile->functions[0].nodes[1].name, "g");
	ck_assert_uint_eq(profile->functions[0].nodes[1].line, 1);
	pf_profile_free(profile);
}
END_TEST

/* Two functions of one name: of which of them the record is nobody knows, unless it is in the line of one, or others
 * tell how far the file has moved. */
START_TEST(sources_of_one_name)
{
	struct pf_sources *sources = pf_sources_alloc();
	struct pf_landmarks none = { 0 }, six_lines_in_line_1 = { 0 }, unmoved = { 0 };

	add_source(sources, "g", 3, old_g, 8);
	add_source(sources, "g", 9, new_g, 10);
	add_source(sources, "h", 20, old_g, 8);
	ck_assert_uint_eq(pf_sources_find(sources, "g", "/old/a.c", 9, &none)->line, 9);
	ck_assert_ptr_null(pf_sources_find(sources, "g", "/old/a.c", 4, &none));
	ck_assert_uint_eq(pf_sources_find(sources, "h", "a.c", 4, &none)->line, 20);
	ck_assert_ptr_null(pf_sources_find(sources, "h", "b.c", 20, &none));
	ck_assert_int_eq(pf_landmarks_add(&six_lines_in_line_1, 1, 7), PF_OK);
	ck_assert_uint_eq(pf_sources_find(sources, "g", "/old/a.c", 3, &six_lines_in_line_1)->line, 9);
	ck_assert_int_eq(pf_landmarks_add(&unmoved, 20, 20), PF_OK);
	ck_assert_ptr_null(pf_sources_find(sources, "g", "/old/a.c", 6, &unmoved));
	ck_assert_uint_eq(pf_sources_find(sources, "g", "/old/a.c", 4, &unmoved)->line, 3);
	pf_landmarks_fini(&six_lines_in_line_1);
	pf_landmarks_fini(&unmoved);
	pf_sources_free(sources);
}
END_TEST

/* Three are made of the template of line 3, each of which has a part of it. */
START_TEST(made_of_one_template)
{
	const struct spot first[] = { { 1, 5, NULL }, { 2, 9, NULL } }, second[] = { { 1, 5, NULL }, { 3, 9, "log" } };
	struct pf_sources *sources = pf_sources_alloc();
	struct pf_landmarks none = { 0 };

	add_source(sources, "g", 3, first, 2);
	add_source(sources, "g", 3, second, 2);
	add_source(sources, "g", 3, first, 2);
	add_source(sources, "h", 3, old_g, 8);
	const struct pf_source_function *g = pf_sources_find(sources, "g", "/old/a.c", 3, &none);

	ck_assert_uint_eq(g->outline.count, 4); /* three positions, and a call */
	ck_assert(pf_outline_has(&g->outline, 2, 9, 0));
	ck_assert(pf_outline_has(&g->outline, 3, 9, pf_outline_call("log")));
	ck_assert_ptr_eq(pf_sources_find(sources, "g", "/old/a.c", 3, &none), g);
	ck_assert_uint_eq(g->outline.count, 4);
	pf_sources_free(sources);
}
END_TEST

/* A function of two positions, which are a line further down: all of it has moved, though that is little.  It is so if
 * what stands below it has moved, too. */
START_TEST(a_small_function)
{
	static const char small[] = "pathfdo-profile 1\n"
				    "unit executions\n"
				    "function get a.c:10 head 100 total 200\n"
				    "  2:9 count 100\n"
				    "  3:1 count 100\n";
	const struct spot today[] = { { 0, 5, NULL }, { 1, 1, NULL }, { 3, 9, NULL }, { 4, 1, NULL } };
	uint32_t found;
	struct pf_profile *profile = apply_to(small, "get", "get", today, 4, 10, 1, &found);
	const struct pf_record *r = profile->functions[0].records;

	ck_assert_uint_eq(found, 2);
	ck_assert_int_eq(r[0].place.position.line, 3);
	ck_assert_int_eq(r[1].place.position.line, 4);
	pf_profile_free(profile);
	profile = apply_to(small, "get", "get", today, 4, 10, 0, &found);
	ck_assert_uint_eq(found, 0);
	pf_profile_free(profile);
}
END_TEST

int main(void)
{
	return RUN_SUITE("plugin-edits", own_record, instance_in_another, nothing_edited, another_name,
			 another_function, sources_of_one_name, made_of_one_template, a_small_function);
}
