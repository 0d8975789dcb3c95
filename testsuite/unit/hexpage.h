/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hexdumps in the pages of formats, which are read as the files that they show. */
#ifndef PF_UNIT_HEXPAGE_H
#define PF_UNIT_HEXPAGE_H

#include "testsuite/unit/suite.h"

#include <stdio.h>
#include <string.h>

/* Collects the bytes of all lines such as "    00000010: 50 46 50 ..." or "    00000010: 5046 5645 ..." of PAGE. */
static size_t read_page(const char *page, uint8_t *to, size_t room)
{
	FILE *stream = fopen(page, "r");
	size_t size = 0;
	char line[512];

	ck_assert_msg(stream != NULL, "%s cannot be opened: run this from the top folder", page);
	while (fgets(line, sizeof line, stream)) {
		unsigned at, byte;
		int used = 0;
		const char *rest = line;

		if (sscanf(line, " %8x:%n", &at, &used) != 1 || used == 0)
			continue;
		ck_assert_uint_eq(at, size);
		/* Two blanks part the bytes from the text. */
		for (rest += used;
		     strncmp(rest, "  ", 2) != 0 && sscanf(rest, " %2x%n", &byte, &used) == 1 && size < room;
		     rest += used)
			to[size++] = (uint8_t)byte;
	}
	fclose(stream);
	return size;
}

#endif
