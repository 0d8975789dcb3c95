dnl SPDX-License-Identifier: GPL-3.0-or-later
dnl Debug information: line tables and inline trees.  dwarf_init_path is not in the old SGI-style releases.
AC_DEFUN([PF_LIBDWARF], [
PF_LIB([libdwarf], [libdwarf/libdwarf.h], [dwarf], [dwarf_init_path], [libdwarf-dev], [reads debug information], [PF_LIBS])
])
