#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Children of a program that is attached to, as they may be met: found by the name that they share with it, traced by it when
# they are seen first, made by a child that has executed a program.  They are recorded, and nothing is left in any.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/attach-lib.sh"
cd "$T"
name=family$$
$CC -O2 -g -Wall -o $name "$TOP/testsuite/programs/attach-family.c"

is_recorded() { # PID
	grep -q ' rwxp ' "/proc/$1/maps"
}

has_lines() { # COUNT
	[ "$(wc -l <out)" -ge "$1" ]
}

# recorded ARGUMENT...: begins to, and waits until the recorder is there.
recorded() {
	"$PATHFDO" record --source=soft -F 1000 --max-overhead=50 "$@" -o family.data 2>err &
	recorder=$!
	once 60 is_recorded $pid || fail "it is not recorded: $(cat err)"
}

# left_alone WHAT: the recorder ends, and is neither in the program nor in its child.
left_alone() {
	kill -INT $recorder
	wait $recorder || fail "$1: $(cat err)"
	! grep 'not left' err || fail "$1: $(cat err)"
	check_eq "what is left in the program of $1" "$(left $pid)" ""
	check_eq "what is left in $1" "$(left "$child")" ""
}

mkfifo in
./$name <in >out &
pid=$!
trap 'pkill -KILL "^$name\$"; rm -rf "$T"' EXIT
exec 7>in

# Each way that it is found has its turn: its own number, and names that are looked for again and again.
lines=0
for way in "-p $pid" "--name=$name"; do
	# shellcheck disable=SC2086 # words
	recorded $way
	printf c >&7
	once 60 has_lines $((lines += 1)) || fail "no child"
	child=$(tail -n 1 out)
	once 60 is_recorded "$child" || fail "a child is not recorded with $way: $(cat err)"
	left_alone "a child with $way"
	! grep 'not recorded' err || fail "with $way: $(cat err)"

	# It is seen while it is traced, and cannot be recorded then.
	# shellcheck disable=SC2086
	recorded $way
	printf t >&7
	sleep 2.5
	printf d >&7
	once 60 has_lines $((lines += 1)) || fail "no traced child"
	child=$(tail -n 1 out)
	left_alone "a traced child with $way"

	# shellcheck disable=SC2086
	recorded $way
	printf e >&7
	once 100 has_lines $((lines += 1)) || fail "no child of what a child has executed"
	child=$(tail -n 1 out)
	once 60 is_recorded "$child" || fail "a child of what a child has executed is not recorded with $way: $(cat err)"
	left_alone "a child of what a child has executed, with $way"
done
