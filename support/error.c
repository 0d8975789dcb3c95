/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See error.h.  The hard case is a sentence longer than the object: it is cut, never overrun. */
#include "support/error.h"

#include <stdio.h>

int pf_vfail(struct pf_error *error, int code, const char *format, va_list arguments)
{
	if (error) {
		error->code = code;
		vsnprintf(error->text, sizeof error->text, format, arguments);
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
