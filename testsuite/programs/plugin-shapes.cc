// SPDX-License-Identifier: GPL-3.0-or-later
// Virtual calls with one usual target, functions without a linkage name, exceptions, a lambda.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <vector>

namespace
{

struct shape {
	virtual ~shape() = default;
	virtual long area(long n) const = 0;
};

struct square : shape {
	explicit square(long s) : side(s)
	{
	}
	long area(long n) const override
	{
		return side * side + n;
	}
	long side;
};

struct bar : shape {
	long area(long n) const override
	{
		if (n < 0)
			throw std::runtime_error("no such bar");
		return n;
	}
};

long sum(const std::vector<std::unique_ptr<shape>> &shapes, long rounds)
{
	long total = 0;

	for (long round = 0; round < rounds; round++) {
		for (const auto &s : shapes)
			total += s->area(round);
	}
	return total;
}

}

int main(int argc, char **argv)
{
	std::vector<std::unique_ptr<shape>> shapes;
	long rounds = argc > 1 ? atol(argv[1]) : 1000;
	auto add = [&](int i) {
		if (i % 16 == 15)
			shapes.push_back(std::make_unique<bar>());
		else
			shapes.push_back(std::make_unique<square>(i));
	};

	for (int i = 0; i < 64; i++)
		add(i);
	printf("%ld\n", sum(shapes, rounds));
	try {
		printf("%ld\n", shapes[15]->area(-1));
	} catch (const std::exception &e) {
		printf("%s\n", e.what());
	}
	return 0;
}
