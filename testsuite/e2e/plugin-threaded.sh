#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A test behind a loop is decided by the loop's own on the way out where nothing was found, and GCC leads that way around
# it: what is left of its jump never goes there.  The arm ran nevertheless, as often as gcov has it.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/truth-lib.sh"
cd "$T"
cat >threaded.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct set { long hash, *words; };

static struct set sets[64];
static long area[64][2], used, clock_hand;

__attribute__((noinline)) static struct set *evict(void)
{
	clock_hand = (clock_hand + 7) % used;
	return &sets[clock_hand];
}

__attribute__((noinline)) static long look_up(const long *words, int count, int left)
{
	long hash = count == 1 ? words[0] : words[0] * 31 + words[1];
	struct set *p;
	int i;

	for (p = sets, i = left; i > 0; p++, i--)
		if (p->hash == hash && (count == 1 || memcmp(words, p->words, count * sizeof *words) == 0))
			break;
	if (i == 0) {
		p = evict();
		for (i = 0; i < count; i++)
			p->words[i] = words[i];
		p->hash = hash;
	}
	return p - sets;
}

int main(int argc, char **argv)
{
	long n = atol(argv[argc - 1]), sum = 0;

	used = 8;
	for (long i = 0; i < 64; i++)
		sets[i].words = area[i];
	for (long i = 0; i < n; i++) {
		long word = i % 16 == 0 ? sets[5].hash : i + 1;

		sum += look_up(&word, 1, (int)used);
	}
	printf("%ld\n", sum);
	return 0;
}
END
exact threaded.c 16000
check_within "block error" "$(judged whole.pfdo threaded.c 'look_up' block_error)" 0 0.06
check_within "branch error" "$(judged whole.pfdo threaded.c 'look_up' branch_error)" 0 0.06
