dnl SPDX-License-Identifier: GPL-3.0-or-later
dnl Compressed perf.data records.
AC_DEFUN([PF_LIBZSTD], [
PF_LIB([libzstd], [zstd.h], [zstd], [ZSTD_decompress], [libzstd-dev], [reads compressed recordings], [PF_LIBS])
])
