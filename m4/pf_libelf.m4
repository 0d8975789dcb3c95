dnl SPDX-License-Identifier: GPL-3.0-or-later
dnl Sections, segments and build-ids of binaries.
AC_DEFUN([PF_LIBELF], [
PF_LIB([libelf], [gelf.h], [elf], [gelf_getehdr], [libelf-dev], [reads binaries], [PF_LIBS])
])
