dnl SPDX-License-Identifier: GPL-3.0-or-later
dnl Compressed profile chunks and debug sections.
AC_DEFUN([PF_ZLIB], [
PF_LIB([zlib], [zlib.h], [z], [inflate], [zlib1g-dev], [compresses profiles], [PF_LIBS])
])
