#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What the truth mode compares is what is written without it: gcov's zeros tell the estimate nothing.  Here they would tell
# which arm of a condition ran, where the profile, by hand, has it the other way.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"

cat >blind.c <<'END'
__attribute__((noipa)) unsigned pick(unsigned n)
{
	unsigned sum = n;
	if (n > 5000)
		sum = n / 3 + 1;
	else
		sum ^= n << 7;
	return sum * 5;
}
int main(void)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < 4000; i++)
		sum += pick(i);
	return sum == 1;
}
END
cat >blind.txt <<'END'
pathfdo-profile 1
unit executions
function pick blind.c:1 head 4000 total 8000
  3 count 4000
  6 count 0
  7 count 4000
END
"$PATHFDO" show --from-text blind.txt -o blind.pfdo
$CC -O2 -g -fprofile-generate="$T/gcda" -c blind.c
$CC -fprofile-generate blind.o -o counted
./counted

# counts NAME OPTION...: the counts of pick's blocks, as a pass behind the profile's dumps them.
counts() {
	local name=$1
	shift
	$CC -O2 -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/blind.pfdo" "$@" \
		-fdump-ipa-icf-blocks-details="$T/$name.dump" -c blind.c 2>"$name.said" || fail "$(cat "$name.said")"
	awk '/^unsigned int pick/ { on = 1 } on && /^;;   basic block/ { print $4, $9 } on && /^}/ { exit }' "$name.dump" >"$name"
	[ "$(wc -l <"$name")" -ge 4 ] || fail "the dump has not pick's blocks: $(cat "$name.dump")"
}
counts plain
counts truth -fplugin-arg-pathfdo-truth="$T/gcda"
grep -q '2 functions against gcov\|1 functions against gcov' truth.said || fail "nothing was compared: $(cat truth.said)"
cmp -s plain truth || fail "the truth mode changed what is written:
$(diff plain truth)"
