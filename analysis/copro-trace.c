/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces of memory: what valgrind's lackey prints with --trace-mem=yes, where a line may also have the value, and
 * branches.  Hard case: gigabytes of it through a pipe; each line is read by itself, and none has to be kept. */
#include "analysis/copro-stream.h"
#include "support/infile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#define LONGEST 4096

struct line {
	const char *name;
	uint64_t number;
	const char *at;
	const struct pf_copro_sink *sink;
	uint64_t pc; /* of the instruction last named */
	struct pf_error *error;
};

static int wrong(const struct line *l, const char *what)
{
	return pf_fail(l->error, PF_EFORMAT, "%s:%" PRIu64 ": %s", l->name, l->number, what);
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

/* A number at l->at, which is behind it then; false if there is none of at most 64 bits. */
static bool number(struct line *l, uint64_t base, uint64_t *value)
{
	const char *start = l->at;

	for (*value = 0; (uint64_t)digit(*l->at) < base; l->at++) {
		if (__builtin_mul_overflow(*value, base, value) ||
		    __builtin_add_overflow(*value, (uint64_t)digit(*l->at), value))
			return false;
	}
	return l->at > start;
}

static bool comma(struct line *l)
{
	return *l->at == ',' && l->at++;
}

/* "ADDRESS,SIZE[,VALUE]" */
static bool access(struct line *l, struct pf_copro_sample *sample)
{
	uint64_t size;

	if (!number(l, 16, &sample->address) || !comma(l) || !number(l, 10, &size) || size > UINT8_MAX)
		return false;
	sample->size = (uint8_t)size;
	sample->valued = comma(l);
	return !sample->valued || number(l, 16, &sample->value);
}

/* "CLASS,TARGET,TAKEN" */
static bool branch(struct line *l, struct pf_copro_sample *sample)
{
	uint64_t taken;

	for (uint8_t class = PF_COPRO_COND; class < PF_COPRO_CLASSES; class ++) {
		size_t length = strlen(pf_copro_class_names[class]);

		if (strncmp(l->at, pf_copro_class_names[class], length) != 0 || l->at[length] != ',')
			continue;
		l->at += length;
		sample->class = class;
		if (!comma(l) || !number(l, 16, &sample->target) || !comma(l) || !number(l, 10, &taken) || taken > 1)
			return false;
		sample->taken = taken;
		return true;
	}
	return false;
}

static int read_access(struct line *l, char kind)
{
	struct pf_copro_sample sample = { .pc = l->pc, .class = kind == 'S' ? PF_COPRO_STORE : PF_COPRO_LOAD };

	if (!access(l, &sample) || *l->at)
		return wrong(l, "this is no access; they are ADDRESS,SIZE or ADDRESS,SIZE,VALUE, the size in decimal");
	l->sink->sample(l->sink->context, &sample);
	if (kind != 'M')
		return PF_OK;
	sample.class = PF_COPRO_STORE;
	sample.value = 0;
	l->sink->sample(l->sink->context, &sample);
	return PF_OK;
}

static int read_branch(struct line *l)
{
	struct pf_copro_sample sample = { .pc = l->pc };

	if (!branch(l, &sample) || *l->at)
		return wrong(l, "this is no branch; they are CLASS,TARGET,TAKEN, with 0 or 1 for TAKEN");
	l->sink->sample(l->sink->context, &sample);
	return PF_OK;
}

/* A line without its newline. */
static int read_line(struct line *l)
{
	uint64_t size;
	char kind;

	if (!*l->at || strncmp(l->at, "==", 2) == 0)
		return PF_OK;
	l->at += strspn(l->at, " ");
	kind = *l->at;
	if (strcmp(l->at, "cut") == 0) {
		l->sink->cut(l->sink->context);
		return PF_OK;
	}
	if (!kind || !strchr("ILSMB", kind) || l->at[1] != ' ')
		return wrong(l, "this is no line of a trace; they begin with I, L, S, M or B, or are 'cut'");
	l->at += 1 + strspn(l->at + 1, " ");
	if (kind == 'B')
		return read_branch(l);
	if (kind != 'I')
		return read_access(l, kind);
	if (!number(l, 16, &l->pc) || !comma(l) || !number(l, 10, &size) || *l->at)
		return wrong(l, "this is no instruction; they are ADDRESS,SIZE");
	return PF_OK;
}

static int read_file(FILE *file, const char *name, const struct pf_copro_sink *sink, struct pf_error *error)
{
	struct line l = { .name = name, .sink = sink, .error = error };
	char text[LONGEST];
	int status = PF_OK;

	while (status == PF_OK && fgets(text, sizeof text, file)) {
		size_t length = strlen(text);

		l.number++;
		l.at = text;
		if (length == sizeof text - 1 && text[length - 1] != '\n')
			return wrong(&l, "this line is longer than one of a trace can be");
		text[strcspn(text, "\r\n")] = '\0';
		status = read_line(&l);
	}
	if (status == PF_OK && ferror(file))
		status = pf_fail(error, PF_EIO, "%s: cannot be read: %s", name, strerror(errno));
	return status;
}

int pf_copro_trace_read(const char *path, const struct pf_copro_sink *sink, struct pf_error *error)
{
	FILE *file;
	int status = pf_infile_stream(path, &file, error);

	if (status < 0)
		return status;
	status = read_file(file, pf_infile_name(path), sink, error);
	fclose(file);
	return status;
}

int pf_copro_trace_parse(const char *name, const char *text, size_t size, const struct pf_copro_sink *sink,
			 struct pf_error *error)
{
	FILE *file = size ? fmemopen((void *)(uintptr_t)text, size, "r") : NULL;
	int status;

	if (!size)
		return PF_OK;
	if (!file)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", name);
	status = read_file(file, name, sink, error);
	fclose(file);
	return status;
}
