dnl SPDX-License-Identifier: GPL-3.0-or-later
dnl The plugin headers of the $CC in use: a plugin works only in the very compiler release whose headers it was built
dnl with.  --with-plugin=PATH names the folder that holds include/gcc-plugin.h, for a compiler installed elsewhere.
AC_DEFUN([PF_GCC_PLUGIN], [
AC_ARG_WITH([plugin], [AS_HELP_STRING([--with-plugin=yes|no|PATH],
	[plugin headers of the compiler; Debian: gcc-12-plugin-dev])], [], [with_plugin=yes])
PLUGIN_DIR= WITH_PLUGIN=no
pf_major=`$CC -dumpversion 2>/dev/null | sed 's/\..*//'`
AS_CASE([$with_plugin],
	[no], [PF_LIB_NOTE([plugin], [no, as asked], [the GCC plugin])],
	[AS_IF([test "x$with_plugin" = xyes], [PLUGIN_DIR=`$CC -print-file-name=plugin 2>/dev/null`],
		[PLUGIN_DIR=$with_plugin])
	AC_MSG_CHECKING([for plugin headers of $CC])
	AC_LANG_PUSH([C++])
	pf_save_CPPFLAGS=$CPPFLAGS
	CPPFLAGS="$CPPFLAGS -I$PLUGIN_DIR/include"
	AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include "gcc-plugin.h"
#if __GNUC__ < 11
#error too old
#endif]], [])], [WITH_PLUGIN=yes])
	CPPFLAGS=$pf_save_CPPFLAGS
	AC_LANG_POP([C++])
	AC_MSG_RESULT([$WITH_PLUGIN])
	AS_IF([test $WITH_PLUGIN = yes], [PF_LIB_NOTE([plugin], [$PLUGIN_DIR], [the GCC plugin])],
		[pf_fatal=yes
		PF_LIB_MISSING([plugin], [gcc-${pf_major:-12}-plugin-dev], [the GCC plugin])])])
AC_SUBST([PLUGIN_DIR])
AC_SUBST([WITH_PLUGIN])
])
