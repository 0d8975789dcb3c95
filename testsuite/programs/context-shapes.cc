/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls whose tree is known by construction (testsuite/e2e/plugin-context.sh has it). */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEPT extern "C" __attribute__((noinline, noclone))

static volatile int sum;
static jmp_buf back;

KEPT void leaf(void)
{
	sum = sum + 1;
}

/* Calls itself and the leaf. */
KEPT void recurse(int depth)
{
	leaf();
	if (depth > 0)
		recurse(depth - 1);
	sum = sum + 2;
}

KEPT void odd(int n);

KEPT void even(int n)
{
	if (n > 0)
		odd(n - 1);
	sum = sum + 1;
}

KEPT void odd(int n)
{
	if (n > 0)
		even(n - 1);
	sum = sum + 1;
}

KEPT void one(void)
{
	leaf();
	sum = sum + 1;
}

KEPT void two(void)
{
	leaf();
	leaf();
	sum = sum + 1;
}

/* One call site, several callees in turn. */
KEPT void by_pointer(void)
{
	static void (*const volatile those[])(void) = { one, two, leaf };

	for (int i = 0; i < 30; i++)
		those[i % 3]();
	sum = sum + 1;
}

KEPT int compare(const void *a, const void *b)
{
	leaf();
	return *(const int *)a - *(const int *)b;
}

/* Two numbers are compared once. */
KEPT void by_library(void)
{
	for (int i = 0; i < 7; i++) {
		int numbers[] = { 2, 1 };

		qsort(numbers, 2, sizeof *numbers, compare);
	}
	one();
}

KEPT void jump(int depth)
{
	leaf();
	if (depth == 0)
		longjmp(back, 1);
	jump(depth - 1);
	sum = sum + 1;
}

KEPT void jumps(void)
{
	volatile int turns = 0;

	setjmp(back);
	one();
	if (turns < 4) {
		turns = turns + 1;
		jump(3);
	}
	two();
}

KEPT void body(void)
{
	one();
	longjmp(back, 1);
}

/* The first function on a stack of its own returns to no address at all. */
KEPT void coroutine(void)
{
	static char stack[65536] __attribute__((aligned(16)));
	static const char *volatile nowhere = reinterpret_cast<const char *>(0x5a5a5a5a5a5a5a5a);
	volatile int turns = 0;

	setjmp(back);
	turns = turns + 1;
	if (turns <= 3) {
		leaf();
		asm volatile("mov %0, %%rsp\n\tpush %1\n\tjmp *%2"
			     :
			     : "r"(stack + sizeof stack), "r"(nowhere), "r"(body)
			     : "memory");
	}
	two();
}

KEPT void thrower(int depth)
{
	leaf();
	if (depth == 0)
		throw 1;
	thrower(depth - 1);
	sum = sum + 1;
}

KEPT void catcher(void)
{
	for (int i = 0; i < 5; i++) {
		try {
			thrower(2);
		} catch (int) {
			one();
		}
	}
	two();
}

KEPT void handler(int)
{
	one();
	sum = sum + 1;
}

KEPT void signals(void)
{
	signal(SIGUSR1, handler);
	for (int i = 0; i < 3; i++)
		raise(SIGUSR1);
	one();
}

KEPT void *work(void *)
{
	for (int i = 0; i < 1000; i++)
		one();
	recurse(1);
	return nullptr;
}

KEPT void threads(void)
{
	for (int turn = 0; turn < 3; turn++) {
		pthread_t others[4];

		for (pthread_t &other : others)
			pthread_create(&other, nullptr, work, nullptr);
		for (pthread_t &other : others)
			pthread_join(other, nullptr);
	}
	sum = 0;
}

KEPT void forks(void)
{
	one();
	if (fork() == 0) {
		two();
		_exit(0);
	}
	wait(nullptr);
	one();
}

extern "C" {

__attribute__((noinline, noclone)) static void local_one(void)
{
	one();
	sum = sum + 1;
}

__attribute__((noinline, noclone)) static void local_two(void)
{
	two();
	sum = sum + 1;
}

/* Known to the compiler as all that calls these two, but it does not count. */
__attribute__((noinline, noclone, no_profile_instrument_function)) static void uncounted(void)
{
	for (int i = 0; i < 3; i++) {
		local_one();
		local_two();
	}
}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*call)(void);
	} shapes[] = {
		{ "by_pointer", by_pointer }, { "by_library", by_library }, { "jumps", jumps },
		{ "catcher", catcher },       { "signals", signals },       { "threads", threads },
		{ "forks", forks },           { "uncounted", uncounted },   { "coroutine", coroutine },
	};
	const char *wanted = argc > 1 ? argv[1] : "";

	if (strcmp(wanted, "recurse") == 0) {
		recurse(5);
		recurse(0);
	}
	if (strcmp(wanted, "mutual") == 0)
		even(7);
	for (const auto &shape : shapes) {
		if (strcmp(wanted, shape.name) == 0)
			shape.call();
	}
	return 0;
}
