/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What peers-one.cc and peers-two.cc have both: templates that each of them instantiates, virtual calls. */
#ifndef PEERS_SHARED_H
#define PEERS_SHARED_H

#include <algorithm>
#include <map>
#include <string>
#include <vector>

template <typename T> __attribute__((noinline)) T fold(const std::vector<T> &v, T seed)
{
	for (const T &x : v)
		seed = seed * 31 + (x > seed ? x : seed);
	return seed;
}

struct shape {
	virtual long area(long) const = 0;
	virtual ~shape()
	{
	}
};

unsigned next();
long one(int);
long two(int);

#endif
