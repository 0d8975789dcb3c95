// SPDX-License-Identifier: GPL-3.0-or-later
// For the converter's tests, as convert-counts.c: virtual calls, templates, lambdas, an anonymous namespace,
// exceptions.
#include <cstdio>
#include <stdexcept>

volatile int sink;

struct shape {
	virtual int area(int x) = 0;
	virtual ~shape() = default;
};

struct square : shape {
	int area(int x) override
	{
		sink = x; /* =75= */
		return x * x;
	}
};

struct circle : shape {
	int area(int x) override
	{
		sink = x; /* =25= */
		return 3 * x * x;
	}
};

template <typename T> __attribute__((noinline)) T largest(const T *values, int count)
{
	T best = values[0];

	for (int i = 1; i < count; i++) {
		sink = i; /* =110= */
		if (values[i] > best)
			best = values[i];
	}
	return best;
}

namespace
{
__attribute__((noinline)) int hidden(int x)
{
	sink = x; /* =50= */
	return x + sink;
}

struct counter {
	int value = 0;

	__attribute__((noinline)) void add(int x)
	{
		sink = x; /* =50= */
		value += x;
	}
};
} // namespace

__attribute__((noinline)) static int areas(shape **shapes, int count)
{
	int sum = 0;

	for (int i = 0; i < count; i++)
		sum += shapes[i % 4]->area(i); /* =100= */
	return sum;
}

__attribute__((noinline)) static int may_throw(int x)
{
	if (x % 10 == 0)                                 /* =40= */
		throw std::runtime_error("every tenth"); /* =4= */
	return x;
}

template <typename F> __attribute__((noinline)) void repeat(int n, F f)
{
	for (int i = 0; i < n; i++)
		f(i);
}

int main()
{
	square s;
	circle c;
	shape *shapes[] = { &s, &s, &c, &s };
	int ints[61] = { 3 };
	double doubles[51] = { 2.5 };
	counter k;
	int sum = areas(shapes, 100) + largest(ints, 61) + (int)largest(doubles, 51);

	for (int i = 0; i < 50; i++) {
		sum += hidden(i); /* =50= */
		k.add(i);         /* =50= */
	}
	for (int i = 0; i < 40; i++) {
		try {
			sum += may_throw(i);
		} catch (const std::exception &) {
			sink++; /* =4= */
		}
	}
	repeat(64, [](int x) {
		sink = x; /* =64= */
	});
	std::printf("%d\n", sum + k.value + sink);
}
