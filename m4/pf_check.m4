dnl SPDX-License-Identifier: GPL-3.0-or-later
dnl Unit tests; everything else builds without it.
AC_DEFUN([PF_CHECK], [
CHECK_LIBS=
PF_LIB([check], [check.h], [check], [srunner_create], [check], [unit tests], [CHECK_LIBS],
	[-lsubunit -lrt -lm -lpthread])
WITH_CHECK=$pf_have_check
AC_SUBST([CHECK_LIBS])
AC_SUBST([WITH_CHECK])
])
