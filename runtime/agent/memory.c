/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memcpy, memset and their kin for the recorder's own code, hidden from the program.  The compiler calls them for
 * copies of structures, and libc's would use vector registers, which hold the program's values during a burst. */
#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *one, const void *other, size_t size);
size_t strlen(const char *text);

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
	void *result = to;
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
	return result;
}

void *memset(void *to, int byte, size_t size)
{
	void *result = to;
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(byte) : "memory");
	return result;
}

int memcmp(const void *one, const void *other, size_t size)
{
	const unsigned char *a = one, *b = other;
	for (size_t i = 0; i < size; i++)
		if (a[i] != b[i])
			return a[i] - b[i];
	return 0;
}

size_t strlen(const char *text)
{
	size_t length = 0;
	while (text[length])
		length++;
	return length;
}
