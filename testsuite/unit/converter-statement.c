/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The count of a statement from its pieces: copies add up, parts do not. */
#include "converter/statement.h"
#include "testsuite/unit/suite.h"

static struct pf_piece piece(uint64_t weight, uint16_t a, uint16_t b, uint16_t c)
{
	struct pf_piece p = { .weight = weight };

	pf_statement_add(&p, a);
	if (b)
		pf_statement_add(&p, b);
	if (c)
		pf_statement_add(&p, c);
	return p;
}

START_TEST(copies_add_up)
{
	/* A loop's body, unrolled by three. */
	struct pf_piece pieces[] = { piece(100, 1, 2, 3), piece(40, 1, 2, 3), piece(7, 3, 1, 2) };

	ck_assert_uint_eq(pf_statement_count(pieces, 3), 147);
}
END_TEST

START_TEST(parts_do_not)
{
	/* What a statement with a condition in it compiles to: test, then one of two arms. */
	struct pf_piece pieces[] = { piece(100, 1, 2, 0), piece(60, 5, 0, 0), piece(40, 7, 8, 9) };

	ck_assert_uint_eq(pf_statement_count(pieces, 3), 100);
}
END_TEST

START_TEST(order_does_not_matter)
{
	struct pf_piece a[] = { piece(5, 1, 2, 3), piece(9, 4, 0, 0), piece(6, 1, 2, 3) };
	struct pf_piece b[] = { piece(6, 1, 2, 3), piece(5, 1, 2, 3), piece(9, 4, 0, 0) };

	ck_assert_uint_eq(pf_statement_count(a, 3), 11);
	ck_assert_uint_eq(pf_statement_count(b, 3), 11);
	ck_assert_uint_eq(pf_statement_count(a, 0), 0);
}
END_TEST

int main(void)
{
	return RUN_SUITE("converter-statement", copies_add_up, parts_do_not, order_does_not_matter);
}
