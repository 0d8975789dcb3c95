/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See callgrind.h.  Lines of a position and costs stand under the object and function named last.  Positions are
 * hexadecimal or relative to the line before.  The hard case is the line behind calls=, jump= and jcnd=: it looks like
 * any other, and is the cost of something else. */
#include "analysis/callgrind.h"
#include "analysis/textfile.h"
#include "support/filename.h"
#include "support/search.h"

#include <inttypes.h>

#define MOST_OBJECTS (1u << 20)

struct parsing {
	struct pf_textfile text;
	const char *object;
	struct pf_exact_counts *counts;
	PF_ARRAY(bool) wanted; /* of each object by its number in the file */
	uint64_t address;
	uint32_t skip; /* columns between the address and the instructions executed */
	bool in_object, attached, instructions, found;
};

static int fail_line(const struct parsing *p, const char *what, struct pf_error *error)
{
	return pf_fail(error, PF_EFORMAT, "%s:%" PRIu64 ": %s; write it by valgrind --tool=callgrind --dump-instr=yes",
		       p->text.path, p->text.number, what);
}

/* "(12) /lib/libc.so.6" gives number 12 its name, "(12)" refers to it: *WANTED is whether it is the one asked for. */
static int read_object(struct parsing *p, const char *at, bool *wanted, struct pf_error *error)
{
	uint64_t number;

	if (!pf_textfile_word(&at, "(")) {
		*wanted = strcmp(pf_filename_base(at), p->object) == 0;
		return PF_OK;
	}
	if (!pf_textfile_number(&at, 10, &number) || number >= MOST_OBJECTS || !pf_textfile_word(&at, ")"))
		return fail_line(p, "an object has no number", error);
	while (p->wanted.count <= number) {
		if (!pf_array_push(&p->wanted))
			return pf_fail(error, PF_ENOMEM, "%s: out of memory", p->text.path);
	}
	if (pf_textfile_word(&at, " "))
		p->wanted.at[number] = strcmp(pf_filename_base(at), p->object) == 0;
	*wanted = p->wanted.at[number];
	return PF_OK;
}

/* A position in one column of SPACE; the address is the first one. */
static bool read_address(struct parsing *p, const char **at)
{
	uint64_t value = 0;
	bool up = pf_textfile_word(at, "+"), down = !up && pf_textfile_word(at, "-");

	if (!up && !down && pf_textfile_word(at, "*"))
		return true;
	if (!pf_textfile_number(at, up || down ? 10 : 16, &value))
		return false;
	p->address = up ? p->address + value : down ? p->address - value : value;
	return true;
}

static int read_costs(struct parsing *p, struct pf_error *error)
{
	const char *at = p->text.line;
	struct pf_exact_count *new;
	bool attached = p->attached;
	uint64_t count = 0;

	p->attached = false;
	if (!p->instructions)
		return fail_line(p, "costs are not those of instructions", error);
	if (!read_address(p, &at))
		return fail_line(p, "no address where costs begin", error);
	for (uint32_t i = 0; i < p->skip; i++) {
		at += strspn(at, " ");
		at += strcspn(at, " ");
	}
	if (attached || !p->in_object || !pf_textfile_number(&at, 10, &count) || count == 0)
		return PF_OK;
	new = pf_array_push(&p->counts->list);
	if (!new)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", p->text.path);
	*new = (struct pf_exact_count) { p->address, count };
	return PF_OK;
}

/* "positions: instr line": the number of columns behind the address. */
static void read_positions(struct parsing *p, const char *at)
{
	p->instructions = pf_textfile_word(&at, " instr");
	p->skip = pf_textfile_word(&at, " line");
}

/* "events: Ir Dr": Ir need not be the first. */
static int read_events(struct parsing *p, const char *at, struct pf_error *error)
{
	uint32_t column = 0;

	for (at += strspn(at, " "); *at; column++) {
		size_t size = strcspn(at, " ");

		if (size == 2 && strncmp(at, "Ir", 2) == 0) {
			p->skip += column;
			return PF_OK;
		}
		at += size;
		at += strspn(at, " ");
	}
	return fail_line(p, "there is no event Ir", error);
}

static int read_line(struct parsing *p, struct pf_error *error)
{
	const char *at = p->text.line;
	bool ignored;

	if (pf_textfile_word(&at, "positions:")) {
		read_positions(p, at);
		return PF_OK;
	}
	if (pf_textfile_word(&at, "events:"))
		return read_events(p, at, error);
	if (pf_textfile_word(&at, "ob=")) {
		int status = read_object(p, at, &p->in_object, error);

		p->found |= p->in_object;
		return status;
	}
	if (pf_textfile_word(&at, "cob="))
		return read_object(p, at, &ignored, error);
	if (pf_textfile_word(&at, "calls=") || pf_textfile_word(&at, "jump=") || pf_textfile_word(&at, "jcnd="))
		p->attached = true;
	else if (*at && strchr("0123456789+-*", *at))
		return read_costs(p, error);
	return PF_OK;
}

static int compare_counts(const void *a, const void *b)
{
	const struct pf_exact_count *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/* An address can stand under several functions: its counts add up. */
static void add_up(struct pf_exact_counts *counts)
{
	size_t kept = 0;

	pf_array_sort(&counts->list, compare_counts);
	for (size_t i = 0; i < counts->list.count; i++) {
		struct pf_exact_count *c = &counts->list.at[i];

		if (kept > 0 && counts->list.at[kept - 1].address == c->address)
			counts->list.at[kept - 1].count += c->count;
		else
			counts->list.at[kept++] = *c;
	}
	counts->list.count = kept;
}

static int parse(struct parsing *p, struct pf_error *error)
{
	int status;

	while ((status = pf_textfile_next(&p->text, error)) > 0) {
		status = read_line(p, error);
		if (status < 0)
			break;
	}
	if (status == PF_OK && !p->instructions)
		status = fail_line(p, "no file of callgrind with instructions", error);
	if (status == PF_OK && !p->found)
		status = pf_fail(error, PF_ENOTFOUND, "%s: holds no object '%s'; run this very binary under callgrind",
				 p->text.path, p->object);
	add_up(p->counts);
	pf_array_fini(&p->wanted);
	return status;
}

int pf_callgrind_parse(const void *bytes, size_t size, const char *path, const char *object,
		       struct pf_exact_counts *counts, struct pf_error *error)
{
	struct parsing p = { .object = pf_filename_base(object), .counts = counts };
	int status;

	*counts = (struct pf_exact_counts) { 0 };
	pf_textfile_over(&p.text, bytes, size, path);
	status = parse(&p, error);
	pf_textfile_close(&p.text);
	return status;
}

int pf_callgrind_read(const char *path, const char *object, struct pf_exact_counts *counts, struct pf_error *error)
{
	struct parsing p = { .object = pf_filename_base(object), .counts = counts };
	int status;

	*counts = (struct pf_exact_counts) { 0 };
	status = pf_textfile_open(&p.text, path, error);
	if (status == PF_OK)
		status = parse(&p, error);
	pf_textfile_close(&p.text);
	return status;
}

void pf_exact_counts_fini(struct pf_exact_counts *counts)
{
	pf_array_fini(&counts->list);
}

uint64_t pf_exact_count(const struct pf_exact_counts *counts, uint64_t address)
{
	struct pf_search search = pf_search_over(counts->list.count);

	while (pf_search_goes_on(&search))
		pf_search_step(&search, counts->list.at[search.middle].address < address);
	return search.low < counts->list.count && counts->list.at[search.low].address == address
		   ? counts->list.at[search.low].count
		   : 0;
}
