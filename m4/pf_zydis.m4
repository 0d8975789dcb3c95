dnl SPDX-License-Identifier: GPL-3.0-or-later
dnl The x86 decoder of the software recorder.
AC_DEFUN([PF_ZYDIS], [
PF_LIB([zydis], [Zydis/Zydis.h], [Zydis], [ZydisDecoderInit], [libzydis-dev], [decodes x86 instructions], [PF_LIBS])
])
