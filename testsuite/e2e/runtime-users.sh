#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# When root records, what the program starts under other users is recorded: a program that another user executes, and a
# child that has given up its user, its root folder, its descriptors and its environment.  Nobody else can find the file.
set -eu
. "$(dirname "$0")/lib.sh"
command -v perf >/dev/null || skip "perf is not installed"
[ "$(id -u)" = 0 ] || skip "only root can change users"
command -v setpriv >/dev/null || skip "setpriv is not installed"
[ -e "$B/libpathfdo-recorder.so" ] || skip "the recorder library is not built"
cp "$B/libpathfdo-recorder.so" "$T/recorder.so"
export PATHFDO_RECORDER=$T/recorder.so
unset TMPDIR
cd "$T"

cat >drop.c <<'SOURCE'
/* Prints the process id of a child that was forked without any rights, and works for half a second of CPU time. */
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static void work(void)
{
	volatile unsigned long sum = 0;

	printf("%d\n", (int)getpid());
	fflush(stdout);
	while (clock() < CLOCKS_PER_SEC / 2)
		for (int i = 0; i < 100000; i++)
			sum += i % 3 ? i : 1;
}
int main(int argc, char **argv)
{
	pid_t child;

	if (argc > 1) {
		work();
		return 0;
	}
	child = fork();
	if (child == 0) {
		for (int fd = 3; fd < 100; fd++)
			close(fd);
		for (char *at = argv[0]; at < environ[0] + 200; at++)
			*at = 0;
		clearenv();
		if (chroot("/proc/self/fdinfo") || setgroups(0, NULL) || setgid(65534) || setuid(65534))
			_exit(1);
		child = fork();
		if (child == 0)
			work();
	}
	return child > 0 && wait(NULL) != child;
}
SOURCE
$CC -D_GNU_SOURCE -O1 -g -o drop drop.c

# recorded COMMAND...: it prints a process id, which must have samples.
recorded() {
	"$PATHFDO" record --source=soft --raw -o it.data "$@" >pid 2>err || fail "'$*' cannot be recorded: $(cat err)"
	perf script -i it.data -F pid 2>/dev/null | tr -d ' ' | sort | uniq -c >samples
	grep -q " $(cat pid)\$" samples || fail "no samples of process $(cat pid) of '$*': $(cat samples err)"
}
recorded ./drop
# Its program has a name, although there was no /proc where it had its first burst.
"$PATHFDO" convert -q -b ./drop it.data -o it.pfdo 2>err || fail "nothing is known of a program in another root folder: $(cat err)"
"$PATHFDO" show --text it.pfdo | grep -q '^function work' || fail "its function is not known: $("$PATHFDO" show --text it.pfdo)"
recorded setpriv --reuid=65534 --regid=65534 --clear-groups ./drop work

# The folder lets others pass, and not look.
"$PATHFDO" record --source=soft sh -c 'stat -c %a "${PATHFDO_DIR%/*}" "$PATHFDO_DIR" "$PATHFDO_DIR/recording"
	setpriv --reuid=65534 --clear-groups ls "${PATHFDO_DIR%/*}" 2>/dev/null || echo closed' 2>/dev/null >modes || true
check_eq "modes, and what another user sees" "$(tr '\n' ' ' <modes)" "711 711 666 closed "

# A folder that others cannot reach is not used, and that is said.
mkdir -m 700 closed
TMPDIR=$T/closed "$PATHFDO" record --source=soft -v -o it.data sh -c 'echo "$PATHFDO_DIR"; exec ./drop work' >where 2>err
grep -qF "TMPDIR $T/closed is closed to other users" err || fail "not said: $(cat err)"
if grep -q "^$T/closed" where; then fail "a closed folder is used"; fi
