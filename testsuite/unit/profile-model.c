/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model: what has one key is added up, the order is canonical, the summary and the elided names are what a hand
 * computation says. */
#include "profile/arena.h"
#include "profile/saturate.h"
#include "testsuite/unit/profile-helpers.h"
#include "testsuite/unit/profile-random.h"

START_TEST(equal_functions_are_joined)
{
	check_text(HEAD "function g a.c:9 head 1\n"
			"  1 count 5\n"
			"function f a.c:3 head 10 entries 1\n"
			"  2:1 count 4 max 6 instructions 2\n"
			"    call x 1\n"
			"    call y 2\n"
			"  inline @5 k k.h:1 at 2:1 entries 7\n"
			"    1 count 3\n"
			"  path 2 1@5 2:1\n"
			"  dropped 1 paths count 2\n"
			"function f a.c:3 head 20 entries 2\n"
			"  inline @1 h k.h:1 at 2:1 entries 1\n"
			"    1 count 1\n"
			"  inline @2 k k.h:1 at 2:1 entries 70\n"
			"    1 count 30\n"
			"      taken 2:1 9\n"
			"  2:1 count 40 max 40 instructions 1\n"
			"    call y 1\n"
			"    call x 3\n"
			"  path 20 1@2 2:1\n"
			"  path 30 1@1 2:1\n"
			"  dropped 10 paths count 20\n"
			"function f b.c:3 head 5\n",
		   HEAD "\nfunction f a.c:3 head 30 total 78 entries 3\n"
			"  2:1 count 44 max 46 instructions 2\n"
			"    call x 4\n"
			"    call y 3\n"
			"  inline @1 h k.h:1 at 2:1 entries 1\n"
			"    1 count 1\n"
			"  inline @2 k k.h:1 at 2:1 entries 77\n"
			"    1 count 33\n"
			"      taken 2:1 9\n"
			"  path 30 1@1 2:1\n"
			"  path 22 1@2 2:1\n"
			"  dropped 11 paths count 22\n"
			"\nfunction f b.c:3 head 5 total 0\n"
			"\nfunction g a.c:9 head 1 total 5\n"
			"  1 count 5\n");
}
END_TEST

/* Two lambdas, or two methods of classes without linkage: one name, one call, and only the declarations differ. */
START_TEST(inlined_namesakes_stay_apart)
{
	check_text(HEAD "function f a.c:1\n"
			"  inline area a.c:9 at 5 entries 2\n"
			"    1 count 2\n"
			"  inline area a.c:7 at 5 entries 30\n"
			"    1 count 30\n"
			"  inline area a.c:9 at 5 entries 4\n"
			"  inline area A.c:9 at 5 entries 500\n",
		   HEAD "\nfunction f a.c:1 head 0 total 32\n"
			"  inline @1 area A.c:9 at 5 entries 500\n"
			"  inline @2 area a.c:7 at 5 entries 30\n"
			"    1 count 30\n"
			"  inline @3 area a.c:9 at 5 entries 6\n"
			"    1 count 2\n");
}
END_TEST

START_TEST(equal_inlined_trees_are_joined)
{
	check_text(HEAD "function f a.c:1\n"
			"  inline b z.h:2 at 5 entries 1\n"
			"    inline c y.h:1 at 1 entries 1\n"
			"      2 count 1\n"
			"  inline a z.h:2 at 5 entries 1\n"
			"  inline b z.h:2 at 5 entries 2\n"
			"    inline c y.h:1 at 1 entries 4\n"
			"      2 count 10\n"
			"    inline c y.h:1 at 0:3 entries 8\n"
			"      2 count 100\n"
			"  inline b z.h:2 at 4 entries 16\n",
		   HEAD "\nfunction f a.c:1 head 0 total 111\n"
			"  inline @1 b z.h:2 at 4 entries 16\n"
			"  inline @2 a z.h:2 at 5 entries 1\n"
			"  inline @3 b z.h:2 at 5 entries 3\n"
			"    inline @4 c y.h:1 at 0:3 entries 8\n"
			"      2 count 100\n"
			"    inline @5 c y.h:1 at 1 entries 5\n"
			"      2 count 11\n");
}
END_TEST

START_TEST(sums_saturate)
{
	check_text(HEAD "function f a.c:1 head 18446744073709551615\n"
			"  1 count 18446744073709551615\n"
			"  1 count 7 max 9\n"
			"  2 count 1\n"
			"function f a.c:1 head 1\n",
		   HEAD "\nfunction f a.c:1 head 18446744073709551615 total 18446744073709551615\n"
			"  1 count 18446744073709551615\n"
			"  2 count 1\n");
	ck_assert_uint_eq(pf_count_scale(10, 1, 3), 3);
	ck_assert_uint_eq(pf_count_scale(11, 1, 2), 6);
	ck_assert_uint_eq(pf_count_scale(1, 1, 1000), 1);
	ck_assert_uint_eq(pf_count_scale(0, 1000, 1), 0);
	ck_assert_uint_eq(pf_count_scale(UINT64_MAX / 2, 3, 1), UINT64_MAX);
	ck_assert_uint_eq(pf_count_scale(UINT64_MAX - 1, 1000, 1000), UINT64_MAX - 1);
}
END_TEST

/* 100 positions of count 1, 10 of 10, 1 of 100: total 300. */
START_TEST(summary_by_hand)
{
	struct pf_buffer text = { 0 };
	struct pf_profile *profile;
	struct pf_summary summary;
	struct pf_error error;
	static const struct pf_cutoff wanted[] = { { 10, 100, 1 },  { 100, 100, 1 }, { 200, 100, 1 },
						   { 300, 100, 1 }, { 400, 10, 11 }, { 500, 10, 11 },
						   { 600, 10, 11 }, { 700, 1, 111 }, { 1000, 1, 111 } };

	pf_buffer_printf(&text, HEAD "function f f.c:1\n");
	for (int i = 0; i < 111; i++)
		pf_buffer_printf(&text, " %d count %d\n", i, i == 50 ? 100 : i % 10 == 3 && i < 100 ? 10 : 1);
	pf_buffer_printf(&text, " 200 count 0\n");
	pf_buffer_u8(&text, 0);
	profile = profile_of((const char *)text.data);
	ck_assert_int_eq(pf_profile_summarise(profile, &summary, &error), PF_OK);
	ck_assert_uint_eq(summary.total, 300);
	ck_assert_uint_eq(summary.maximum, 100);
	ck_assert_uint_eq(summary.positions, 111);
	ck_assert_uint_eq(summary.function_count, 1);
	for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++) {
		size_t c = 0;

		while (summary.cutoffs[c].permille != wanted[w].permille)
			ck_assert_uint_lt(++c, PF_CUTOFF_COUNT);
		ck_assert_uint_eq(summary.cutoffs[c].minimum, wanted[w].minimum);
		ck_assert_uint_eq(summary.cutoffs[c].positions, wanted[w].positions);
	}
	pf_profile_free(profile);
	pf_buffer_fini(&text);
}
END_TEST

START_TEST(clone_suffixes)
{
	static const struct {
		const char *name;
		size_t length;
	} names[] = {
		{ "main", 4 },
		{ "f.constprop.0", 1 },
		{ "f.isra.0.part.12", 1 },
		{ "f.part.0.cold", 1 },
		{ "f.cold.3", 1 },
		{ "f.lto_priv.7.isra.1", 1 },
		{ "f.llvm.1234567890123", 1 },
		{ "f.localalias", 1 },
		{ "f.localalias.2", 1 },
		{ "f.clone.4", 1 },
		{ "f.part", 6 },
		{ "f.constprop", 11 },
		{ "f.constpropagate.0", 18 },
		{ "std.stdio.write", 15 },
		{ "f.1", 3 },
		{ "f.1.cold", 3 },
		{ ".cold", 5 },
		{ "f.constprop.", 12 },
		{ "f.cold.isra", 11 },
		{ "", 0 },
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		ck_assert_msg(pf_name_elide(names[i].name) == names[i].length, "%s: %zu", names[i].name,
			      pf_name_elide(names[i].name));
}
END_TEST

START_TEST(canonical_twice_is_canonical_once)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct pf_profile *profile = random_profile(seed, 30, 8);
		struct pf_error error;
		char *once, *twice;

		ck_assert_int_eq(pf_profile_canonicalise(profile, &error), PF_OK);
		once = text_of(profile);
		ck_assert_int_eq(pf_profile_canonicalise(profile, &error), PF_OK);
		twice = text_of(profile);
		ck_assert_str_eq(once, twice);
		free(once);
		free(twice);
		pf_profile_free(profile);
	}
}
END_TEST

static void check_refused(struct pf_profile *profile, int code, const char *what)
{
	struct pf_error error = { 0 };

	ck_assert_int_eq(pf_profile_canonicalise(profile, &error), code);
	ck_assert_msg(strstr(error.text, what) != NULL, "%s", error.text);
	pf_profile_free(profile);
}

START_TEST(bugs_of_producers_are_named)
{
	struct pf_profile *profile = profile_of(HEAD "function f f.c:1\n 1 count 1\n  taken 2 1\n path 1 1\n");

	profile->functions[0].records[0].place.node = 1;
	check_refused(profile, PF_EINVAL, "function f: record 0");
	profile = profile_of(HEAD "function f f.c:1\n 1 count 1\n  taken 2 1\n path 1 1\n");
	profile->functions[0].records[0].outcomes[0].to.node = 1;
	check_refused(profile, PF_EINVAL, "function f: an outcome of record 0");
	profile = profile_of(HEAD "function f f.c:1\n 1 count 1\n  taken 2 1\n path 1 1\n");
	profile->functions[0].paths[0].places[0].node = 9;
	check_refused(profile, PF_EINVAL, "function f: path 0");
	profile = profile_of(HEAD "function f f.c:1\n inline g g.c:1 at 1\n");
	profile->functions[0].nodes[1].parent = 1;
	check_refused(profile, PF_EINVAL, "function f: the parent of inlined instance 1");
	profile = profile_of(HEAD "from soft\n");
	profile->provenances[0].kind = 0;
	check_refused(profile, PF_EINVAL, "provenance 0");
}
END_TEST

START_TEST(depth_is_limited)
{
	struct pf_profile *profile = pf_profile_alloc(PF_UNIT_EXECUTIONS);
	struct pf_function *function = pf_profile_add_function(profile);
	struct pf_error error;

	function->name = "f";
	function->node_count = PF_MAX_INLINE_DEPTH + 2;
	function->nodes = pf_profile_reserve(profile, function->node_count * sizeof *function->nodes);
	for (uint32_t n = 1; n < function->node_count; n++)
		function->nodes[n] = (struct pf_node) { .parent = n - 1, .name = "g" };
	function->node_count--;
	ck_assert_int_eq(pf_profile_canonicalise(profile, &error), PF_OK);
	function->node_count++;
	check_refused(profile, PF_ELIMIT, "1000 deep");
}
END_TEST

/* Blocks are 4 KiB, 8 KiB and so on; a larger request has one of its own. */
/* Whatever the sizes that come first, small requests share blocks: of half a block to a whole one is the hard range. */
START_TEST(an_arena_wastes_no_blocks)
{
	for (size_t first = 1 << 16; first <= 1 << 22; first += first / 4) {
		struct pf_arena arena = { 0 };

		ck_assert_ptr_nonnull(pf_arena_reserve(&arena, first));
		for (int i = 0; i < 1000; i++)
			ck_assert_ptr_nonnull(pf_arena_reserve(&arena, 8));
		ck_assert_uint_le(arena.size, first + 8 + (1 << 20));
		pf_arena_fini(&arena);
	}
}
END_TEST

START_TEST(memory_is_limited)
{
	struct pf_arena arena = { .limit = 20000 };

	ck_assert_ptr_nonnull(pf_arena_reserve(&arena, 4000));
	ck_assert_ptr_null(pf_arena_reserve(&arena, 16000));
	ck_assert_ptr_nonnull(pf_arena_reserve(&arena, 8000));
	ck_assert_ptr_null(pf_arena_reserve(&arena, 8000));
	ck_assert_ptr_nonnull(pf_arena_reserve(&arena, 96));
	ck_assert_uint_le(arena.size, arena.limit);
	pf_arena_fini(&arena);
}
END_TEST

int main(void)
{
	return RUN_SUITE("profile-model", equal_functions_are_joined, inlined_namesakes_stay_apart,
			 equal_inlined_trees_are_joined, sums_saturate, summary_by_hand, clone_suffixes,
			 canonical_twice_is_canonical_once, bugs_of_producers_are_named, depth_is_limited,
			 an_arena_wastes_no_blocks, memory_is_limited);
}
