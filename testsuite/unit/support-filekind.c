/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of the wrong kind are named by their first bytes, which are those that file(1) has for them. */
#include "support/filekind.h"
#include "testsuite/unit/suite.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *bytes;
	size_t size;
	int status;
	const char *says;
} cases[] = {
	{ "", 0, PF_ETRUNCATED, "a: is empty; make one" },
	{ "\177ELF\2\1\1", 8, PF_EFORMAT, "a: is a program or library, not a profile; make one" },
	{ "\x7f"
	  "EL",
	  3, PF_EFORMAT, "a: is not a profile; make one" },
	{ "PERFILE2", 8, PF_EFORMAT, "a: is a recording, not a profile; make one" },
	{ "#!/bin/sh", 9, PF_EFORMAT, "a: is a script, not a profile; make one" },
	{ "#", 1, PF_EFORMAT, "a: is not a profile; make one" },
	{ "\x1f\x8b\x08", 3, PF_EFORMAT, "a: is a file compressed by gzip, not a profile; make one" },
	{ "int main(void)", 14, PF_EFORMAT, "a: is not a profile; make one" },
};

START_TEST(kinds_are_named)
{
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		size_t size = cases[i].size;
		char *exact = malloc(size ? size : 1); /* no byte more, for the sanitizers */
		struct pf_error error;

		ck_assert_ptr_nonnull(exact);
		memcpy(exact, cases[i].bytes, size);
		ck_assert_int_eq(pf_filekind_refuse("a", exact, size, "a profile", "make one", &error),
				 cases[i].status);
		ck_assert_str_eq(error.text, cases[i].says);
		free(exact);
	}
}
END_TEST

int main(void)
{
	return RUN_SUITE("support-filekind", kinds_are_named);
}
