/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See recording.h.  Which files the profile is about is asked of the recording: the program and whatever libraries of
 * the build folder it loaded.  The hard case is a recording without any sample of them, since the command was a script
 * that ran something else, or too short. */
#include "analysis/recording.h"
#include "analysis/journal.h"
#include "analysis/tree.h"
#include "analysis/variant.h"
#include "converter/intake.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file of BUILD's in data/. */
static void data_path(const struct pf_contest *c, unsigned build, const char *kind, char path[PATH_MAX])
{
	char name[40];

	snprintf(name, sizeof name, "%s.%s", pf_variant_name(build), kind);
	pf_plan_path(c->plan, "data", name, path);
}

char *pf_recording_wrapper(const struct pf_contest *c, unsigned build)
{
	char *script;

	if (asprintf(&script, "exec '%s' record --source=%s -o \"$1\" -- /bin/sh -c \"$2\"", c->plan->tool,
		     pf_variant_names[pf_build_variant(build)]) < 0)
		return NULL;
	return script;
}

static int record(struct pf_contest *c, unsigned build, const char *file, struct pf_error *error)
{
	char *wrapper = pf_recording_wrapper(c, build), log[40];
	struct pf_run run = { .build = PF_VARIANT_BASE,
			      .blame = build,
			      .command = c->plan->train,
			      .wrapper = wrapper,
			      .file = file,
			      .output = "run",
			      .log = log,
			      .pinned = true };
	struct pf_ending ending;
	int status;

	if (!wrapper)
		return pf_fail(error, PF_ENOMEM, "out of memory");
	snprintf(log, sizeof log, "record-%s", pf_variant_name(build));
	pf_contest_begin(c, "the training run, recorded by %s", pf_variant_name(build));
	status = pf_contest_check(c, &run, "the recorded training run", "train", &ending, error);
	if (status == PF_OK)
		pf_contest_end(c, PF_WORK_TRAIN, ending.wall);
	free(wrapper);
	return status;
}

/* The binaries in the build folder that have samples: the program and libraries of its own. */
struct binaries {
	char **at;
	size_t count, capacity;
};

static void release_binaries(struct binaries *b)
{
	for (size_t i = 0; i < b->count; i++)
		free(b->at[i]);
	pf_array_fini(b);
}

static int choose_binaries(const struct pf_contest *c, const struct pf_traffic *t, struct binaries *b)
{
	char place[PATH_MAX];
	size_t length;
	char **new;

	pf_plan_path(c->plan, "build", NULL, place);
	length = strlen(place);
	for (size_t i = 0; i < t->modules.count; i++) {
		const struct pf_traffic_module *m = &t->modules.at[i];

		if (m->branches == 0 || strncmp(m->path, place, length) != 0 || m->path[length] != '/')
			continue;
		new = pf_array_push(b);
		if (!new)
			return PF_ENOMEM;
		*new = strdup(m->path);
		if (!*new)
			return PF_ENOMEM;
	}
	return PF_OK;
}

/* What the recording FILE holds; drops the variant if that is nothing of use. */
static int look_at(struct pf_contest *c, unsigned build, const char *file, struct binaries *b, struct pf_error *error)
{
	static const struct pf_intake_options options = { 0 };
	struct pf_traffic traffic = { 0 };
	struct pf_recording recording = { 0 };
	struct pf_error why;
	int status = pf_intake_file(&traffic, file, &options, &recording, &why);

	*b = (struct binaries) { 0 };
	if (status == PF_OK)
		status = choose_binaries(c, &traffic, b);
	if (status == PF_ENOMEM)
		pf_fail(error, status, "out of memory");
	else if (status < 0)
		pf_contest_drop(c, build, "%s", why.text);
	else if (b->count == 0)
		pf_contest_drop(c, build,
				"the recording of the training run has no samples of %s or its libraries: the run is "
				"too short, or the "
				"command does not run \"$PROGRAM\" (%s)",
				c->program, file);
	pf_recording_fini(&recording);
	pf_traffic_fini(&traffic);
	malloc_trim(0); /* a child's peak memory, which is measured, is at least ours when it starts */
	return status == PF_ENOMEM ? status : PF_OK;
}

/* Runs SCRIPT with ARGUMENTS in the base variant's build folder; drops BUILD when it fails. */
static int run_tool(struct pf_contest *c, unsigned build, const char *what, const char *script,
		    const char *const *arguments, const char *output, struct pf_ending *ending, struct pf_error *error)
{
	char log[PATH_MAX], name[60], compiler[PATH_MAX], how[PF_ENDING_TEXT];
	const char *environment[] = { compiler, NULL };
	struct pf_command command = { .script = script,
				      .arguments = arguments,
				      .environment = environment,
				      .folder = c->plan->work,
				      .output = output,
				      .log = log,
				      .cpu = -1,
				      .timeout = c->plan->timeout };
	int status = pf_contest_place(c, PF_VARIANT_BASE, error);

	snprintf(name, sizeof name, "%s-%s", what, pf_variant_name(build));
	snprintf(compiler, sizeof compiler, "CC=%s", pf_variant_compiler("CC"));
	pf_plan_path(c->plan, "logs", name, log);
	if (status == PF_OK)
		status = pf_command_run(&command, ending, error);
	if (status == PF_OK && !pf_ending_good(ending)) {
		pf_ending_describe(ending, c->plan->timeout, log, how, sizeof how);
		pf_contest_drop(c, build, "pathfdo %s %s (%s)", what, how, log);
	}
	return status;
}

static json_int_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? (json_int_t)st.st_size : 0;
}

/* What `pathfdo convert' warned of is noted. */
static void note_warnings(struct pf_contest *c, unsigned build)
{
	char log[PATH_MAX], name[40], *line = NULL;
	size_t size = 0;
	FILE *file;

	snprintf(name, sizeof name, "convert-%s", pf_variant_name(build));
	pf_plan_path(c->plan, "logs", name, log);
	file = fopen(log, "re");
	while (file && getline(&line, &size, file) > 0) {
		char *warning = strstr(line, "warning: ");

		line[strcspn(line, "\n")] = '\0';
		if (warning)
			json_array_append_new(c->entries[build].notes, pf_journal_text(warning + strlen("warning: ")));
	}
	free(line);
	if (file)
		fclose(file);
}

static int convert(struct pf_contest *c, unsigned build, const char *file, const struct binaries *b,
		   struct pf_error *error)
{
	struct pf_entry *e = &c->entries[build];
	const char **arguments = calloc(4 + 2 * b->count, sizeof *arguments);
	struct pf_ending ending;
	size_t n = 0;
	int status;

	if (!arguments)
		return pf_fail(error, PF_ENOMEM, "out of memory");
	arguments[n++] = c->plan->tool;
	arguments[n++] = e->profile;
	arguments[n++] = file;
	for (size_t i = 0; i < b->count; i++) {
		arguments[n++] = "-b";
		arguments[n++] = b->at[i];
	}
	status =
	    run_tool(c, build, "convert", "tool=$1 profile=$2; shift 2; exec \"$tool\" convert \"$@\" -o \"$profile\"",
		     arguments, NULL, &ending, error);
	free(arguments);
	if (status == PF_OK && !*e->error)
		note_warnings(c, build);
	if (status == PF_OK && !*e->error)
		e->tool = json_pack("{s:f, s:I, s:I, s:I}", "convert_seconds", ending.user + ending.system,
				    "convert_peak_kb", (json_int_t)ending.peak_kb, "recording_bytes", size_of(file),
				    "profile_bytes", size_of(e->profile));
	return status;
}

static bool restore(struct pf_contest *c, unsigned build, const char *step, uint64_t key)
{
	struct pf_entry *e = &c->entries[build];
	json_t *kept = pf_journal_read(c->plan->work, step, key), *notes;
	bool good = kept && json_unpack(kept, "{s:O, s:o}", "tool", &e->tool, "notes", &notes) == 0;

	if (good)
		json_array_extend(e->notes, notes);
	json_decref(kept);
	return good;
}

static int keep(struct pf_contest *c, unsigned build, const char *step, uint64_t key, struct pf_error *error)
{
	const struct pf_entry *e = &c->entries[build];
	json_t *result = json_pack("{s:O, s:O}", "tool", e->tool, "notes", e->notes);
	int status = pf_journal_write(c->plan->work, step, key, result, error);

	json_decref(result);
	return status;
}

int pf_recording_make(struct pf_contest *c, unsigned build, struct pf_error *error)
{
	struct pf_entry *e = &c->entries[build];
	uint64_t key = pf_digest_bytes(c->entries[PF_VARIANT_BASE].key, &c->tool_key, sizeof c->tool_key);
	char step[40], file[PATH_MAX];
	struct binaries b;
	int status;

	if (e->tool || *e->error)
		return PF_OK;
	key = pf_digest_string(key, c->plan->train);
	snprintf(step, sizeof step, "steps/record-%s", pf_variant_name(build));
	data_path(c, build, "data", file);
	data_path(c, build, "pfdo", e->profile);
	if (pf_tree_has(e->profile) && restore(c, build, step, key)) {
		pf_contest_end(c, PF_WORK_TRAIN, -1);
		return PF_OK;
	}
	pf_journal_forget(c->plan->work, step);
	unlink(file);
	unlink(e->profile);
	status = record(c, build, file, error);
	if (status < 0 || *e->error)
		return status;
	status = look_at(c, build, file, &b, error);
	if (status == PF_OK && !*e->error)
		status = convert(c, build, file, &b, error);
	release_binaries(&b);
	return status == PF_OK && !*e->error ? keep(c, build, step, key, error) : status;
}

int pf_recording_flags(struct pf_contest *c, unsigned build, char *flags, size_t size, uint64_t *digest,
		       struct pf_error *error)
{
	struct pf_entry *e = &c->entries[build];
	char report[PATH_MAX], output[PATH_MAX];
	const char *arguments[] = { c->plan->tool, report, e->profile, NULL };
	struct pf_ending ending;
	FILE *file;
	int status;

	*flags = '\0';
	*digest = c->tool_key;
	data_path(c, build, "report", report);
	data_path(c, build, "flags", output);
	status = run_tool(c, build, "cflags", "exec \"$1\" cflags --report \"$2\" \"$3\"", arguments, output, &ending,
			  error);
	if (status < 0 || *e->error)
		return status;
	file = fopen(output, "re");
	if (file && fgets(flags, (int)size, file))
		flags[strcspn(flags, "\n")] = '\0';
	if (file)
		fclose(file);
	if (!*flags)
		pf_contest_drop(c, build, "pathfdo cflags printed no flags (%s)", output);
	return pf_digest_file(digest, e->profile, error);
}

/* $4 is the compiler, whose release wants its own format. */
static const char export_script[] = "release=$($4 -dumpversion) && format=gcov-${release%%.*} && "
				    "exec \"$1\" export --format=\"${format%-12}\" \"$2\" -o \"$3\"";

int pf_recording_share(struct pf_contest *c, unsigned build, struct pf_error *error)
{
	unsigned from = pf_build_beside(build, PF_VARIANT_SOFT);
	struct pf_entry *soft = &c->entries[from];
	int status = pf_recording_make(c, from, error);

	if (status == PF_OK && !soft->tool)
		pf_contest_drop(c, build, "there are no samples of soft for it: %s", soft->error);
	if (status == PF_OK)
		memcpy(c->entries[build].profile, soft->profile, sizeof soft->profile);
	return status;
}

int pf_recording_export(struct pf_contest *c, unsigned build, uint64_t *digest, struct pf_error *error)
{
	struct pf_entry *e = &c->entries[build];
	char profile[PATH_MAX];
	const char *arguments[] = { c->plan->tool, profile, e->profile, pf_variant_compiler("CC"), NULL };
	struct pf_ending ending;
	int status = pf_recording_share(c, build, error);

	if (status < 0 || *e->error)
		return status;
	snprintf(profile, sizeof profile, "%s", e->profile);
	data_path(c, build, "afdo", e->profile);
	unlink(e->profile);
	status = run_tool(c, build, "export", export_script, arguments, NULL, &ending, error);
	if (status < 0 || *e->error)
		return status;
	*digest = PF_DIGEST_START;
	return pf_digest_file(digest, e->profile, error);
}
