#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A program under valgrind, as tests that a build runs, does what it does without the recorder, which stays out and says so;
# what is started beside it is recorded.
set -eu
. "$(dirname "$0")/lib.sh"
command -v valgrind >/dev/null || skip "valgrind is not installed"
cd "$T"
cat >work.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	volatile unsigned long sum = 0;

	for (long i = 0; i < 1000000 * atol(argv[argc - 1]); i++)
		sum += i % 7 ? i : 2;
	printf("%lu\n", sum);
	return 7;
}
END
$CC -O1 -g work.c -o work
wanted=$(./work 2) || true
for tool in none memcheck callgrind; do
	options="-q --tool=$tool"
	[ $tool != callgrind ] || options="$options --callgrind-out-file=$T/callgrind.out"
	"$PATHFDO" record --source=soft -o data -- \
		sh -c "valgrind $options ./work 2 >printed; echo \$? >status; ./work 300 >rest; :" 2>said || fail "$tool: $(cat said)"
	check_eq "$tool: exit status" "$(cat status)" 7
	check_eq "$tool: what it prints" "$(cat printed)" "$wanted"
	grep -q '1 process not recorded: valgrind runs the program' said || fail "$tool: $(cat said)"
	"$PATHFDO" convert -b work data -o p.pfdo >converted 2>&1 || fail "$tool: $(cat converted)"
done
got=0
"$PATHFDO" record --source=soft -o none -- valgrind -q --tool=none ./work 2 >printed 2>said || got=$?
check_eq "exit status where nothing is recorded" "$got" 7
check_eq "what it prints alone" "$(cat printed)" "$wanted"
grep -q 'nothing was recorded; .*valgrind runs the program' said || fail "alone: $(cat said)"
