/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Halves of a recording and what they say of it, by hand. */
#include "converter/halves.h"
#include "converter/intake.h"
#include "profile/agreement.h"
#include "testsuite/unit/suite.h"

/* The sequence of Rudin and Shapiro begins 0 0 0 1 0 0 1 0 0 0 0 1 1 1 0 1. */
START_TEST(one_of_two_blocks)
{
	static const unsigned first[] = { 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1, 0, 1 };
	struct pf_halves h = { 0 };

	pf_halves_span(&h, 1100);
	pf_halves_span(&h, 1100 + 2559);
	pf_halves_span(&h, 1200);
	/* 2560 ns are 256 blocks of 10. */
	for (unsigned pair = 0; pair < 16; pair++) {
		ck_assert_uint_eq(pf_halves_deal(&h, 1100 + 20 * pair), first[pair]);
		ck_assert_uint_eq(pf_halves_deal(&h, 1109 + 20 * pair), first[pair]);
		ck_assert_uint_eq(pf_halves_deal(&h, 1110 + 20 * pair), 1 - first[pair]);
	}
	h = (struct pf_halves) { 0 };
	pf_halves_span(&h, 0);
	pf_halves_span(&h, UINT64_MAX);
	ck_assert_uint_eq(pf_halves_deal(&h, 0), 0);
	ck_assert_uint_eq(pf_halves_deal(&h, UINT64_MAX), 1);
}
END_TEST

/* Any two deals have half of the pairs in common, so that each is news. */
START_TEST(deals_are_independent)
{
	for (unsigned i = 0; i < PF_HALVES_DEALS; i++) {
		struct pf_halves one = { .last = PF_HALVES_BLOCKS - 1, .seen = 2, .deal = i }, other = one;
		unsigned same = 0;

		other.deal = (i * 7 + 3) % PF_HALVES_DEALS;
		for (unsigned block = 0; block < PF_HALVES_BLOCKS; block += 2) {
			ck_assert_uint_ne(pf_halves_deal(&one, block), pf_halves_deal(&one, block + 1));
			same += pf_halves_deal(&one, block) == pf_halves_deal(&other, block);
		}
		ck_assert_uint_eq(same, other.deal == i ? PF_HALVES_BLOCKS / 2 : PF_HALVES_BLOCKS / 4);
	}
}
END_TEST

/* How far the halves of COUNT bursts agree of which as many in a row are in one kind of work and as many in another. */
static double agreement_of_rounds(unsigned count, unsigned row, unsigned deal)
{
	struct pf_halves h = { .last = count - 1, .seen = count, .deal = deal };
	uint64_t sums[2][2] = { { 0 } };

	for (unsigned i = 0; i < count; i++)
		sums[pf_halves_deal(&h, i)][i / row % 2]++;
	return pf_halves_overlap(sums[0], sums[1], 2);
}

/* Chance alone would set the halves of 300 bursts .05 apart.  Blocks in turn have nothing in common at some period. */
START_TEST(rounds_do_not_tell_halves_apart)
{
	for (unsigned row = 1; row <= 1000; row++) {
		ck_assert_double_gt(agreement_of_rounds(300, row % 150 + 1, row % PF_HALVES_DEALS), 0.85);
		ck_assert_double_gt(agreement_of_rounds(2000, row, row % PF_HALVES_DEALS), 0.85);
		ck_assert_double_gt(agreement_of_rounds(2000, row, 0), 0.85);
	}
}
END_TEST

/* A few bursts in many ways, many in one; never none. */
START_TEST(deals_by_size)
{
	ck_assert_uint_eq(pf_halves_deals(0), 16);
	ck_assert_uint_eq(pf_halves_deals(1024), 16);
	ck_assert_uint_eq(pf_halves_deals(4096), 4);
	ck_assert_uint_eq(pf_halves_deals(UINT64_MAX), 1);
}
END_TEST

START_TEST(overlaps)
{
	static const uint64_t one[] = { 1, 1, 2, 0 }, other[] = { 200, 100, 100, 0 }, none[] = { 0, 0, 0, 7 };

	/* 1/4 1/4 1/2 against 1/2 1/4 1/4. */
	ck_assert_double_eq_tol(pf_halves_overlap(one, other, 4), 0.75, 1e-12);
	ck_assert_double_eq_tol(pf_halves_overlap(one, one, 4), 1, 1e-12);
	ck_assert_double_eq(pf_halves_overlap(one, none, 4), 0);
	ck_assert_double_eq(pf_halves_overlap(one, none, 3), 0);
	ck_assert_double_eq(pf_halves_overlap(NULL, NULL, 0), 0);
}
END_TEST

/* Deal k has thing i in half (i >> k) & 1, so that no thing is in both halves of any; by deals 2 and 3 one is empty. */
START_TEST(dealt_things_overlap)
{
	struct pf_dealt things[4] = { 0 }, both[2] = { 0 };
	double overlap;

	for (unsigned i = 0; i < 4; i++)
		pf_dealt_add(&things[i], i, 6);
	ck_assert_int_eq(pf_dealt_overlap(things, 4, &overlap), PF_OK);
	ck_assert_double_eq(overlap, 0);
	ck_assert_int_eq(pf_dealt_overlap(things, 0, &overlap), PF_OK);
	ck_assert_double_eq(overlap, 0);
	/* Things 0 and 1 together are equally in both halves by deal 0, and so are 2 and 3. */
	for (unsigned i = 0; i < 4; i++)
		pf_dealt_join(&both[i / 2], &things[i]);
	ck_assert_uint_eq(both[1].all, 12);
	ck_assert_uint_eq(both[1].first[0], 6);
	ck_assert_uint_eq(both[1].first[1], 0);
	ck_assert_uint_eq(both[1].first[2], 12);
	ck_assert_int_eq(pf_dealt_overlap(both, 2, &overlap), PF_OK);
	ck_assert_double_eq_tol(overlap, 1.0 / 4, 1e-12);
	pf_dealt_add(&both[0], 0, UINT64_MAX);
	ck_assert_uint_eq(both[0].all, UINT64_MAX);
}
END_TEST

/* Two edges, each alone in a burst; the first burst is seen twice in one half. */
START_TEST(bursts_go_to_their_half)
{
	static struct pf_vec_map map = { .start = 0x1000, .end = 0x2000, .path = "/bin/unit" };
	static struct pf_vec_edge edges[] = {
		{ .kind = PF_EDGE_JUMP, .start = 0x1000, .from = 0x1010, .to = 0x1000 },
		{ .kind = PF_EDGE_JUMP, .start = 0x1100, .from = 0x1110, .to = 0x1100 },
	};
	static const uint32_t first[] = { 0 }, second[] = { 1 };
	struct pf_vec_burst bursts[] = {
		{ .time = 0, .repeat = 2, .edge_count = 1, .edges = first },
		{ .time = 6, .repeat = 1, .edge_count = 1, .edges = second },
		{ .time = 255, .repeat = 1, .edge_count = 1, .edges = first },
	};
	struct pf_vec_count count = { .edge = 1, .count = 50 };
	struct pf_vectors vectors = { .map_count = 1,
				      .edge_count = 2,
				      .burst_count = 3,
				      .count_count = 1,
				      .maps = &map,
				      .edges = edges,
				      .bursts = bursts,
				      .counts = &count };
	struct pf_intake_options options = { .weighting = PF_WEIGHT_NONE };
	struct pf_traffic t = { 0 };
	struct pf_recording recording = { 0 };
	struct pf_error error;

	ck_assert_int_eq(pf_intake_vectors(&t, &vectors, &options, &recording, &error), PF_OK);
	ck_assert_uint_eq(t.edges.count, 2);
	ck_assert_uint_eq(t.edges.at[0].dealt.first[0], 2 * PF_WEIGHT_ONE);
	ck_assert_uint_eq(t.edges.at[0].dealt.all, 3 * PF_WEIGHT_ONE);
	/* By deal 1 every other pair is the other way round: 6 is in pair 3, 255 in 127. */
	ck_assert_uint_eq(t.edges.at[0].dealt.first[1], 3 * PF_WEIGHT_ONE);
	ck_assert_uint_eq(t.edges.at[1].dealt.first[0], 0);
	ck_assert_uint_eq(t.edges.at[1].dealt.first[1], PF_WEIGHT_ONE);
	/* Mere counts are of no time. */
	ck_assert_uint_eq(t.edges.at[1].dealt.all, PF_WEIGHT_ONE);
	ck_assert_uint_eq(t.edges.at[1].weight, 51 * PF_WEIGHT_ONE);
	pf_traffic_fini(&t);
	pf_recording_fini(&recording);
}
END_TEST

START_TEST(agreements_add_up)
{
	struct pf_agreement none = { 0 }, sum = { 0 }, a = pf_agreement_of(100, 0.6, 0.08),
			    b = pf_agreement_of(300, 0.9, 0);

	ck_assert_uint_eq(pf_agreement_permille(&none), PF_AGREEMENT_UNKNOWN);
	ck_assert_uint_eq(pf_agreement_permille(&a), 600);
	ck_assert_uint_eq(pf_agreement_permille(&b), 900);
	pf_agreement_add(&sum, &a);
	ck_assert_uint_eq(pf_agreement_permille(&sum), 600);
	/* Twice as much of the same: the distance of 400 becomes 400 / sqrt(2) = 283. */
	pf_agreement_add(&sum, &a);
	ck_assert_uint_eq(sum.looks, 200);
	ck_assert_uint_eq(pf_agreement_permille(&sum), 717);
	/* sqrt((100 * 400)^2 + (300 * 100)^2) = 50,000, of 400 looks. */
	sum = a;
	pf_agreement_add(&sum, &b);
	ck_assert_uint_eq(pf_agreement_permille(&sum), 875);
	/* 8 of the 100 looks' hundred parts are known by one look, none of the others': 8 of 400. */
	ck_assert_uint_eq(pf_agreement_unseen(&none), 0);
	ck_assert_uint_eq(pf_agreement_unseen(&a), 80);
	ck_assert_uint_eq(pf_agreement_unseen(&sum), 20);
	a = pf_agreement_of(UINT64_MAX, 0, 1);
	ck_assert_uint_ge(pf_agreement_permille(&a), 999);
	a = pf_agreement_of(5, 0, 1);
	ck_assert_uint_eq(pf_agreement_permille(&a), 0);
	ck_assert_uint_eq(pf_agreement_unseen(&a), 1000);
	a = pf_agreement_of(5, 1, 0);
	ck_assert_uint_eq(pf_agreement_permille(&a), 1000);
}
END_TEST

int main(void)
{
	return RUN_SUITE("converter-halves", one_of_two_blocks, deals_are_independent, rounds_do_not_tell_halves_apart,
			 deals_by_size, overlaps, dealt_things_overlap, bursts_go_to_their_half, agreements_add_up);
}
