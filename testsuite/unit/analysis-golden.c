/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The renderings of testsuite/golden/comparison.json, byte by byte, and what holds for any: the page is well-formed,
 * asks for nothing from elsewhere, and foreign text stays text.  UPDATE=1 writes the golden files anew, for review. */
#include "analysis/compare-report.h"
#include "testsuite/unit/analysis-helpers.h"
#include "testsuite/unit/wellformed.h"

#include <unistd.h>

struct rendered {
	char *table, *html, *markdown;
};

static struct rendered render_json(const char *file, const json_t *root)
{
	struct pf_compare_source source = { file, root };
	struct pf_report_options options = { 0 };
	char html[] = "/tmp/analysis-html.XXXXXX", markdown[] = "/tmp/analysis-markdown.XXXXXX";
	struct rendered rendered;
	struct pf_error error = { 0 };
	size_t size;

	close(mkstemp(html));
	close(mkstemp(markdown));
	options.html = html;
	options.markdown = markdown;
	options.table = open_memstream(&rendered.table, &size);
	ck_assert_msg(pf_compare_report(&source, 1, &options, &error) == PF_OK, "%s", error.text);
	fclose(options.table);
	rendered.html = file_text(html);
	rendered.markdown = file_text(markdown);
	unlink(html);
	unlink(markdown);
	return rendered;
}

static void free_rendered(struct rendered *rendered)
{
	free(rendered->table);
	free(rendered->html);
	free(rendered->markdown);
}

/* Of testsuite/golden/NAME.json. */
static json_t *json_in(const char *name)
{
	struct pf_error error = { 0 };
	char path[100];
	json_t *root;

	snprintf(path, sizeof path, "testsuite/golden/%s.json", name);
	ck_assert_msg(pf_compare_read(path, &root, &error) == PF_OK, "%s", error.text);
	return root;
}

static json_t *golden_json(void)
{
	return json_in("comparison");
}

static void check_golden(const char *path, const char *got)
{
	char *want;
	size_t same;

	if (getenv("UPDATE")) {
		FILE *file = fopen(path, "wb");

		ck_assert_ptr_nonnull(file);
		fputs(got, file);
		fclose(file);
		return;
	}
	want = file_text(path);
	same = strlen(want);
	for (size_t i = 0; i <= same; i++)
		if (got[i] != want[i])
			same = i;
	ck_assert_msg(got[same] == want[same], "%s differs at byte %zu: %.60s", path, same, got + same);
	free(want);
}

/* Several programs, with failures, on a machine that counts nothing; one program on a machine that counts. */
START_TEST(renderings_are_as_reviewed)
{
	static const char *const names[] = { "comparison", "counted" };

	for (size_t i = 0; i < 2; i++) {
		char file[100], path[100];
		json_t *root = json_in(names[i]);
		struct rendered rendered;

		snprintf(file, sizeof file, "%s.json", names[i]);
		rendered = render_json(file, root);
		snprintf(path, sizeof path, "testsuite/golden/%s.txt", names[i]);
		check_golden(path, rendered.table);
		snprintf(path, sizeof path, "testsuite/golden/%s.md", names[i]);
		check_golden(path, rendered.markdown);
		snprintf(path, sizeof path, "testsuite/golden/%s.html", names[i]);
		check_golden(path, rendered.html);
		free_rendered(&rendered);
		json_decref(root);
	}
}
END_TEST

START_TEST(the_same_json_gives_the_same_bytes)
{
	json_t *root = golden_json();
	struct rendered first = render_json("comparison.json", root), second = render_json("comparison.json", root);

	ck_assert_str_eq(first.table, second.table);
	ck_assert_str_eq(first.html, second.html);
	ck_assert_str_eq(first.markdown, second.markdown);
	free_rendered(&first);
	free_rendered(&second);
	json_decref(root);
}
END_TEST

/* A program's figures do not depend on what stands beside it: each cell of its line stands in the table of it alone. */
START_TEST(a_program_alone_has_the_same_figures)
{
	json_t *root = golden_json(), *programs = json_object_get(root, "programs");
	struct rendered all = render_json("comparison.json", root), alone;
	const char *line = strstr(all.markdown, "| alpha | C | ");
	char *text, *rest, *cell;
	size_t cells = 0;

	ck_assert_ptr_nonnull(line);
	rest = text = strndup(line + strlen("| alpha | C |"), strcspn(line, "\n") - strlen("| alpha | C |"));
	while (json_array_size(programs) > 1)
		json_array_remove(programs, 1);
	alone = render_json("comparison.json", root);
	while ((cell = strsep(&rest, "|"))) {
		ck_assert_msg(strstr(alone.markdown, cell) != NULL, "%s", cell);
		cells += *cell != '\0';
	}
	ck_assert_uint_eq(cells, 5);
	free(text);
	free_rendered(&all);
	free_rendered(&alone);
	json_decref(root);
}
END_TEST

/* The page is for readers who have no such folder. */
START_TEST(markdown_without_the_current_folder)
{
	char here[1000], command[4096];
	json_t *root = golden_json(), *first = json_array_get(json_object_get(root, "programs"), 0);
	struct rendered rendered;

	ck_assert_ptr_nonnull(getcwd(here, sizeof here));
	snprintf(command, sizeof command, "'%s/steps/a' %s/b /elsewhere%s/c", here, here, here);
	json_object_set_new(first, "train", json_string(command));
	snprintf(command, sizeof command, "%s/results/one.json", here);
	rendered = render_json(command, root);
	ck_assert_ptr_nonnull(strstr(rendered.markdown, "training: 'steps/a' b /elsewhere/"));
	ck_assert_ptr_nonnull(strstr(rendered.markdown, "files: results/one.json\n"));
	free_rendered(&rendered);
	json_decref(root);
}
END_TEST

static void check_page(const char *html)
{
	char wrong[200];

	ck_assert_msg(is_wellformed(html, wrong, sizeof wrong), "%s", wrong);
	ck_assert_ptr_null(strstr(html, "<script"));
	ck_assert_ptr_null(strstr(html, "<link"));
	ck_assert_ptr_null(strstr(html, "<img"));
	ck_assert_ptr_null(strstr(html, "src="));
	ck_assert_ptr_null(strstr(html, "href="));
	ck_assert_ptr_null(strstr(html, "url("));
	ck_assert_ptr_null(strstr(html, "@import"));
	ck_assert_ptr_nonnull(strstr(html, "default-src 'none'"));
}

START_TEST(the_page_is_wellformed_and_complete)
{
	json_t *root = golden_json();
	struct rendered rendered = render_json("comparison.json", root);

	check_page(rendered.html);
	ck_assert_uint_eq(count_of(rendered.html, "<svg xmlns"), count_of(rendered.html, "role=\"img\""));
	ck_assert_uint_eq(count_of(rendered.html, "<svg xmlns"), count_of(rendered.html, "<desc "));
	/* C, C++ and Fortran by time and by instructions, collecting, converting. */
	ck_assert_uint_eq(count_of(rendered.html, "<svg xmlns"), 8);
	/* The numbers of a picture stand in its text: instr of alpha. */
	ck_assert_ptr_nonnull(strstr(rendered.html, "alpha: flags "));
	if (system("command -v xmllint >/dev/null") == 0) {
		FILE *lint = popen("xmllint --noout --nonet -", "w");

		ck_assert_ptr_nonnull(lint);
		fputs(rendered.html, lint);
		ck_assert_int_eq(pclose(lint), 0);
	}
	free_rendered(&rendered);
	json_decref(root);
}
END_TEST

#define EVIL "</td><script>alert(1)</script>\\\"'`|*_[x](y)&amp;\\u001b[31m\\u202e\\u0085"
#define EVIL_NAME "</td><script>alert(1)</script>\\\"'`|*_[x](y)&amp;\\u202e"

/* As a file could be written by somebody who wants to run something at the reader's. */
START_TEST(foreign_text_stays_text)
{
	static const char text[] =
	    "{\"format\":\"pathfdo-comparison\",\"version\":1,\"date\":\"" EVIL "\",\"machine\":{\"cpu\":\"" EVIL
	    "\",\"kernel\":\"" EVIL "\",\"system\":\"" EVIL "\",\"hypervisor\":\"" EVIL "\"},\"versions\":{\"" EVIL_NAME
	    "\":\"" EVIL "\"},\"programs\":[{\"name\":\"" EVIL_NAME "\",\"language\":\"" EVIL
	    "\",\"stands_for\":\"" EVIL "\",\"source\":\"" EVIL "\",\"build\":\"" EVIL "\",\"train\":\"" EVIL
	    "\",\"variants\":[{\"name\":\"instr\",\"references\":[{\"command\":\"" EVIL
	    "\",\"seconds\":[1,2],\"base_seconds\":[2,3]}]},{\"name\":\"soft\",\"error\":\"" EVIL "\"}]},"
	    "{\"name\":\"b\",\"error\":\"" EVIL "\"}]}";
	json_error_t wrong;
	json_t *root = json_loads(text, 0, &wrong);
	struct rendered rendered;

	ck_assert_msg(root != NULL, "%s", wrong.text);
	rendered = render_json("<b>&\".json", root);
	check_page(rendered.html);
	ck_assert_ptr_nonnull(strstr(rendered.html, "&lt;script&gt;alert(1)&lt;/script&gt;"));
	ck_assert_ptr_null(strstr(rendered.markdown, "<script"));
	ck_assert_ptr_null(strstr(rendered.markdown, "</td>"));
	ck_assert_ptr_null(strstr(rendered.markdown, "'`"));
	ck_assert_ptr_null(strstr(rendered.markdown, " |*"));
	for (const char *at = rendered.table; *at; at++)
		ck_assert_msg(*at == '\n' || (unsigned char)*at >= ' ', "control character in the table");
	ck_assert_ptr_null(strstr(rendered.table, "\xe2\x80\xae")); /* U+202E */
	ck_assert_ptr_null(strstr(rendered.html, "\xe2\x80\xae"));
	ck_assert_ptr_null(strstr(rendered.markdown, "\xe2\x80\xae"));
	ck_assert_ptr_null(strstr(rendered.table, "\xc2\x85")); /* U+0085 */
	free_rendered(&rendered);
	json_decref(root);
}
END_TEST

#define MEASURED_AT(date, kernel, programs)                                                                            \
	"{'format':'pathfdo-comparison','version':1,'date':'" date "','machine':{'kernel':'" kernel                    \
	"'},'programs':[" programs "]}"

/* One machine is described once, whatever the number of files; a file of which nothing is left is not named. */
START_TEST(files_of_one_machine_are_told_together)
{
	json_t *roots[] = { json_of(MEASURED_AT("2026-02-02", "6.1", "{'name':'a','error':'x'}")),
			    json_of(MEASURED_AT("2026-01-01", "6.1", "{'name':'b','error':'x'}")),
			    json_of(MEASURED_AT("2026-03-03", "5.10", "{'name':'c','error':'x'}")),
			    json_of(MEASURED_AT("2026-04-04", "5.4", "{'name':'d','error':'x'}")),
			    json_of(MEASURED_AT("2026-05-05", "6.1", "{'name':'d','error':'y'}")) };
	struct pf_compare_source sources[] = { { "one", roots[0] },
					       { "two", roots[1] },
					       { "three", roots[2] },
					       { "four", roots[3] },
					       { "five", roots[4] } };
	struct pf_error error = { 0 };
	char *table;
	size_t size;
	struct pf_report_options options = { .resamples = 50, .table = open_memstream(&table, &size) };

	ck_assert_msg(pf_compare_report(sources, 5, &options, &error) == PF_OK, "%s", error.text);
	fclose(options.table);
	ck_assert_uint_eq(count_of(table, "machine   "), 2);
	ck_assert_ptr_nonnull(strstr(table, "files     one, two, five\nmeasured  2026-01-01 to 2026-05-05\n"
					    "machine   kernel 6.1, cycles not counted\n"));
	ck_assert_ptr_nonnull(
	    strstr(table, "files     three\nmeasured  2026-03-03\nmachine   kernel 5.10, cycles not counted\n"));
	free(table);
	for (size_t i = 0; i < 5; i++)
		json_decref(roots[i]);
}
END_TEST

static void put_same(struct pf_buffer *out, const char *character, size_t length)
{
	pf_buffer_bytes(out, character, length);
}

static void check_text(const char *given, const char *wanted)
{
	struct pf_buffer out = { 0 };

	pf_render_text(&out, given, put_same);
	pf_buffer_u8(&out, 0);
	ck_assert_str_eq((const char *)out.data, wanted);
	ck_assert_uint_eq(pf_render_width(given), pf_render_width(wanted));
	pf_buffer_fini(&out);
}

/* Programs can put bytes into messages that are no UTF-8, and a caller can hand them over unchecked. */
START_TEST(broken_utf8_is_replaced)
{
	check_text("a\xffz", "a\xef\xbf\xbdz");
	check_text("\xc3", "\xef\xbf\xbd");
	check_text("\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd");
	check_text("\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd");                 /* overlong '/' */
	check_text("\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"); /* a surrogate */
	check_text("\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	check_text("\xef\xbf\xbe", "\xef\xbf\xbd"); /* U+FFFE, which XML forbids */
	check_text("ä€𝄞\t\n\x01", "ä€𝄞  \xef\xbf\xbd");
}
END_TEST

/* Sizes that no machine has must not break the layout or the axis. */
START_TEST(extreme_numbers_can_be_drawn)
{
	json_t *root = json_of(FILE_HEAD PROGRAM(
	    "a", "C",
	    VARIANT("base", REFERENCE("1,1", "1,1", "9007199254740992")) "," VARIANT(
		"instr", REFERENCE("1e-9,1e-9", "1e9,1e9", "1")) "," VARIANT("soft", REFERENCE("1e9,1e-9", "1e-9,1e9",
											       "9007199254740992")))
				   FILE_END);
	struct rendered rendered = render_json("a.json", root);

	check_page(rendered.html);
	ck_assert_ptr_null(strstr(rendered.html, "nan"));
	ck_assert_ptr_null(strstr(rendered.html, "inf "));
	ck_assert_ptr_null(strstr(rendered.table, "nan"));
	free_rendered(&rendered);
	json_decref(root);
}
END_TEST

START_TEST(output_that_cannot_be_written_is_an_error)
{
	json_t *root = golden_json();
	struct pf_compare_source source = { "comparison.json", root };
	struct pf_report_options options = { .resamples = 50, .html = "/nonexistent/page.html" };
	struct pf_error error;

	ck_assert_int_eq(pf_compare_report(&source, 1, &options, &error), PF_EIO);
	ck_assert_ptr_nonnull(strstr(error.text, "/nonexistent/page.html"));
	options.html = NULL;
	options.table = fopen("/dev/full", "w");
	ck_assert_int_eq(pf_compare_report(&source, 1, &options, &error), PF_EIO);
	fclose(options.table);
	json_decref(root);
}
END_TEST

int main(void)
{
	return RUN_SUITE("analysis-golden", renderings_are_as_reviewed, the_same_json_gives_the_same_bytes,
			 a_program_alone_has_the_same_figures, markdown_without_the_current_folder,
			 the_page_is_wellformed_and_complete, foreign_text_stays_text, broken_utf8_is_replaced,
			 files_of_one_machine_are_told_together, extreme_numbers_can_be_drawn,
			 output_that_cannot_be_written_is_an_error);
}
