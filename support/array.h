/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Growing arrays: one growing function, and for most of them a typed struct of pointer, count and capacity.  Hard case:
 * the size computation must not wrap, since counts come from foreign files. */
#ifndef PF_SUPPORT_ARRAY_H
#define PF_SUPPORT_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PF_ARRAY(type)                                                                                                 \
	struct {                                                                                                       \
		type *at;                                                                                              \
		size_t count, capacity;                                                                                \
	}

/* Makes room for MORE elements of SIZE bytes behind the COUNT that *AT has; false when out of memory (nothing changes
 * then). */
static inline bool pf_array_reserve(void *at, size_t count, size_t *capacity, size_t more, size_t size)
{
	size_t wanted = *capacity ? *capacity : 8;
	void *array, *grown;

	if (more <= *capacity - count)
		return true;
	if (more > SIZE_MAX / 2 / size - count)
		return false;
	while (wanted < count + more)
		wanted *= 2;
	memcpy(&array, at, sizeof array);
	grown = wanted <= SIZE_MAX / size ? realloc(array, wanted * size) : NULL;
	if (!grown)
		return false;
	memcpy(at, &grown, sizeof grown);
	*capacity = wanted;
	return true;
}

/* Appends one zeroed element to the PF_ARRAY that A points to; its address, or NULL when out of memory. */
#define pf_array_push(a)                                                                                               \
	(pf_array_reserve(&(a)->at, (a)->count, &(a)->capacity, 1, sizeof *(a)->at)                                    \
	     ? (memset(&(a)->at[(a)->count], 0, sizeof *(a)->at), &(a)->at[(a)->count++])                              \
	     : NULL)

#define pf_array_fini(a)                                                                                               \
	do {                                                                                                           \
		free((a)->at);                                                                                         \
		(a)->at = NULL;                                                                                        \
		(a)->count = (a)->capacity = 0;                                                                        \
	} while (0)

/* qsort that accepts an empty array. */
#define pf_array_sort(a, compare)                                                                                      \
	do {                                                                                                           \
		if ((a)->count > 1)                                                                                    \
			qsort((a)->at, (a)->count, sizeof *(a)->at, compare);                                          \
	} while (0)

#endif
