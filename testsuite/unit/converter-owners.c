/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One owner for each address of code, on a file of two sections that is written down here. */
#include "converter/owners.h"
#include "testsuite/unit/suite.h"

#include <elf.h>

static const uint8_t bytes[0x3000];
static struct pf_elf_section sections[3];
static struct pf_elf_segment segments[2];

/* Code at [0x1000, 0x1040) and [0x1100, 0x2000), data at 0x2000; without SECTIONS only the segment is known. */
static struct pf_elf file_of(bool with_sections)
{
	struct pf_elf elf = { .bytes = bytes, .size = sizeof bytes, .headers_end = 0x40 + 2 * 56 };

	sections[0] = (struct pf_elf_section) {
		.name = ".text", .type = SHT_PROGBITS, .flags = 6, .address = 0x1100, .offset = 0x1100, .size = 0xf00
	};
	sections[1] = (struct pf_elf_section) {
		.name = ".init", .type = SHT_PROGBITS, .flags = 6, .address = 0x1000, .offset = 0x1000, .size = 0x40
	};
	sections[2] = (struct pf_elf_section) {
		.name = ".data", .type = SHT_PROGBITS, .flags = 3, .address = 0x2000, .offset = 0x2000, .size = 0x1000
	};
	segments[0] = (struct pf_elf_segment) { .address = 0, .offset = 0, .file_size = 0x2000, .executable = true };
	segments[1] = (struct pf_elf_segment) { .address = 0x2000, .offset = 0x2000, .file_size = 0x1000 };
	elf.segments.at = segments;
	elf.segments.count = 2;
	elf.sections.at = sections;
	elf.sections.count = with_sections ? 3 : 0;
	return elf;
}

START_TEST(tombstones_are_no_code)
{
	static const uint64_t none[] = { 0, 1, 0x100, 0xfff, 0x1040, 0x10ff, 0x2000, UINT64_MAX, UINT64_MAX - 1 };
	struct pf_elf elf = file_of(true);
	struct pf_owners owners;

	ck_assert_int_eq(pf_owners_init(&owners, &elf), PF_OK);
	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
		ck_assert(!pf_owners_is_code(&owners, none[i]));
		ck_assert(!pf_owners_claim(&owners, none[i], none[i] + 0x10));
	}
	ck_assert(pf_owners_is_code(&owners, 0x1000));
	ck_assert(pf_owners_is_code(&owners, 0x103f));
	ck_assert(pf_owners_is_code(&owners, 0x1fff));
	pf_owners_fini(&owners);
}
END_TEST

START_TEST(first_owner_keeps_it)
{
	struct pf_elf elf = file_of(true);
	struct pf_owners owners;

	ck_assert_int_eq(pf_owners_init(&owners, &elf), PF_OK);
	ck_assert(pf_owners_claim(&owners, 0x1110, 0x1123));
	ck_assert(!pf_owners_claim(&owners, 0x1110, 0x1123)); /* a copy */
	ck_assert(!pf_owners_claim(&owners, 0x1122, 0x1200)); /* its last byte */
	ck_assert(!pf_owners_claim(&owners, 0x1100, 0x1111)); /* its first byte */
	ck_assert(!pf_owners_claim(&owners, 0x1100, 0x2000)); /* around it */
	ck_assert(pf_owners_claim(&owners, 0x1123, 0x1200));
	ck_assert(pf_owners_claim(&owners, 0x1100, 0x1110));
	ck_assert(pf_owners_claim(&owners, 0x1200, 0x2000));  /* to the last byte of the section */
	ck_assert(!pf_owners_claim(&owners, 0x1030, 0x1041)); /* runs over the end */
	ck_assert(!pf_owners_claim(&owners, 0x1030, 0x1030));
	ck_assert(!pf_owners_claim(&owners, 0x1030, 0x1000));
	ck_assert(pf_owners_claim(&owners, 0x1030, 0x1040));
	pf_owners_fini(&owners);
}
END_TEST

START_TEST(segments_without_sections)
{
	struct pf_elf elf = file_of(false);
	struct pf_owners owners;

	ck_assert_int_eq(pf_owners_init(&owners, &elf), PF_OK);
	ck_assert(!pf_owners_is_code(&owners, 0));
	ck_assert(!pf_owners_is_code(&owners, elf.headers_end - 1));
	ck_assert(pf_owners_is_code(&owners, elf.headers_end));
	ck_assert(pf_owners_claim(&owners, 0x1000, 0x2000));
	ck_assert(!pf_owners_is_code(&owners, 0x2000));
	pf_owners_fini(&owners);
}
END_TEST

/* A damaged table lays one section over the other: no byte has two owners even so. */
START_TEST(areas_do_not_overlap)
{
	struct pf_elf elf = file_of(true);
	struct pf_owners owners;

	sections[1].address = 0x1100;
	sections[1].size = UINT64_MAX;
	ck_assert_int_eq(pf_owners_init(&owners, &elf), PF_OK);
	ck_assert_uint_eq(owners.areas.count, 1);
	ck_assert(pf_owners_claim(&owners, 0x1100, 0x2000));
	ck_assert(!pf_owners_claim(&owners, 0x1200, 0x1300));
	pf_owners_fini(&owners);
}
END_TEST

int main(void)
{
	return RUN_SUITE("converter-owners", tombstones_are_no_code, first_owner_keeps_it, segments_without_sections,
			 areas_do_not_overlap);
}
