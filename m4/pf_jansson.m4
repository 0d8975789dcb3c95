dnl SPDX-License-Identifier: GPL-3.0-or-later
dnl The measurements of `pathfdo compare`, kept as JSON.
AC_DEFUN([PF_JANSSON], [
PF_LIB([jansson], [jansson.h], [jansson], [json_loadb], [libjansson-dev], [reads and writes measurements], [PF_LIBS])
])
