/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small state machine over made text: branches of all kinds of bias, loops whose bodies split and meet again. */
#include <stdio.h>
#include <stdlib.h>

static unsigned state = 12345;

static unsigned next(void)
{
	state = state * 1103515245 + 12345;
	return state >> 16;
}

struct tally {
	long words, numbers, quotes, comments, others, lines;
};

/* The kind of work that a scanner does; BIAS shifts what is common. */
__attribute__((noinline)) static void scan(struct tally *t, long count, unsigned bias)
{
	unsigned c = 0;

	while (count > 0) {
		c = next() % 100;
		count--;
		if (c < 50 + bias) {
			t->words++;
			while (count > 0 && next() % 4) {
				count--;
				if (next() % 64 == 0)
					goto quote;
			}
		} else if (c < 70) {
			t->numbers += c & 3;
			if (c == 61)
				continue;
			if (next() % 3 == 0)
				t->numbers++;
			else
				t->others ^= c;
		} else if (c < 80) {
quote:
			t->quotes++;
			do {
				if (next() % 128 == 0)
					break;
				count--;
			} while (count > 0 && next() % 8);
		} else if (c < 81) {
			t->comments++;
			while (count > 0 && next() % 32)
				count--;
			t->lines += count & 1;
		} else {
			t->others++;
		}
		if (c % 16 == 0)
			t->lines++;
	}
}

int main(int argc, char **argv)
{
	struct tally t = { 0 };

	for (int round = 0; round < 20; round++)
		scan(&t, argc > 1 ? atol(argv[1]) : 1000, argc > 2 ? (unsigned)atoi(argv[2]) : 0);
	printf("%ld %ld %ld %ld %ld %ld\n", t.words, t.numbers, t.quotes, t.comments, t.others, t.lines);
	return 0;
}
