/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of measurements that are none: each is refused with the status and the place that it deserves, and nothing is
 * written. */
#include "analysis/compare-report.h"
#include "testsuite/unit/analysis-helpers.h"

#include <unistd.h>

struct refusal {
	const char *text; /* with ' for " */
	int status;
	const char *says;
};

#define HEAD "{'format':'pathfdo-comparison','version':1,"
#define IN_PROGRAM(members) HEAD "'programs':[{'name':'p'," members "}]}"
#define IN_VARIANT(members) IN_PROGRAM("'variants':[{'name':'soft'," members "}]")
#define IN_REFERENCE(members) IN_VARIANT("'references':[{" members "}]")
#define SOUND "'references':[{'seconds':[1],'base_seconds':[1]}]"

static const struct refusal refusals[] = {
	{ "[]", PF_EFORMAT, "bad.json: the file: holds no measurements" },
	{ "{}", PF_EFORMAT, "\"format\" is not \"pathfdo-comparison\"" },
	{ "{'format':7}", PF_EFORMAT, "holds no measurements" },
	{ "{'format':'pathfdo-profile','version':1,'programs':[]}", PF_EFORMAT, "holds no measurements" },
	{ "{'format':'pathfdo-comparison','programs':[]}", PF_EFORMAT, "bad.json: version: this key is missing" },
	{ "{'format':'pathfdo-comparison','version':'1','programs':[]}", PF_EFORMAT,
	  "version: must be a number and is a string" },
	{ "{'format':'pathfdo-comparison','version':2,'programs':[]}", PF_EVERSION, "version: is 2" },
	{ "{'format':'pathfdo-comparison','version':1.5,'programs':[]}", PF_EVERSION, "version: is 1.5" },
	{ HEAD "'x':1}", PF_EFORMAT, "programs: this key is missing, and must be a list" },
	{ HEAD "'programs':{}}", PF_EFORMAT, "programs: must be a list and is an object" },
	{ HEAD "'programs':[]}", PF_EEMPTY, "there is no program in it" },
	{ HEAD "'programs':[null]}", PF_EFORMAT, "programs[0]: must be an object and is null" },
	{ HEAD "'programs':[{}]}", PF_EFORMAT, "programs[0].name: this key is missing" },
	{ HEAD "'programs':[{'name':''}]}", PF_EFORMAT, "programs[0].name: is empty" },
	{ HEAD "'programs':[{'name':true}]}", PF_EFORMAT, "programs[0].name: must be a string and is a truth value" },
	{ HEAD "'programs':[{'name':'a\\u001bb'}]}", PF_EFORMAT, "programs[0].name: holds a control character" },
	{ HEAD "'programs':[{'name':'a','error':'x'},{'name':'a','error':'x'}]}", PF_EFORMAT,
	  "programs[1].name: 'a' comes twice" },
	{ HEAD "'date':5,'programs':[]}", PF_EFORMAT, "date: must be a string and is a number" },
	{ HEAD "'machine':[],'programs':[]}", PF_EFORMAT, "machine: must be an object and is a list" },
	{ HEAD "'machine':{'cores':-1},'programs':[]}", PF_EFORMAT, "machine.cores: is -1" },
	{ HEAD "'machine':{'cpu':{}},'programs':[]}", PF_EFORMAT, "machine.cpu: must be a string and is an object" },
	{ HEAD "'versions':{'a':1},'programs':[]}", PF_EFORMAT, "versions: all of them must be strings" },
	{ IN_PROGRAM("'error':5"), PF_EFORMAT, "programs[0].error: must be a string" },
	{ IN_PROGRAM("'x':1"), PF_EFORMAT, "programs[0].variants: this key is missing" },
	{ IN_PROGRAM("'noise':[[1]],'variants':[]"), PF_EFORMAT, "programs[0].noise[0]: must be a list of two runs" },
	{ IN_PROGRAM("'noise':[5],'variants':[]"), PF_EFORMAT, "programs[0].noise[0]: must be a list of two runs" },
	{ IN_PROGRAM("'noise':[[1,1],[1,null]],'variants':[]"), PF_EFORMAT,
	  "programs[0].noise[1]: must be a number and is null" },
	{ IN_PROGRAM("'variants':[5]"), PF_EFORMAT, "programs[0].variants[0]: must be an object and is a number" },
	{ IN_PROGRAM("'variants':[{'name':'magic'}]"), PF_EFORMAT, "variants[0].name: there is no variant 'magic'" },
	{ IN_PROGRAM("'variants':[{'name':'soft'," SOUND "},{'name':'soft'," SOUND "}]"), PF_EFORMAT,
	  "variants[1].name: the variant 'soft' comes twice" },
	{ IN_PROGRAM("'variants':[{'name':'soft'," SOUND "},{'name':'base','references':[{'seconds':[],"
		     "'base_seconds':[]},{'seconds':[],'base_seconds':[]}]}]"),
	  PF_EFORMAT, "programs[0].variants: 'soft' has 1 references, others have 2" },
	{ IN_PROGRAM("'variants':[{'name':'base','references':[{'command':'a','seconds':[],'base_seconds':[]}]},"
		     "{'name':'soft','references':[{'command':'b','seconds':[],'base_seconds':[]}]}]"),
	  PF_EFORMAT, "reference 0 of 'soft' is another command" },
	{ IN_PROGRAM("'variants':[{},{},{},{},{},{},{},{},{},{}]"), PF_ELIMIT,
	  "variants: has 10 items, and 9 is the most" },
	{ IN_VARIANT("'x':1"), PF_EFORMAT, "variants[0].references: this key is missing" },
	{ IN_VARIANT("'notes':'x'," SOUND), PF_EFORMAT, "variants[0].notes: must be a list and is a string" },
	{ IN_VARIANT("'notes':['x',5]," SOUND), PF_EFORMAT, "variants[0].notes: all of them must be strings" },
	{ IN_VARIANT("'references':[]"), PF_EFORMAT, "references: is empty, and the variant has no error" },
	{ IN_VARIANT("'references':[[]]"), PF_EFORMAT, "references[0]: must be an object and is a list" },
	{ IN_VARIANT("'build_seconds':-2," SOUND), PF_EFORMAT, "variants[0].build_seconds: is -2" },
	{ IN_VARIANT("'text_bytes':'1'," SOUND), PF_EFORMAT, "text_bytes: must be a number and is a string" },
	{ IN_VARIANT("'hot_bytes':1e300," SOUND), PF_EFORMAT, "hot_bytes: is 1e+300" },
	{ IN_VARIANT("'collection':{'seconds':[1],'plain_seconds':[]}," SOUND), PF_EFORMAT,
	  "variants[0].collection.seconds: has 1 runs, and `plain_seconds` has 0" },
	{ IN_VARIANT("'collection':{'seconds':[1]}," SOUND), PF_EFORMAT,
	  "variants[0].collection.plain_seconds: this key is missing" },
	{ IN_VARIANT("'collection':7," SOUND), PF_EFORMAT, "variants[0].collection: must be an object" },
	{ IN_VARIANT("'tool':[]," SOUND), PF_EFORMAT, "variants[0].tool: must be an object" },
	{ IN_VARIANT("'tool':{'convert_seconds':-1}," SOUND), PF_EFORMAT, "variants[0].tool.convert_seconds: is -1" },
	{ IN_REFERENCE("'seconds':[1]"), PF_EFORMAT, "references[0].base_seconds: this key is missing" },
	{ IN_REFERENCE("'seconds':5,'base_seconds':[]"), PF_EFORMAT, "seconds: must be a list and is a number" },
	{ IN_REFERENCE("'seconds':[1,2],'base_seconds':[1]"), PF_EFORMAT,
	  "seconds: has 2 runs, and `base_seconds` has 1" },
	{ IN_REFERENCE("'seconds':[1,-1],'base_seconds':[1,1]"), PF_EFORMAT,
	  "programs[0].variants[0].references[0].seconds[1]: is -1, which is no time in seconds" },
	{ IN_REFERENCE("'seconds':[1,2e9],'base_seconds':[1,1]"), PF_EFORMAT, "seconds[1]: is 2e+09" },
	{ IN_REFERENCE("'seconds':[9223372036854775807],'base_seconds':[1]"), PF_EFORMAT,
	  "seconds[0]: is 9.22337e+18" },
	{ IN_REFERENCE("'seconds':[1],'base_seconds':['1']"), PF_EFORMAT, "base_seconds[0]: must be a number" },
	{ IN_REFERENCE("'seconds':[[1]],'base_seconds':[1]"), PF_EFORMAT,
	  "seconds[0]: must be a number and is a list" },
	{ IN_REFERENCE("'seconds':[],'base_seconds':[],'counters':5"), PF_EFORMAT,
	  "references[0].counters: must be an object and is a number" },
	{ IN_REFERENCE("'seconds':[],'base_seconds':[],'counters':{'cycles':[1]}"), PF_EFORMAT,
	  "references[0].counters.base_cycles: this key is missing" },
	{ IN_REFERENCE("'seconds':[],'base_seconds':[],'counters':{'base_cycles':[1]}"), PF_EFORMAT,
	  "references[0].counters.cycles: this key is missing" },
	{ IN_REFERENCE("'seconds':[],'base_seconds':[],'counters':{'cycles':[1,2],'base_cycles':[1]}"), PF_EFORMAT,
	  "counters.cycles: has 2 runs, and `base_cycles` has 1" },
	{ IN_REFERENCE("'seconds':[],'base_seconds':[],'counters':{'icache_misses':[-1],'base_icache_misses':[1]}"),
	  PF_EFORMAT, "references[0].counters.icache_misses[0]: is -1, which is no count of a run" },
	{ IN_PROGRAM("'noise_cycles':[[1,1e17]],'variants':[]"), PF_EFORMAT,
	  "programs[0].noise_cycles[0]: is 1e+17, which is no count of a run" },
	{ IN_REFERENCE("'seconds':[],'base_seconds':[],'instructions':0"), PF_EFORMAT, "instructions: is 0" },
	{ IN_REFERENCE("'seconds':[],'base_seconds':[],'instructions':-5"), PF_EFORMAT, "instructions: is -5" },
	{ IN_REFERENCE("'seconds':[],'base_seconds':[],'command':5"), PF_EFORMAT, "command: must be a string" },
};

/* The status of a report on ROOT, which must be refused without output. */
static int report_status(const json_t *root, struct pf_error *error)
{
	struct pf_compare_source source = { "bad.json", root };
	char *table = NULL;
	size_t size = 0;
	struct pf_report_options options = { .resamples = 50, .html = "/nonexistent/must-not-be-written" };
	int status;

	options.table = open_memstream(&table, &size);
	memset(error, 0, sizeof *error);
	status = pf_compare_report(&source, 1, &options, error);
	fclose(options.table);
	ck_assert_uint_eq(size, 0);
	free(table);
	return status;
}

START_TEST(each_is_refused_by_its_place)
{
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
		json_t *root = json_of(refusals[i].text);
		struct pf_error error;
		int status = report_status(root, &error);

		ck_assert_msg(status == refusals[i].status && error.code == status, "%s: status %d: %s",
			      refusals[i].text, status, error.text);
		ck_assert_msg(strstr(error.text, refusals[i].says) != NULL, "%s:\n%s", refusals[i].text, error.text);
		ck_assert_msg(strncmp(error.text, "bad.json: ", 10) == 0, "%s", error.text);
		json_decref(root);
	}
}
END_TEST

/* COUNT times ITEM with commas, between BEFORE and AFTER. */
static json_t *repeated(const char *before, const char *item, size_t count, const char *after)
{
	struct pf_buffer text = { 0 };
	json_t *root;

	pf_buffer_printf(&text, "%s", before);
	for (size_t i = 0; i < count; i++)
		pf_buffer_printf(&text, "%s%s", i ? "," : "", item);
	pf_buffer_printf(&text, "%s", after);
	pf_buffer_u8(&text, 0);
	ck_assert(!text.failed);
	root = json_of((const char *)text.data);
	pf_buffer_fini(&text);
	return root;
}

static void check_limit(json_t *root, const char *says)
{
	struct pf_error error;

	ck_assert_int_eq(report_status(root, &error), PF_ELIMIT);
	ck_assert_msg(strstr(error.text, says) != NULL, "%s", error.text);
	json_decref(root);
}

START_TEST(what_is_too_much_is_refused)
{
	char name[102];

	check_limit(repeated(HEAD "'programs':[", "{'name':'a','error':'x'}", 101, "]}"),
		    "programs: has 101 items, and 100 is the most");
	check_limit(repeated(HEAD "'programs':[{'name':'p','variants':[{'name':'soft','references':[{'seconds':[", "1",
			     1001, "],'base_seconds':[]}]}]}]}"),
		    "seconds: has 1001 items, and 1000 is the most");
	check_limit(
	    repeated(HEAD "'programs':[{'name':'p','variants':[{'name':'soft','references':[", "1", 17, "]}]}]}"),
	    "references: has 17 items, and 16 is the most");
	memset(name, 'n', 101);
	name[101] = 0;
	check_limit(repeated(HEAD "'programs':[{'error':'x','name':'", name, 1, "'}]}"), "name: has 101 bytes");
}
END_TEST

/* Each within its limit, but more in all than any comparison has. */
START_TEST(many_small_lists_are_too_much_too)
{
	json_t *root = json_object(), *programs = json_array(), *times = json_array(), *reference;

	for (size_t i = 0; i < 1000; i++)
		json_array_append_new(times, json_integer(1));
	reference = json_pack("{s:O,s:O,s:{s:O,s:O,s:O,s:O,s:O,s:O}}", "seconds", times, "base_seconds", times,
			      "counters", "cycles", times, "base_cycles", times, "branch_misses", times,
			      "base_branch_misses", times, "icache_misses", times, "base_icache_misses", times);
	for (size_t i = 0; i < 63; i++) {
		char name[8];

		snprintf(name, sizeof name, "p%zu", i);
		json_array_append_new(programs, json_pack("{s:s,s:[{s:s,s:[O,O]}]}", "name", name, "variants", "name",
							  "soft", "references", reference, reference));
	}
	json_decref(reference);
	json_object_set_new(root, "format", json_string("pathfdo-comparison"));
	json_object_set_new(root, "version", json_integer(1));
	json_object_set_new(root, "programs", programs);
	json_decref(times);
	check_limit(root, "more than 1000000 in all");
}
END_TEST

START_TEST(no_source_is_nothing_to_report)
{
	struct pf_report_options options = { 0 };
	struct pf_error error;

	ck_assert_int_eq(pf_compare_report(NULL, 0, &options, &error), PF_EEMPTY);
}
END_TEST

struct file_case {
	const char *bytes;
	int status;
	const char *says;
};

static const struct file_case file_cases[] = {
	{ "", PF_EEMPTY, "is empty" },
	{ "{\"a\":\n NaN}", PF_EFORMAT, ":2:" },
	{ "{\"a\": 1e999}", PF_EFORMAT, "real number overflow" },
	{ "{\"a\": 123456789012345678901234567890}", PF_EFORMAT, "too big integer" },
	{ "{\"a\": \"\xff\"}", PF_EFORMAT, "byte 0xff" },
	{ "{\"a\": \"x\\u0000y\"}", PF_EFORMAT, "\\u0000" },
	{ "{\"a\": 1, \"a\": 2}", PF_EFORMAT, "duplicate" },
	{ "{\"a\": 1} {", PF_EFORMAT, "end of file expected" },
	{ "pathfdo", PF_EFORMAT, "this is no JSON" },
};

static int read_bytes(const char *bytes, struct pf_error *error)
{
	char path[] = "/tmp/analysis-refuse.XXXXXX";
	int fd = mkstemp(path), status;
	json_t *root;

	ck_assert_int_eq(write(fd, bytes, strlen(bytes)), (int)strlen(bytes));
	close(fd);
	status = pf_compare_read(path, &root, error);
	ck_assert_msg(strncmp(error->text, path, strlen(path)) == 0, "%s", error->text);
	ck_assert_ptr_null(root);
	unlink(path);
	return status;
}

START_TEST(what_is_no_json_is_refused_by_line_and_column)
{
	struct pf_error error;

	for (size_t i = 0; i < sizeof file_cases / sizeof *file_cases; i++) {
		ck_assert_int_eq(read_bytes(file_cases[i].bytes, &error), file_cases[i].status);
		ck_assert_msg(strstr(error.text, file_cases[i].says) != NULL, "%s: %s", file_cases[i].bytes,
			      error.text);
	}
}
END_TEST

START_TEST(deep_nesting_is_refused)
{
	char deep[100001];
	struct pf_error error;

	memset(deep, '[', sizeof deep - 1);
	deep[sizeof deep - 1] = 0;
	ck_assert_int_eq(read_bytes(deep, &error), PF_EFORMAT);
	ck_assert_msg(strstr(error.text, "depth") != NULL, "%s", error.text);
}
END_TEST

START_TEST(a_file_that_is_not_there)
{
	struct pf_error error;
	json_t *root = json_true();

	ck_assert_int_eq(pf_compare_read("/nonexistent.json", &root, &error), PF_EIO);
	ck_assert_ptr_null(root);
	ck_assert_str_eq(error.text, "/nonexistent.json: cannot read: No such file or directory");
	ck_assert_int_eq(pf_compare_read("/tmp", &root, &error), PF_EUNSUPPORTED);
}
END_TEST

/* The sound twin of what is refused above, so that a refusal is due to what is wrong with it. */
START_TEST(the_least_that_is_sound)
{
	static const char *const texts[] = { IN_VARIANT(SOUND), IN_PROGRAM("'error':'It failed.'"),
					     IN_PROGRAM("'variants':[]"), IN_VARIANT("'error':'It crashed.'"),
					     IN_REFERENCE("'seconds':[],'base_seconds':[],'instructions':null") };

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		json_t *root = json_of(texts[i]);
		struct pf_compare_source source = { "good.json", root };
		struct pf_report_options options = { .resamples = 50, .table = fopen("/dev/null", "w") };
		struct pf_error error = { 0 };

		ck_assert_msg(pf_compare_report(&source, 1, &options, &error) == PF_OK, "%s", error.text);
		fclose(options.table);
		json_decref(root);
	}
}
END_TEST

int main(void)
{
	return RUN_SUITE("analysis-refuse", each_is_refused_by_its_place, what_is_too_much_is_refused,
			 many_small_lists_are_too_much_too, no_source_is_nothing_to_report,
			 what_is_no_json_is_refused_by_line_and_column, deep_nesting_is_refused,
			 a_file_that_is_not_there, the_least_that_is_sound);
}
