/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cursor never reads past its end, whatever the sizes; the hard case is a LEB128 that overflows or does not end. */
#include "support/cursor.h"
#include "testsuite/unit/suite.h"

#include <stdlib.h>
#include <string.h>

START_TEST(integers_are_little_endian)
{
	const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	struct pf_cursor c = pf_cursor_over(bytes, sizeof bytes, 100);

	ck_assert_uint_eq(pf_cursor_u8(&c), 1);
	ck_assert_uint_eq(pf_cursor_u16(&c), 0x0302);
	ck_assert_uint_eq(pf_cursor_u32(&c), 0x07060504);
	ck_assert_uint_eq(pf_cursor_offset(&c), 107);
	ck_assert_uint_eq(pf_cursor_u64(&c), 0x0f0e0d0c0b0a0908);
	ck_assert_uint_eq(pf_cursor_left(&c), 0);
	ck_assert(!c.failed);
}
END_TEST

START_TEST(a_read_past_the_end_fails_and_stays_failed)
{
	const uint8_t bytes[] = { 1, 2, 3 };
	struct pf_cursor c = pf_cursor_over(bytes, sizeof bytes, 0);

	ck_assert_uint_eq(pf_cursor_u32(&c), 0);
	ck_assert(c.failed);
	ck_assert_uint_eq(pf_cursor_u8(&c), 0);
	ck_assert_uint_eq(pf_cursor_left(&c), 0);
	ck_assert_ptr_null(pf_cursor_bytes(&c, 1));
}
END_TEST

START_TEST(sizes_that_would_overflow_fail)
{
	const uint8_t bytes[] = { 1, 2, 3 };
	struct pf_cursor c = pf_cursor_over(bytes, sizeof bytes, 0);
	struct pf_cursor sub;

	pf_cursor_u8(&c);
	sub = pf_cursor_sub(&c, SIZE_MAX);
	ck_assert(c.failed);
	ck_assert(sub.failed);
}
END_TEST

START_TEST(leb128_by_the_dwarf_examples)
{
	/* DWARF 5, 7.6, figures C.1 and C.2: 127, 128, 12857, -128, -129. */
	const uint8_t bytes[] = { 0x7f, 0x80, 1, 0xb9, 0x64, 0x80, 0x7f, 0xff, 0x7e };
	struct pf_cursor c = pf_cursor_over(bytes, sizeof bytes, 0);

	ck_assert_uint_eq(pf_cursor_uleb(&c), 127);
	ck_assert_uint_eq(pf_cursor_uleb(&c), 128);
	ck_assert_uint_eq(pf_cursor_uleb(&c), 12857);
	ck_assert_int_eq(pf_cursor_sleb(&c), -128);
	ck_assert_int_eq(pf_cursor_sleb(&c), -129);
	ck_assert(!c.failed);
}
END_TEST

START_TEST(leb128_that_does_not_end_or_is_too_long_fails)
{
	const uint8_t endless[] = { 0x80, 0x80 };
	const uint8_t wide[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01 };
	struct pf_cursor c = pf_cursor_over(endless, sizeof endless, 0);

	pf_cursor_uleb(&c);
	ck_assert(c.failed);
	c = pf_cursor_over(wide, sizeof wide, 0);
	pf_cursor_uleb(&c);
	ck_assert(c.failed);
}
END_TEST

/* Nine bytes 0xff or 0x80 and a tenth: bit 63 is the only one that it can hold; for a signed number it is the sign. */
static const struct {
	uint8_t filler, tenth;
	bool good_unsigned, good_signed;
	uint64_t value;
} tenths[] = {
	{ 0xff, 0x00, true, true, INT64_MAX },
	{ 0xff, 0x01, true, false, UINT64_MAX },
	{ 0xff, 0x7f, false, true, UINT64_MAX },
	{ 0x80, 0x01, true, false, (uint64_t)1 << 63 },
	{ 0x80, 0x7f, false, true, (uint64_t)1 << 63 },
	{ 0x80, 0x02, false, false, 0 },
	{ 0x80, 0x40, false, false, 0 },
	{ 0xff, 0x7e, false, false, 0 },
};

START_TEST(a_tenth_group_holds_one_bit)
{
	for (size_t i = 0; i < sizeof tenths / sizeof *tenths; i++) {
		uint8_t bytes[10];
		struct pf_cursor c = pf_cursor_over(bytes, sizeof bytes, 0), s = c;
		uint64_t value;
		int64_t number;

		memset(bytes, tenths[i].filler, 9);
		bytes[9] = tenths[i].tenth;
		value = pf_cursor_uleb(&c);
		ck_assert_int_eq(c.failed, !tenths[i].good_unsigned);
		ck_assert_uint_eq(value, tenths[i].good_unsigned ? tenths[i].value : 0);
		number = pf_cursor_sleb(&s);
		ck_assert_int_eq(s.failed, !tenths[i].good_signed);
		ck_assert_int_eq(number, tenths[i].good_signed ? (int64_t)tenths[i].value : 0);
	}
}
END_TEST

START_TEST(a_string_needs_its_end)
{
	const uint8_t bytes[] = { 'a', 'b', 0, 'c' };
	struct pf_cursor c = pf_cursor_over(bytes, sizeof bytes, 0);

	ck_assert_str_eq(pf_cursor_string(&c), "ab");
	ck_assert_ptr_null(pf_cursor_string(&c));
	ck_assert(c.failed);
}
END_TEST

int main(void)
{
	return RUN_SUITE("support-cursor", integers_are_little_endian, a_read_past_the_end_fails_and_stays_failed,
			 sizes_that_would_overflow_fail, leb128_by_the_dwarf_examples,
			 leb128_that_does_not_end_or_is_too_long_fails, a_tenth_group_holds_one_bit,
			 a_string_needs_its_end);
}
