/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What processes execute: texts as callgrind writes them, with counts by hand. */
#include "analysis/executed.h"
#include "analysis/same-calls.h"
#include "testsuite/unit/suite.h"

#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>

static struct pf_executed begin(void)
{
	return (
	    struct pf_executed) { .program = "/home/me/work/app", .own = "/home/me/work", .libraries = json_object() };
}

static int parse(const char *text, struct pf_executed *e, struct pf_error *error)
{
	return pf_executed_parse(text, strlen(text), "text", e, error);
}

static void check_entry(const json_t *libraries, const char *key, int calls, int cost)
{
	const json_t *entry = json_object_get(libraries, key);

	ck_assert_msg(entry, "no %s", key);
	ck_assert_int_eq(json_integer_value(json_array_get(entry, 0)), calls);
	ck_assert_int_eq(json_integer_value(json_array_get(entry, 1)), cost);
}

/* A program whose main calls strcmp twice from two places and qsort, which calls main's compare and memcpy; memcpy is
 * first named as a callee in its caller's object, strcmp by cob=. */
static const char text[] = "version: 1\ncmd: ./app 7\npositions: instr line\nevents: Ir\n\n"
			   "ob=(1) /home/me/work/app\nfl=(1) a.c\nfn=(1) main\n0x1000 16 5\n"
			   "cob=(2) /lib/libc.so.6\ncfi=(2) ???\ncfn=(2) strcmp\ncalls=70 0x99 0\n+4 +1 700\n"
			   "cob=(2)\ncfn=(2)\ncalls=30 0x99 0\n+4 +1 300\n"
			   "cob=(2)\ncfn=(3) qsort\ncalls=1 0x200 0\n+4 * 900\n"
			   "cfn=(5) helper\ncalls=4 0x200 0\n+4 * 9\n\n"
			   "ob=(2)\nfn=(3)\n0x200 0 50\ncob=(1)\ncfn=(4) compare\ncalls=9 0x2000 0\n* * 90\n"
			   "cfn=(6) memcpy\ncalls=8 0x300 0\n* * 80\n\n"
			   "fn=(2)\n0x99 0 600\n+1 0 400\n\nfn=(6)\n0x300 0 80\n\n"
			   "ob=(1)\nfn=(4)\n0x2000 9 90\n\nfn=(5)\n0x2100 9 9\n\ntotals: 1234\n";

START_TEST(leaves)
{
	struct pf_executed e = begin();
	struct pf_error error;

	ck_assert_int_eq(parse(text, &e, &error), PF_OK);
	/* Neither the program's own functions nor qsort, which calls others. */
	ck_assert_uint_eq(json_object_size(e.libraries), 2);
	check_entry(e.libraries, "/lib/libc.so.6 strcmp", 100, 1000);
	check_entry(e.libraries, "/lib/libc.so.6 memcpy", 8, 80);
	/* What calls cost is not counted where they are made: 5, 50, 600, 400, 80, 90 and 9. */
	ck_assert_uint_eq(e.instructions, 1234);
	/* Another process. */
	ck_assert_int_eq(parse(text, &e, &error), PF_OK);
	check_entry(e.libraries, "/lib/libc.so.6 strcmp", 200, 2000);
	ck_assert_uint_eq(e.instructions, 2468);
	ck_assert_uint_eq(e.processes, 2);
	json_decref(e.libraries);
}
END_TEST

/* Processes of other programs, and of one that was killed before callgrind wrote anything. */
START_TEST(others)
{
	struct pf_executed e = begin();
	struct pf_error error;

	ck_assert_int_eq(parse("cmd: /bin/sh -c app\nno line that counts\n0x1 2\n", &e, &error), PF_OK);
	ck_assert_int_eq(parse("", &e, &error), PF_OK);
	ck_assert_uint_eq(e.processes, 0);
	ck_assert_uint_eq(e.instructions, 0);
	json_decref(e.libraries);
}
END_TEST

/* A name with blanks is whole where it is the program's; another program's may begin like it. */
START_TEST(name_with_blanks)
{
	struct pf_executed e = begin();
	struct pf_error error;

	e.program = "/home/me/work/my app";
	ck_assert_int_eq(
	    parse("cmd: /home/me/work/my app 7\npositions: instr\nevents: Ir\nob=(1) x\nfn=(1) f\n0x1 2\n", &e, &error),
	    PF_OK);
	ck_assert_uint_eq(e.instructions, 2);
	ck_assert_int_eq(parse("cmd: /home/me/work/my apple\n0x1 2\n", &e, &error), PF_OK);
	ck_assert_int_eq(parse("cmd: /home/me/work/my\n0x1 2\n", &e, &error), PF_OK);
	ck_assert_uint_eq(e.processes, 1);
	json_decref(e.libraries);
}
END_TEST

/* Code of this very test, whose bytes are looked at in its file. */
__asm__(".pushsection .text\ncopying: mov %edx, %ecx\nrepeated: rep movsb\ncopied: ret\n.popsection");
extern const char copying[], repeated[], copied[];

static int note_base(struct dl_phdr_info *info, size_t size, void *base)
{
	(void)size;
	*(uint64_t *)base = info->dlpi_addr;
	return 1; /* the program is the first */
}

/* 10 calls of a function of the library that this test is taken for; of its three instructions the second repeats
 * REPEATED times.  Behind it the same as in an object of the same name that is no file. */
static struct pf_executed parse_copying(unsigned count)
{
	struct pf_executed e = begin();
	struct pf_error error;
	char self[PATH_MAX], lines[3 * PATH_MAX];
	uint64_t base;

	dl_iterate_phdr(note_base, &base);
	ck_assert_ptr_nonnull(realpath("/proc/self/exe", self));
	snprintf(lines, sizeof lines,
		 "cmd: app\npositions: instr\nevents: Ir\nob=(1) /home/me/work/app\nfn=(1) main\n0x10 7\n"
		 "cob=(2) %s\ncfn=(2) copy\ncalls=10 0x1\n+2 99\n\n"
		 "ob=(2)\nfn=(2)\n0x%" PRIx64 " 10\n0x%" PRIx64 " %u\n0x%" PRIx64 " 10\n\n"
		 "ob=(3) /no/such%s\nfn=(3) copy\n0x%" PRIx64 " 400\n",
		 self, (uint64_t)copying - base, (uint64_t)repeated - base, count, (uint64_t)copied - base, self,
		 (uint64_t)repeated - base);
	ck_assert_msg(parse(lines, &e, &error) == PF_OK, "%s", error.text);
	snprintf(lines, sizeof lines, "%s copy", self);
	check_entry(e.libraries, lines, 10, 20);
	return e;
}

/* Whatever callgrind counts there: once in the sum, and never as what the library took for the same calls. */
START_TEST(repetitions)
{
	struct pf_executed base = parse_copying(5000), other = parse_copying(7000);

	ck_assert_uint_eq(base.instructions, 7 + 20 + 400);
	ck_assert_uint_eq(other.instructions, base.instructions);
	ck_assert_int_eq(pf_same_calls_compare(base.libraries, other.libraries).instructions, 0);
	json_decref(base.libraries);
	json_decref(other.libraries);
}
END_TEST

static void check_refused(const char *damaged, const char *says)
{
	struct pf_executed e = begin();
	struct pf_error error = { 0 };
	char text_of[200];

	snprintf(text_of, sizeof text_of, "cmd: app\npositions: instr\nevents: Ir\n%s", damaged);
	ck_assert_int_eq(parse(text_of, &e, &error), PF_EFORMAT);
	ck_assert_msg(strstr(error.text, says), "'%s' does not say '%s'", error.text, says);
	json_decref(e.libraries);
}

START_TEST(refusals)
{
	check_refused("0x1 2\n", "text:4: costs without a function");
	check_refused("ob=(1) /lib/c\nfn=(1) f\n0x1 x\n", "text:6: costs are no number");
	check_refused("fn=f\n0x1 2\n", "text:5: costs without a function");
	check_refused("fn=(4294967296) f\n", "text:4: a name has no number");
	check_refused("fn=(1) f\ncalls=3 0x9\n* 1\n", "text:6: calls without a function");
	check_refused("cfn=(1) f\ncalls=3 0x9\n* 1\n", "text:6: calls without a function");
}
END_TEST

int main(void)
{
	return RUN_SUITE("analysis-executed", leaves, others, name_with_blanks, repetitions, refusals);
}
