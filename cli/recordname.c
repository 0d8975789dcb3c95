/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A server is recorded again and again, by units and cron jobs that are written once: their recordings must not have
 * one name.  The hard case is a name that has a per cent sign by itself, and keeps it. */
#include "cli/recordname.h"
#include "support/buffer.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void put_time(struct pf_buffer *out)
{
	char text[32];
	time_t now = time(NULL);
	struct tm local;

	if (localtime_r(&now, &local) && strftime(text, sizeof text, "%Y%m%d-%H%M%S", &local))
		pf_buffer_printf(out, "%s", text);
}

static void put_host(struct pf_buffer *out)
{
	char name[HOST_NAME_MAX + 1] = "";

	gethostname(name, sizeof name - 1);
	for (const char *c = name; *c; c++)
		pf_buffer_u8(out, *c == '/' ? '-' : (uint8_t)*c);
}

char *pf_record_name(const char *pattern)
{
	struct pf_buffer out = { 0 };

	for (; *pattern; pattern++) {
		if (*pattern == '%' && pattern[1] && strchr("pth%", pattern[1])) {
			switch (*++pattern) {
			case 'p':
				pf_buffer_printf(&out, "%ld", (long)getpid());
				break;
			case 't':
				put_time(&out);
				break;
			case 'h':
				put_host(&out);
				break;
			default:
				pf_buffer_u8(&out, '%');
			}
		} else {
			pf_buffer_u8(&out, (uint8_t)*pattern);
		}
	}
	pf_buffer_u8(&out, 0);
	if (out.failed)
		pf_buffer_fini(&out);
	return (char *)out.data;
}
