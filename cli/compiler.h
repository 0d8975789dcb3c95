/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The compiler that a user names, as a command line of the shell ("ccache gcc-14 -m64"), and whether it takes flags. */
#ifndef PF_CLI_COMPILER_H
#define PF_CLI_COMPILER_H

#include <stdbool.h>
#include <stddef.h>

/* NAME as a command: a release alone, "14", means "gcc-14", which is written to SPACE; else NAME itself. */
const char *pf_compiler_command(const char *name, char space[static 32]);

/* The first line that COMMAND --version prints, in LINE; empty if it prints nothing. */
const char *pf_compiler_version(const char *command, char line[static 256]);

/* Has COMMAND compile an empty file with FLAGS[0 .. COUNT-1], each one argument; what it says goes to standard
 * error. */
bool pf_compiler_takes(const char *command, const char *const *flags, size_t count);

/* Does COMMAND call itself clang?  That loads a plugin of GCC without a word, and nothing comes of it. */
bool pf_compiler_is_clang(const char *command);

/* Says on standard error why COMMAND is none that a plugin can be loaded into, as far as that is known beforehand: it
 * is not there, or it is clang, which loads one without a word while nothing comes of it.  False if it said nothing. */
bool pf_compiler_is_unfit(const char *command);

#endif
