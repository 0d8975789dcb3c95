/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See perf-script.h: a line is a mapping, a fork, or a sample.  The hard case is a sample's beginning, which has the
 * columns that somebody asked for, without their names: a command (of any words), a process, a time with a point, an
 * event with a colon, an address.  What a line has must fit together with what is known of the others; a line that is
 * none of these is passed over, as perf prints comments, symbols and call chains in between. */
#include "perfdata/perf-script.h"
#include "perfdata/script-words.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* No line of PF_INPUT_MAX bytes has more branches. */
enum { MAX_EVENTS = 256, MAX_BRANCHES = PF_INPUT_MAX / 8, PROBED = 256 };
enum { MISPREDICTED = 1, ABORTED = 8, WRONG_PATH = 1 << 24 }; /* among the flags of perfdata.h */

#define NO_PID UINT32_MAX
#define PRINT_IT "print it by `perf script --show-mmap-events -F pid,time,event,ip,brstack`"

/* What is in front of the branches of a sample. */
struct columns {
	uint32_t pid; /* NO_PID: it does not say */
	uint64_t time, ip;
	struct pf_words event; /* empty: it does not say */
	bool has_time, has_ip;
};

bool pf_script_is_text(struct pf_perf_file *file)
{
	size_t size = file->input.size < PROBED ? file->input.size : PROBED;
	const uint8_t *bytes;

	if (size == 0 || pf_input_get(&file->input, 0, size, &bytes, NULL) < 0)
		return false;
	for (size_t i = 0; i < size; i++) {
		if (bytes[i] < ' ' && bytes[i] != '\t' && bytes[i] != '\n' && bytes[i] != '\r')
			return false;
	}
	return memchr(bytes, ' ', size) != NULL;
}

int pf_script_line(struct pf_perf_file *file, struct pf_words *line, uint64_t *offset, struct pf_error *error)
{
	uint64_t left = file->input.size - file->next;
	size_t size = left < PF_INPUT_MAX ? left : PF_INPUT_MAX;
	const uint8_t *bytes, *end;
	int status;

	*offset = file->next;
	if (left == 0)
		return 0;
	status = pf_input_get(&file->input, file->next, size, &bytes, error);
	if (status < 0)
		return status;
	end = memchr(bytes, '\n', size);
	if (!end && size == PF_INPUT_MAX)
		return pf_fail(error, PF_EFORMAT,
			       "%s: the line at offset %" PRIu64 " is longer than %d bytes; " PRINT_IT,
			       file->input.path, file->next, (int)PF_INPUT_MAX);
	if (!end)
		return pf_fail(error, PF_EFORMAT,
			       "%s: the line at offset %" PRIu64 " has no end: the text was cut short; " PRINT_IT,
			       file->input.path, file->next);
	file->next += (uint64_t)(end + 1 - bytes);
	if (end > bytes && end[-1] == '\r')
		end--;
	*line = (struct pf_words) { (const char *)bytes, (const char *)end };
	return 1;
}

/* "0xFROM[ (FILE)]/0xTO[ (FILE)]/MISPREDICTED/IN_TX/ABORTED/CYCLES[/TYPE/SPECULATION]" */
static bool read_branch(struct pf_words *words, struct pf_branch *branch)
{
	struct pf_words rest = *words, flags;

	*branch = (struct pf_branch) { 0 };
	while (!pf_words_empty(rest) && (*rest.at == ' ' || *rest.at == '\t'))
		rest.at++;
	if (!pf_words_skip(&rest, "0x") || !pf_words_hex(&rest, &branch->from) || !pf_words_skip_file(&rest) ||
	    !pf_words_skip(&rest, "/0x") || !pf_words_hex(&rest, &branch->to) || !pf_words_skip_file(&rest) ||
	    !pf_words_skip(&rest, "/"))
		return false;
	flags = pf_words_next(&rest);
	*words = rest;
	if (!pf_words_empty(flags) && *flags.at == 'M')
		branch->flags |= MISPREDICTED;
	if (flags.end - flags.at >= 5 && flags.at[4] == 'A')
		branch->flags |= ABORTED;
	if (pf_words_find(&flags, "SPEC_WRONG_PATH"))
		branch->flags |= WRONG_PATH;
	return true;
}

/* "PID" or "PID/TID" */
static bool read_pid(struct pf_words word, uint32_t *pid)
{
	uint64_t number;

	if (!pf_words_decimal(&word, &number) || number >= NO_PID || !(pf_words_empty(word) || *word.at == '/'))
		return false;
	*pid = (uint32_t)number;
	return true;
}

static bool read_time(struct pf_words word, uint64_t *time)
{
	return pf_words_time(&word, time) && pf_words_skip(&word, ":") && pf_words_empty(word);
}

/* The columns from the front of WORDS, up to the first branch.  The process stands in front of the time, or else first;
 * the address behind the event, or else behind the process. */
static struct columns read_columns(struct pf_words *words)
{
	struct columns c = { .pid = NO_PID };
	struct pf_branch branch;
	uint32_t pid, last = NO_PID;
	uint64_t number;

	for (unsigned i = 0;; i++) {
		struct pf_words ahead = *words, word;
		bool time, event;

		word = pf_words_next(&ahead);
		ahead = *words;
		if (pf_words_empty(word) || read_branch(&ahead, &branch)) {
			/* What stands alone is the address. */
			c.pid = c.has_time || c.has_ip || !pf_words_empty(c.event) ? c.pid : NO_PID;
			return c;
		}
		pf_words_next(words);
		time = !c.has_time && read_time(word, &c.time);
		event = !time && pf_words_empty(c.event) && word.end[-1] == ':' && word.at + 1 < word.end;
		if (time) {
			c.pid = last;
			c.has_time = true;
			c.event = (struct pf_words) { 0 };
		}
		if (event)
			c.event = (struct pf_words) { word.at, word.end - 1 };
		if (time || event) {
			c.has_ip = false;
		} else if (!c.has_ip && i > 0 && pf_words_is_hex(word, &number)) {
			c.ip = number;
			c.has_ip = true;
		}
		if (!c.has_time && read_pid(word, &pid)) {
			last = pid;
			c.pid = i == 0 ? pid : c.pid;
		}
	}
}

/* " <BUILD-ID>" behind the offset, where perf printed no inode: of perf record --buildid-mmap. */
static void read_build_id(struct pf_words words, struct pf_event *e)
{
	struct pf_words id;

	if (!pf_words_skip(&words, " <"))
		return;
	id.at = words.at;
	if (pf_words_find(&words, ">]: ")) {
		id.end = words.at;
		pf_words_is_id(id, e->build_id, &e->build_id_size);
	}
}

/* "PID/TID: [0xSTART(0xLENGTH) @ OFFSET ...]: PERMISSIONS PATH"; only of what can be executed. */
static bool read_mapping(struct pf_words *words, struct pf_event *e)
{
	struct pf_words process = pf_words_next(words), permissions;

	if (!read_pid(process, &e->pid) || !pf_words_skip(words, " [") || !pf_words_hex(words, &e->address) ||
	    !pf_words_skip(words, "(") || !pf_words_hex(words, &e->length) || !pf_words_skip(words, ") @ ") ||
	    !pf_words_hex(words, &e->page_offset))
		return false;
	read_build_id(*words, e);
	if (!pf_words_find(words, "]: ") || !pf_words_skip(words, "]: "))
		return false;
	permissions = pf_words_next(words);
	return pf_words_find(&permissions, "x") && pf_words_skip(words, " ");
}

/* "(PID:TID):(PARENT:TID)" */
static bool read_fork(struct pf_words words, struct pf_event *e)
{
	uint64_t pid, parent;

	if (!pf_words_skip(&words, "(") || !pf_words_decimal(&words, &pid) || !pf_words_find(&words, "):(") ||
	    !pf_words_skip(&words, "):(") || !pf_words_decimal(&words, &parent) || pid >= NO_PID || parent >= NO_PID)
		return false;
	e->kind = PF_EVENT_FORK;
	e->pid = (uint32_t)pid;
	e->ppid = (uint32_t)parent;
	return true;
}

static bool read_lost(struct pf_words words, struct pf_event *e)
{
	if (!pf_words_find(&words, "lost ") || !pf_words_skip(&words, "lost ") || !pf_words_decimal(&words, &e->lost))
		return false;
	e->kind = PF_EVENT_LOST;
	return true;
}

/* Takes the record that WORDS names. */
static int read_record(struct pf_perf_file *file, struct pf_words words, struct pf_event *e)
{
	if (pf_words_skip(&words, "PERF_RECORD_FORK")) {
		read_fork(words, e);
	} else if (pf_words_skip(&words, "PERF_RECORD_LOST")) {
		read_lost(words, e);
	} else if ((pf_words_skip(&words, "PERF_RECORD_MMAP2 ") || pf_words_skip(&words, "PERF_RECORD_MMAP ")) &&
		   read_mapping(&words, e)) {
		free(file->script.path);
		file->script.path = strndup(words.at, (size_t)(words.end - words.at));
		if (!file->script.path)
			return PF_ENOMEM;
		file->script.path[strcspn(file->script.path, "\r")] = 0;
		e->filename = file->script.path;
		e->kind = PF_EVENT_MMAP;
	}
	return PF_OK;
}

/* The attr that is called NAME, which is added if it is new; -1 if there are too many or no memory. */
static int64_t attr_of(struct pf_perf_file *file, struct pf_words name, bool add)
{
	const char *text = pf_words_empty(name) ? "perf-script" : name.at;
	size_t size =
	    strnlen(text, pf_words_empty(name) ? SIZE_MAX : (size_t)(name.end - name.at)); /* text may hold NULs */
	struct pf_perf_attr *new;

	for (uint32_t i = 0; i < file->attr_count; i++) {
		if (strlen(file->attrs[i].name) == size && memcmp(file->attrs[i].name, text, size) == 0)
			return i;
	}
	if (!add || file->attr_count == MAX_EVENTS)
		return -1;
	new = &file->attrs[file->attr_count];
	new->name = strndup(text, size);
	new->attr.type = PF_PERF_TYPE_NAMED;
	new->attr.sample_id_all = 1; /* what is no sample has its time as well */
	return new->name ? (int64_t)file->attr_count++ : -1;
}

/* Whether LINE is a sample, which E becomes; its event goes to *EVENT. */
static bool read_sample(struct pf_perf_file *file, struct pf_words line, struct pf_event *e, struct pf_words *event)
{
	struct columns c = read_columns(&line);

	while (e->branch_count < MAX_BRANCHES && read_branch(&line, &file->branches[e->branch_count]))
		e->branch_count++;
	if (e->branch_count == 0 && !(c.has_ip && !pf_words_empty(c.event)))
		return false;
	e->kind = PF_EVENT_SAMPLE;
	e->branches = file->branches;
	e->pid = c.pid == NO_PID ? file->script.pid : c.pid;
	e->tid = e->pid;
	e->ip = c.ip;
	e->time = c.has_time ? c.time : e->offset;
	*event = c.event;
	return true;
}

/* The next line that says something, as *E; a sample's event to *EVENT. */
static int read_line(struct pf_perf_file *file, struct pf_event *e, struct pf_words *event, struct pf_error *error)
{
	struct pf_words line, record;
	uint64_t offset;
	int status;

	while ((status = pf_script_line(file, &line, &offset, error)) > 0) {
		*e = (struct pf_event) { .kind = PF_EVENT_OTHER, .offset = offset };
		record = line;
		if (pf_words_find(&record, "PERF_RECORD_")) {
			struct pf_words front = { line.at, record.at };
			struct columns c = read_columns(&front);

			e->time = c.has_time ? c.time : e->offset;
			if (read_record(file, record, e) < 0)
				return pf_fail(error, PF_ENOMEM, "%s: out of memory", file->input.path);
		} else {
			read_sample(file, line, e, event);
		}
		if (e->kind != PF_EVENT_OTHER)
			return 1;
	}
	return status;
}

/* What a first reading finds. */
struct found {
	uint64_t mappings, samples;
	uint32_t pid;         /* of the mappings */
	bool several, unsaid; /* of which there are several; a sample does not say whose it is */
};

static int note(struct pf_perf_file *file, const struct pf_event *e, struct pf_words event, struct found *found,
		struct pf_error *error)
{
	int64_t attr;

	if (e->kind == PF_EVENT_MMAP) {
		found->several |= found->mappings++ > 0 && e->pid != found->pid;
		found->pid = e->pid;
	}
	if (e->kind != PF_EVENT_SAMPLE)
		return PF_OK;
	attr = attr_of(file, event, true);
	if (attr < 0)
		return pf_fail(error, PF_EFORMAT, "%s: it has more than %d events; " PRINT_IT, file->input.path,
			       MAX_EVENTS);
	if (e->branch_count > 0)
		file->attrs[attr].attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	found->samples++;
	found->unsaid |= e->pid == NO_PID;
	return PF_OK;
}

static int judge(const struct pf_perf_file *file, const struct found *found, struct pf_error *error)
{
	const char *path = file->input.path;

	if (found->samples == 0)
		return pf_fail(
		    error, PF_EFORMAT,
		    "%s: is neither a perf.data file nor the text of one; record it by perf record, or " PRINT_IT,
		    path);
	if (found->mappings == 0)
		return pf_fail(error, PF_EFORMAT, "%s: does not say which files were mapped where; " PRINT_IT, path);
	if (found->several && found->unsaid)
		return pf_fail(error, PF_EFORMAT, "%s: does not say of which process each sample is; " PRINT_IT, path);
	return PF_OK;
}

int pf_script_open(struct pf_perf_file *file, struct pf_error *error)
{
	struct found found = { 0 };
	struct pf_words event;
	struct pf_event e;
	int status = PF_OK;

	file->script.active = true;
	file->script.pid = NO_PID;
	file->attrs = calloc(MAX_EVENTS, sizeof *file->attrs);
	file->branches = calloc(MAX_BRANCHES, sizeof *file->branches);
	if (!file->attrs || !file->branches)
		return pf_fail(error, PF_ENOMEM, "%s: out of memory", file->input.path);
	while (status == PF_OK && (status = read_line(file, &e, &event, error)) > 0)
		status = note(file, &e, event, &found, error);
	if (status == PF_OK)
		status = judge(file, &found, error);
	file->script.pid = found.pid;
	return status;
}

int pf_script_next(struct pf_perf_file *file, struct pf_event *event, struct pf_error *error)
{
	struct pf_words name;
	int status = read_line(file, event, &name, error);
	int64_t attr;

	if (status <= 0 || event->kind != PF_EVENT_SAMPLE)
		return status;
	attr = attr_of(file, name, false);
	if (attr < 0)
		return pf_fail(error, PF_EFORMAT,
			       "%s: it changed while it was read, at offset %" PRIu64 "; convert it again",
			       file->input.path, event->offset);
	event->attr = (uint32_t)attr;
	return status;
}
