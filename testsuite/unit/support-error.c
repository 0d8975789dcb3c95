/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an error's sentence quotes is no longer than the sentence may be, and nothing that a terminal obeys. */
#include "support/error.h"
#include "testsuite/unit/suite.h"

#include <string.h>

START_TEST(quotes_without_control_characters)
{
	struct pf_error error;

	ck_assert_int_eq(pf_fail(&error, PF_EIO, "%s: cannot open", "a\033]0;x\007b\r\177\xc3\xa9\td\ne"), PF_EIO);
	ck_assert_str_eq(error.text, "a?]0;x?b??\xc3\xa9\td\ne: cannot open");
	ck_assert_int_eq(error.code, PF_EIO);
}
END_TEST

START_TEST(is_cut_not_overrun)
{
	struct pf_error error;
	char name[2 * sizeof error.text];

	memset(name, '\1', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	ck_assert_int_eq(pf_fail(&error, PF_EFORMAT, "%s", name), PF_EFORMAT);
	ck_assert_uint_eq(strlen(error.text), sizeof error.text - 1);
	ck_assert_uint_eq(strspn(error.text, "?"), sizeof error.text - 1);
	ck_assert_int_eq(pf_fail(NULL, PF_ENOMEM, "out of memory"), PF_ENOMEM);
}
END_TEST

int main(void)
{
	return RUN_SUITE("support-error", quotes_without_control_characters, is_cut_not_overrun);
}
