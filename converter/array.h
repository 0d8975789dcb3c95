/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Growing arrays for the converter: a typed struct of pointer, count and capacity, and one growing function.  Hard
 * case: the size computation must not wrap, since counts come from foreign files. */
#ifndef PF_CONVERTER_ARRAY_H
#define PF_CONVERTER_ARRAY_H

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

/* Makes room for one more element of SIZE bytes in *AT; false when out of memory (nothing changes then). */
static inline bool pf_array_room(void *at, size_t count, size_t *capacity, size_t size)
{
	size_t wanted = *capacity ? *capacity * 2 : 16;
	void *array, *grown;

	if (count < *capacity)
		return true;
	if (wanted < *capacity || wanted > SIZE_MAX / size)
		return false;
	memcpy(&array, at, sizeof array);
	grown = realloc(array, wanted * size);
	if (!grown)
		return false;
	memcpy(at, &grown, sizeof grown);
	*capacity = wanted;
	return true;
}

/* Appends one zeroed element to the PF_ARRAY that A points to; its address, or NULL when out of memory. */
#define pf_array_push(a)                                                                                               \
	(pf_array_room(&(a)->at, (a)->count, &(a)->capacity, sizeof *(a)->at)                                          \
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
