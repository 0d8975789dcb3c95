// SPDX-License-Identifier: GPL-3.0-or-later
// For testsuite/bench: a sort, a shared template, and a class that is used in peers-two.cc.
#include "peers-shared.h"

static unsigned state = 1;

unsigned next()
{
	return state = state * 1103515245u + 12345u;
}

struct square : shape {
	long s;
	square(long s) : s(s)
	{
	}
	long area(long k) const override
	{
		return s * s + k;
	}
};

shape *make_square(long s)
{
	return new square(s);
}

long one(int n)
{
	std::vector<unsigned> v;

	for (int i = 0; i < n; i++)
		v.push_back(next() >> 3);
	std::sort(v.begin(), v.end());
	return fold<unsigned>(v, 7);
}
