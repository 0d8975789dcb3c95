dnl SPDX-License-Identifier: GPL-3.0-or-later
dnl What all dependencies share: one look-up, one list of what is missing, one summary.

dnl PF_LIB_INIT: start of the collection.
AC_DEFUN([PF_LIB_INIT], [
pf_summary= pf_missing= pf_packages= pf_fatal=no
PF_CPPFLAGS= PF_LDFLAGS= PF_LIBS=
AC_SUBST([PF_CPPFLAGS])
AC_SUBST([PF_LDFLAGS])
AC_SUBST([PF_LIBS])
])

dnl PF_LIB_NOTE(NAME, RESULT, WHAT FOR): one line of the summary.
AC_DEFUN([PF_LIB_NOTE], [
pf_line=`printf '  %-14s %s (%s)' '$1' "$2" '$3'`
pf_summary="${pf_summary:+$pf_summary
}$pf_line"
])

dnl PF_LIB_MISSING(NAME, DEBIAN PACKAGE, WHAT FOR): takes down something that is not there.
AC_DEFUN([PF_LIB_MISSING], [
pf_missing="${pf_missing:+$pf_missing, }$1"
pf_packages="${pf_packages:+$pf_packages }$2"
PF_LIB_NOTE([$1], [MISSING], [$3])
])

dnl PF_LIB(NAME, HEADER, LIBRARY, FUNCTION, DEBIAN PACKAGE, WHAT FOR, VARIABLE THAT TAKES THE -l FLAG, OPTIONAL)
dnl Looks for HEADER and FUNCTION in -lLIBRARY, in PATH/include and PATH/lib if --with-NAME=PATH says so.  Sets
dnl pf_have_NAME to yes or no.  Without OPTIONAL, --with-NAME=no is an error.
AC_DEFUN([PF_LIB], [
AC_ARG_WITH([$1], [AS_HELP_STRING([--with-$1=yes|no|PATH], [$6; Debian: $5])], [], [with_$1=yes])
pf_have_$1=no
pf_save_CPPFLAGS=$CPPFLAGS pf_save_LDFLAGS=$LDFLAGS pf_save_LIBS=$LIBS
pf_cpp= pf_ld=
case $with_$1 in
no)
	m4_ifval([$8], [PF_LIB_NOTE([$1], [no, as asked], [$6])],
		[AC_MSG_ERROR([--with-$1=no is not possible: pathfdo needs it ($6).])])
	;;
*)
	if test "x$with_$1" != xyes; then
		pf_cpp="-I$with_$1/include" pf_ld="-L$with_$1/lib -Wl,-rpath,$with_$1/lib"
	fi
	CPPFLAGS="$CPPFLAGS $pf_cpp" LDFLAGS="$LDFLAGS $pf_ld" LIBS="-l$3 m4_ifval([$8], [$8]) $LIBS"
	AC_MSG_CHECKING([for $1])
	AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <stdio.h>
#include <stdint.h>
#include <$2>]], [[return (int)(intptr_t)&$4;]])], [pf_have_$1=yes])
	AC_MSG_RESULT([$pf_have_$1])
	if test $pf_have_$1 = yes; then
		PF_CPPFLAGS="$PF_CPPFLAGS $pf_cpp" PF_LDFLAGS="$PF_LDFLAGS $pf_ld"
		$7="$$7 -l$3 m4_ifval([$8], [$8])"
		PF_LIB_NOTE([$1], [$with_$1], [$6])
	else
		m4_ifval([$8], [], [pf_fatal=yes])
		PF_LIB_MISSING([$1], [$5], [$6])
	fi
	;;
esac
CPPFLAGS=$pf_save_CPPFLAGS LDFLAGS=$pf_save_LDFLAGS LIBS=$pf_save_LIBS
])

dnl PF_LIB_FINISH: stops if something essential is missing; what is only optional is a warning.
AC_DEFUN([PF_LIB_FINISH], [
if test -n "$pf_missing"; then
	pf_fedora=
	for pf_package in $pf_packages; do
		pf_package=`echo $pf_package | sed 's/^gcc-[[0-9]]*-/gcc-NN-/'`
		pf_fedora="$pf_fedora "`sed -n "s/^$pf_package[[[:blank:]]][[[:blank:]]]*//p" "$srcdir/build-aux/packages"`
	done
	pf_ways="    apt-get install $pf_packages
and on Fedora:
    dnf install$pf_fedora"
	if test $pf_fatal = yes; then
		AC_MSG_ERROR([missing: $pf_missing.  On Debian this brings all of it:
$pf_ways])
	fi
	AC_MSG_WARN([left out, since missing: $pf_missing.  On Debian this brings it:
$pf_ways])
fi
])
