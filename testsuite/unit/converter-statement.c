/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The count of a statement from its pieces: copies add up, parts do not. */
#include "converter/statement.h"
#include "testsuite/unit/suite.h"

static const struct pf_apart unknown;

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

	ck_assert_uint_eq(pf_statement_count(pieces, 3, &unknown), 147);
}
END_TEST

START_TEST(parts_do_not)
{
	/* What a statement with a condition in it compiles to: test, then one of two arms. */
	struct pf_piece pieces[] = { piece(100, 1, 2, 0), piece(60, 5, 0, 0), piece(40, 7, 8, 9) };

	ck_assert_uint_eq(pf_statement_count(pieces, 3, &unknown), 100);
}
END_TEST

START_TEST(order_does_not_matter)
{
	struct pf_piece a[] = { piece(5, 1, 2, 3), piece(9, 4, 0, 0), piece(6, 1, 2, 3) };
	struct pf_piece b[] = { piece(6, 1, 2, 3), piece(5, 1, 2, 3), piece(9, 4, 0, 0) };

	ck_assert_uint_eq(pf_statement_count(a, 3, &unknown), 11);
	ck_assert_uint_eq(pf_statement_count(b, 3, &unknown), 11);
	ck_assert_uint_eq(pf_statement_count(a, 0, &unknown), 0);
}
END_TEST

static struct pf_piece in_block(uint32_t block, struct pf_piece piece)
{
	piece.block = block;
	return piece;
}

/* Block 0 is followed by 1 or by 2, and that by 3; 4 follows none of them. */
static uint64_t follow[] = { 1 << 1 | 1 << 2 | 1 << 3, 1 << 3, 1 << 3, 0, 0 };
static const struct pf_apart apart = { 5, follow };

START_TEST(versions_add_up)
{
	/* Two versions of a loop, one of which lost its test; then with what was hoisted in front of both. */
	struct pf_piece two[] = { in_block(1, piece(70, 1, 2, 3)), in_block(2, piece(50, 2, 3, 0)) };
	struct pf_piece three[] = { in_block(2, piece(50, 2, 3, 0)), in_block(0, piece(40, 9, 0, 0)),
				    in_block(1, piece(70, 1, 2, 3)) };

	ck_assert_uint_eq(pf_statement_count(two, 2, &apart), 120);
	ck_assert_uint_eq(pf_statement_count(three, 3, &apart), 120);
}
END_TEST

START_TEST(what_follows_does_not)
{
	/* The heaviest is what all others are held against: 3 follows both arms, 4 is apart from all. */
	struct pf_piece pieces[] = { in_block(1, piece(60, 1, 0, 0)), in_block(2, piece(30, 2, 0, 0)),
				     in_block(3, piece(100, 3, 0, 0)), in_block(4, piece(5, 4, 0, 0)) };

	ck_assert_uint_eq(pf_statement_count(pieces, 4, &apart), 105);
}
END_TEST

START_TEST(copies_of_versions)
{
	/* One version was unrolled by two, so its pieces look alike, and both exclude the other's. */
	struct pf_piece pieces[] = { in_block(1, piece(30, 1, 2, 0)), in_block(3, piece(20, 1, 2, 0)),
				     in_block(4, piece(9, 1, 0, 0)), in_block(2, piece(10, 7, 0, 0)) };

	ck_assert_uint_eq(pf_statement_count(pieces, 4, &apart), 59);
}
END_TEST

int main(void)
{
	return RUN_SUITE("converter-statement", copies_add_up, parts_do_not, order_does_not_matter, versions_add_up,
			 what_follows_does_not, copies_of_versions);
}
