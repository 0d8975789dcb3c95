#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# One summary a build: files that fit, that changed, that are no part of the program, compiled side by side and again.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
printf 'int one(int n)\n{\n\treturn n + 1;\n}\nint other(int n)\n{\n\treturn n - 1;\n}\n' >one.c
printf 'int two(int n)\n{\n\treturn n * 2;\n}\n' >two.c
printf 'int check(int n)\n{\n\treturn n == 2;\n}\n' >test.c
# profile COUNT: one fits, two was profiled with other lines, test.c is not of the program.
profile() {
	cat >app.txt <<-END
	pathfdo-profile 1
	unit executions
	function one one.c:1 head $1
	  2 count $1
	function two two.c:1 head $1
	  96 count $1
	compiled $T/one.c
	compiled $T/two.c
	END
	"$PATHFDO" show --from-text app.txt -o app.pfdo
}
build() {
	local source flags
	flags=$("$PATHFDO" cflags --cc="$CC" --report=build.report app.pfdo)
	for source; do
		# shellcheck disable=SC2086 # flags are words
		$CC -O2 -w $flags -c "$source" &
	done
	wait
}
profile 500
build one.c two.c test.c
"$PATHFDO" report build.report >text
cat >want <<'END'
files      3 compiled, 1 of them no part of the profiled program
functions  1 matched, 1 stale, 2 not seen when the profile was made
    two.c:1  two
calls      0 inlined again as in the profiled binary, 0 not; 0 indirect ones made direct
END
diff want text || fail "the summary is another"
# Comments above it move a function, which has its counts all the same: nobody is told to record anew.
cp one.c kept.c
printf '/* a\n * b */\n' | cat - kept.c >one.c
rm build.report
build one.c
"$PATHFDO" report build.report >moved
grep -q '^functions  1 matched, 0 stale,' moved || fail "a function that moved is not matched: $(cat moved)"
! grep '^warning' moved || fail "a warning for a comment"
mv kept.c one.c
rm build.report
build one.c two.c test.c
# Compiled once more, nothing is counted twice.
build two.c
"$PATHFDO" report build.report | diff want - || fail "a second compile counts"
# Half of the files for another profile.
profile 501
build one.c
"$PATHFDO" report build.report | grep -q '^warning: 2 files were compiled for another profile' || fail "old objects are not told"
if command -v python3 >/dev/null; then
	check_eq "JSON" "$("$PATHFDO" report --json build.report | python3 -c '
import json, sys
r = json.load(sys.stdin)
print(r["files"], r["older"], r["foreign"], r["matched"], r["stale"], r["unmatched"], r["stale_functions"])')" \
		"3 2 1 1 1 2 [{'function': 'two', 'place': 'two.c:1'}]"
fi
# Another program's profile altogether.
rm build.report
printf 'pathfdo-profile 1\nunit executions\nfunction strange s.c:1 head 5\n  1 count 5\ncompiled /elsewhere/s.c\n' |
	"$PATHFDO" show --from-text - -o app.pfdo
build one.c two.c
"$PATHFDO" report build.report | grep -q '^warning: no function has counts' || fail "a foreign profile is not told"

printf 'make: nothing to be done\n' >bad.report
refused 1 'bad.report: is not a build.s report; name the file' report bad.report
refused 1 'absent.report: cannot read' report absent.report
: >empty.report # a build that did not compile
for command in "report empty.report" "report --json empty.report" "show --html=none.pfdo --report=empty.report app.pfdo"; do
	# shellcheck disable=SC2086 # arguments are words
	refused 1 'empty.report: is empty; name the file' $command
done
sed '$d' build.report >cut.report
refused 1 'cut.report: the lines of the last compile end before' report cut.report
refused 2 'name one file' report
# A source file with a name in Latin 1 is in the report, which stays one that can be read.
printf 'int four(int n)\n{\n\treturn n * 4;\n}\n' >caf$'\351'.c
rm build.report
build one.c caf$'\351'.c
check_eq "files with any names" "$("$PATHFDO" report --json build.report | jq .files)" 2
