#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What the dynamic loader is asked to show of a program (ldd, LD_TRACE_LOADED_OBJECTS, --list, LD_DEBUG, sotruss)
# has nothing of the recorder in it; a program that ran so is counted, one that was only listed is not.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >work.c <<'END'
#include <pthread.h>
#include <stdio.h>
static void *run(void *x)
{
	return x;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	puts("ran");
	return 0;
}
END
$CC -O1 -o work work.c -pthread
loader=$(readelf -p .interp work | sed -n 's|.*\] *\(/.*\)|\1|p')
[ -x "$loader" ] || skip "the loader was not found: '$loader'"
cat >spins <<'END'
#!/bin/bash
for ((i = 0; i < 100000; i++)); do :; done
"$@"
END
chmod 755 spins

# shown COUNT COMMAND...: what a script has it print, but for addresses, processes' numbers and the order in which the loader
# relocates, is as without the recorder; so many programs are told to have been run without.
shown() {
	local count=$1 line
	shift
	./spins "$@" >plain 2>&1 || fail "'$*' ends with $?"
	"$PATHFDO" record --source=soft -F 1000 --max-overhead=100 -o data -- ./spins "$@" >printed 2>&1 ||
		fail "'$*', recorded, ends with $?: $(cat printed)"
	line=$(sed -n 's/^pathfdo record: \([0-9]*\) process.* not recorded: .*show what it loads.*/\1/p' printed)
	check_eq "programs of '$*' that were run without the recorder ($(grep '^pathfdo record:' printed))" "${line:-0}" "$count"
	sed -i '/^\(\[ \)*pathfdo record: /d' printed
	sed -i 's/0x[0-9a-f]*/ADDRESS/g; s/^ *[0-9]*:/PID:/' plain printed
	[ -s plain ] || fail "'$*' prints nothing"
	cmp -s plain printed || fail "'$*' prints otherwise: $(diff plain printed | head -n 5)"
}
if command -v ldd >/dev/null; then
	shown 0 ldd ./work
fi
shown 0 env LD_TRACE_LOADED_OBJECTS=1 ./work
shown 0 env LD_TRACE_LOADED_OBJECTS= "$loader" ./work
shown 0 env -i LD_TRACE_LOADED_OBJECTS=1 ./work
shown 0 "$loader" --list ./work
shown 0 "$loader" --help
shown 0 bash -c "$loader --verify ./work; echo \$?"
shown 1 env LD_DEBUG=libs ./work
shown 0 env LD_DEBUG= LD_AUDIT= ./work
# Its own work is not to be told of, either.
if command -v sotruss >/dev/null && sotruss ./work >said 2>&1 && grep -q pthread_create said; then
	shown 1 sotruss ./work
fi
