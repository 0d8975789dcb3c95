// SPDX-License-Identifier: GPL-3.0-or-later
// What C has besides plain functions: nested ones and jumps out of them, computed and assembler's gotos, longjmp,
// arrays of variable length, variable arguments, aliases, clones for other processors, and attributes that give a
// function options or a place of its own.  The sum that it prints is the same with all options.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline))

static unsigned long sum;

static void mix(unsigned long value)
{
	sum = sum * 31 + value;
}

static int apply(int (*f)(int), int n)
{
	int s = 0;

	for (int i = 0; i < n; i++)
		s += f(i);
	return s;
}

static int nested(int k)
{
	int total = 0;

	int add(int i)
	{
		if (i & 1)
			total += k;
		else
			total -= i;
		return total;
	}

	return apply(add, 20);
}

static int leave_nested(int k)
{
	__label__ out;
	volatile int depth = 0;

	void go_on(int n)
	{
		depth++;
		if (n == 0)
			goto out;
		go_on(n - 1);
	}

	go_on(k & 7);
out:
	return depth;
}

static int interpret(const unsigned char *code, int n)
{
	static void *const operations[] = { &&more, &&less, &&twice, &&skip };
	int value = 0, at = 0;

#define NEXT                                                                                                           \
	do {                                                                                                           \
		if (at >= n)                                                                                           \
			return value;                                                                                  \
		goto *operations[code[at++] % 4];                                                                      \
	} while (0)
	NEXT;
more:
	value++;
	NEXT;
less:
	value -= 3;
	NEXT;
twice:
	value = value * 2 % 1000003;
	NEXT;
skip:
	if (value & 4)
		at += 2;
	NEXT;
}

static APART int asm_goto(int x)
{
	asm goto("test %0, %0\n\tjs %l1" : : "r"(x) : "cc" : negative);
	return x + 1;
negative:
	return -x;
}

static jmp_buf back;

static APART void jump(int n)
{
	if (n > 3)
		longjmp(back, n);
	mix((unsigned long)n);
}

static APART int caught(int n)
{
	volatile int count = 0;
	int thrown = setjmp(back);

	if (thrown)
		return thrown * 10 + count;
	for (int i = 0; i < n; i++) {
		count++;
		jump(i);
	}
	return count;
}

static APART int variable_length(int n)
{
	int a[n], s = 0;
	char *b = __builtin_alloca((size_t)n + 1);

	memset(b, 1, (size_t)n + 1);
	for (int i = 0; i < n; i++)
		a[i] = i * b[i];
	for (int i = 0; i < n; i++)
		s += a[i] > 3 ? a[i] : 1;
	return s;
}

static APART int add_all(int n, ...)
{
	va_list list;
	int s = 0;

	va_start(list, n);
	while (n--)
		s += va_arg(list, int);
	va_end(list);
	return s;
}

static APART __attribute__((cold)) int cold(int x)
{
	return x * 3 + (x > 2 ? 1 : 7);
}

static APART __attribute__((hot)) int hot(int x)
{
	return x * 5 + (x > 4 ? 9 : 2);
}

static APART __attribute__((optimize("O3"))) int optimized(const int *a, int n)
{
	int s = 0;

	for (int i = 0; i < n; i++)
		s += a[i] > 5 ? a[i] * 3 : i;
	return s;
}

static APART __attribute__((optimize("O0"))) int not_optimized(int x)
{
	if (x > 3)
		return x - 1;
	return x * 2;
}

__attribute__((target_clones("avx2", "default"))) int cloned(const int *a, int n)
{
	int s = 0;

	for (int i = 0; i < n; i++)
		s += a[i] > 2 ? a[i] : -a[i];
	return s;
}

static int more_than_two(int x)
{
	return x > 2 ? x + 1 : x;
}

static int (*resolve(void))(int)
{
	return more_than_two;
}

int resolved(int) __attribute__((ifunc("resolve")));

int thrice(int x)
{
	return x % 3 ? x * 7 : x;
}

int also_thrice(int) __attribute__((alias("thrice")));
static int thrice_by_name(int) __attribute__((weakref("thrice")));

__attribute__((weak)) int weak(int x)
{
	return x > 9 ? 1 : 2;
}

__attribute__((constructor)) static void begin(void)
{
	mix(77);
}

__attribute__((destructor)) static void end(void)
{
	printf("%lx\n", sum);
}

__attribute__((noreturn)) static APART void finish(int status)
{
	exit(status);
}

__attribute__((section(".text.apart"), no_instrument_function)) APART int in_section(int x)
{
	return x > 1 ? x - 1 : 5;
}

__attribute__((noipa, no_sanitize("address", "undefined"))) static int by_itself(int x)
{
	return x & 8 ? 2 : 3;
}

__attribute__((ms_abi)) static APART int with_another_abi(int a, int b, int c)
{
	return a > b ? c : a * b;
}

static int sparse(int x)
{
	switch (x) {
	case 1:
		return 5;
	case 10 ... 20:
		return x * 2;
	case 100:
		return 7;
	case 5000:
		return 3;
	default:
		return __builtin_expect(x > 50, 0) ? 4 : 6;
	}
}

static const char *dense(int x)
{
	switch (x & 7) {
	case 0:
		return "zero";
	case 1:
		return "one";
	case 2:
		return "two";
	case 3:
		return "three";
	case 4:
		return "four";
	case 5:
		return "five";
	}
	return "more";
}

typedef int vector __attribute__((vector_size(16)));

static int greatest(vector a, vector b)
{
	vector c = ((a > b) & a) | ((a <= b) & b);

	return c[0] + c[1] + c[2] + c[3];
}

static void note(int *x)
{
	mix((unsigned long)*x);
}

static int clean_up(int x)
{
	int y __attribute__((cleanup(note))) = x;

	if (x > 2)
		return 3;
	return y + 1;
}

static int even(int n);

static int odd(int n)
{
	return n == 0 ? 0 : even(n - 1);
}

static int even(int n)
{
	return n == 0 ? 1 : odd(n - 1);
}

static int compare(const void *left, const void *right)
{
	int a = *(const int *)left, b = *(const int *)right;

	return a < b ? -1 : a > b;
}

static APART int copy(char *to, const char *from, int n)
{
	memcpy(to, from, (size_t)n);
	return n / (to[0] % 5 + 1) + to[n / 2];
}

int main(void)
{
	unsigned char code[64];
	char text[16];
	int a[64];

	for (int i = 0; i < 64; i++) {
		code[i] = (unsigned char)(i * 7 + i / 3);
		a[i] = i * 37 % 64;
	}
	for (int r = 0; r < 50; r++) {
		mix((unsigned long)(nested(r & 7) + leave_nested(r) + interpret(code, 60) + asm_goto(r % 3 - 1)));
		mix((unsigned long)(caught(r & 7) + variable_length(r % 20 + 1) + add_all(3, r, 2, 3)));
		mix((unsigned long)(r % 25 ? hot(r) : cold(r)));
		mix((unsigned long)(optimized(a, 64) + not_optimized(r & 7) + cloned(a, 64) + resolved(r & 7)));
		mix((unsigned long)(thrice(r) + also_thrice(r) + thrice_by_name(r) + weak(r) + in_section(r & 3)));
		mix((unsigned long)(by_itself(r) + with_another_abi(r & 3, 2, 5) + sparse(r * 3) + sparse(r * 1000)));
		mix((unsigned long)(greatest((vector) { r, 2, 3, 4 }, (vector) { 5, 6, r, 1 }) + clean_up(r & 3)));
		mix((unsigned long)(even(r & 31) + copy(text, dense(r), (int)strlen(dense(r)) + 1)));
		qsort(a, 64, sizeof *a, compare);
		a[r & 63] = r;
	}
	finish(0);
}
