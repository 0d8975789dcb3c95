/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A server is recorded again and again, by units and cron jobs that are written once: their recordings must not have
 * one name.  The hard case is a name that has a per cent sign by itself, and keeps it. */
#include "cli/recordname.h"
#include "runtime/buildid.h"
#include "support/buffer.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BUILD_ID_BYTES 6

/* Of UTC: a local clock that is set back in autumn would give an hour's names twice. */
static void put_time(struct pf_buffer *out)
{
	char text[32];
	time_t now = time(NULL);
	struct tm utc;

	if (gmtime_r(&now, &utc) && strftime(text, sizeof text, "%Y%m%d-%H%M%S", &utc))
		pf_buffer_printf(out, "%s", text);
}

static void put_host(struct pf_buffer *out)
{
	char name[HOST_NAME_MAX + 1] = "";

	gethostname(name, sizeof name - 1);
	for (const char *c = name; *c; c++)
		pf_buffer_u8(out, *c == '/' ? '-' : (uint8_t)*c);
}

static void put_program(struct pf_buffer *out, const struct pf_target *program)
{
	const char *path = program ? program->path : "", *slash = strrchr(path, '/');

	pf_buffer_printf(out, "%s", slash ? slash + 1 : path);
}

/* The path of what runs already is that of its own root folder; the kernel knows the file. */
static void put_build_id(struct pf_buffer *out, const struct pf_target *program)
{
	char link[64];
	uint8_t id[20], size = 0;

	if (program && program->pid)
		snprintf(link, sizeof link, "/proc/%d/exe", program->pid);
	if (program)
		size = pf_buildid_read(program->pid ? link : program->path, id);
	for (uint8_t i = 0; i < size && i < BUILD_ID_BYTES; i++)
		pf_buffer_printf(out, "%02x", id[i]);
	if (!size)
		pf_buffer_printf(out, "none");
}

static void put_field(struct pf_buffer *out, char field, const struct pf_target *program)
{
	switch (field) {
	case 'p':
		pf_buffer_printf(out, "%ld", (long)getpid());
		break;
	case 't':
		put_time(out);
		break;
	case 'h':
		put_host(out);
		break;
	case 'e':
		put_program(out, program);
		break;
	case 'b':
		put_build_id(out, program);
		break;
	default:
		pf_buffer_u8(out, '%');
	}
}

/* The field's letter if one begins at AT, 0 if that is a character of the name. */
static char field_at(const char *at)
{
	return at[0] == '%' && at[1] && strchr("ptheb%", at[1]) ? at[1] : 0;
}

bool pf_record_name_has_time(const char *pattern)
{
	for (char field; *pattern; pattern += field ? 2 : 1)
		if ((field = field_at(pattern)) == 't')
			return true;
	return false;
}

int pf_record_name(const char *pattern, const struct pf_target *program, char **name, struct pf_error *error)
{
	struct pf_buffer out = { 0 };

	for (pattern = pattern ? pattern : "perf.data"; *pattern; pattern++) {
		if (field_at(pattern))
			put_field(&out, *++pattern, program);
		else
			pf_buffer_u8(&out, (uint8_t)*pattern);
	}
	pf_buffer_u8(&out, 0);
	if (out.failed)
		pf_buffer_fini(&out);
	*name = (char *)out.data;
	return *name ? PF_OK : pf_fail(error, PF_ENOMEM, "out of memory");
}

int pf_record_snapshot_name(const char *pattern, const struct pf_target *program, char **name, struct pf_error *error)
{
	char *longer = NULL;
	int status;

	pattern = pattern ? pattern : "perf.data";
	if (pf_record_name_has_time(pattern))
		return pf_record_name(pattern, program, name, error);
	*name = NULL;
	if (asprintf(&longer, "%s.%%t", pattern) < 0)
		return pf_fail(error, PF_ENOMEM, "out of memory");
	status = pf_record_name(longer, program, name, error);
	free(longer);
	return status;
}
