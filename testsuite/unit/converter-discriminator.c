/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Discriminators with layers: whose they are, and what the layers say.  The numbers are by hand, from the layout in GCC
 * 16's hierarchical_discriminator.h: block in bits 0 to 7, times in 8 to 14, copy in 15 to 25. */
#include "converter/discriminator.h"
#include "testsuite/unit/suite.h"

START_TEST(producers)
{
	static const char *const layered[] = { "GNU C17 16.2.0 -mtune=generic -O2",
					       "GNU GIMPLE 16.2.0 -O2",
					       "GNU C++20 16.1.1 20260801 -O2",
					       "GNU Fortran2023 17.0.0",
					       "GNU Modula-2 16.2.0",
					       "GNU C89 100.1.0" };
	static const char *const plain[] = { "GNU C17 15.3.0 -O2 -fno-x 16",
					     "GNU C++17 12.2.0",
					     "GNU AS 2.44",
					     "GNU AS 20.1",
					     "clang version 16.0.6",
					     "GNU ",
					     "GNU",
					     "GNU C17",
					     "",
					     "rustc 16.0",
					     "GNU Modula-2 15.1.0" };

	for (size_t i = 0; i < sizeof layered / sizeof *layered; i++)
		ck_assert_msg(pf_discriminator_has_layers(layered[i]), "%s", layered[i]);
	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
		ck_assert_msg(!pf_discriminator_has_layers(plain[i]), "%s", plain[i]);
	ck_assert(!pf_discriminator_has_layers(NULL));
}
END_TEST

static void check(uint32_t number, bool layers, uint32_t block, unsigned times, unsigned copy)
{
	struct pf_discriminator d = pf_discriminator_read(number, layers);

	ck_assert_uint_eq(d.block, block);
	ck_assert_uint_eq(d.times, times);
	ck_assert_uint_eq(d.copy, copy);
}

START_TEST(layers)
{
	check(0, true, 0, 1, 0);
	check(255, true, 255, 1, 0);
	check(0x405, true, 5, 4, 0);            /* a loop of four lanes */
	check(0x18005, true, 5, 1, 3);          /* its third copy */
	check(0x3ffffff, true, 255, 127, 2047); /* all of the layers */
	check(0xfc000000, true, 0, 1, 0);       /* no layer of today's */
	check(0x405, false, 0x405, 1, 0);
	check(UINT32_MAX, false, UINT32_MAX, 1, 0);
}
END_TEST

int main(void)
{
	return RUN_SUITE("converter-discriminator", producers, layers);
}
