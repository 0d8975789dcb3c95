#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A source that was edited since what is profiled was compiled: its lines are not those that the counts belong to, and
# whatever shows both says so.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cp "$TOP/testsuite/programs/agent-sort.c" sort.c
touch -d '-1 hour' sort.c
"$CC" -O2 -g -w -Wl,--build-id=sha1 "$T/sort.c" -o sort
"$PATHFDO" record -q --source=soft -o sort.data -- ./sort 60 >/dev/null 2>said || unrecorded said
"$PATHFDO" convert -q -b sort sort.data -o sort.pfdo
newer='the source is newer than what was profiled'
# shows TIMES: so often it is said of the source, by each.
shows() {
	check_eq "annotate of a function" "$("$PATHFDO" annotate sort.pfdo main | grep -c "^($newer")" $1
	check_eq "annotate of a file" "$("$PATHFDO" annotate sort.pfdo sort.c | grep -c "^($newer")" $1
	for page in "show --html=page sort.pfdo" "paths --html=page -b sort sort.data"; do
		"$PATHFDO" $page
		grep -c "$newer" page >count || true
		[ "$(cat count)" -gt 0 ] && count=1 || count=0
		check_eq "$page" $count $1
	done
	for file in --lcov=lines --gcov=lines --list=lines; do
		"$PATHFDO" coverage $file -b sort sort.data >/dev/null 2>said
		check_eq "coverage $file" "$(grep -c "warning: $T/sort.c: $newer" said)" $1
	done
}
shows 0
touch -d '-10 minutes' sort
touch -d '-5 minutes' sort.c
shows 1
# The binary tells by its build-id; without one that is here the profile does, which is younger.
mv sort elsewhere
check_eq "annotate without the binary" "$("$PATHFDO" annotate sort.pfdo main | grep -c "$newer")" 0
echo 'int main(void) { return 0; }' >other.c
"$CC" -Wl,--build-id=sha1 other.c -o sort
touch -d '-10 minutes' sort
check_eq "annotate beside another binary" "$("$PATHFDO" annotate sort.pfdo main | grep -c "$newer")" 0
touch -d '+1 hour' sort.c
check_eq "annotate of what is newer than the profile" "$("$PATHFDO" annotate sort.pfdo main | grep -c "$newer")" 1
mkdir sources
mv sort.c sources
check_eq "a source that is looked for" "$("$PATHFDO" annotate --source=sources sort.pfdo main | grep -c "$newer")" 1
check_eq "a profile from standard input" "$("$PATHFDO" annotate --source=sources - main <sort.pfdo | grep -c "$newer")" 0
rm sources/sort.c
check_eq "no source" "$("$PATHFDO" annotate sort.pfdo main | grep -c "$newer")" 0
