/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Switches that GCC lowers in all of its ways, over made values whose shares are known. */
#include <stdio.h>
#include <stdlib.h>

static long tally[16];
static const unsigned char kinds[8] = { 0, 3, 5, 6, 7, 0, 3, 5 };

/* A bit test behind a range check: 100 of 128 characters are letters. */
__attribute__((noinline)) static void words(const char *at, const char *end)
{
	for (; at < end; at++) {
		switch (*at) {
		case ' ':
		case '\n':
		case '\r':
		case '\t':
		case '\0':
			tally[0]++;
			break;
		case '"':
			tally[1] += tally[0] & 1;
			break;
		case '\'':
			tally[2] ^= tally[1];
			break;
		default:
			tally[3] += *at;
		}
	}
}

/* A table with gaps. */
__attribute__((noinline)) static void table(const int *at, const int *end)
{
	for (; at < end; at++) {
		switch (*at) {
		case 10:
			tally[4]++;
			break;
		case 11:
			tally[5] += tally[4];
			break;
		case 13:
			tally[6] ^= tally[5];
			break;
		case 15:
			tally[7] -= tally[6];
			break;
		case 16:
			tally[8] += *at;
			break;
		case 18:
			tally[9] |= *at;
			break;
		default:
			tally[10] += *at ^ tally[4];
		}
	}
}

/* Comparisons, of which the middle one is asked first. */
__attribute__((noinline)) static void tree(const int *at, const int *end)
{
	for (; at < end; at++) {
		switch (*at) {
		case 10:
			tally[4]++;
			break;
		case 1100:
			tally[5] += tally[4];
			break;
		case 13000:
			tally[6] ^= tally[5];
			break;
		case 150000:
			tally[7] -= tally[6];
			break;
		default:
			tally[10] += *at ^ tally[4];
		}
	}
}

/* A table, a bit test, comparisons, and another switch in one of them. */
__attribute__((noinline)) static void mixed(const unsigned *at, const unsigned *end)
{
	for (; at < end; at++) {
		switch (*at) {
		case 10:
			tally[4]++;
			break;
		case 11:
			tally[5] += tally[4];
			break;
		case 12:
			tally[6] ^= tally[5];
			break;
		case 13:
			tally[7] -= tally[6];
			break;
		case 14:
			tally[8] += *at;
			break;
		case 15:
			tally[9] |= *at;
			break;
		case 1000:
		case 1003:
		case 1005:
		case 1017:
		case 1020:
		case 1041:
		case 1044:
		case 1047:
			tally[11]++;
			break;
		case 70000 ... 80000:
			tally[12] += 3;
			break;
		case 4000000000:
			tally[13]++;
			break;
		default:
			switch (kinds[*at & 7]) {
			case 0:
				tally[14]++;
				break;
			case 3:
				tally[14] ^= tally[13];
				break;
			case 5:
				tally[14] -= 3;
				break;
			case 6:
				tally[14] |= *at;
				break;
			case 7:
				tally[14] += *at;
				break;
			default:
				__builtin_unreachable();
			}
			tally[10]++;
		}
	}
}

int main(int argc, char **argv)
{
	static char text[128];
	static int gaps[128], far[128];
	static unsigned all[128];
	long turns = argc > 1 ? atol(argv[1]) : 100;

	for (int i = 0; i < 128; i++) {
		text[i] = i % 32 < 25 ? 'a' + i % 25 : " \"'  \n "[i % 32 - 25];
		gaps[i] =
		    i % 32 < 20 ? 100 + i : (int[]) { 10, 11, 12, 13, 15, 16, 17, 18, 10, 10, 14, 10 }[i % 32 - 20];
		far[i] = i % 32 < 20 ? 2000 + i : (int[]) { 10, 1100, 13000, 150000, 5, 500 }[i % 6];
		all[i] = i % 32 < 16   ? 1003u + i % 2 * 14
			 : i % 32 < 24 ? 10 + i % 8 % 6
			 : i % 32 < 28 ? 75000
			 : i % 32 < 30 ? 4000000000
				       : 50 + i % 8;
	}
	for (long turn = 0; turn < turns; turn++) {
		words(text, text + 128);
		table(gaps, gaps + 128);
		tree(far, far + 128);
		mixed(all, all + 128);
	}
	for (int i = 0; i < 16; i++)
		printf("%ld\n", tally[i]);
	return 0;
}
