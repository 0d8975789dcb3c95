#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What runs with rights that the user has not is refused for that reason, and with a cure that is one: another user's
# process has not ended, and a set-user-id program is not in want of more work.
set -eu
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip "only root can change users"
command -v setpriv >/dev/null || skip "setpriv is not installed"
[ "$(cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null || echo 9)" -le 2 ] || skip "perf_event_paranoid is above 2"
chmod 755 "$T"
cd "$T"
cp "$PATHFDO" pathfdo
mkdir -m 777 out
nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"

echo 'int geteuid(void); int main(void) { return geteuid() != 0; }' >effective.c
"$CC" -o effective effective.c && chmod 4755 effective
$nobody ./effective || skip "set-user-id has no effect in $T (nosuid, no_new_privs)"

cat >busy.c <<'SOURCE'
/* Works for as many seconds of CPU time as its argument says; without an argument it waits for its end, or five minutes. */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	volatile unsigned long sum = 0;

	alarm(300);
	if (argc < 2)
		pause();
	while (clock() < atof(argv[1]) * CLOCKS_PER_SEC)
		sum++;
	return 0;
}
SOURCE
"$CC" -O2 -g -o busy busy.c
$nobody ./pathfdo record -q --source=clock -o out/own.data -- ./busy 0.5 || skip "nobody may not sample a program of its own"
[ -s out/own.data ] || fail "a user's own program is not recorded"

cp busy set && chmod 4755 set
$nobody ./pathfdo record --source=clock -o out/set.data -- ./set 0.5 2>said && fail "a set-user-id program: $(cat said)"
grep -q '^pathfdo record: .*set: nothing was recorded .*runs with other rights than yours.*record it as root' said ||
	fail "a set-user-id program: $(cat said)"
./pathfdo record -q --source=clock -o out/root.data -- ./set 0.5 || fail "root may record a set-user-id program"
cp busy other && chown 65534 other && chmod 4755 other
./pathfdo record --source=clock -o out/other.data -- ./other 0.5 2>said && fail "set-user-id of another: $(cat said)"
grep -q 'nothing was recorded .*changes its user when it starts.*-p when it runs' said || fail "set-user-id of another: $(cat said)"
./other 60 &
other=$!
sleep 0.5
./pathfdo record -q --source=clock -p $other --duration=1 -o out/other.data || fail "it cannot be recorded when it runs"
kill $other

./busy &
other=$!
trap 'kill $other; rm -rf "$T"' EXIT
for source in clock auto; do
	$nobody ./pathfdo record --source=$source -p $other --duration=1 -o out/other.data 2>said && fail "recorded root's process"
	grep -q "^pathfdo record: .*$other.*it may not be looked at.*be its user, or root" said || fail "--source=$source: $(cat said)"
	! grep -q 'has ended' said || fail "it has not ended: $(cat said)"
done
