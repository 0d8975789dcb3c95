#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A profile in a tree that is not where the profiled one was: a copy, a root of another name, a git worktree, a build folder
# outside, names relative and absolute.  Each function is matched with its own head (of callgrind's run), in each of three
# files of one name, also where lines moved; and nobody is warned of another program's profile.
set -eu
. "$(dirname "$0")/lib.sh"
command -v valgrind >/dev/null || skip "valgrind is not installed"
mkdir -p "$T/project/left" "$T/project/right"
cd "$T/project"
# body NAME CONSTANT: a file with a static function `step' that NAME calls.
body() {
	cat <<END
static __attribute__((noinline)) int step(int *a, int i)
{
	return a[i & 7] += i * $2;
}
int $1(int *a, int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += step(a, i);
	return s;
}
END
}
body top 3 >part.c
body left 5 >left/part.c
body right 7 >right/part.c
cat >main.c <<'END'
#include <stdio.h>
int top(int *, int), left(int *, int), right(int *, int);
int main(void)
{
	int a[8] = { 0 };
	printf("%d\n", top(a, 700) + left(a, 300) + right(a, 200));
	return 0;
}
END
SOURCES="main.c part.c left/part.c right/part.c"
declare -A HEADS=([part.c]=700 [left/part.c]=300 [right/part.c]=200)

# profiled NAME SOURCE...: $T/NAME.pfdo of the program of these.
profiled() {
	local name=$1
	shift
	$CC -O2 -g "$@" -o "$T/app"
	valgrind -q --tool=callgrind --dump-instr=yes --collect-jumps=yes --skip-plt=no --compress-strings=no \
		--compress-pos=no --callgrind-out-file="$T/calls" "$T/app" >/dev/null
	"$B/tools/callgrind-vectors" "$T/calls" "$T/data"
	"$PATHFDO" convert -q -b "$T/app" "$T/data" -o "$T/$name.pfdo" 2>"$T/said" || fail "convert: $(cat "$T/said")"
}

# step_of PROFILE SOURCE: what is found of its step, and the head.
step_of() {
	rm -f "$T/report"
	$CC -O2 -g -Werror -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/$1.pfdo" -fplugin-arg-pathfdo-report="$T/report" \
		-c "$2" -o "$T/new.o" 2>"$T/messages" || fail "$2 in $PWD, profile $1: $(cat "$T/messages")"
	sed -n 's/^{"function":"step",.*"found":"\([a-z]*\)"\(,"head":\([0-9]*\)\)*.*/\1 \3/p' "$T/report"
}

# all_of ROOT FOUND: each file of the tree, by its names; FOUND is `matched', or `moved' where lines did.
all_of() {
	local profile file found=$2
	for profile in relative absolute outside; do
		for file in part.c left/part.c right/part.c; do
			check_eq "$1/$file, profile $profile" "$(cd "$1" && step_of $profile "$file")" "$found ${HEADS[$file]}"
			check_eq "$1/$file by its whole name, profile $profile" "$(step_of $profile "$1/$file")" "$found ${HEADS[$file]}"
			check_eq "$1/$file from a build folder, profile $profile" \
				"$(mkdir -p "$1/../objects" && cd "$1/../objects" && step_of $profile "../${1##*/}/$file")" \
				"$found ${HEADS[$file]}"
		done
	done
}

# shellcheck disable=SC2086 # file names
profiled relative $SOURCES
# shellcheck disable=SC2046
profiled absolute $(printf "$PWD/%s " $SOURCES)
mkdir "$T/build"
# shellcheck disable=SC2046
(cd "$T/build" && profiled outside $(printf "../project/%s " $SOURCES))
all_of "$T/project" matched
mkdir "$T/home"
cp -r "$T/project" "$T/home/project"
cp -r "$T/project" "$T/home/pgo"
all_of "$T/home/project" matched
all_of "$T/home/pgo" matched
if command -v git >/dev/null; then
	git init -q . && git add . && git -c user.name=t -c user.email=t@t commit -qm all && git worktree add -q "$T/worktree"
	all_of "$T/worktree" matched
fi

# A line more at the top of each: functions are known by their names and files then.
for file in part.c left/part.c right/part.c; do
	sed -i '1i /* one line more */' "$T/home/pgo/$file" "$T/home/project/$file"
done
all_of "$T/home/project" moved
all_of "$T/home/pgo" moved
