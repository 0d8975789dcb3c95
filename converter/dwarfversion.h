/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The only file that knows libdwarf's versions: what changed its name or its type since the one of Debian 12, which is
 * of 2021 and numbered by its date.  Hard case: the types of callbacks, which the compiler takes as they are and the
 * library calls otherwise: whoever writes a callback here writes pf_dwarf_index and pf_dwarf_order. */
#ifndef PF_CONVERTER_DWARFVERSION_H
#define PF_CONVERTER_DWARFVERSION_H

#include <dwarf.h>
#include <libdwarf.h>

/* 0.1 brought version numbers, and new names together with them. */
#ifdef DW_LIBDWARF_VERSION_MAJOR

#if DW_LIBDWARF_VERSION_MAJOR == 0 && DW_LIBDWARF_VERSION_MINOR < 7
typedef Dwarf_Half pf_dwarf_index;
#else
typedef Dwarf_Unsigned pf_dwarf_index;
#endif
typedef Dwarf_Small pf_dwarf_order;
#define PF_DWARF_LITTLE_ENDIAN DW_END_little

typedef Dwarf_Obj_Access_Section_a pf_dwarf_section;
typedef Dwarf_Obj_Access_Methods_a pf_dwarf_methods;
typedef Dwarf_Obj_Access_Interface_a pf_dwarf_interface;
#define PF_DWARF_SECTION(FIELD) as_##FIELD
#define PF_DWARF_METHOD(FIELD) om_##FIELD
#define PF_DWARF_INTERFACE(FIELD) ai_##FIELD
#define PF_DWARF_ASKS_FILE_SIZE 1

static inline void pf_dwarf_finish(Dwarf_Debug debug)
{
	dwarf_object_finish(debug);
}

#else

typedef Dwarf_Half pf_dwarf_index;
typedef Dwarf_Endianness pf_dwarf_order;
#define PF_DWARF_LITTLE_ENDIAN DW_OBJECT_LSB

typedef Dwarf_Obj_Access_Section pf_dwarf_section;
typedef Dwarf_Obj_Access_Methods pf_dwarf_methods;
typedef Dwarf_Obj_Access_Interface pf_dwarf_interface;
#define PF_DWARF_SECTION(FIELD) FIELD
#define PF_DWARF_METHOD(FIELD) FIELD
#define PF_DWARF_INTERFACE(FIELD) FIELD
#define PF_DWARF_ASKS_FILE_SIZE 0

static inline void pf_dwarf_finish(Dwarf_Debug debug)
{
	Dwarf_Error problem = NULL;

	dwarf_object_finish(debug, &problem);
}

#endif

#endif
