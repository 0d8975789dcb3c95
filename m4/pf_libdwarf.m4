dnl SPDX-License-Identifier: GPL-3.0-or-later
dnl Debug information: line tables and inline trees.  dwarf_init_path is not in the old SGI-style releases.  Its release
dnl goes into the summary, since names and types of its functions differ from 0.5 to 2.x; what a cross compiler finds cannot be asked.
dnl Its headers are in a folder of their own: libdwarf-2 and so on as libdwarf installs them (Fedora, Arch), libdwarf in
dnl Debian.  They go before the system's, where elfutils has another dwarf.h.
AC_DEFUN([PF_LIBDWARF], [
AS_CASE([$with_libdwarf], [''|yes|no], [pf_roots="/usr/local /usr"], [pf_roots=$with_libdwarf])
pf_dwarf_headers= pf_outer_CPPFLAGS=$CPPFLAGS
for pf_root in $pf_roots; do
	for pf_dir in "$pf_root"/include/libdwarf-* "$pf_root"/include/libdwarf; do
		test -z "$pf_dwarf_headers" && test -f "$pf_dir/libdwarf.h" && pf_dwarf_headers=-I$pf_dir
	done
done
CPPFLAGS="$CPPFLAGS $pf_dwarf_headers"
PF_LIB([libdwarf], [libdwarf.h], [dwarf], [dwarf_init_path], [libdwarf-dev], [reads debug information], [PF_LIBS])
AS_IF([test "$pf_have_libdwarf" = yes], [
	PF_CPPFLAGS="$PF_CPPFLAGS $pf_dwarf_headers"
	pf_save_LDFLAGS=$LDFLAGS pf_save_LIBS=$LIBS
	CPPFLAGS="$CPPFLAGS $PF_CPPFLAGS" LDFLAGS="$LDFLAGS $PF_LDFLAGS" LIBS="-ldwarf $LIBS" pf_dwarf=
	AC_RUN_IFELSE([AC_LANG_PROGRAM([[#include <stdio.h>
#include <libdwarf.h>]], [[FILE *f = fopen("conftest.version", "w");
return !f || fputs(dwarf_package_version(), f) < 0 || fclose(f) != 0;]])], [pf_dwarf=`cat conftest.version`], [], [:])
	LDFLAGS=$pf_save_LDFLAGS LIBS=$pf_save_LIBS
	pf_summary=`AS_ECHO(["$pf_summary"]) | sed "s|^\(  libdwarf  *[[^ ]]*\) |\1, ${pf_dwarf:-of no release that it tells} |"`
])
CPPFLAGS=$pf_outer_CPPFLAGS
])
