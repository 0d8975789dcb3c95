#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A call that the profiled binary had inlined, and that stays a call here: what stood at its own place there did not run,
# and what it had become did.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >left.c <<'E2'
int seldom(int), other(int);
__attribute__((noinline)) static int often(int key)
{
	return other(key) + 3;
}
int choose(int key)
{
	if (key > 40)
		return seldom(key);
	return often(key);
}
E2
line() { grep -n -m1 "$1" left.c | cut -d: -f1; }
C=$(line '^int choose') F=$(line 'static int often')
# at TEXT WORD: line and column of WORD in the line with TEXT, relative to choose.
at() { awk -v text="$1" -v word="$2" -v from="$C" 'index($0, text) { print NR - from ":" index($0, word); exit }' left.c; }
cat >profile.txt <<E2
pathfdo-profile 1
unit executions
function choose left.c:$C head 64000 total 128064
  $(at 'key > 40' '>') count 64000
  $(at 'return seldom' seldom) count 64
    call seldom 64
  $(at 'return often' often) count 0
  inline @1 often left.c:$F at $(at 'return often' often) entries 63936
    $(($(line 'return other') - F)) count 63936
      call other 63936
E2
"$PATHFDO" show --from-text profile.txt -o app.pfdo
$CC -O2 -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/app.pfdo" -fplugin-arg-pathfdo-report="$T/report" \
	-fdump-tree-fixup_cfg3-blocks-details -c left.c -o left.o
grep -q '^{"refused":"often"' report || fail "often was inlined: $(cat report)"
# The counts of the blocks with the calls, in parts of the function's entries.
share=$(sed -n '/^;; Function choose /,/^;; Function [^c]/p' left.c.*fixup_cfg3 | awk '
	/^;;   basic block / { for (i = 1; i < NF; i++) if ($i == "count") here = $(i + 1); if (!all) all = here }
	/= often \(/ { often = here } /= seldom \(/ { seldom = here }
	END { printf "%.3f %.3f", often / all, seldom / all }')
check_eq "share of the two calls" "$share" "0.999 0.001"
