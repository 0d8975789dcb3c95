#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What parents leave.  Standard streams that are files by other names, or closed: /dev/stdout is written to and stays the link
# that it is, and what is said never lands in a file that took a closed stream's number.  And signals that are ignored.
set -eu
. "$(dirname "$0")/lib.sh"
. "$TOP/testsuite/tools/converter-lib.sh"
P=$TOP/testsuite/programs
cd "$T"

"$CC" -O2 -g "$P/convert-counts.c" "$P/convert-other.c" -o "$T/prog"
exact "$T/prog"
"$PATHFDO" convert -q -b prog prog.data -o prog.pfdo
"$PATHFDO" export --format=llvm prog.pfdo -o want 2>/dev/null

# As /dev/stdout is, in a folder where it can be spoilt.
ln -s /proc/self/fd/1 stdout
ln -s stdout again
for name in stdout again /proc/self/fd/1 /dev/fd/1; do
	"$PATHFDO" export --format=llvm prog.pfdo -o $name >got 2>/dev/null || fail "-o $name ends with $?"
	cmp got want || fail "-o $name does not write to a file behind standard output"
	echo before >got
	"$PATHFDO" export --format=llvm prog.pfdo -o $name >>got 2>/dev/null
	check_eq "what is appended by $name" "$(tail -n +2 got | md5sum)" "$(md5sum <want)"
	"$PATHFDO" export --format=llvm prog.pfdo -o $name 2>/dev/null | cmp - want || fail "-o $name and a pipe"
	got=0
	"$PATHFDO" export --format=llvm prog.pfdo -o $name >&- 2>said || got=$?
	check_eq "status of -o $name when that is closed ($(cat said))" $got 1
done
"$PATHFDO" export --format=llvm prog.pfdo -o /dev/fd/3 3>got 2>/dev/null
cmp got want || fail "-o /dev/fd/3"
check_eq "the link" "$(readlink stdout)" /proc/self/fd/1
check_eq "the link to the link" "$(readlink again)" stdout
check_eq "other files" "$(echo stdout.* again.*)" "stdout.* again.*"

# The recording of a program that closes nothing, by one who has nothing open.
cat >work.c <<'END'
#include <errno.h>
#include <unistd.h>
int main(void)
{
	volatile unsigned v = 1;
	for (unsigned i = 0; i < 30000000; i++)
		v = v % 3 ? v * 5 + i : v / 3;
	for (int stream = 0; stream < 3; stream++) {
		if (write(stream, "", 0) == 0 || errno != EBADF)
			return 9;
	}
	return 0;
}
END
"$CC" -O2 -g work.c -o work
got=0
"$PATHFDO" record --source=soft -F 200 --max-overhead=20 -o work.data -- ./work <&- >&- 2>&- || got=$?
check_eq "status of a program without standard streams" $got 0
"$PATHFDO" convert -q -b work work.data -o work.pfdo || fail "what was recorded without standard streams cannot be read"
for round in 1 2; do
	"$PATHFDO" convert -b work work.data -o none$round.pfdo <&- >&- 2>&- || fail "convert without standard streams: $?"
	cmp none$round.pfdo work.pfdo || fail "convert without standard streams writes another profile"
done

# Some parents leave the signal ignored that tells of a child's end.
orphaned() { env --ignore-signal=CHLD "$PATHFDO" "$@" 2>said || fail "with SIGCHLD ignored, $1: $(cat said)"; }
orphaned convert -q -b work work.data -o none3.pfdo
cmp none3.pfdo work.pfdo || fail "convert with SIGCHLD ignored writes another profile"
orphaned merge -j 2 work.pfdo prog.pfdo -o none4.pfdo
"$PATHFDO" merge work.pfdo prog.pfdo -o none5.pfdo
cmp none4.pfdo none5.pfdo || fail "merge with SIGCHLD ignored writes another sum"
orphaned cflags --cc="$CC" work.pfdo >flags
"$PATHFDO" cflags --cc="$CC" work.pfdo | cmp - flags || fail "cflags with SIGCHLD ignored prints others"

# A file that goes to standard output has it for itself.
alone() {
	local option=$1
	shift
	"$PATHFDO" "$@" "$option=alone" >/dev/null 2>said || fail "$*: $(cat said)"
	for name in - /dev/stdout; do
		"$PATHFDO" "$@" "$option=$name" 2>/dev/null | cmp - alone || fail "with $option=$name, $1 prints more than that"
	done
}
alone --lcov coverage -b work work.data
alone --gcov coverage -b work work.data
alone --output paths -b work work.data
alone --html hotspots work.data
alone --html show work.pfdo
for option in --json --gcov=- --list=lines; do
	refused 2 'one thing at a time' coverage -b work work.data --lcov=- $option
done
refused 2 'on standard output: name a file' paths -b work work.data -o - --json
refused 2 'on standard output: name a file' convert -b work work.data -o /dev/stdout --json
refused 2 'one thing at a time' hotspots work.data --html=- --json
refused 2 'one thing at a time' hotspots work.data --html=- -o -
refused 2 'one thing at a time' paths -b work work.data --html=- -o -

# Nor has a file room for two.
echo before >both
ln both other
refused 2 'are one file' coverage -b work work.data --lcov=both --gcov=other
refused 2 'are one file' coverage -b work work.data --lcov=new --gcov=new
refused 2 'are one file' paths -b work work.data --html=both -o other
refused 2 'are one file' hotspots work.data --html=both -o both
refused 2 'are one file' engine -p branch_edges work.data --truth --html=both -o both
# By two names, though there is nothing yet.
for name in ./new "$T/new" "$PWD/../${PWD##*/}/new"; do
	refused 2 'are one file' coverage -b work work.data --lcov=new --gcov="$name"
	refused 2 'are one file' paths -b work work.data --html="$name" -o new
	refused 2 'are one file' hotspots work.data --html=new -o "$name"
	refused 2 'are one file' engine -p branch_edges work.data --truth --html="$name" -o new
	refused 2 'files of their own' compare --json=new --html="$name" -- ./work
	[ ! -e new ] || fail "'$name' is written"
done
mkdir apart
"$PATHFDO" coverage -b work work.data --lcov=new --gcov=apart/new >printed 2>said || fail "two files of one name: $(cat said)"
rm -r new apart
for pair in 'json html' 'html markdown' 'json markdown'; do
	# shellcheck disable=SC2086 # two words
	refused 2 'files of their own' compare --program=a --train=b --ref=c $(printf -- '--%s=both ' $pair)
done
check_eq "a file that was to be two" "$(cat both)" before
[ ! -e new ] || fail "a file of which there were to be two"
"$PATHFDO" coverage -b work work.data --lcov=/dev/null --gcov=/dev/null >/dev/null || fail "a device takes several"
