/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See findings.h.  The hard case is a variant that failed on the way: of what was measured before nothing may count, so
 * an entry with an error has no numbers at all. */
#include "analysis/findings.h"
#include "analysis/journal.h"
#include "analysis/measure.h"
#include "analysis/variant.h"
#include "support/version.h"

#include <cpuid.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* --- the machine ------------------------------------------------------------------------------------------------- */

/* The value after SEPARATOR in the first line of FILE that begins with KEY, in VALUE; "" if there is none. */
static void value_in(const char *path, const char *key, char separator, char *value, size_t size)
{
	char line[1024];
	FILE *file = fopen(path, "re");

	*value = '\0';
	while (file && fgets(line, sizeof line, file)) {
		char *at = strchr(line, separator);

		if (strncmp(line, key, strlen(key)) != 0 || !at)
			continue;
		at += 1 + strspn(at + 1, " \t\"");
		at[strcspn(at, "\"\n")] = '\0';
		snprintf(value, size, "%s", at);
		break;
	}
	if (file)
		fclose(file);
}

/* Which hypervisor this runs under, as the processor tells it; "" for none. */
static void find_hypervisor(char *name, size_t size)
{
	static const char *const known[][2] = {
		{ "KVMKVMKVM", "kvm" },
		{ "VMwareVMware", "vmware" },
		{ "Microsoft Hv", "hyper-v" },
		{ "XenVMMXenVMM", "xen" },
	};
	unsigned a, b, c, d;
	char signature[13] = "";

	*name = '\0';
	__cpuid(1, a, b, c, d);
	if (!(c & (1u << 31)))
		return;
	__cpuid(0x40000000, a, b, c, d);
	memcpy(signature, &b, 4);
	memcpy(signature + 4, &c, 4);
	memcpy(signature + 8, &d, 4);
	snprintf(name, size, "%s", signature);
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		if (strcmp(signature, known[i][0]) == 0)
			snprintf(name, size, "%s", known[i][1]);
	}
}

static json_t *describe_machine(const struct pf_contest *c)
{
	char cpu[200], system[200], memory[60], hypervisor[100];
	struct utsname kernel = { 0 };
	json_t *counters = json_array();

	uname(&kernel);
	value_in("/proc/cpuinfo", "model name", ':', cpu, sizeof cpu);
	value_in("/etc/os-release", "PRETTY_NAME", '=', system, sizeof system);
	value_in("/proc/meminfo", "MemTotal", ':', memory, sizeof memory);
	find_hypervisor(hypervisor, sizeof hypervisor);
	for (int i = 0; i < PF_COUNTERS; i++) {
		if (c->counters >> i & 1)
			json_array_append_new(counters, json_string(pf_counter_names[i]));
	}
	return json_pack("{s:o, s:i, s:o, s:o, s:I, s:o, s:o, s:s}", "cpu", pf_journal_text(cpu), "cores",
			 (int)sysconf(_SC_NPROCESSORS_ONLN), "kernel", pf_journal_text(kernel.release), "system",
			 pf_journal_text(system), "memory_kb", (json_int_t)atoll(memory), "hypervisor",
			 pf_journal_text(hypervisor), "counters", counters, "uncounted", c->uncounted);
}

/* The first line that COMMAND --version prints, into TO under NAME; nothing if it is not there. */
static bool add_version(const struct pf_plan *plan, const char *command, const char *name, json_t *to)
{
	char output[PATH_MAX], log[PATH_MAX], script[PATH_MAX + 20], line[300] = "";
	struct pf_command c = {
		.script = script, .folder = "/", .output = output, .log = log, .cpu = -1, .timeout = 60
	};
	struct pf_ending ending;
	FILE *file;

	pf_plan_path(plan, "outputs", "version", output);
	pf_plan_path(plan, "logs", "version", log);
	snprintf(script, sizeof script, "%s --version", command);
	if (pf_command_run(&c, &ending, NULL) < 0)
		return false;
	file = pf_ending_good(&ending) ? fopen(output, "re") : NULL;
	if (file && fgets(line, sizeof line, file)) {
		line[strcspn(line, "\n")] = '\0';
		json_object_set_new(to, name, pf_journal_text(line));
	}
	if (file)
		fclose(file);
	return true;
}

json_t *pf_findings_versions(const struct pf_plan *plan)
{
	json_t *versions = json_pack("{s:s}", "pathfdo", PF_VERSION);

	if (versions && add_version(plan, pf_variant_compiler("CC"), "compiler", versions) &&
	    add_version(plan, pf_variant_compiler("CXX"), "cxx", versions) &&
	    add_version(plan, pf_variant_compiler("FC"), "fortran", versions) &&
	    (!plan->instructions || add_version(plan, "valgrind", "valgrind", versions)))
		return versions;
	json_decref(versions);
	return NULL;
}

/* --- the variants ------------------------------------------------------------------------------------------------ */

/* The mean of what ROUND has under KEY of the variant of BUILD from all recordings; negative if one is missing. */
static double mean_of(const struct pf_contest *c, unsigned build, const json_t *round, const char *key)
{
	double sum = 0;
	unsigned count = 0;

	for (unsigned b = build; b < PF_BUILDS; b += PF_BUILDS_EACH) {
		const char *name = b == PF_VARIANT_BASE ? "again" : pf_variant_name(b);
		const json_t *taken = pf_series_taken(round, name, key);

		if (!pf_plan_has(c->plan, b))
			continue;
		if (!taken)
			return -1;
		sum += json_number_value(taken);
		count++;
	}
	return sum / count;
}

/* The instructions of the variant of BUILD, the mean of all recordings; NULL if they were not counted. */
static json_t *mean_instructions(const struct pf_contest *c, unsigned build)
{
	double sum = 0;
	unsigned count = 0;

	for (unsigned b = build; b < PF_BUILDS; b += PF_BUILDS_EACH) {
		if (!pf_plan_has(c->plan, b))
			continue;
		if (!c->entries[b].instructions)
			return NULL;
		sum += json_number_value(c->entries[b].instructions);
		count++;
	}
	return json_integer((json_int_t)(sum / count + 0.5));
}

/* One recording's instructions, or the mean of all. */
enum whose { OF_ONE, OF_ALL };

/* Adds to TO the list KEY of BUILD's runs of reference R, and the list base_KEY of base's, of the rounds that have
 * both.  Lists without any number are left out unless they are NEEDED. */
static void add_pairs(const struct pf_contest *c, unsigned build, size_t r, enum whose whose, const char *key,
		      bool needed, json_t *to)
{
	const char *name = build == PF_VARIANT_BASE ? "again" : pf_variant_name(build);
	json_t *own = json_array(), *base = json_array();
	const json_t *round;
	char base_key[40];
	size_t i;

	json_array_foreach(c->times[r], i, round)
	{
		double mean = mean_of(c, build, round, key);
		json_t *one = pf_series_taken(round, name, key), *other = pf_series_taken(round, "base", key);

		if (!other || (whose == OF_ALL ? mean < 0 : !one))
			continue;
		json_array_append_new(own, whose == OF_ALL ? json_real(mean) : json_incref(one));
		json_array_append(base, other);
	}
	snprintf(base_key, sizeof base_key, "base_%s", key);
	if (needed || json_array_size(own) > 0) {
		json_object_set(to, key, own);
		json_object_set(to, base_key, base);
	}
	json_decref(own);
	json_decref(base);
}

/* For reference R of BUILD: what was taken in the rounds in which it and base ran. */
static json_t *describe_reference(const struct pf_contest *c, unsigned build, size_t r, enum whose whose)
{
	json_t *counters = json_object(), *count = NULL, *reference;

	for (int i = 0; i < PF_COUNTERS; i++)
		add_pairs(c, build, r, whose, pf_counter_names[i], false, counters);
	if (r == 0)
		count = whose == OF_ALL ? mean_instructions(c, build) : json_incref(c->entries[build].instructions);
	reference = json_pack("{s:o, s:o, s:o?}", "command", pf_journal_text(c->plan->references[r]), "counters",
			      counters, "instructions", count);
	if (reference)
		add_pairs(c, build, r, whose, "seconds", true, reference);
	return reference;
}

static json_t *describe_references(const struct pf_contest *c, unsigned build, enum whose whose)
{
	json_t *references = json_array();

	for (size_t r = 0; r < c->plan->reference_count; r++)
		json_array_append_new(references, describe_reference(c, build, r, whose));
	return references;
}

/* What each recording led to; NULL if there was but one. */
static json_t *describe_recordings(const struct pf_contest *c, unsigned v)
{
	json_t *recordings = json_array();

	for (unsigned b = v; b < PF_BUILDS; b += PF_BUILDS_EACH) {
		if (pf_plan_has(c->plan, b))
			json_array_append_new(recordings, json_pack("{s:I, s:o}", "text_bytes",
								    (json_int_t)c->entries[b].text_bytes, "references",
								    describe_references(c, b, OF_ONE)));
	}
	if (json_array_size(recordings) > 1)
		return recordings;
	json_decref(recordings);
	return NULL;
}

/* The notes of all recordings, those from the second on with its number. */
static json_t *describe_notes(const struct pf_contest *c, unsigned v)
{
	json_t *notes = json_copy(c->entries[v].notes);

	for (unsigned b = v + PF_BUILDS_EACH; b < PF_BUILDS; b += PF_BUILDS_EACH) {
		const json_t *note;
		size_t i;

		json_array_foreach(c->entries[b].notes, i, note) json_array_append_new(
		    notes, json_sprintf("recording %u: %s", pf_build_recording(b) + 1, json_string_value(note)));
	}
	return notes;
}

static json_t *describe_variant(const struct pf_contest *c, unsigned v)
{
	const struct pf_entry *e = &c->entries[v];

	if (*e->error)
		return json_pack("{s:s, s:o}", "name", pf_variant_name(v), "error", pf_journal_text(e->error));
	return json_pack("{s:s, s:n, s:f, s:I, s:I, s:o, s:o, s:o*, s:O?, s:O?}", "name", pf_variant_name(v), "error",
			 "build_seconds", e->build_seconds, "text_bytes", (json_int_t)e->text_bytes, "hot_bytes",
			 (json_int_t)e->hot_bytes, "notes", describe_notes(c, v), "references",
			 describe_references(c, v, OF_ALL), "recordings", describe_recordings(c, v), "collection",
			 e->collection, "tool", e->tool);
}

/* Pairs of base with itself on the first reference, of what the rounds have under KEY. */
static json_t *describe_noise(const struct pf_contest *c, const char *key)
{
	json_t *pairs = json_array();
	const json_t *round;
	size_t i;

	json_array_foreach(c->times[0], i, round)
	{
		json_t *one = pf_series_taken(round, "base", key), *other = pf_series_taken(round, "again", key);

		if (one && other)
			json_array_append_new(pairs, json_pack("[O, O]", one, other));
	}
	return pairs;
}

static json_t *describe_program(const struct pf_contest *c)
{
	const struct pf_plan *p = c->plan;
	const char *error = c->entries[PF_VARIANT_BASE].error;
	json_t *variants = json_array();

	for (unsigned v = 0; v < PF_VARIANTS && !*error; v++) {
		if (p->wanted[v])
			json_array_append_new(variants, describe_variant(c, v));
	}
	return json_pack("{s:o, s:s, s:o, s:o, s:o?, s:o, s:o, s:o, s:o, s:o, s:o}", "name", pf_journal_text(p->name),
			 "language", p->language ? p->language : c->language, "stands_for",
			 pf_journal_text(p->stands_for), "source", pf_journal_text(p->source_name), "error",
			 *error ? pf_journal_text(error) : NULL, "build", pf_journal_text(pf_plan_build_command(p)),
			 "train", pf_journal_text(p->train), "instructions_of", pf_journal_text(p->small), "noise",
			 describe_noise(c, "seconds"), "noise_cycles",
			 describe_noise(c, pf_counter_names[PF_COUNTER_CYCLES]), "variants", variants);
}

json_t *pf_findings_make(const struct pf_contest *c, json_t *versions)
{
	char date[32];
	time_t measured = pf_journal_date(c->plan->work, "steps");
	struct tm utc;

	if (measured == 0)
		time(&measured);
	gmtime_r(&measured, &utc);
	strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
	return json_pack("{s:s, s:i, s:s, s:o, s:O, s:[o]}", "format", "pathfdo-comparison", "version", 1, "date", date,
			 "machine", describe_machine(c), "versions", versions, "programs", describe_program(c));
}
