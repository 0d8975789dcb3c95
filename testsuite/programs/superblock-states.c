/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Branches that depend on how they were reached.  Messages come in two kinds, in turns that nobody could foretell; what
 * is asked behind the join is another field, which says the same in all messages but a few.  Edge by edge every branch
 * is half and half.  The argument is the number of turns; without a second argument messages are as said, with one the
 * fields are independent: bits of a shift register with feedback, in which each twelve bits in a row, the fields of six
 * messages, come once. */
#include <stdio.h>
#include <stdlib.h>

#define MESSAGES 4096

struct message {
	unsigned kind, length, checksum;
};

static struct message messages[MESSAGES];
static unsigned shorts, longs, sums[16], closed;

static unsigned next(unsigned *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 16;
}

/* x^12 + x^6 + x^4 + x + 1 is primitive: all states but 0 come. */
static unsigned shift(unsigned *bits)
{
	unsigned out = *bits & 1;

	*bits = *bits >> 1 ^ (out ? 0x829 : 0);
	return out;
}

static void fill(int independent)
{
	unsigned state = 7, bits = 1;

	for (int i = 0; i < MESSAGES; i++) {
		struct message *m = &messages[i];
		unsigned odd = next(&state) % 64 == 0, kind = next(&state) & 1;

		m->kind = independent ? shift(&bits) : kind;
		m->length = ((independent ? shift(&bits) : m->kind ^ odd) ? 100 : 10) + (next(&state) & 7);
		m->checksum = next(&state);
	}
}

__attribute__((noinline)) static void read_all(unsigned *seen)
{
	for (int i = 0; i < MESSAGES; i++) {
		struct message *m = &messages[i];

		if (m->kind) {
			longs += m->checksum & 3;
			seen[i & 7] ^= m->checksum;
		} else {
			shorts += m->checksum & 5;
			seen[i & 7] += m->checksum;
		}
		sums[m->checksum & 15]++;
		if (m->length > 50) {
			closed += seen[i & 3] & 1;
			sums[1] ^= m->length;
		} else {
			closed ^= seen[i & 3] & 3;
			sums[2] += m->length;
		}
	}
}

int main(int argc, char **argv)
{
	int turns = argc > 1 ? atoi(argv[1]) : 1000;
	unsigned seen[8] = { 0 };

	fill(argc > 2);
	while (turns-- > 0)
		read_all(seen);
	printf("%u %u %u %u %u\n", shorts, longs, closed, seen[0], sums[1] + sums[2]);
	return 0;
}
