/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A running program that the dynamic loader was told to run (`ld.so ./app`): to the kernel the loader is the program.
 */
#ifndef PF_RUNTIME_BUNDLED_H
#define PF_RUNTIME_BUNDLED_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* VECTOR, of COUNT entries, is what /proc/PID/auxv says, and MEMORY is /proc/PID/mem.  Where there is no loader beside
 * the program, its places in VECTOR become those that the program finds there itself: of the program that the loader
 * runs, once it does. False: there is a loader, as usual. */
bool pf_bundled_vector(pid_t pid, int memory, uint64_t (*vector)[2], size_t count);

/* The path of the program that the loader runs in PID; false: it is none of these, or cannot be looked at. */
bool pf_bundled_program(pid_t pid, char path[PATH_MAX]);

#endif
