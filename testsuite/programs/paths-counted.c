/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A function of ten paths, of which four are taken, 1,000, 500, 300 and 1 times in a round; argument 1 is the number of
 * rounds.  With a second argument the last one is taken 5,000 times, and the others once.  Each block stores something
 * on a line of its own, that no compiler can move or leave out. */
#include <stdlib.h>

static volatile long seen;

__attribute__((noinline)) static void figure(const int *choices)
{
	if (choices[0]) {
		seen = 1;
		if (choices[5])
			seen = 2;
	} else if (choices[1]) {
		seen = 3;
	} else {
		if (choices[2])
			seen = 4;
		else
			seen = 5;
		if (choices[3])
			seen = 6;
		if (choices[4])
			seen = 7;
	}
	seen = 8;
}

int main(int argc, char **argv)
{
	static const struct {
		int choices[6], times, otherwise;
	} all[] = { { { 0, 0, 0, 1, 0, 0 }, 1000, 1 },
		    { { 0, 0, 1, 0, 1, 0 }, 500, 1 },
		    { { 1, 0, 0, 0, 0, 1 }, 300, 1 },
		    { { 0, 1, 0, 0, 0, 0 }, 1, 5000 } };

	for (long rounds = argc > 1 ? atol(argv[1]) : 1; rounds > 0; rounds--) {
		for (int i = 0; i < 4; i++) {
			for (int k = argc > 2 ? all[i].otherwise : all[i].times; k > 0; k--)
				figure(all[i].choices);
		}
	}
	return 0;
}
