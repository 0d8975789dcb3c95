/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See arguments.h.  The calling convention of System V on x86-64: numbers and pointers go to general registers in turn,
 * float and double to others.  The hard case is what goes elsewhere by its size or its kind: structures, __int128, what
 * is handed by a hidden pointer, which a returned structure has, too; at the first of these no more is known. */
#include "converter/arguments.h"

#define DEPTH_LIMIT 32 /* of typedefs and qualifiers */

#define POINTER 8

/* Where an argument is: its bytes, negative if it has a sign, in a general register, or one of these. */
enum { NOWHERE_KNOWN = 0, VECTOR = 100 };

/* The entry that attribute NAME of DIE leads to, in the same file; NULL if there is none.  It is the caller's to
 * release. */
static Dwarf_Die follow(const struct pf_dwarf *dwarf, Dwarf_Die die, Dwarf_Half name)
{
	Dwarf_Error error = NULL;
	Dwarf_Die to = NULL;
	Dwarf_Off offset;
	bool supplement;

	if (!pf_die_reference(dwarf, die, name, &offset, &supplement) || supplement ||
	    !pf_dwarf_ok(dwarf->debug, dwarf_offdie_b(dwarf->debug, offset, 1, &to, &error), &error))
		return NULL;
	return to;
}

static int8_t place_of_number(const struct pf_dwarf *dwarf, Dwarf_Die type)
{
	uint64_t encoding, size;

	pf_die_number(dwarf, type, DW_AT_encoding, &encoding);
	pf_die_number(dwarf, type, DW_AT_byte_size, &size);
	if (size == 0 || size > 8)
		return NOWHERE_KNOWN;
	switch (encoding) {
	case DW_ATE_float:
		return VECTOR;
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		return (int8_t)-size;
	case DW_ATE_boolean:
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF:
		return (int8_t)size;
	default:
		return NOWHERE_KNOWN;
	}
}

static int8_t place_of_enumeration(const struct pf_dwarf *dwarf, Dwarf_Die type)
{
	uint64_t size;

	pf_die_number(dwarf, type, DW_AT_byte_size, &size);
	return size <= 8 ? (int8_t)size : NOWHERE_KNOWN;
}

/* Where a value of the type of DIE goes. */
static int8_t place_of(const struct pf_dwarf *dwarf, Dwarf_Die die, unsigned int depth)
{
	Dwarf_Die type = follow(dwarf, die, DW_AT_type);
	int8_t place = NOWHERE_KNOWN;

	switch (type ? pf_die_tag(dwarf, type) : 0) {
	case DW_TAG_typedef:
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
		if (depth < DEPTH_LIMIT)
			place = place_of(dwarf, type, depth + 1);
		break;
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		place = POINTER;
		break;
	case DW_TAG_enumeration_type:
		place = place_of_enumeration(dwarf, type);
		break;
	case DW_TAG_base_type:
		place = place_of_number(dwarf, type);
		break;
	}
	pf_die_release(dwarf, type);
	return place;
}

/* The same of DIE, a parameter or a function, whose type may be told where it is an instance of, or declared. */
static int8_t place_by(const struct pf_dwarf *dwarf, Dwarf_Die die, unsigned int depth, int8_t none)
{
	static const Dwarf_Half ways[] = { DW_AT_abstract_origin, DW_AT_specification };
	int8_t place = none;

	if (pf_die_has(dwarf, die, DW_AT_type))
		return place_of(dwarf, die, 0);
	for (size_t i = 0; i < sizeof ways / sizeof ways[0] && place == none && depth < 4; i++) {
		Dwarf_Die to = follow(dwarf, die, ways[i]);

		if (to)
			place = place_by(dwarf, to, depth + 1, none);
		else if (pf_die_has(dwarf, die, ways[i]))
			place = NOWHERE_KNOWN; /* in a file that is shared with others */
		pf_die_release(dwarf, to);
	}
	return place;
}

void pf_arguments_read(const struct pf_dwarf *dwarf, Dwarf_Die function, int8_t bytes[PF_SOURCE_ARGUMENTS])
{
	/* What returns nothing has no type. */
	bool known = place_by(dwarf, function, 0, VECTOR) != NOWHERE_KNOWN;
	Dwarf_Die child = known ? pf_die_child(dwarf, function) : NULL;
	unsigned int count = 0;

	for (; child && known && count < PF_SOURCE_ARGUMENTS; pf_die_next(dwarf, &child)) {
		int8_t place;

		if (pf_die_tag(dwarf, child) != DW_TAG_formal_parameter)
			continue;
		place = place_by(dwarf, child, 0, NOWHERE_KNOWN);
		known = place != NOWHERE_KNOWN;
		if (known && place != VECTOR)
			bytes[count++] = place;
	}
	pf_die_release(dwarf, child);
}
