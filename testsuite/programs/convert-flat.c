/* SPDX-License-Identifier: GPL-3.0-or-later */
/* convert-flat TURNS ROUNDS: 40 functions, each a loop of TURNS of its own, one after the other, ROUNDS times. */
#include <stdio.h>
#include <stdlib.h>

static volatile unsigned long sum;

#define FUNCTION(n)                                                                                                    \
	__attribute__((noinline)) static void function##n(long turns)                                                  \
	{                                                                                                              \
		while (turns-- > 0)                                                                                    \
			sum += n;                                                                                      \
	}
#define TEN(x, n) x(n##0) x(n##1) x(n##2) x(n##3) x(n##4) x(n##5) x(n##6) x(n##7) x(n##8) x(n##9)
#define ALL(x) TEN(x, 1) TEN(x, 2) TEN(x, 3) TEN(x, 4)

ALL(FUNCTION)

#define CALL(n) function##n(turns);

int main(int argc, char **argv)
{
	long turns = argc > 2 ? atol(argv[1]) : 0, rounds = argc > 2 ? atol(argv[2]) : 0;

	while (rounds-- > 0) {
		ALL(CALL)
	}
	printf("%lu\n", sum);
	return 0;
}
