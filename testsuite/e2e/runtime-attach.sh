#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A program that runs is attached to and left, again and again: it does what it did, the hot functions are named, and
# afterwards its mappings, timers, signals and descriptors are what they were, those of children that it had meanwhile
# included.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/attach-lib.sh"
cd "$T"

cat >quiet.c <<'SOURCE'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static volatile int over;
__attribute__((noipa)) unsigned heat(unsigned x)
{
	for (int i = 0; i < 1000; i++)
		x = x & 1 ? x * 3 + 1 : x >> 1 | x << 31;
	return x;
}
static void *work(void *x)
{
	while (!over)
		*(unsigned *)x = heat(*(unsigned *)x);
	return NULL;
}
int main(void)
{
	unsigned values[3] = { 1, 2, 3 };
	pthread_t threads[3];
	char byte;
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, work, &values[i]);
	over = read(0, &byte, 1) >= 0;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	puts("over");
	return 7;
}
SOURCE
# Its name is its own: another of the name, elsewhere on the machine, would be recorded, too.
name=quiet$$
$CC -O2 -g -o $name quiet.c -lpthread
$CC -O2 -g -Wall -o target "$TOP/testsuite/programs/attach-target.c" -lpthread

record() { # ARGUMENT...
	"$PATHFDO" record --source=soft -F 1000 --max-overhead=50 "$@" 2>err || fail "record $*: $(cat err)"
}

# kB of mappings that a core file would have.
dumped() {
	awk '/^Size:/ { size = $2 } /^VmFlags:/ && !/ dd/ { sum += size } END { print sum }' /proc/$pid/smaps
}

# Four threads, of which three work: nothing at all is different afterwards.
mkfifo in
./$name <in >out &
pid=$!
exec 7>in
# A thread that is being made has all signals blocked.
has_started() {
	grep -q '^Threads:.4' /proc/$pid/status && ! grep -q '^SigBlk:.*[1-9a-f]' /proc/$pid/task/*/status
}
once 10 has_started || fail "it does not start"
traces $pid >before
plain=$(dumped)
"$PATHFDO" record --source=soft -F 1000 --max-overhead=50 -p $pid -o dumped.data 2>err &
recorder=$!
once 60 grep -q ' rwxp ' /proc/$pid/maps || fail "there is no burst: $(cat err)"
once 20 eval '[ $(($(dumped) - plain)) -lt 1024 ]' || fail "a core file is larger by $(($(dumped) - plain)) kB"
kill -INT $recorder
wait $recorder || fail "the recorder ends with $?: $(cat err)"
for i in 1 2 3 4 5; do
	record -p $pid --duration=0.5 -o quiet.$i.data
	traces $pid >after
	cmp -s before after || fail "round $i: $(diff before after)"
done
record --name=$name --duration=0.5 -o named.data
# The kernel's samples of it name the same functions.
if "$PATHFDO" record --source=clock -p $pid --duration=1 -o clock.data 2>err; then
	"$PATHFDO" convert -b $name clock.data -o clock.pfdo 2>/dev/null || fail "clock samples cannot be converted"
	share=$("$PATHFDO" show clock.pfdo | awk '$4 == "heat" || $4 == "work" { sum += $1 } END { print sum }')
	check_within "share of its hot functions by the clock" "$share" 99 100
else
	grep -qE 'perf_event_paranoid|perf_event_open' err || fail "by the clock: $(cat err)"
fi
exec 7>&-
status=0
wait $pid || status=$?
check_eq "its status" $status 7
check_eq "what it prints" "$(cat out)" over
"$PATHFDO" convert -b $name quiet.?.data -o quiet.pfdo 2>/dev/null || fail "its recordings cannot be converted"
share=$("$PATHFDO" show quiet.pfdo | awk '$4 == "heat" || $4 == "work" { sum += $1 } END { print sum }')
check_within "share of its hot functions" "$share" 99 100

has_lines() { # COUNT
	[ "$(wc -l <out)" -ge "$1" ]
}

# All that makes it hard: short threads, children, a thread with all signals blocked, waits that must not end early.
rm in
mkfifo in
./target <in >out &
pid=$!
exec 7>in
children=
for i in 1 2 3; do
	"$PATHFDO" record --source=soft -F 1000 --max-overhead=50 -p $pid --duration=60 -o target.data 2>err &
	recorder=$!
	once 20 grep -q /recording /proc/$pid/maps || fail "the recorder does not come: $(cat err)"
	sleep 0.5
	echo child >&7
	once 10 has_lines $i || fail "no child"
	sleep 1.5
	kill -INT $recorder
	wait $recorder || fail "round $i: $(cat err)"
	child=$(tail -n 1 out)
	children="$children $child"
	check_eq "round $i: what is left in it" "$(left $pid)" ""
	for child in $children; do
		check_eq "round $i: what is left in its child $child" "$(left "$child")" ""
	done
done
# shellcheck disable=SC2086 # numbers are words
kill $children
echo end >&7
wait $pid || fail "it ends with $?"
check_eq "what went wrong in it" "$(tail -n 1 out)" "wrong 0, early 0, signals 0, endings 0"
"$PATHFDO" convert -b target target.data -o target.pfdo 2>/dev/null || fail "its recording cannot be converted"
for name in mix ratio; do
	"$PATHFDO" show target.pfdo | grep -qw $name || fail "$name was not recorded: $("$PATHFDO" show target.pfdo)"
done
