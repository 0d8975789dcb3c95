/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For profile-export.sh: each block of work() has a line and a call of its own, by which it is found in GCC's dump. One
 * call is indirect; clamp() is inlined twice. */
#include <stdio.h>

volatile int sink;
#define MARK __attribute__((noipa)) static void

MARK rare(int x)
{
	sink = x;
}
MARK common(int x)
{
	sink = x + 1;
}
MARK high(int x)
{
	sink = x + 2;
}
MARK last(int x)
{
	sink = x + 3;
}

int twice(int x)
{
	return x * 2;
}
int thrice(int x)
{
	return x * 3;
}
int (*volatile chosen)(int) = twice;

static inline int clamp(int x) /* clamp */
{
	if (x > 1000) {       /* clamp test */
		high(x);      /* clamp high */
		x = x % 1000; /* clamp mod */
	}
	return x; /* clamp end */
}

__attribute__((noipa)) int work(int n) /* work */
{
	int sum = 0;

	for (int i = 0;          /* start */
	     i < n;              /* test */
	     i++) {              /* step */
		if (i % 16 == 0) /* choice */
			rare(i); /* rare */
		else
			common(i);    /* common */
		sum += chosen(i);     /* call */
		sum = clamp(sum + i); /* clamped */
	}
	last(sum);  /* last */
	return sum; /* end */
}

int main(int argc, char **argv)
{
	if (argc > 3)
		chosen = thrice;
	printf("%d %s\n", work(5000), argc > 1 ? argv[1] : "");
	return 0;
}
