dnl SPDX-License-Identifier: GPL-3.0-or-later
dnl Names of hardware events, for the LBR source.
AC_DEFUN([PF_LIBPFM4], [
PF_LIB([libpfm4], [perfmon/pfmlib.h], [pfm], [pfm_initialize], [libpfm4-dev], [names hardware events], [PF_LIBS])
])
