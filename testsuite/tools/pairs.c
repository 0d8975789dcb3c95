/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pairs [-n ROUNDS] [-c CPU] [-t] COMMAND...: runs shell commands in turn, A B A B, pinned to one CPU, and compares
 * each with the first.  The hard case is a shared machine whose speed drifts: what is compared are the two runs of one
 * round, and what is told is the median of those ratios with a confidence interval by order statistics, which needs no
 * assumption about the noise.
 *
 * One line a command: number, median, least and greatest seconds, then median, low and high end (95%) of the ratio to
 * the first command.  Time is user time of the command and its children; with -t user and system time.  A command
 * that fails ends the program with status 1. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_COMMANDS 16
#define MAX_ROUNDS 1000

static double seconds[MAX_COMMANDS][MAX_ROUNDS];

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	if (sched_setaffinity(0, sizeof set, &set) != 0)
		fprintf(stderr, "pairs: cannot pin to CPU %d: %s\n", cpu, strerror(errno));
}

static void child(const char *command)
{
	int null = open("/dev/null", O_RDWR);

	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0)
		_exit(126);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/* Seconds of CPU time of one run, negative if it failed. */
static double run(const char *command, bool with_system)
{
	struct rusage usage;
	double user, system;
	int status;
	pid_t pid = fork();

	if (pid == 0)
		child(command);
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return -1;
	user = (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec;
	system = (double)usage.ru_stime.tv_sec + 1e-6 * (double)usage.ru_stime.tv_usec;
	return user + (with_system ? system : 0);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(const double *sorted, int n)
{
	return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

/* The largest rank k (from 0) for which the k-th smallest and k-th largest of N values enclose the median with at least
 * 95%: twice the binomial tail below k is at most 5%. */
static int interval_rank(int n)
{
	double term = pow(0.5, n), tail = 0;
	int k = 0;

	for (; k < n / 2; k++) {
		tail += term;
		if (2 * tail > 0.05)
			break;
		term *= (double)(n - k) / (k + 1);
	}
	return k > 0 ? k - 1 : 0;
}

static void report(int command, int rounds)
{
	double sorted[MAX_ROUNDS], ratios[MAX_ROUNDS];
	int rank = interval_rank(rounds);

	for (int r = 0; r < rounds; r++) {
		sorted[r] = seconds[command][r];
		ratios[r] = seconds[0][r] > 0 ? seconds[command][r] / seconds[0][r] : 1;
	}
	qsort(sorted, (size_t)rounds, sizeof sorted[0], by_value);
	qsort(ratios, (size_t)rounds, sizeof ratios[0], by_value);
	printf("%d %.3f %.3f %.3f %.4f %.4f %.4f\n", command + 1, median(sorted, rounds), sorted[0], sorted[rounds - 1],
	       median(ratios, rounds), ratios[rank], ratios[rounds - 1 - rank]);
}

static int measure(char **commands, int count, int rounds, bool with_system)
{
	for (int r = 0; r < rounds; r++) {
		for (int i = 0; i < count; i++) {
			/* Every other round backwards, so that a steady drift favours nobody. */
			int c = r % 2 ? count - 1 - i : i;

			seconds[c][r] = run(commands[c], with_system);
			if (seconds[c][r] < 0) {
				fprintf(stderr, "pairs: failed: %s\n", commands[c]);
				return 1;
			}
			if (isatty(2))
				fprintf(stderr, "\rround %d of %d, command %d  ", r + 1, rounds, c + 1);
		}
	}
	if (isatty(2))
		fprintf(stderr, "\r\033[K");
	for (int c = 0; c < count; c++)
		report(c, rounds);
	return 0;
}

int main(int argc, char **argv)
{
	int rounds = 9, option;
	bool with_system = false;

	while ((option = getopt(argc, argv, "n:c:t")) != -1) {
		switch (option) {
		case 'n':
			rounds = atoi(optarg);
			break;
		case 'c':
			pin(atoi(optarg));
			break;
		case 't':
			with_system = true;
			break;
		default:
			return 2;
		}
	}
	if (optind >= argc || argc - optind > MAX_COMMANDS || rounds < 1 || rounds > MAX_ROUNDS) {
		fprintf(stderr, "usage: pairs [-n ROUNDS] [-c CPU] [-t] COMMAND...\n");
		return 2;
	}
	return measure(argv + optind, argc - optind, rounds, with_system);
}
