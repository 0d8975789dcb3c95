/* SPDX-License-Identifier: GPL-3.0-or-later */
/* convert-stages SECONDS: a system call and four stages of the same work, over and over, for so much CPU time. Whatever
 * is counted must be the same in each stage. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned sum;

/* Two ways through each turn, both taken branches, as often as not. */
#define STAGE(n)                                                                                                       \
	__attribute__((noinline)) static void stage##n(int turns)                                                      \
	{                                                                                                              \
		unsigned x = 1;                                                                                        \
		for (int i = 0; i < turns; i++) {                                                                      \
			x = x * 1103515245u + 12345u;                                                                  \
			if (x & 0x10000)                                                                               \
				sum += n;                                                                              \
			else                                                                                           \
				sum ^= n;                                                                              \
		}                                                                                                      \
	}

STAGE(1)
STAGE(2)
STAGE(3)
STAGE(4)

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double end = argc > 1 ? atof(argv[1]) : 0;

	for (long round = 0; round % 4096 != 0 || seconds() < end; round++) {
		sum += (unsigned)getppid();
		stage1(200);
		stage2(200);
		stage3(200);
		stage4(200);
	}
	return 0;
}
