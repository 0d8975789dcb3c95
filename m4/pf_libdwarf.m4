dnl SPDX-License-Identifier: GPL-3.0-or-later
dnl Debug information: line tables and inline trees.  dwarf_init_path is not in the old SGI-style releases.  Its release
dnl goes into the summary, since names and types of its functions differ from 0.5 to 2.x.
AC_DEFUN([PF_LIBDWARF], [
PF_LIB([libdwarf], [libdwarf/libdwarf.h], [dwarf], [dwarf_init_path], [libdwarf-dev], [reads debug information], [PF_LIBS])
AS_IF([test "$pf_have_libdwarf" = yes], [
	pf_save_CPPFLAGS=$CPPFLAGS pf_save_LDFLAGS=$LDFLAGS pf_save_LIBS=$LIBS
	CPPFLAGS="$CPPFLAGS $PF_CPPFLAGS" LDFLAGS="$LDFLAGS $PF_LDFLAGS" LIBS="-ldwarf $LIBS" pf_dwarf=
	AC_RUN_IFELSE([AC_LANG_PROGRAM([[#include <stdio.h>
#include <libdwarf/libdwarf.h>]], [[FILE *f = fopen("conftest.version", "w");
return !f || fputs(dwarf_package_version(), f) < 0 || fclose(f) != 0;]])], [pf_dwarf=`cat conftest.version`])
	CPPFLAGS=$pf_save_CPPFLAGS LDFLAGS=$pf_save_LDFLAGS LIBS=$pf_save_LIBS
	pf_summary=`AS_ECHO(["$pf_summary"]) | sed "s|^\(  libdwarf  *[[^ ]]*\) |\1, ${pf_dwarf:-of no release that it tells} |"`
])
])
