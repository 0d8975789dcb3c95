/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See busy.h.  The load average will not do: it remembers for minutes what we ourselves did before. */
#include "analysis/busy.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

bool pf_cpu_time_read(const char *path, struct pf_cpu_time *time)
{
	/* user, nice, system, idle, iowait, irq, softirq, steal; what guests took is in user already. */
	unsigned long long t[8] = { 0 };
	FILE *file = fopen(path, "re");
	int got;

	if (!file)
		return false;
	got = fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &t[0], &t[1], &t[2], &t[3], &t[4], &t[5],
		     &t[6], &t[7]);
	fclose(file);
	*time = (struct pf_cpu_time) { .idle = t[3] + t[4] };
	for (int i = 0; i < 8; i++)
		time->all += t[i];
	return got >= 4;
}

double pf_cpu_time_busy(const struct pf_cpu_time *was, const struct pf_cpu_time *is, long processors)
{
	double all = (double)(is->all - was->all), idle = (double)(is->idle - was->idle);

	return all > 0 && idle < all ? (double)processors * (1 - idle / all) : 0;
}

double pf_busy_processors(void)
{
	struct pf_cpu_time was, is;

	if (!pf_cpu_time_read("/proc/stat", &was))
		return 0;
	nanosleep(&(struct timespec) { .tv_sec = 1 }, NULL);
	return pf_cpu_time_read("/proc/stat", &is) ? pf_cpu_time_busy(&was, &is, sysconf(_SC_NPROCESSORS_ONLN)) : 0;
}
