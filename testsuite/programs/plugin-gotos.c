/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small interpreter by computed goto; plugin-gotos.sh counts its operations.  The end of each operation is the start
 * of the next, and one operation never runs. */
#include <stdio.h>
#include <stdlib.h>
volatile int trap;
__attribute__((noinline)) void trace(const unsigned char *at)
{
	printf("%d\n", *at);
}
#define FETCH                                                                                                          \
	{                                                                                                              \
		if (__builtin_expect(trap, 0)) {                                                                       \
			trace(at);                                                                                     \
			at++;                                                                                          \
		}                                                                                                      \
		op = *at++;                                                                                            \
		arg = at[n & 1] + op;                                                                                  \
		goto *table[op];                                                                                       \
	}
__attribute__((noinline)) long run(const unsigned char *at, long n)
{
	static const void *const table[] = { &&add, &&sub, &&mul, &&test, &&never, &&end };
	long value = 1;
	int op, arg;
	FETCH
add:
	value += arg;
	FETCH
sub:
	value -= arg * 3;
	FETCH
mul:
	value *= arg | 1;
	FETCH
test:
	n--;
	if (n > 0 && (value & 3 || n > 7))
		at -= 9;
	FETCH
never:
	value ^= arg;
	FETCH
end:
	return value;
}
int main(int argc, char **argv)
{
	static const unsigned char code[] = { 0, 1, 0, 2, 0, 1, 0, 0, 3, 5, 0, 0 };
	(void)argv;
	printf("%ld\n", run(code, argc > 1 ? atol(argv[1]) : 10));
	return 0;
}
