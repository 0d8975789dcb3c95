/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For e2e/converter-entries.  convert-entries TURNS [FILE]: instances that are inlined in two copies of a loop (a call
 * for each character of FILE), or that are entered once and run long (TURNS times 97 steps). */
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

static unsigned table[4096];
static int served;

static void serve(unsigned long turns, unsigned *state)
{
	for (unsigned long i = 0; i < turns; i++) {
		unsigned s = *state;

		for (int k = 0; k < 97; k++) {
			s = s * 1664525 + 1013904223;
			if (s >> 28 == 3)
				table[s & 4095]++;
			else if (s >> 30)
				table[(s >> 8) & 4095] ^= s;
		}
		*state = s;
		served++;
	}
}

static void start(unsigned long turns, unsigned *state)
{
	*state += 7;
	serve(turns, state);
}

int main(int argc, char **argv)
{
	unsigned state = 1;

	if (argc > 2) {
		std::ifstream file(argv[2]);
		std::string all((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());

		state = (unsigned)all.size();
	}
	start(strtoul(argv[1], nullptr, 10), &state);
	printf("%d %u %u\n", served, table[5], state);
	return 0;
}
