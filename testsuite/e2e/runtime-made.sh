#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A program that spends its time in code that it made itself (JIT) has few branches in a recording, however long it runs, and record
# tells why; of one that hardly does nothing is said.
set -eu
. "$(dirname "$0")/lib.sh"
cat >"$T/made.c" <<'END'
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* mov ecx, edi; dec ecx; jnz to dec; ret */
static const unsigned char code[] = { 0x89, 0xf9, 0xff, 0xc9, 0x75, 0xfc, 0xc3 };

int main(int argc, char **argv)
{
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int made = argc > 1 ? atoi(argv[1]) : 0;
	volatile int sum = 0;

	if (memory == MAP_FAILED)
		return 1;
	memcpy(memory, code, sizeof code);
	if (made == 1000000)
		return ((int (*)(int))memory)(1000 * made), 0;
	for (int i = 0; i < 1000; i++) {
		((void (*)(int))memory)(made);
		for (int k = 0; k < 1000000 - made; k++)
			sum += k % 3;
	}
	return 0;
}
END
$CC -O2 -g "$T/made.c" -o "$T/made"
"$T/made" 1 || skip "memory cannot be written and executed here"
"$PATHFDO" record --source=soft -o "$T/made.data" -- "$T/made" 900000 2>"$T/said" || fail "$(cat "$T/said")"
share=$(sed -n 's/.*record: \([0-9]*\)% of the bursts came to code without a file (JIT), of which nothing.*/\1/p' "$T/said")
[ -n "$share" ] || fail "nothing is said of code that was made: $(cat "$T/said")"
check_within "share of the bursts that came to code that was made" "$share" 50 100
"$PATHFDO" record --source=soft -o "$T/plain.data" -- "$T/made" 1000 2>"$T/said" || fail "$(cat "$T/said")"
! grep -q "without a file" "$T/said" || fail "code that hardly runs is told of: $(cat "$T/said")"

# Where no burst met a branch that is the reason, and no other, also at a rate that no kernel's ticks can keep.
for rate in 100 10000; do
	refused 1 "nothing was recorded: no burst met a branch, [1-9][0-9]* of them because of: code without a file [(]JIT[)]; record it with" \
		record --source=soft -F $rate -o "$T/none.data" -- "$T/made" 1000000
done
[ ! -e "$T/none.data" ] || fail "there is a recording of nothing"
