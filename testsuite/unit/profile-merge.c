/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums of profiles are associative and commutative, byte for byte; comparisons give what a hand computation gives. */
#include "flow/metrics.h"
#include "profile/arena.h"
#include "profile/merging.h"
#include "profile/weights.h"
#include "testsuite/unit/profile-helpers.h"
#include "testsuite/unit/profile-random.h"

#include <math.h>

static struct pf_profile *sum_of(const struct pf_profile *a, const struct pf_profile *b)
{
	struct pf_merge merge = { 0 };
	struct pf_profile *sum;
	struct pf_error error;

	ck_assert_int_eq(pf_merge_add(&merge, a, &error), PF_OK);
	ck_assert_int_eq(pf_merge_add(&merge, b, &error), PF_OK);
	ck_assert_int_eq(pf_merge_finish(&merge, &sum, &error), PF_OK);
	return sum;
}

static struct pf_profile *random_canonical(uint64_t seed)
{
	struct pf_profile *profile = random_profile(seed, 25, 6);
	struct pf_error error;

	/* Some counts near the limit: a sum that saturates must do so in any order. */
	profile->functions[0].head = UINT64_MAX - 10;
	if (profile->functions[1].record_count)
		profile->functions[1].records[0].count = UINT64_MAX - 100;
	ck_assert_int_eq(pf_profile_canonicalise(profile, &error), PF_OK);
	return profile;
}

static void check_same_bytes(struct pf_profile *a, struct pf_profile *b)
{
	struct pf_buffer x = bytes_of(a), y = bytes_of(b);

	ck_assert_uint_eq(x.size, y.size);
	ck_assert_mem_eq(x.data, y.data, x.size);
	pf_buffer_fini(&x);
	pf_buffer_fini(&y);
}

START_TEST(sums_do_not_depend_on_order)
{
	for (uint64_t seed = 1; seed <= 25; seed++) {
		struct pf_profile *a = random_canonical(seed), *b = random_canonical(seed + 1000),
				  *c = random_canonical(seed + 2000);
		struct pf_profile *ab = sum_of(a, b), *ba = sum_of(b, a), *bc = sum_of(b, c);
		struct pf_profile *left = sum_of(ab, c), *right = sum_of(a, bc), *turned = sum_of(c, ba);

		check_same_bytes(ab, ba);
		check_same_bytes(left, right);
		check_same_bytes(left, turned);
		ck_assert_uint_gt(left->functions[0].record_count, 0);
		ck_assert_uint_eq(left->provenance_count, 6);
		pf_profile_free(a);
		pf_profile_free(b);
		pf_profile_free(c);
		pf_profile_free(ab);
		pf_profile_free(ba);
		pf_profile_free(bc);
		pf_profile_free(left);
		pf_profile_free(right);
		pf_profile_free(turned);
	}
}
END_TEST

START_TEST(a_sum_by_hand)
{
	struct pf_profile *a =
	    profile_of(HEAD "function f f.c:1 head 1\n 1 count 2\n  call x 3\n inline @1 g g.c:1 at 1 entries 4\n"
			    "  1 count 5\n path 6 1 1@1\ncompiled x.c\ncompiled y.c\n");
	struct pf_profile *b = profile_of(HEAD "function f f.c:1 head 10\n 1 count 20\n  call y 30\n"
					       " inline @1 e g.c:1 at 1 entries 4\n inline @2 g g.c:1 at 1 entries 40\n"
					       "  1 count 50\n path 60 1 1@2\n path 7 1 1@1\ncompiled y.c\n"
					       "compiled w.c\n");
	struct pf_profile *sum = sum_of(a, b);
	char *text = text_of(sum);

	ck_assert_str_eq(text, HEAD "\nfunction f f.c:1 head 11 total 77\n"
				    "  1 count 22\n    call y 30\n    call x 3\n"
				    "  inline @1 e g.c:1 at 1 entries 4\n"
				    "  inline @2 g g.c:1 at 1 entries 44\n    1 count 55\n"
				    "  path 66 1 1@2\n  path 7 1 1@1\n"
				    "\ncompiled w.c\ncompiled x.c\ncompiled y.c\n");
	ck_assert_uint_eq(pf_profile_saturated(sum), 0);
	free(text);
	pf_profile_free(a);
	pf_profile_free(b);
	pf_profile_free(sum);
}
END_TEST

START_TEST(many_profiles_are_added_in_steps)
{
	struct pf_profile *part = random_profile(3, 3000, 100000);
	struct pf_merge merge = { 0 };
	struct pf_profile *sum;
	struct pf_error error;
	uint64_t total = 0, sum_total = 0;

	ck_assert_int_eq(pf_profile_canonicalise(part, &error), PF_OK);
	for (int i = 0; i < 100; i++)
		ck_assert_int_eq(pf_merge_add(&merge, part, &error), PF_OK);
	/* Copies were added up on the way, or there would be a hundred of each. */
	ck_assert_uint_lt(merge.sum->function_count, 100 * part->function_count / 2);
	ck_assert_int_eq(pf_merge_finish(&merge, &sum, &error), PF_OK);
	ck_assert_uint_eq(sum->function_count, part->function_count);
	for (uint32_t f = 0; f < part->function_count; f++) {
		total += part->functions[f].total;
		sum_total += sum->functions[f].total;
	}
	ck_assert_uint_eq(sum_total, 100 * total);
	ck_assert_uint_eq(sum->provenance_count, 200);
	pf_profile_free(sum);
	pf_profile_free(part);
}
END_TEST

/* A function f whose first line went to COUNT others, and called as many. */
static struct pf_profile *one_that_branches(uint32_t count)
{
	struct pf_buffer text = { 0 };
	struct pf_profile *profile;

	pf_buffer_printf(&text, HEAD "function f f.c:1 head 1\n 1 count %u\n", count);
	for (uint32_t i = 0; i < count; i++)
		pf_buffer_printf(&text, "  taken %u 1\n  call f%u 1\n  value size %u 1\n", i + 2, i, i);
	pf_buffer_u8(&text, 0);
	ck_assert(!text.failed);
	profile = profile_of((const char *)text.data);
	pf_buffer_fini(&text);
	return profile;
}

/* The bytes that PROFILE has taken: its memory is the first member of what it calls its arena. */
static size_t memory_of(const struct pf_profile *profile)
{
	return ((const struct pf_arena *)profile->arena)->size;
}

/* Of a small program there are a thousand copies before they are added up, and one statement of it may have gone to
 * many places: what that takes is in proportion to the copies, not to their square. */
START_TEST(copies_of_one_function_are_joined_at_once)
{
	enum { PLACES = 100, COPIES = 400 };
	struct pf_profile *part = one_that_branches(PLACES), *sum;
	size_t items = PLACES * (sizeof(struct pf_outcome) + sizeof(struct pf_target) + sizeof(struct pf_value));
	struct pf_merge merge = { 0 };
	struct pf_error error;

	for (int i = 0; i < COPIES; i++)
		ck_assert_int_eq(pf_merge_add(&merge, part, &error), PF_OK);
	ck_assert_uint_eq(merge.sum->function_count, COPIES);
	ck_assert_int_eq(pf_merge_finish(&merge, &sum, &error), PF_OK);
	ck_assert_uint_eq(sum->functions[0].record_count, 1);
	ck_assert_uint_eq(sum->functions[0].records[0].count, PLACES * COPIES);
	ck_assert_uint_eq(sum->functions[0].records[0].outcome_count, PLACES);
	ck_assert_uint_eq(sum->functions[0].records[0].target_count, PLACES);
	ck_assert_uint_eq(sum->functions[0].records[0].value_count, PLACES);
	ck_assert_uint_eq(sum->functions[0].records[0].outcomes[0].count, COPIES);
	/* Each copy, and all of them behind each other. */
	ck_assert_uint_lt(memory_of(sum), 4 * COPIES * items);
	pf_profile_free(sum);
	pf_profile_free(part);
}
END_TEST

START_TEST(source_files_do_not_pile_up)
{
	struct pf_profile *part = pf_profile_alloc(PF_UNIT_EXECUTIONS), *sum;
	struct pf_merge merge = { 0 };
	struct pf_error error;
	char name[32];

	for (int i = 0; i < 20000; i++) {
		snprintf(name, sizeof name, "src/%d.c", i);
		ck_assert_int_eq(pf_profile_add_compiled(part, name), PF_OK);
	}
	for (int i = 0; i < 50; i++)
		ck_assert_int_eq(pf_merge_add(&merge, part, &error), PF_OK);
	ck_assert_uint_lt(merge.sum->compiled_count, 10 * 20000);
	ck_assert_int_eq(pf_merge_finish(&merge, &sum, &error), PF_OK);
	ck_assert_uint_eq(sum->compiled_count, 20000);
	pf_profile_free(sum);
	pf_profile_free(part);
}
END_TEST

START_TEST(units_do_not_mix)
{
	struct pf_profile *a = profile_of(HEAD), *b = profile_of("pathfdo-profile 1\nunit samples\n");
	struct pf_merge merge = { 0 };
	struct pf_profile *sum;
	struct pf_error error;

	ck_assert_int_eq(pf_merge_finish(&merge, &sum, &error), PF_EEMPTY);
	ck_assert_int_eq(pf_merge_add(&merge, a, &error), PF_OK);
	ck_assert_int_eq(pf_merge_add(&merge, b, &error), PF_EMISMATCH);
	pf_merge_fini(&merge);
	pf_profile_free(a);
	pf_profile_free(b);
}
END_TEST

START_TEST(scaling)
{
	struct pf_profile *profile =
	    profile_of(HEAD "function f f.c:1 head 3 entries 8\n 1 count 10 max 11 instructions 7\n"
			    "  call x 5\n  fell 2 1\n 2 count 0\n path 4 1\n dropped 9 paths count 100\n");
	char *text;

	pf_profile_scale(profile, 1, 4);
	text = text_of(profile);
	ck_assert_str_eq(text,
			 HEAD "\nfunction f f.c:1 head 1 total 3 entries 2\n  1 count 3 instructions 7\n"
			      "    call x 1\n    fell 2 1\n  2 count 0\n  path 1 1\n  dropped 9 paths count 25\n");
	free(text);
	pf_profile_scale(profile, UINT64_MAX, 2);
	ck_assert_uint_eq(pf_profile_saturated(profile),
			  5); /* 3 by 2^63: count, max, total; head 2^63; 25 paths; entries 2 */
	pf_profile_free(profile);
}
END_TEST

static struct pf_weights weights_of(const struct pf_profile *profile, enum pf_weight_kind kind)
{
	struct pf_weights weights;
	struct pf_error error;

	ck_assert_int_eq(pf_weights_collect(profile, kind, &weights, &error), PF_OK);
	return weights;
}

/* The weights as flow/metrics takes them. */
static struct pf_weight *keyed(const struct pf_weights *weights)
{
	struct pf_weight *keyed = calloc(weights->count + 1, sizeof *keyed);

	ck_assert_ptr_nonnull(keyed);
	for (size_t i = 0; i < weights->count; i++)
		keyed[i] = (struct pf_weight) { weights->items[i].key, (double)weights->items[i].weight };
	return keyed;
}

static double overlap(const struct pf_profile *a, const struct pf_profile *b, enum pf_weight_kind kind)
{
	struct pf_weights weights_a = weights_of(a, kind), weights_b = weights_of(b, kind);
	struct pf_weight *x = keyed(&weights_a), *y = keyed(&weights_b);
	struct pf_weight_pair *pairs;
	size_t count = pf_metrics_join(x, weights_a.count, y, weights_b.count, &pairs);
	double result = pf_metrics_overlap(pairs, count);

	pf_weights_fini(&weights_a);
	pf_weights_fini(&weights_b);
	free(pairs);
	free(x);
	free(y);
	return result;
}

static struct pf_direction_mismatch mismatch(const struct pf_profile *a, const struct pf_profile *b)
{
	struct pf_weights x = weights_of(a, PF_WEIGHT_EDGES), y = weights_of(b, PF_WEIGHT_EDGES);
	struct pf_edge_pair *edges = calloc(x.count + y.count + 1, sizeof *edges);
	struct pf_direction_mismatch result;
	size_t count = 0;

	ck_assert_ptr_nonnull(edges);
	for (size_t i = 0; i < x.count; i++)
		edges[count++] =
		    (struct pf_edge_pair) { x.items[i].branch, x.items[i].key, (double)x.items[i].weight, 0 };
	for (size_t i = 0; i < y.count; i++)
		edges[count++] =
		    (struct pf_edge_pair) { y.items[i].branch, y.items[i].key, 0, (double)y.items[i].weight };
	result = pf_metrics_mismatch(edges, count);
	pf_weights_fini(&x);
	pf_weights_fini(&y);
	free(edges);
	return result;
}

/* In A: f 30 + 10 = 40 and g 60.  In B g is inlined into f: shares of source positions stay, those of functions and
 * of instances do not. */
START_TEST(overlaps_by_hand)
{
	struct pf_profile *a =
	    profile_of(HEAD "function f /a/f.c:1\n 1 count 30\n  taken 2 20\n  fell 3 10\n 2 count 10\n"
			    "  taken 5 4\n  fell 6 1\n path 3 1 2\n path 1 1 3\nfunction g /a/g.c:5\n 1 count 60\n");
	struct pf_profile *b = profile_of(
	    HEAD "function f /b/f.c:2\n 1 count 60\n  taken 3 40\n  fell 2 60\n 2 count 20\n"
		 "  fell 6 9\n  taken 5 1\n inline g /b/g.c:7 at 2\n  1 count 120\n path 1 1 2\n path 1 2 1\n");
	struct pf_direction_mismatch directions = mismatch(a, b);

	ck_assert_double_eq_tol(overlap(a, b, PF_WEIGHT_POSITIONS), 1, 1e-12);
	ck_assert_double_eq_tol(overlap(a, b, PF_WEIGHT_INSTANCES), 0.4, 1e-12);
	ck_assert_double_eq_tol(overlap(a, b, PF_WEIGHT_FUNCTIONS), 0.4, 1e-12);
	/* A: 20 10 4 1 of 35; B: 60 40 1 9 of 110. */
	ck_assert_double_eq_tol(overlap(a, b, PF_WEIGHT_EDGES), 60 / 110.0 + 10 / 35.0 + 1 / 110.0 + 1 / 35.0, 1e-12);
	ck_assert_double_eq_tol(overlap(a, b, PF_WEIGHT_PATHS), 0.5, 1e-12);
	ck_assert_double_eq_tol(overlap(a, a, PF_WEIGHT_PATHS), 1, 1e-12);
	ck_assert_uint_eq(directions.branches, 2);
	ck_assert_uint_eq(directions.wrong, 1);
	ck_assert_double_eq_tol(directions.share, (5 / 35.0 + 10 / 110.0) / 2, 1e-12);
	pf_profile_free(a);
	pf_profile_free(b);
}
END_TEST

START_TEST(nothing_has_no_weights)
{
	struct pf_profile *a = profile_of(HEAD "function f f.c:1\n 1 count 1\n"), *b = profile_of(HEAD);
	struct pf_weights edges = weights_of(a, PF_WEIGHT_EDGES), positions = weights_of(b, PF_WEIGHT_POSITIONS);

	ck_assert_uint_eq(edges.count, 0);
	ck_assert_uint_eq(positions.count, 0);
	ck_assert_double_eq(overlap(a, b, PF_WEIGHT_POSITIONS), 0);
	ck_assert_uint_eq(mismatch(a, a).branches, 0);
	pf_weights_fini(&edges);
	pf_weights_fini(&positions);
	pf_profile_free(a);
	pf_profile_free(b);
}
END_TEST

int main(void)
{
	return RUN_SUITE("profile-merge", sums_do_not_depend_on_order, a_sum_by_hand, many_profiles_are_added_in_steps,
			 copies_of_one_function_are_joined_at_once, source_files_do_not_pile_up, units_do_not_mix,
			 scaling, overlaps_by_hand, nothing_has_no_weights);
}
