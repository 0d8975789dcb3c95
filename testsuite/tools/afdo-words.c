/* SPDX-License-Identifier: GPL-3.0-or-later */
/* afdo-words <NEW >OLD: an AutoFDO file with the strings of version 1, padded and measured in words, and all else as it
 * is.  The tools of autofdo 0.19 know no other strings, so this makes them witnesses of the rest.  With
 * `dump_gcov -gcov_version=2`. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t take_u32(void)
{
	uint8_t bytes[4];

	if (fread(bytes, 1, 4, stdin) != 4) {
		fputs("afdo-words: the file ends within its strings\n", stderr);
		exit(1);
	}
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static uint32_t put_u32(uint32_t value)
{
	for (int i = 0; i < 4; i++)
		putchar((int)(value >> 8 * i & 0xff));
	return value;
}

static void pad_string(void)
{
	uint32_t length = take_u32(), words = (length + 3) / 4;

	put_u32(words);
	for (uint32_t i = 0; i < words * 4; i++)
		putchar(i < length ? getchar() : 0);
}

int main(void)
{
	int c;

	for (int i = 0; i < 5; i++) /* the header, and the section's tag and length, which nobody reads */
		put_u32(take_u32());
	for (uint32_t count = put_u32(take_u32()); count; count--)
		pad_string();
	while ((c = getchar()) != EOF)
		putchar(c);
	return ferror(stdin) || fflush(stdout) != 0;
}
