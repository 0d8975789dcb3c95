/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sort of spec-mini.c: heap sort, each comparison through a pointer that is almost always the same. */
void rank(unsigned *values, unsigned n, unsigned order);

static int upwards(unsigned a, unsigned b)
{
	return a < b;
}

static int downwards(unsigned a, unsigned b)
{
	return a > b;
}

/* Not constant, so that the compiler cannot see through it without a profile. */
int (*rank_orders[])(unsigned, unsigned) = { upwards, downwards };

static void sink(unsigned *values, unsigned at, unsigned n, int (*less)(unsigned, unsigned))
{
	unsigned value = values[at];

	while (2 * at + 1 < n) {
		unsigned child = 2 * at + 1;

		if (child + 1 < n && less(values[child], values[child + 1]))
			child++;
		if (!less(value, values[child]))
			break;
		values[at] = values[child];
		at = child;
	}
	values[at] = value;
}

void rank(unsigned *values, unsigned n, unsigned order)
{
	int (*less)(unsigned, unsigned) = rank_orders[order];

	for (unsigned i = n / 2; i-- > 0;)
		sink(values, i, n, less);
	for (unsigned i = n; i-- > 1;) {
		unsigned top = values[0];

		values[0] = values[i];
		values[i] = top;
		sink(values, 0, i, less);
	}
}
