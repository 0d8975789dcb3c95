/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shared object of road-processes: linked once, and opened and closed by the hundred.  Built twice, with FLAVOUR 1
 * and 2, the second lands where the first was: code that was translated from the first must not run in the second. */
#ifndef FLAVOUR
#define FLAVOUR 1
#endif

unsigned module_work(unsigned from, unsigned count);

unsigned module_work(unsigned from, unsigned count)
{
	unsigned hash = from;

	for (unsigned i = 0; i < count; i++) {
		if (i % 8)
			hash = hash * 33 + FLAVOUR;
		else if (hash % 5 == 0)
			hash ^= i * FLAVOUR;
		else
			hash += hash >> FLAVOUR;
	}
	return hash;
}
