dnl SPDX-License-Identifier: GPL-3.0-or-later
dnl The compilers that the plugin is built for: $CC, and each gcc-NN whose plugin headers are there as well.  A plugin
dnl works only in the very release whose headers it was built with.  --with-plugin=PATH names the folder that holds
dnl include/gcc-plugin.h, for a $CC that is installed elsewhere; then the plugin is built for that one alone.

dnl PF_GCC_PLUGIN_TRY(FOLDER, RELEASE, ACTION-IF-USABLE): whether plugin headers of that release are in FOLDER, and it is
dnl one of GCC 12 to 16.
AC_DEFUN([PF_GCC_PLUGIN_TRY], [
AC_LANG_PUSH([C++])
pf_save_CPPFLAGS=$CPPFLAGS
CPPFLAGS="$CPPFLAGS -I$1/include"
AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include "gcc-plugin.h"
#include "plugin-version.h"
#if GCCPLUGIN_VERSION_MAJOR < 12 || GCCPLUGIN_VERSION_MAJOR > 16 || GCCPLUGIN_VERSION_MAJOR != $2
#error not a release that pathfdo knows, or another one
#endif]], [])], [$3])
CPPFLAGS=$pf_save_CPPFLAGS
AC_LANG_POP([C++])
])

dnl PF_GCC_PLUGIN_ADD(RELEASE, FOLDER)
AC_DEFUN([PF_GCC_PLUGIN_ADD], [
PLUGINS="${PLUGINS:+$PLUGINS }$1"
PLUGIN_DIRS="${PLUGIN_DIRS:+$PLUGIN_DIRS
}PLUGIN_DIR-$1 := $2"
])

AC_DEFUN([PF_GCC_PLUGIN], [
AC_ARG_WITH([plugin], [AS_HELP_STRING([--with-plugin=yes|no|PATH],
	[plugin headers of the compiler; Debian: gcc-12-plugin-dev and so on])], [], [with_plugin=yes])
PLUGINS= PLUGIN_DIRS=
dnl clang has numbers of its own, and names the folder of a GCC that it found: the plugin is for GCCs beside it then.
pf_major=`$CC -dumpversion 2>/dev/null | sed 's/\..*//'`
pf_clang=no
AS_IF([$CC --version 2>/dev/null | grep -q clang], [pf_clang=yes pf_major=0])
AS_IF([test "x$with_plugin" != xno && test "${pf_major:-0}" -gt 0 && { test "$pf_major" -lt 12 || test "$pf_major" -gt 16; }],
	[AC_MSG_ERROR([$CC is release $pf_major, and the plugin is for GCC 12 to 16: CC=gcc-14 CXX=g++-14 ./configure, or
--with-plugin=no for what works without it.])])
AS_CASE([$with_plugin],
	[no], [PF_LIB_NOTE([plugin], [no, as asked], [the GCC plugin])],
	[AS_IF([test "x$with_plugin" = xyes], [pf_dir=`$CC -print-file-name=plugin 2>/dev/null`], [pf_dir=$with_plugin])
	AC_MSG_CHECKING([for plugin headers of $CC])
	PF_GCC_PLUGIN_TRY([$pf_dir], [${pf_major:-0}], [PF_GCC_PLUGIN_ADD([$pf_major], [$pf_dir])])
	AC_MSG_RESULT([${PLUGINS:-no}])
	AS_IF([test "x$with_plugin" = xyes && { test -n "$PLUGINS" || test $pf_clang = yes; }],
		[AC_MSG_CHECKING([for plugin headers of other compilers])
		for pf_other in 12 13 14 15 16; do
			test $pf_other != "$pf_major" || continue
			pf_dir=`gcc-$pf_other -print-file-name=plugin 2>/dev/null` || continue
			PF_GCC_PLUGIN_TRY([$pf_dir], [$pf_other], [PF_GCC_PLUGIN_ADD([$pf_other], [$pf_dir])])
		done
		AC_MSG_RESULT([${PLUGINS:-no}])])
	AS_IF([test -z "$PLUGINS" && test -f "$pf_dir/include/gcc-plugin.h"],
		[AC_CHECK_HEADER([gmp.h], [],
			[PF_LIB_MISSING([gmp.h], [libgmp-dev], [which the compiler's plugin headers need])])])
	AS_IF([test -z "$PLUGINS"],
		[pf_fatal=yes
		AS_IF([test "${pf_major:-0}" -gt 0], [], [pf_major=12])
		PF_LIB_MISSING([plugin], [gcc-$pf_major-plugin-dev], [the GCC plugin])],
		[PF_LIB_NOTE([plugin], [for GCC $PLUGINS], [the GCC plugin])])])
AC_SUBST([PLUGINS])
AC_SUBST([PLUGIN_DIRS])
])
