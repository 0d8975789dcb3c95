/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See report-binary.h.  A build can lose the flags of a profile in many ways, and none of them is an error; the binary
 * has them, in its debug information.  The hard case is what says nothing: assembly, other compilers, and units whose
 * debug information is not here. */
#include "cli/report-binary.h"
#include "analysis/madefor.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/percent.h"
#include "converter/locate.h"
#include "profile/pfdo.h"
#include "support/jsontext.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FEW 10 /* units that are named */

struct subject {
	struct pf_binary binary;
	struct pf_source source;
	struct pf_profile *profile; /* NULL: none is asked about */
	uint32_t hash;
	char path[PATH_MAX]; /* the profile's, from the root */
	struct pf_madefor made;
};

bool pf_report_is_binary(const char *path)
{
	char magic[4] = "";
	struct stat st;
	/* What a pipe has given once it does not give again. */
	int fd = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	bool is = fd >= 0 && read(fd, magic, sizeof magic) == sizeof magic && memcmp(magic, "\177ELF", 4) == 0;

	if (fd >= 0)
		close(fd);
	return is;
}

static int read_units(struct subject *s, const char *path, const char *debug_dir, struct pf_error *error)
{
	const struct pf_locate_options options = { .debug_dir = debug_dir, .all_named = true };
	const struct pf_locator locator = { .options = &options };
	char name[PATH_MAX];
	struct pf_traffic_module module = { .path = name };
	struct pf_binary *b = &s->binary;
	int status;

	if (!realpath(path, name))
		return pf_fail(error, PF_ENOTFOUND, "%s: cannot be read", path);
	status = pf_binary_open(&locator, &module, b, error);
	if (status < 0)
		return status;
	if (!b->debug)
		return pf_fail(error, PF_ENODEBUG, "%s: no debug information (%s); " PF_LOCATE_CURE, path, b->reason);
	const struct pf_debug_files files = {
		.binary = &b->elf,
		.debug = b->debug,
		.supplement = b->supplement.path ? &b->supplement : NULL,
		.package = b->package.path ? &b->package : NULL,
		.debug_dir = debug_dir,
	};
	return pf_source_read(&files, NULL, 0, &s->source, error);
}

static int read_profile(struct subject *s, const char *path, struct pf_error *error)
{
	struct pf_pfdo *file;
	int status = pf_pfdo_open(path, &file, error);

	if (status < 0)
		return status;
	s->hash = pf_pfdo_hash(file);
	pf_pfdo_close(file);
	if (!realpath(path, s->path))
		return pf_fail(error, PF_ENOTFOUND, "%s: cannot be read", path);
	return pf_pfdo_read(path, &s->profile, error);
}

/* "for /src/app.pfdo (hash f90b4b58)" */
static void put_made(struct pf_buffer *out, const struct pf_source_unit *unit)
{
	static const char *const texts[] = {
		[PF_MADE_OTHERWISE] = "by another compiler, or assembly",
		[PF_MADE_SILENTLY] = "by GCC with options that it did not write down",
		[PF_MADE_PLAINLY] = "for none",
		[PF_MADE_IDLY] = "without optimisation, so for none",
		[PF_MADE_FOR_PROFILE] = "for",
		[PF_MADE_BY_LINK] = "by a link",
		[PF_MADE_BY_PLUGGED_LINK] = "by a link",
	};

	pf_buffer_printf(out, "%s", texts[unit->made]);
	if (unit->made != PF_MADE_FOR_PROFILE)
		return;
	pf_buffer_printf(out, " %s", pf_output_name(unit->profile));
	if (unit->hash)
		pf_buffer_printf(out, " (hash %08" PRIx32 ")", unit->hash);
}

/* Whether U is worth a line: it should have been compiled for a profile, as far as is known. */
static bool is_amiss(const struct pf_madefor_unit *u, const struct subject *s)
{
	return !u->asked && u->unit->made != PF_MADE_OTHERWISE && (s->profile ? u->total > 0 : s->made.profiles > 0);
}

static void put_units(struct pf_buffer *out, const struct subject *s, bool all)
{
	size_t named = 0, more = 0;

	for (size_t i = 0; i < s->made.units.count; i++) {
		const struct pf_madefor_unit *u = &s->made.units.at[i];

		if (!is_amiss(u, s))
			continue;
		if (!all && named == FEW) {
			more++;
			continue;
		}
		named++;
		pf_buffer_printf(out, "  ");
		if (s->profile)
			pf_buffer_printf(out, "%5.1f%%  ", pf_percent(u->total, s->made.total));
		pf_buffer_printf(out, "%s  ", pf_output_name(u->unit->file));
		put_made(out, u->unit);
		pf_buffer_printf(out, "\n");
	}
	if (more)
		pf_buffer_printf(out, "  and %zu more; --all lists them\n", more);
}

/* The first unit for a profile. */
static const struct pf_source_unit *any_for_profile(const struct pf_madefor *m)
{
	for (size_t i = 0; i < m->units.count; i++) {
		if (m->units.at[i].unit->made == PF_MADE_FOR_PROFILE)
			return m->units.at[i].unit;
	}
	return NULL;
}

static void put_head(struct pf_buffer *out, const struct subject *s)
{
	const struct pf_madefor *m = &s->made;
	size_t others = m->by_made[PF_MADE_OTHERWISE];
	const struct pf_source_unit *one = any_for_profile(m);

	pf_buffer_printf(out, "units      %zu compiled by GCC: ", m->units.count - others);
	if (s->profile)
		pf_buffer_printf(out, "%zu for %s (hash %08" PRIx32 "), %zu for another profile, ", m->asked,
				 pf_output_name(s->path), s->hash, m->by_made[PF_MADE_FOR_PROFILE] - m->asked);
	else if (m->profiles == 1) {
		pf_buffer_printf(out, "%zu ", m->by_made[PF_MADE_FOR_PROFILE]);
		put_made(out, one);
		pf_buffer_printf(out, ", ");
	} else if (m->profiles) {
		pf_buffer_printf(out, "%zu for %zu profiles, ", m->by_made[PF_MADE_FOR_PROFILE], m->profiles);
	}
	pf_buffer_printf(out, "%zu for none", m->by_made[PF_MADE_PLAINLY] + m->by_made[PF_MADE_IDLY]);
	if (m->by_made[PF_MADE_SILENTLY])
		pf_buffer_printf(out, ", %zu do not say", m->by_made[PF_MADE_SILENTLY]);
	if (others)
		pf_buffer_printf(out, "; %zu by other compilers or assembly", others);
	pf_buffer_printf(out, "\n");
}

/* Whether code that was compiled for a profile went through a link that left the plugin out. */
static bool is_badly_linked(const struct subject *s)
{
	return s->source.linked_plainly > 0 && s->made.by_made[PF_MADE_FOR_PROFILE] > 0;
}

static void put_tail(struct pf_buffer *out, const struct subject *s)
{
	const struct pf_madefor *m = &s->made;

	if (s->profile)
		pf_buffer_printf(
		    out,
		    "profile    %.1f%% of its counts are in files that were compiled for it, %.1f%% in headers "
		    "and other binaries\n",
		    pf_percent(m->total - m->elsewhere - m->missed, m->total), pf_percent(m->elsewhere, m->total));
	if (s->source.units_elsewhere)
		pf_buffer_printf(out,
				 "warning: of %" PRIu32 " units the .dwo file is not here, and they are not counted\n",
				 s->source.units_elsewhere);
	if (s->profile && m->missed)
		pf_buffer_printf(
		    out,
		    "warning: %.1f%% of the profile is in files that were not compiled for it; compile them "
		    "again, with the flags of pathfdo cflags\n",
		    pf_percent(m->missed, m->total));
	if (is_badly_linked(s))
		pf_buffer_printf(out,
				 "warning: the link with -flto was without the plugin; give it the flags of pathfdo "
				 "cflags, too\n");
	if (s->profile && m->elsewhere == m->total)
		pf_buffer_printf(out, "warning: the profile has no function of these files; is it this program's?\n");
	if (!s->profile && !m->profiles)
		pf_buffer_printf(out, "warning: no unit was compiled for a profile\n");
	if (!s->profile && m->profiles > 1)
		pf_buffer_printf(out,
				 "warning: units were compiled for different profiles; compile all of them again\n");
}

static void put_json(struct pf_buffer *out, const struct subject *s)
{
	static const char *const words[] = { "other", "silent", "plain", "unoptimised", "profile", "link", "link" };
	const struct pf_madefor *m = &s->made;

	pf_buffer_printf(out, "{\"units\": [");
	for (size_t i = 0; i < m->units.count; i++) {
		const struct pf_madefor_unit *u = &m->units.at[i];

		pf_buffer_printf(out, "%s{\"file\": ", i ? ",\n " : "\n ");
		pf_json_put_string(out, u->unit->file);
		pf_json_put_field(out, "made", words[u->unit->made]);
		if (u->unit->profile)
			pf_json_put_field(out, "profile", u->unit->profile);
		if (u->unit->hash)
			pf_buffer_printf(out, ", \"hash\": \"%08" PRIx32 "\"", u->unit->hash);
		if (s->profile)
			pf_buffer_printf(out, ", \"asked\": %s, \"total\": %" PRIu64, u->asked ? "true" : "false",
					 u->total);
		pf_buffer_printf(out, "}");
	}
	pf_buffer_printf(out, "],\n\"profiles\": %zu", m->profiles);
	if (s->profile)
		pf_buffer_printf(out,
				 ", \"total\": %" PRIu64 ", \"elsewhere\": %" PRIu64 ", \"missed\": %" PRIu64
				 ", \"asked\": %zu",
				 m->total, m->elsewhere, m->missed, m->asked);
	pf_buffer_printf(out, ", \"missing\": %" PRIu32 ", \"linked\": %" PRIu32 ", \"linked_plainly\": %" PRIu32 "}\n",
			 s->source.units_elsewhere, s->source.linked, s->source.linked_plainly);
}

static int print(const struct subject *s, const struct pf_report_binary *options)
{
	struct pf_buffer out = { 0 };
	int status;

	if (options->json) {
		put_json(&out, s);
	} else {
		put_head(&out, s);
		put_units(&out, s, options->all);
		put_tail(&out, s);
	}
	status = pf_output_print("report", &out);
	return status == 0 && s->profile && (s->made.missed || is_badly_linked(s)) ? PF_EXIT_FAILURE : status;
}

int pf_report_on_binary(const char *path, const struct pf_report_binary *options)
{
	struct subject s = { 0 };
	struct pf_error error;
	int status = read_units(&s, path, options->debug_dir, &error);

	if (status >= 0 && options->profile)
		status = read_profile(&s, options->profile, &error);
	if (status >= 0)
		status = pf_madefor_judge(&s.source, s.profile, s.hash, s.path, &s.made, &error);
	if (status >= 0 && s.made.units.count == 0)
		status = pf_fail(&error, PF_ENODEBUG, "%s: its debug information names no source files%s", path,
				 s.source.units_elsewhere ? "; keep the .dwo files where the compiler wrote them" : "");
	if (status < 0)
		fprintf(stderr, "pathfdo report: %s\n", error.text);
	status = status < 0 ? PF_EXIT_FAILURE : print(&s, options);
	pf_madefor_fini(&s.made);
	pf_source_fini(&s.source);
	pf_profile_free(s.profile);
	pf_binary_close(&s.binary);
	return status;
}
