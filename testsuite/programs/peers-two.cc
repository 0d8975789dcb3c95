// SPDX-License-Identifier: GPL-3.0-or-later
// For testsuite/bench: a map of strings, the templates of peers-one.cc again, virtual calls.
#include "peers-shared.h"
#include <cstdio>
#include <cstdlib>

struct circle : shape {
	long r;
	circle(long r) : r(r)
	{
	}
	long area(long k) const override
	{
		return 3 * r * r - k;
	}
};

shape *make_square(long);

long two(int n)
{
	std::map<std::string, unsigned> m;
	std::vector<unsigned> v;

	for (int i = 0; i < n; i++)
		m[std::to_string(next() >> 22)] += i;
	for (auto &p : m)
		v.push_back(p.second);
	return fold<unsigned>(v, 3);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? std::atoi(argv[1]) : 60;
	shape *shapes[] = { make_square(3), new circle(5), make_square(8) };
	long sum = 0;

	for (int i = 0; i < rounds; i++) {
		sum += one(20000) + two(10000);
		for (int k = 0; k < 100000; k++)
			sum += shapes[k % 3]->area(k);
	}
	std::printf("%ld\n", sum);
	return 0;
}
