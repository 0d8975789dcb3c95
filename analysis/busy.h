/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What else the machine is doing: times that are measured beside other work mean little. */
#ifndef PF_ANALYSIS_BUSY_H
#define PF_ANALYSIS_BUSY_H

#include <stdbool.h>

/* The CPU time of a whole machine so far, in ticks. */
struct pf_cpu_time {
	unsigned long long all, idle;
};

/* Reads the first line of PATH, "/proc/stat" (proc(5)).  False if there is none of that form. */
bool pf_cpu_time_read(const char *path, struct pf_cpu_time *time);

/* How many of PROCESSORS were busy from WAS to IS, with other work and, on a virtual machine, with other machines'. */
double pf_cpu_time_busy(const struct pf_cpu_time *was, const struct pf_cpu_time *is, long processors);

/* Sleeps for a second, and tells how many processors were busy meanwhile; 0 if the system does not tell. */
double pf_busy_processors(void);

#endif
