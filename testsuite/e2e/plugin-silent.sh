#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What counts equal elements is a comparison, a set byte and an addition: nothing of it is at the place of the condition, and
# the addition runs for each element.  So does the condition, then, and how often the elements are equal is not known.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/truth-lib.sh"
cd "$T"
cat >equal.c <<'END'
#include <stdio.h>
#include <stdlib.h>
struct word { struct word *next; int *letters; int length; };
__attribute__((noinline)) void survey(const struct word *list, int letter, unsigned *having)
{
	for (const struct word *w = list; w; w = w->next) {
		unsigned count = 0;

		for (int i = 0; i < w->length; i++)
			if (w->letters[i] == letter)
				count++;
		having[count]++;
	}
}
int main(int argc, char **argv)
{
	static struct word words[200];
	static int letters[200][6];
	unsigned having[7] = { 0 };

	for (int i = 0; i < 200; i++) {
		words[i] = (struct word) { i ? &words[i - 1] : NULL, letters[i], 6 };
		for (int j = 0; j < 6; j++)
			letters[i][j] = (i * 7 + j * 5) % 25;
	}
	for (int n = atoi(argv[argc - 1]); n > 0; n--)
		survey(&words[199], n % 25, having);
	printf("%u %u %u\n", having[0], having[1], having[2]);
	return 0;
}
END
exact equal.c 500
# All of 600,000 elements are compared, and one of 25 is equal.  The other branches are known, and the guess is a third.
check_within "survey's block_error" "$(judged whole.pfdo equal.c survey block_error)" 0 .2
check_within "survey's branch_error" "$(judged whole.pfdo equal.c survey branch_error)" 0 .2
