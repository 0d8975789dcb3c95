dnl SPDX-License-Identifier: GPL-3.0-or-later
dnl The x86 decoder, version 4 or later.
AC_DEFUN([PF_ZYDIS], [
PF_LIB([zydis], [Zydis/Zydis.h], [Zydis], [ZydisDecoderDecodeInstruction], [libzydis-dev], [version 4, decodes x86 instructions], [PF_LIBS])
])
