/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that must be tail calls, in more than a stack has room for: an interpreter's operations that lead to each
 * other, some with several ways out, which share one return. */
#include <stdio.h>

#ifdef HAS_MUSTTAIL
#define TAIL __attribute__((musttail)) return
#else
#define TAIL return /* marked by the test's plugin */
#endif
#define STEPS 3000000L

typedef long operation(const unsigned char *at, long sum, long left);
static operation stop, add, choose, again;
static operation *const table[] = { stop, add, choose, again };

__attribute__((noinline)) static long stop(const unsigned char *at, long sum, long left)
{
	return sum + left + *at;
}

__attribute__((noinline)) static long add(const unsigned char *at, long sum, long left)
{
	TAIL table[at[1]](at + 1, sum + 1, left);
}

__attribute__((noinline)) static long choose(const unsigned char *at, long sum, long left)
{
	if (left % 3 == 0)
		TAIL table[at[1]](at + 1, sum + 2, left);
	if (left % 3 == 1) {
		sum -= 1;
		TAIL add(at, sum, left);
	}
	TAIL table[at[1]](at + 1, sum + 3, left);
}

__attribute__((noinline)) static long again(const unsigned char *at, long sum, long left)
{
	if (left == 0)
		TAIL stop(at + 1, sum, left);
	TAIL choose(at - 1, sum, left - 1);
}

int main(void)
{
	static const unsigned char code[] = { 2, 3, 0 };
	long sum = table[code[0]](code, 0, STEPS - 1);

	printf("%ld\n", sum);
	return 0;
}
