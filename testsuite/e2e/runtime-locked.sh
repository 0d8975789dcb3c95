#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A program that locks all its memory is not recorded from there on, and that is the reason told, not a lack of memory.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >locker.c <<'END'
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static volatile unsigned long sum;
int main(int argc, char **argv)
{
	int failed = argc > 1 ? (int)syscall(SYS_mlockall, MCL_CURRENT) : mlockall(MCL_CURRENT);
	(void)argv;
	(void)failed; /* for want of the right, which makes no difference here */
	while (clock() < CLOCKS_PER_SEC / 4)
		for (unsigned long i = 0; i < 10000; i++)
			sum += i;
	return 0;
}
END
$CC -D_GNU_SOURCE -O1 -g -o locker locker.c
for how in '' call; do
	"$PATHFDO" record --source=soft -o none.data ./locker $how 2>err || true # on the way there it may have been looked at
	grep -q 'the program locks all its memory (mlockall)' err || fail "the reason: $(cat err)"
done
