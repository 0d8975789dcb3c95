/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For the converter's tests: calls convert-library.c. */
#include <stdio.h>

int library_work(int n, int (*call_back)(int));

volatile int sink;

static int call_back(int x)
{
	sink = x;     /* =60= */
	return x * 3; /* =60= */
}

int main(void)
{
	for (int i = 0; i < 20; i++)
		sink += library_work(10, call_back); /* =20= */
	printf("%d\n", sink); /* =1= */
	return 0;
}
