#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A process that executes other programs before it is recorded: one that has done nothing yet, one that cannot be recorded, the
# same again, one with other rights.  What it becomes is recorded, it is not disturbed on the way, and a recording of what
# ends meanwhile ends with it.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/attach-lib.sh"
cd "$T"

# For each byte that it reads it becomes what it is told to, with its own rights.
cat >idle.c <<'SOURCE'
#define _GNU_SOURCE
#include <unistd.h>
int main(int argc, char **argv)
{
	char byte;
	alarm(600);
	if (argc < 2 || read(0, &byte, 1) != 1 || setresuid(getuid(), getuid(), getuid()) != 0)
		return 1;
	execv(argv[1], argv + 1);
	return 2;
}
SOURCE
cat >app.c <<'SOURCE'
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static void leave_child(int signal)
{
	int child = fork();
	(void)signal;
	if (child == 0) {
		alarm(600);
		for (;;)
			pause();
	}
	dprintf(1, "%d\n", child);
	execl("/proc/self/exe", "app", (char *)0);
}
__attribute__((noipa)) unsigned heat(unsigned x)
{
	for (int i = 0; i < 1000; i++)
		x = x & 1 ? x * 3 + 1 : x >> 1 | x << 31;
	return x;
}
int main(int argc, char **argv)
{
	char byte;
	alarm(600);
	if (argc > 1 && read(0, &byte, 1) == 1)
		execl("/proc/self/exe", argv[0], (char *)0);
	if (argc == 1)
		signal(SIGUSR1, leave_child);
	for (unsigned x = 1; argc == 1; x = heat(x))
		continue;
	return 1;
}
SOURCE
app=heater$$
$CC -O2 -o idle idle.c
$CC -O2 -static -o idle-static idle.c
$CC -O2 -g -o $app app.c
mkfifo in out
trap 'kill $(jobs -p) $(cat child 2>/dev/null) 2>/dev/null || true; rm -rf "$T"' EXIT

# start COMMAND...: it reads from descriptor 7.
start() {
	"$@" <in &
	pid=$!
	exec 7>in
}

tell() {
	printf x >&7
}

# opened [PID]: the recorder has the memory of what the process runs.
opened() {
	find /proc/$recorder/fd -lname "/proc/${1:-$pid}/mem" 2>/dev/null | grep -q .
}

runs() { # PROGRAM
	[ "$(readlink /proc/$pid/exe)" = "$T/$1" ]
}

record() { # ARGUMENT...
	"${recorder_command:-$PATHFDO}" record --source=soft -F 1000 --max-overhead=50 "$@" 2>err &
	recorder=$!
}

is_recorded() {
	grep -q ' rwxp ' /proc/$pid/maps
}

# becomes_app WHAT: it is that by now, or about to be.
becomes_app() {
	once 120 runs $app || fail "$1 does not become it"
	once 120 is_recorded || fail "$1 is not recorded: $(cat err)"
	kill -INT $recorder
	wait $recorder || fail "$1: the recorder ends with $?: $(cat err)"
	! grep 'not recorded' err || fail "$1: $(cat err)"
	check_eq "what is left in $1" "$(left $pid)" ""
	"$PATHFDO" convert -b ./$app app.data -o app.pfdo 2>said || fail "$1: $(cat said)"
	check_eq "hottest function of $1" "$("$PATHFDO" show app.pfdo | awk '$1 ~ /%$/ { print $4; exit }')" heat
	rm app.data
	exec 7>&-
	kill $pid || fail "$1 has ended"
	wait $pid || true
}

start ./idle ./$app
record -p $pid -o app.data
once 60 opened || fail "it is not opened: $(cat err)"
tell
becomes_app "what has waited"

# One that is recorded leaves a child that sleeps, and is another program right after that.
start ./$app wait >child
record -p $pid -o app.data
once 60 opened || fail "it is not opened: $(cat err)"
tell
once 60 is_recorded || fail "it is not recorded: $(cat err)"
kill -USR1 $pid
once 60 test -s child || fail "no child"
becomes_app "what has left a child"
check_eq "what is left in the child" "$(left "$(cat child)")" ""
kill "$(cat child)"

start ./$app wait
record -p $pid -o app.data
once 60 opened || fail "it is not opened: $(cat err)"
tell
becomes_app "what executes itself"

# Once it cannot be recorded nothing of it is held; from then on it is looked at now and then.
start ./idle ./idle ./idle-static ./idle-static ./idle ./$app
record -p $pid -o app.data
once 60 opened || fail "it is not opened: $(cat err)"
tell
tell
once 60 runs idle-static || fail "it does not become static"
once 60 eval '! opened' || fail "a static program is held"
tell
tell
once 60 runs idle || fail "it does not become dynamic again"
once 60 opened || fail "what was static is not opened: $(cat err)"
tell
becomes_app "what was static"

# Whoever cannot be recorded at the beginning, beside one who can.
mkdir first then beside
cp idle-static first/$app
cp idle beside/$app
beside/$app /bin/true <out &
beside=$!
exec 8>out
for way in -p --name; do
	start first/$app "$T/idle" "$T/$app"
	once 60 runs first/$app || fail "it does not start"
	case $way in
	-p) record -p $pid,$beside -o app.data ;;
	*) record --name=$app -o app.data ;;
	esac
	once 60 opened $beside || fail "nobody is opened: $(cat err)"
	tell
	once 60 opened || fail "what was static at first is not opened with $way: $(cat err)"
	tell
	becomes_app "what was static at first, with $way"
done
exec 8>&-
wait $beside || true

# Other rights for a while.
if [ "$(id -u)" = 0 ]; then
	mkdir -m 755 others
	mkdir -m 777 theirs
	install -m 755 "$PATHFDO" "$B/libpathfdo-recorder.so" others
	install -m 4755 idle others/idle-root
	cat >others/record <<'END'
#!/bin/sh
exec setpriv --reuid=65534 --regid=65534 --clear-groups env TMPDIR=/tmp "${0%/*}/pathfdo" "$@"
END
	chmod 755 others/record
	start setpriv --reuid=65534 --regid=65534 --clear-groups ./idle others/idle-root ./idle ./$app
	once 60 runs idle || fail "it does not start"
	recorder_command=others/record record -p $pid -o "$T/theirs/app.data"
	once 60 opened || fail "it is not opened: $(cat err)"
	tell
	once 60 runs others/idle-root || fail "it does not get other rights"
	# Unless the folder is mounted so that nobody gets any.
	! grep -q '^Uid:.65534.0' /proc/$pid/status || once 60 eval '! opened' || fail "a program of root's is held"
	tell
	once 60 runs idle || fail "it does not get its rights back"
	once 60 opened || fail "what was root's is not opened: $(cat err)"
	tell
	once 60 is_recorded || fail "what was root's is not recorded: $(cat err)"
	kill -INT $recorder
	wait $recorder || fail "what was root's: $(cat err)"
	mv theirs/app.data app.data
	"$PATHFDO" convert -b ./$app app.data -o app.pfdo 2>said || fail "what was root's: $(cat said)"
	exec 7>&-
	kill $pid || fail "what was root's has ended"
	wait $pid || true
fi

# It is over without anything to record.
start ./idle ./idle-static /bin/true
record -p $pid -o none.data
once 60 opened || fail "it is not opened: $(cat err)"
tell
once 60 eval '! opened' || fail "a static program is held"
tell
wait $pid || fail "it ends with $?"
exec 7>&-
has_ended() {
	! kill -0 $recorder 2>/dev/null
}
once 60 has_ended || fail "the recording goes on without its program"
got=0
wait $recorder || got=$?
check_eq "status for what has ended" $got 1
