/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The x87 stack, its control word and its pending exceptions, MXCSR with other rounding and unmasked exceptions: values
 * on the stack across long loops, long double sums, SIGFPE with the right code at the right instruction, sticky flags
 * that nobody else raises or clears.  Hard because a recorder that computes anything in floating point, or saves too
 * little, changes one bit of it. */
#include "nasty.h"

#include <fenv.h>
#include <setjmp.h>
#include <signal.h>

static sigjmp_buf back;
static volatile int codes[16];

static void on_fpe(int signal, siginfo_t *info, void *context)
{
	codes[info->si_code & 15]++;
	siglongjmp(back, 1);
}

static __attribute__((noinline)) double divide(double a, double b)
{
	return a / b;
}

static __attribute__((noinline)) long double divide_long(long double a, long double b)
{
	return a / b;
}

static void traps(int kind)
{
	volatile double result = 0;
	volatile long double long_result = 0;
	feclearexcept(FE_ALL_EXCEPT);
	feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
	if (sigsetjmp(back, 1) == 0) {
		CHECK(work(NASTY_ROUNDS) == NASTY_RESULT);
		if (kind == 0)
			result = divide(1, 0);
		else if (kind == 1)
			result = divide(0, 0);
		else if (kind == 2)
			result = divide(1e300, 1e-300);
		else
			long_result = divide_long(1, 0);
		CHECK(result == long_result);
		CHECK(work(10) == 0); /* not reached: an exception of the x87 comes with the next instruction */
	}
	fedisableexcept(FE_ALL_EXCEPT);
	feclearexcept(FE_ALL_EXCEPT);
}

static uint64_t rounding(void)
{
	static const int modes[] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
	uint64_t hash = 0;
	for (int i = 0; i < 4; i++) {
		double sum = 0;
		long double long_sum = 0;
		fesetround(modes[i]);
		for (int k = 1; k < 60000; k++) {
			sum += divide(k % 3 ? 1 : -0.5, k);
			long_sum += divide_long(1, (long double)k);
		}
		CHECK(fegetround() == modes[i]);
		uint64_t bits;
		memcpy(&bits, &sum, 8);
		hash = hash * 31 + bits;
		memcpy(&bits, &long_sum, 8);
		hash = hash * 31 + bits;
	}
	fesetround(FE_TONEAREST);
	return hash;
}

/* Seven values on the x87 stack during a loop of a million branches. */
static long double deep(long rounds)
{
	long double result;
	__asm__ volatile(
	    "	fninit\n	fld1\n	fldpi\n	fldl2e\n	fldl2t\n	fldlg2\n	fldln2\n	fldz\n"
	    "1:	testl $3, %k1\n	jnz 2f\n	fld1\n	faddp\n2:	decq %1\n	jnz 1b\n"
	    "	faddp\n	faddp\n	faddp\n	faddp\n	faddp\n	faddp\n"
	    : "=t"(result), "+r"(rounds)
	    :
	    : "cc");
	return result;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_fpe, .sa_flags = SA_SIGINFO };
	uint64_t first = rounding();
	sigaction(SIGFPE, &action, NULL);
	for (int i = 0; i < 10; i++)
		CHECK(rounding() == first);
	for (int i = 0; i < 400; i++)
		traps(i % 4);
	printf("zero %d, overflow %d, invalid %d\n", codes[FPE_FLTDIV], codes[FPE_FLTOVF], codes[FPE_FLTINV]);
	feclearexcept(FE_ALL_EXCEPT);
	for (int i = 0; i < 20; i++) {
		busy(2);
		CHECK(fetestexcept(FE_ALL_EXCEPT) == 0);
	}
	feraiseexcept(FE_UNDERFLOW | FE_INEXACT);
	for (int i = 0; i < 20; i++) {
		busy(2);
		CHECK(fetestexcept(FE_ALL_EXCEPT) == (FE_UNDERFLOW | FE_INEXACT));
	}
	long double reference = deep(1000000);
	for (int i = 0; i < 40; i++)
		CHECK(deep(1000000) == reference);
	printf("rounding %lx, deep %.10Lf\n", (unsigned long)first, reference);
	return 0;
}
