/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the other products of this project are, seen from the running command. */
#ifndef PF_SUPPORT_INSTALLED_H
#define PF_SUPPORT_INSTALLED_H

#include <limits.h>
#include <stdbool.h>

/* Puts the absolute path of the regular, readable file NAME into PATH: from the folder of the running executable (a
 * build folder), else from ../lib/pathfdo there, where `make install` puts what is not for people, under whatever
 * PREFIX and DESTDIR.  False if it is in neither. */
bool pf_installed_find(const char *name, char path[PATH_MAX]);

/* As pf_installed_find, for the manual page NAME of section 1: from man/ beside the executable, else ../share/man/man1.
 */
bool pf_installed_find_page(const char *name, char path[PATH_MAX]);

/* Whether PATH is a regular file that this user may read. */
bool pf_installed_is_file(const char *path);

#endif
