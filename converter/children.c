/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See children.h.  An entry does not know what it is in, and libdwarf steps from one child to the next.  The hard case
 * is number: a unit, or a namespace, can have a hundred thousand children, and be asked for each of its lambdas.  So
 * the children are gone over once, and found by bisection from then on. */
#include "converter/children.h"
#include "support/search.h"

#define LONG_LIST 256

/* Fills LIST with the children of DIE.  A damaged file can lead back to one that was there. */
static bool fill(struct pf_child_list *list, const struct pf_dwarf *dwarf, Dwarf_Die die)
{
	Dwarf_Die child = pf_die_child(dwarf, die);
	bool good = true;

	list->at.count = 0;
	for (; child; pf_die_next(dwarf, &child)) {
		Dwarf_Error error = NULL;
		Dwarf_Off at = 0, *new;

		if (!pf_dwarf_ok(dwarf->debug, dwarf_dieoffset(child, &at, &error), &error) ||
		    (list->at.count > 0 && at <= list->at.at[list->at.count - 1]))
			break;
		new = pf_array_push(&list->at);
		good = new != NULL;
		if (!good)
			break;
		*new = at;
	}
	pf_die_release(dwarf, child);
	return good;
}

/* NULL when out of memory. */
static const struct pf_child_list *list_of(struct pf_children *children, const struct pf_dwarf *dwarf, Dwarf_Die die,
					   Dwarf_Off parent)
{
	size_t kept = children->read < PF_CHILD_LISTS ? children->read : PF_CHILD_LISTS;
	struct pf_child_list *list = &children->lists[children->read % PF_CHILD_LISTS];

	for (size_t i = 0; i < kept; i++) {
		if (children->lists[i].parent == parent)
			return &children->lists[i];
	}
	list->parent = 0;
	if (!fill(list, dwarf, die))
		return NULL;
	/* A short one is filled as soon as found, and would be in the way of the long ones. */
	if (list->at.count >= LONG_LIST) {
		list->parent = parent;
		children->read++;
	}
	return list;
}

Dwarf_Die pf_children_towards(struct pf_children *children, const struct pf_dwarf *dwarf, Dwarf_Die die,
			      Dwarf_Off offset)
{
	const struct pf_child_list *list = NULL;
	struct pf_search search;
	Dwarf_Error error = NULL;
	Dwarf_Off parent = 0;
	Dwarf_Die child = NULL;

	if (pf_dwarf_ok(dwarf->debug, dwarf_dieoffset(die, &parent, &error), &error))
		list = list_of(children, dwarf, die, parent);
	if (!list)
		return NULL;
	search = pf_search_over(list->at.count);
	while (pf_search_goes_on(&search))
		pf_search_step(&search, list->at.at[search.middle] <= offset);
	if (search.low == 0 ||
	    !pf_dwarf_ok(dwarf->debug, dwarf_offdie_b(dwarf->debug, list->at.at[search.low - 1], 1, &child, &error),
			 &error))
		return NULL;
	return child;
}

void pf_children_fini(struct pf_children *children)
{
	for (size_t i = 0; i < PF_CHILD_LISTS; i++)
		pf_array_fini(&children->lists[i].at);
}
