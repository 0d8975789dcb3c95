#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What runs already, cannot be recorded and starts programs, as a static shell, has these recorded in its place, also where
# none is there just now; what starts none, or only the like of itself, is refused as ever.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/attach-lib.sh"
cd "$T"

# starts SECONDS [PROGRAM [ARGUMENT]...]: so long after a line of its input it starts the program, ends it by another line;
# at the end of its input it ends.
cat >starts.c <<'END'
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	char byte;

	alarm(600);
	while (read(0, &byte, 1) == 1) {
		int child;

		sleep(atoi(argv[1]));
		child = argc > 2 ? fork() : 0;
		if (child == 0 && argc > 2) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			execv(argv[2], argv + 2);
		}
		if (read(0, &byte, 1) != 1)
			break;
		if (child > 0) {
			kill(child, SIGTERM);
			waitpid(child, 0, 0);
		}
	}
	return 0;
}
END
cat >app.c <<'END'
#include <unistd.h>
__attribute__((noipa)) unsigned heat(unsigned x)
{
	for (int i = 0; i < 1000; i++)
		x = x & 1 ? x * 3 + 1 : x >> 1 | x << 31;
	return x;
}
int main(void)
{
	alarm(600);
	for (unsigned x = 1;; x = heat(x))
		continue;
}
END
$CC -O2 -static -w -o starts starts.c || skip "no static libc"
$CC -O2 -g -o app app.c
mkfifo in
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$T"' EXIT

# start SECONDS...: it reads from descriptor 7.
start() {
	./starts "$@" <in &
	pid=$!
	exec 7>in
}
tell() {
	echo -n x >&7
}
finish() {
	exec 7>&-
	wait "$pid" || fail "$1 ends with $?"
}
# child PID: the first of its children, or "".
child() {
	cut -d' ' -f1 "/proc/$1/task/$1/children"
}
has_child() {
	[ "$(child "$pid")" ]
}
runs_app() {
	[ "$(readlink "/proc/$1/exe")" = "$T/app" ]
}
# recorded WHAT: by the number of the static one.
recorded() {
	grep -q "^pathfdo record: 1 process not recorded: $pid (starts): it is statically linked" err || fail "$1: $(cat err)"
	"$PATHFDO" convert -b app data -o p.pfdo >converted 2>&1 || fail "$1: $(cat converted)"
	check_eq "$1: the hottest function" "$("$PATHFDO" show p.pfdo | awk '$1 ~ /%$/ { print $4; exit }')" heat
	rm data
}

start 0 ./app
tell
once 60 has_child || fail "there is no child"
app=$(child "$pid")
once 60 runs_app "$app" || fail "the child does not run its program"
"$PATHFDO" record --source=soft -p "$pid" --duration=2 -o data 2>err || fail "a child that is there: $(cat err)"
recorded "a child that is there"
check_eq "what is left in the child" "$(left "$app")" ""
# One that comes when the other has ended: the recording goes on between them, and ends with the one that was named.
"$PATHFDO" record --source=soft -p "$pid" -o data 2>err 7>&- &
recorder=$!
once 60 grep -q ' rwxp ' "/proc/$app/maps" || fail "the child is not recorded: $(cat err)"
tell
once 60 eval '! has_child' || fail "the child does not end"
sleep 1.5
kill -0 $recorder || fail "the recording ends with the first child: $(cat err)"
tell
once 60 has_child || fail "there is no second child"
app=$(child "$pid")
once 60 grep -q ' rwxp ' "/proc/$app/maps" || fail "the second child is not recorded: $(cat err)"
tell
once 60 eval '! has_child' || fail "the second child does not end"
finish "what starts two"
wait $recorder || fail "two children: $(cat err)"
recorded "two children"

# None is there, but has been, and will be.
start 0 ./app
tell
once 60 has_child || fail "there is no child"
tell
once 60 eval '! has_child' || fail "the child does not end"
got=0
"$PATHFDO" record --source=soft -p "$pid" --duration=2 -o data 2>err || got=$?
check_eq "status where no child comes" $got 1
grep -q "$pid (starts): it is statically linked.*--source=clock" err || fail "where no child comes: $(cat err)"
[ ! -e data ] || fail "there is a recording of nothing"
comes() {
	(sleep 0.3 && echo -n x >&7) &
	"$PATHFDO" record --source=soft -p "$pid" --duration=3 -o data 2>err
}
tries=0
until comes; do # on a busy machine it may come when the second that it is waited for is over
	[ $((tries += 1)) -lt 10 ] || fail "a child that comes: $(cat err)"
	once 60 has_child || fail "the child does not come"
	tell
	once 60 eval '! has_child' || fail "the child does not end"
done
recorded "a child that comes"
tell
finish "what waits"

# A child of a child, and children that are like their parent.
start 0 ./starts 0 ./app
tell
once 60 has_child || fail "there is no child"
got=0
"$PATHFDO" record --source=soft -p "$pid" --duration=2 -o data 2>err || got=$?
check_eq "status where the children are static" $got 1
grep -q 'statically linked.*--source=clock' err || fail "where the children are static: $(cat err)"
finish "what starts its like"
