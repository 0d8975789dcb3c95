/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of files that are descriptors of this process by other names: /dev/stdin, /dev/fd/63 (which shells give for a
 * command's output), /proc/self/fd/1. */
#ifndef PF_SUPPORT_DESCRIPTOR_H
#define PF_SUPPORT_DESCRIPTOR_H

#define PF_NO_DESCRIPTOR (-1)

/* The number of ours that PATH leads to by links, whether it is open or not; else PF_NO_DESCRIPTOR. */
int pf_descriptor_find(const char *path);

#endif
