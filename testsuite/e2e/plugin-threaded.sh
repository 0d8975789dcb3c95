#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A test behind a loop is decided by the loop's own on the way out where nothing was found, and GCC leads that way around
# it: what is left of its jump never goes there.  The arm ran nevertheless, as often as gcov has it.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
[ -x "$B/tools/callgrind-vectors" ] || skip "run make tools"
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
$CC -O2 -g -fprofile-generate="$T/gcda" -c threaded.c
$CC -fprofile-generate threaded.o -o counted
./counted 16000 >counted.out
$CC -O2 -g threaded.c -o plain
valgrind -q --tool=callgrind --dump-instr=yes --collect-jumps=yes --skip-plt=no --compress-strings=no \
	--compress-pos=no --callgrind-out-file=calls ./plain 16000 >plain.out || fail "the program fails"
cmp counted.out plain.out
"$B/tools/callgrind-vectors" calls data && "$PATHFDO" convert -b plain data -o whole.pfdo >convert.log 2>&1 || fail "no profile"
$CC -O2 -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/whole.pfdo" -fplugin-arg-pathfdo-truth="$T/gcda" \
	-fplugin-arg-pathfdo-report="$T/report" -c threaded.c 2>messages || fail "not compiled: $(cat messages)"
truth=$(grep '^{"truth":"look_up"' report) || fail "look_up has no truth: $(cat report)"
check_within "block error" "$(sed -n 's/.*"block_error":\([0-9.]*\).*/\1/p' <<<"$truth")" 0 0.06
check_within "branch error" "$(sed -n 's/.*"branch_error":\([0-9.]*\).*/\1/p' <<<"$truth")" 0 0.06
