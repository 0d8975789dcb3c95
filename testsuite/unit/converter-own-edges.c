/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Edges that are one of the code have one number, what has none has none, and numbers have no gaps. */
#include "converter/own-edges.h"
#include "converter/traffic.h"
#include "testsuite/unit/suite.h"

START_TEST(one_number_for_one_edge)
{
	static const uint32_t ids[] = { 70, PF_NO_EDGE, 5, 70, 0, 4000000000u, 5 };
	static const uint32_t want[] = { 2, PF_NO_EDGE, 1, 2, 0, 3, 1 };
	struct pf_vectors vectors = { .edge_count = 7 };
	struct pf_own_edges own;

	ck_assert_int_eq(pf_own_edges_find(&vectors, ids, &own), PF_OK);
	ck_assert_uint_eq(own.count, 4);
	for (unsigned i = 0; i < 7; i++)
		ck_assert_uint_eq(own.numbers[i], want[i]);
	pf_own_edges_fini(&own);
	ck_assert_ptr_null(own.numbers);
}
END_TEST

START_TEST(no_edges)
{
	static const uint32_t none[] = { PF_NO_EDGE };
	struct pf_vectors vectors = { .edge_count = 0 };
	struct pf_own_edges own;

	ck_assert_int_eq(pf_own_edges_find(&vectors, NULL, &own), PF_OK);
	ck_assert_uint_eq(own.count, 0);
	pf_own_edges_fini(&own);
	vectors.edge_count = 1;
	ck_assert_int_eq(pf_own_edges_find(&vectors, none, &own), PF_OK);
	ck_assert_uint_eq(own.count, 0);
	ck_assert_uint_eq(own.numbers[0], PF_NO_EDGE);
	pf_own_edges_fini(&own);
}
END_TEST

int main(void)
{
	return RUN_SUITE("converter-own-edges", one_number_for_one_edge, no_edges);
}
