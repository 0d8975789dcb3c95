/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Virtual calls with one likely target, inlining three deep, macros with several blocks a line, recursion, exceptions:
 * what C++ adds to the road.  ROUNDS is the argument; odd rounds throw. */
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <vector>

#define CLAMP(x, low, high) ((x) < (low) ? (low) : (x) > (high) ? (high) : (x))
#define MIX(h, v) ((h)&1 ? ((h) >> 1) ^ ((v)&7 ? (v)*5 : 77) : ((h) << 1) + ((v) % 3 ? (v) : 11))

struct shape {
	virtual ~shape() = default;
	virtual long area(long scale) const = 0;
};

struct square : shape {
	long side;
	explicit square(long s) : side(s)
	{
	}
	long area(long scale) const override
	{
		return side * side * scale;
	}
};

struct circle : shape {
	long radius;
	explicit circle(long r) : radius(r)
	{
	}
	long area(long scale) const override
	{
		if (radius > 1000)
			throw std::out_of_range("radius");
		return radius * radius * 3 + scale;
	}
};

static inline long deepest(long v, long limit)
{
	if (v > limit)
		return v % limit;
	return CLAMP(v, 3, 4000);
}

static inline long deeper(long v, long limit)
{
	long sum = 0;

	for (long i = v & 3; i < 6; i++)
		sum += deepest(v + i, limit);
	return sum;
}

static inline long deep(long v, long limit)
{
	return v % 16 ? deeper(v, limit) : deeper(v / 16, limit * 2);
}

static long ackermann(long m, long n)
{
	if (m == 0)
		return n + 1;
	if (n == 0)
		return ackermann(m - 1, 1);
	return ackermann(m - 1, ackermann(m, n - 1));
}

static long guarded(const shape &s, long scale)
{
	try {
		return s.area(scale);
	} catch (const std::out_of_range &) {
		return -1;
	}
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 100;
	std::vector<std::unique_ptr<shape>> shapes;
	unsigned long hash = 1;

	for (int i = 0; i < 1000; i++) {
		if (i % 50 == 49)
			shapes.emplace_back(new circle(i == 999 ? 2000 : i));
		else
			shapes.emplace_back(new square(i % 13));
	}
	for (long r = 0; r < rounds; r++) {
		for (const auto &s : shapes) {
			long a = guarded(*s, r);

			hash = MIX(hash, (unsigned long)a) + (unsigned long)deep(a, 900 + r % 7);
		}
	}
	printf("%lu %ld\n", hash, ackermann(2, rounds % 300));
	return 0;
}
