// SPDX-License-Identifier: GPL-3.0-or-later
// Shapes of flow graphs that counting paths must get over: loops in loops, switches, computed gotos, exceptions, a
// longjmp over functions, recursion, calls that do not return, more paths than an array has room for, and threads that
// run one function.  With an argument, it ends by exit() in the midst of things.
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>

static jmp_buf back;
static volatile unsigned turns;

__attribute__((noinline)) static int doubled(int x)
{
	if (x % 3 == 0)
		throw std::runtime_error("three");
	return x * 2;
}

__attribute__((noinline)) static int caught(int x)
{
	int sum = 0;

	for (int i = 0; i < x; i++) {
		try {
			sum += doubled(i);
		} catch (const std::exception &) {
			sum--;
		}
	}
	return sum;
}

__attribute__((noinline)) static int kinds(int n)
{
	switch (n % 7) {
	case 0:
		return 1;
	case 1:
		n += 3;
		break;
	case 2:
		n *= 2;
		// fall through
	case 5:
		n++;
		break;
	default:
		for (int i = 0; i < n; i++)
			for (int k = i; k < n; k += 3)
				n -= (i ^ k) & 1;
	}
	return n > 10 ? n : -n;
}

__attribute__((noinline)) static int interpret(const unsigned char *code)
{
	static void *const labels[] = { &&add, &&twice, &&mix, &&end };
	int value = 0;

	goto *labels[*code++ & 3];
add:
	value++;
	goto *labels[*code++ & 3];
twice:
	value += 2;
	if (value & 8)
		value++;
	goto *labels[*code++ & 3];
mix:
	value ^= 5;
	goto *labels[*code++ & 3];
end:
	return value;
}

__attribute__((noinline)) static void leave(int n)
{
	if (n > 3)
		longjmp(back, n);
	turns = turns + 1;
}

__attribute__((noinline)) static int returned()
{
	int how = setjmp(back);

	if (how && turns > 20)
		return how;
	for (int i = 0;; i++) {
		leave(i);
		turns = turns + 1;
	}
}

/* 2^20 paths, of which 64 run. */
__attribute__((noinline)) static unsigned many(unsigned bits)
{
	unsigned sum = 1;

#define FORK(n) \
	if (bits >> (n) & 1) \
		turns = sum += (n); \
	else \
		turns = sum ^= (n) + 3;
	FORK(0) FORK(1) FORK(2) FORK(3) FORK(4) FORK(5) FORK(6) FORK(7) FORK(8) FORK(9)
	FORK(10) FORK(11) FORK(12) FORK(13) FORK(14) FORK(15) FORK(16) FORK(17) FORK(18) FORK(19)
	return sum;
}

__attribute__((noinline)) static long shared(int n)
{
	long sum = 0;

	for (int i = 0; i < n; i++)
		sum += i & 1 ? turns : many(i % 8 * 0x11249);
	return sum;
}

__attribute__((noinline)) static void finish(int depth)
{
	if (depth == 0)
		exit(0);
	finish(depth - 1);
}

int main(int argc, char **)
{
	const unsigned char code[] = { 0, 1, 2, 1, 1, 0, 2, 1, 1, 3 };
	std::vector<std::thread> threads;
	int sum = 0;

	for (int i = 0; i < 50; i++)
		sum += kinds(i);
	sum += caught(30) + returned() + interpret(code);
	for (unsigned i = 0; i < 64; i++)
		sum += many(i * 16411) & 1;
	printf("%d\n", sum);
	for (int i = 0; i < 4; i++)
		threads.emplace_back([] { shared(100000); });
	for (std::thread &each : threads)
		each.join();
	if (argc > 1)
		finish(3);
	return 0;
}
