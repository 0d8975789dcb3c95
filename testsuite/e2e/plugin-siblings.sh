#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Of two instances of a template that are the same code GCC keeps one, and the profile has all under its name: the other gets
# the same counts, as often as it is called, and so does what it calls.  The counts are beside gcov's of the same run.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/truth-lib.sh"
cp "$TOP/testsuite/programs/plugin-siblings.cc" "$T/siblings.cc"
cd "$T"
exact siblings.cc 4000
for f in walk weigh; do
	name=_Z${#f}${f}I
	for t in 4left 5right; do
		check_within "block error of $f<$t>" "$(judged whole.pfdo siblings.cc "$name${t}ElPKT_l" block_error)" 0 0.05
	done
	# Whatever the compiler kept: what it did not keep borrows.
	kept=$(nm plain | awk -v name="$name" 'index($3, name) == 1 { print $1 }' | sort -u | wc -l)
	check_eq "instances of $f that borrow" "$(grep -c "^{\"borrowed\":\"${name}[^\"]*\",\"from\":\"$name" report)" $((2 - kept))
done
# The instance that walks less often is called with every fourth turn: both turns are counts of main.
less=$(sed -n 's/^{"borrowed":"_Z4walk.*"calls":\([0-9]*\)}/\1/p' report)
for n in $less $((4 * ${less:-0})); do
	grep '^{"truth":"main"' report | grep -q "\"estimate\":\[[^]]*[,[]$n[],]" || [ "$n" = 0 ] || fail "main has no $n: $(cat report)"
done

# The same in a source that was edited since.
sed -i 's|^\tlong sum = 0;$|\t/* What is found\n\t * on the way,\n\t * added up. */\n&|' siblings.cc
rm -rf gcda
counted siblings.cc 4000
check_eq "lines that were added" "$(($(wc -l <siblings.cc) - $(wc -l <"$TOP/testsuite/programs/plugin-siblings.cc")))" 3
for t in 4left 5right; do
	check_within "block error of the edited walk<$t>" "$(judged whole.pfdo siblings.cc "_Z4walkI${t}ElPKT_l" block_error)" 0 0.05
done
