/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text form: nothing is lost on the way there and back, and every error says where it is. */
#include "testsuite/unit/profile-helpers.h"
#include "testsuite/unit/profile-random.h"

START_TEST(there_and_back)
{
	for (uint64_t seed = 1; seed <= 30; seed++) {
		struct pf_profile *profile = random_profile(seed, 40, 12), *again;
		struct pf_buffer bytes = bytes_of(profile), bytes_again;
		char *text = text_of(profile);

		again = profile_of(text);
		bytes_again = bytes_of(again);
		ck_assert_uint_eq(bytes.size, bytes_again.size);
		ck_assert_mem_eq(bytes.data, bytes_again.data, bytes.size);
		pf_buffer_fini(&bytes);
		pf_buffer_fini(&bytes_again);
		pf_profile_free(profile);
		pf_profile_free(again);
		free(text);
	}
}
END_TEST

START_TEST(written_by_hand)
{
	check_text("# a comment\n\n  pathfdo-profile 1 # and another\nunit samples\n"
		   "from clock samples 3 event cpu-clock\r\n"
		   "function f f.c:1 total 99\n"
		   "\t-3.2 count 7\n"
		   "\t\tcall \"operator new\" 2\n"
		   "\tinline @70 g \"my \\\"g\\\".h\":0 at 1:2.3\n"
		   "\t        0 count 1 instructions 2 max 9\n"
		   "\t        \ttaken 4@70 3\n"
		   "\tpath 5 -3.2 0@70\n"
		   "function \"\" \"\":0\n"
		   "function \"#x\" a:b.c:4294967295\n",
		   "pathfdo-profile 1\nunit samples\n"
		   "from clock event cpu-clock binary \"\" build-id \"\" period 0 samples 3 lost 0 first-ns 0 last-ns "
		   "0 tool \"\"\n"
		   "\nfunction \"\" \"\":0 head 0 total 0\n"
		   "\nfunction \"#x\" a:b.c:4294967295 head 0 total 0\n"
		   "\nfunction f f.c:1 head 0 total 8\n"
		   "  -3.2 count 7\n"
		   "    call \"operator new\" 2\n"
		   "  inline @1 g \"my \\\"g\\\".h\":0 at 1:2.3 entries 0\n"
		   "    0 count 1 max 9 instructions 2\n"
		   "      taken 4@1 3\n"
		   "  path 5 -3.2 0@1\n");
}
END_TEST

START_TEST(limits_of_fields)
{
	check_text(HEAD "function f \"\\x01\\\\\":4294967295 head 18446744073709551615\n"
			" -2147483648:4294967295.4294967295 count 18446744073709551615 instructions 4294967295\n"
			" 2147483647 count 0\n",
		   HEAD "\nfunction f \"\\x01\\\\\":4294967295 head 18446744073709551615 total 18446744073709551615\n"
			"  -2147483648:4294967295.4294967295 count 18446744073709551615 instructions 4294967295\n"
			"  2147483647 count 0\n");
}
END_TEST

static const struct {
	const char *text;
	int code;
	const char *where; /* line and column */
	const char *what;
} errors[] = {
	{ "", PF_EFORMAT, "", "empty" },
	{ "hello\n", PF_EFORMAT, ":1:1:", "'hello'" },
	{ "pathfdo-profile 2\n", PF_EVERSION, ":1:", "form 2" },
	{ "pathfdo-profile 1\n", PF_EFORMAT, ":1:1:", "unit" },
	{ "pathfdo-profile 1\nunit samples", PF_EFORMAT, ":2:13:", "cut short" },
	{ "pathfdo-profile 1\nunit samples\nfunction f f.c:1\n  1 count 12", PF_EFORMAT, ":4:13:", "cut short" },
	{ "pathfdo-profile 1\nunit furlongs\n", PF_EFORMAT, ":2:6:", "'furlongs'" },
	{ "pathfdo-profile 1\nunit samples now\n", PF_EFORMAT, ":2:14:", "'now'" },
	{ HEAD "from mars\n", PF_EFORMAT, ":3:6:", "'mars'" },
	{ HEAD "from soft period 1 period 2\n", PF_EFORMAT, ":3:20:", "twice" },
	{ HEAD "1 count 1\n", PF_EFORMAT, ":3:1:", "outside of a function" },
	{ HEAD "function f\n", PF_EFORMAT, ":3:11:", "FILE:LINE" },
	{ HEAD "function f f.c\n", PF_EFORMAT, ":3:12:", "'f.c'" },
	{ HEAD "function f f.c:4294967296\n", PF_EFORMAT, ":3:12:", "FILE:LINE" },
	{ HEAD "function f \"f.c\n", PF_EFORMAT, ":3:12:", "quote" },
	{ HEAD "function \"f\\n\" f.c:1\n", PF_EFORMAT, ":3:12:", "escape" },
	{ HEAD "function \"f\"g f.c:1\n", PF_EFORMAT, ":3:10:", "blank" },
	{ HEAD "function f f.c:1 head\n", PF_EFORMAT, ":3:22:", "count" },
	{ HEAD "function f f.c:1 head -1\n", PF_EFORMAT, ":3:23:", "'-1'" },
	{ HEAD "function f f.c:1 head 18446744073709551616\n", PF_EFORMAT, ":3:23:", "2^64" },
	{ HEAD "function f f.c:1 tail 1\n", PF_EFORMAT, ":3:18:", "'tail'" },
	{ HEAD "function f f.c:1\n1 count 1\n", PF_EFORMAT, ":4:1:", "indented" },
	{ HEAD "function f f.c:1\n 1\n", PF_EFORMAT, ":4:2:", "count" },
	{ HEAD "function f f.c:1\n 1:x count 1\n", PF_EFORMAT, ":4:2:", "'1:x'" },
	{ HEAD "function f f.c:1\n 2147483648 count 1\n", PF_EFORMAT, ":4:2:", "position" },
	{ HEAD "function f f.c:1\n 1 count 1 instructions 4294967296\n", PF_EFORMAT, ":4:2:", "instructions" },
	{ HEAD "function f f.c:1\n 1 count 1\n  2 count 1\n", PF_EFORMAT, ":5:3:", "below a position" },
	{ HEAD "function f f.c:1\n call g 1\n", PF_EFORMAT, ":4:2:", "below a position" },
	{ HEAD "function f f.c:1\n 1 count 1\n  call g\n", PF_EFORMAT, ":5:9:", "count" },
	{ HEAD "function f f.c:1\n 1 count 1\n  taken 2@3 1\n", PF_EFORMAT, ":5:9:", "no inline @3" },
	{ HEAD "function f f.c:1\n path 1 2 3@4\n", PF_EFORMAT, ":4:11:", "no inline @4" },
	{ HEAD "function f f.c:1\n path 1\n", PF_EFORMAT, ":4:2:", "at least one position" },
	{ HEAD "function f f.c:1\n inline @1 g g.c:1 at 1\n inline @1 g g.c:1 at 2\n", PF_EFORMAT,
	  ":5:9:", "two inlines" },
	{ HEAD "function f f.c:1\n inline @0 g g.c:1 at 1\n", PF_EFORMAT, ":4:9:", "'@0'" },
	{ HEAD "function f f.c:1\n inline g g.c:1 in 1\n", PF_EFORMAT, ":4:17:", "'in'" },
	{ HEAD "function f f.c:1\n inline g g.c:1 at 1\n  path 1 1\n", PF_EFORMAT, ":5:3:", "below an inline" },
	{ HEAD "function f f.c:1\n dropped 1 path count 1\n", PF_EFORMAT, ":4:12:", "'path'" },
	{ HEAD "compiled\n", PF_EFORMAT, ":3:9:", "the line ends" },
	{ HEAD "compiled a.c b.c\n", PF_EFORMAT, ":3:14:", "'b.c'" },
	{ HEAD "nonsense\n", PF_EFORMAT, ":3:1:", "'nonsense'" },
};

START_TEST(errors_say_where)
{
	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
		struct pf_profile *profile;
		struct pf_error error = { 0 };
		char where[32];

		snprintf(where, sizeof where, "some.txt%s", errors[i].where);
		ck_assert_msg(pf_text_read("some.txt", errors[i].text, strlen(errors[i].text), &profile, &error) ==
				  errors[i].code,
			      "case %zu: %s", i, error.text);
		ck_assert_ptr_null(profile);
		ck_assert_msg(strstr(error.text, where) == error.text, "case %zu: %s", i, error.text);
		ck_assert_msg(strstr(error.text, errors[i].what) != NULL, "case %zu: %s", i, error.text);
	}
}
END_TEST

START_TEST(no_text)
{
	struct pf_profile *profile;
	struct pf_error error = { 0 };

	ck_assert_int_eq(pf_text_read("x", "pathfdo\0-profile", 16, &profile, &error), PF_EFORMAT);
	ck_assert_ptr_nonnull(strstr(error.text, "x:1:8: this is no text"));
}
END_TEST

int main(void)
{
	return RUN_SUITE("profile-text", there_and_back, written_by_hand, limits_of_fields, errors_say_where, no_text);
}
