/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See error.h.  The hard case is what a sentence quotes of the world outside: it is cut where it is too long, and what
 * of it a terminal would obey, in a file's name say, is not passed on. */
#include "support/error.h"

#include <stdio.h>

/* Bytes from 0x80 on are letters of UTF-8; line ends and tabs are in what is quoted of other programs. */
static void defuse(char *text)
{
	for (; *text; text++)
		if (((unsigned char)*text < ' ' && *text != '\n' && *text != '\t') || *text == 0x7f)
			*text = '?';
}

int pf_vfail(struct pf_error *error, int code, const char *format, va_list arguments)
{
	if (error) {
		error->code = code;
		vsnprintf(error->text, sizeof error->text, format, arguments);
		defuse(error->text);
	}
	return code;
}

int pf_fail(struct pf_error *error, int code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	pf_vfail(error, code, format, arguments);
	va_end(arguments);
	return code;
}
