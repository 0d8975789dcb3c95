/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is printed as JSON is read back by jansson, which wants UTF-8: names of any bytes arrive, and all that can be
 * kept of them is; counts of all 64 bits are printed as they are. */
#include "support/jsontext.h"
#include "testsuite/unit/suite.h"

#include <jansson.h>
#include <string.h>

static const struct {
	const char *name, *read;
} names[] = {
	{ "", "" },
	{ "plain", "plain" },
	{ "a \"quoted\" \\ path", "a \"quoted\" \\ path" },
	{ "line\nand\ttab\x01", "line\nand\ttab\x01" },
	{ "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\xa7", "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\xa7" },
	{ "caf\xe9.c", "caf\xef\xbf\xbd.c" },                                         /* Latin 1 */
	{ "cut \xe2\x82", "cut \xef\xbf\xbd\xef\xbf\xbd" },                           /* the end of a buffer */
	{ "\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd" },                                   /* a slash of two bytes */
	{ "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },                   /* half of a pair */
	{ "\xf4\x90\x80\x80!", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd!" }, /* behind the last character */
};

START_TEST(names_of_any_bytes_are_read_back)
{
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		struct pf_buffer out = { 0 };
		json_error_t error;
		json_t *root;

		pf_buffer_printf(&out, "{\"first\": ");
		pf_json_put_string(&out, names[i].name);
		pf_json_put_field(&out, "second", names[i].name);
		pf_json_put_flag(&out, "third", i % 2);
		ck_assert_int_eq(pf_json_is_exact(names[i].name), strcmp(names[i].name, names[i].read) == 0);
		pf_buffer_printf(&out, "}");
		ck_assert(!out.failed);
		root = json_loadb((const char *)out.data, out.size, 0, &error);
		ck_assert_msg(root != NULL, "%zu: %s", i, error.text);
		ck_assert_str_eq(json_string_value(json_object_get(root, "first")), names[i].read);
		ck_assert_str_eq(json_string_value(json_object_get(root, "second")), names[i].read);
		ck_assert_int_eq(json_is_true(json_object_get(root, "third")), i % 2);
		json_decref(root);
		pf_buffer_fini(&out);
	}
}
END_TEST

START_TEST(counts_are_whole)
{
	struct pf_buffer out = { 0 };

	pf_json_put_count(&out, "most", UINT64_MAX);
	pf_buffer_u8(&out, 0);
	ck_assert_str_eq((const char *)out.data, ", \"most\": 18446744073709551615");
	pf_buffer_fini(&out);
}
END_TEST

int main(void)
{
	return RUN_SUITE("support-jsontext", names_of_any_bytes_are_read_back, counts_are_whole);
}
