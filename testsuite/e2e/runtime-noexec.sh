#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Where no program may make memory executable (MemoryDenyWriteExecute= of systemd) the software recorder has no place for its code:
# that is told before anything runs, and auto takes the clock.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/agent-lib.sh"
cd "$T"
cat >denied.c <<'END'
#include <errno.h>
#include <sys/prctl.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	(void)argc;
	if (prctl(65, 1, 0, 0, 0) != 0) /* PR_SET_MDWE, of Linux 6.3: no gain of the right to execute */
		return 77;
	execvp(argv[1], argv + 1);
	return 78;
}
END
cat >spin.c <<'END'
#include <stdlib.h>
#include <time.h>
int main(int argc, char **argv)
{
	volatile unsigned sum = 0;
	while (clock() / (CLOCKS_PER_SEC / 1000) < atol(argv[argc - 1]))
		for (unsigned i = 0; i < 100000; i++)
			sum += i % 3 ? i : 1;
	return 0;
}
END
$CC -O1 -g denied.c -o denied
$CC -O1 -g spin.c -o spin
got=0
./denied true || got=$?
[ $got != 77 ] || skip "this kernel knows no PR_SET_MDWE"
refused_there() { # STATUS WORDS COMMAND...
	local want=$1 words=$2 got=0
	shift 2
	"$@" >out 2>said || got=$?
	check_eq "status of $* ($(cat said))" $got "$want"
	grep -q "$words" said || fail "$* says: $(cat said)"
}
refused_there 1 "no program here may make memory executable .*--source=clock" \
	./denied "$PATHFDO" record --source=soft -o soft.data -- ./spin 100
[ ! -e soft.data ] || fail "there is a recording"
if "$PATHFDO" record --source=clock -o clock.data -- ./spin 100 2>said; then
	./denied "$PATHFDO" record -v -o auto.data -- ./spin 100 2>said || fail "auto: $(cat said)"
	grep -q "clock" said || fail "auto does not tell that it is the clock: $(cat said)"
	[ -s auto.data ] || fail "auto leaves no recording"
fi
