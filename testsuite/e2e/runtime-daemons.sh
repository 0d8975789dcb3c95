#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What a program leaves running is told, or waited for; one program of a tree can be recorded alone; a program without
# debug information is told before it runs.
set -eu
. "$(dirname "$0")/lib.sh"
"$PATHFDO" doctor >"$T/doctor" || true
grep -q '^soft *works' "$T/doctor" || skip "soft: $(sed -n 's/^soft *//p' "$T/doctor")"
cd "$T"

# Does a fixed piece and says so in a file `up`, works until a file `go` is there, then another piece, and a file `done`.
cat >daemon.c <<'SOURCE'
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static volatile unsigned long sum;
__attribute__((noinline)) static void spin(unsigned long count)
{
	for (unsigned long i = 0; i < count; i++)
		sum += i;
}
static void *work(void *nothing)
{
	(void)nothing;
	alarm(600); /* whatever becomes of the test */
	spin(300000000);
	fclose(fopen("up", "w"));
	while (access("go", F_OK) != 0)
		spin(1000000);
	spin(300000000);
	fclose(fopen("done", "w"));
	exit(0);
}
int main(int argc, char **argv)
{
	pthread_t thread;
	(void)argv;
	if (daemon(1, 0) != 0)
		return 1;
	if (argc == 1)
		work(NULL);
	/* In a thread that the first one does not wait for. */
	pthread_create(&thread, NULL, work, NULL);
	pthread_exit(NULL);
}
SOURCE
printf 'int main(void)\n{\n\tvolatile unsigned long sum = 0;\n\tfor (unsigned long i = 0; i < 200000000; i++)\n\t\tsum += i;\n\treturn 0;\n}\n' >other.c
$CC -O1 -g -o daemon daemon.c
$CC -O1 -g -o other other.c
printf '#!/bin/sh\n./other\n./daemon\n' >both
chmod +x both
ends() { # FILE: waits until it is there
	local i
	for i in $(seq 600); do [ ! -e "$1" ] || return 0; sleep 0.1; done
	fail "$1 did not come"
}

# The recording ends with the program, and tells what goes on.
"$PATHFDO" record -F 1000 -o short.data ./both 2>err || fail "$(cat err)"
: >go
grep -Eq '1 process still runs \([0-9]+\), no longer recorded; --follow-daemons waits for it' err || fail "no word of the daemon: $(cat err)"
ends done
rm -f up done

# Waited for, it is in the recording: `go` is there, so that it ends by itself.
"$PATHFDO" record -F 1000 --follow-daemons -o long.data ./both 2>err || fail "$(cat err)"
[ -e done ] || fail "record ended before the daemon"
! grep -q 'still run' err || fail "a daemon that has ended is said to run: $(cat err)"
"$PATHFDO" convert -b daemon long.data -o long.pfdo >account 2>&1 || fail "$(cat account)"
"$PATHFDO" show --text long.pfdo | grep -q '^function spin ' || fail "the daemon's work is not in the recording"
rm -f up done
"$PATHFDO" record -F 1000 --follow-daemons -o long.data ./daemon thread 2>err || fail "$(cat err)"
[ -e done ] || fail "record ended before the daemon whose first thread has"
rm -f up done go

# It has just executed a program when the other ends, and its libraries take half a second to start.
echo '#include <unistd.h>
__attribute__((constructor)) static void start(void) { usleep(500000); }' >slow.c
$CC -shared -fPIC -o libslow.so slow.c
$CC -O1 -g -o late other.c -Wl,--no-as-needed "$T/libslow.so"
"$PATHFDO" record -F 1000 --follow-daemons -o late.data sh -c './late & sleep 0.1' 2>err || fail "$(cat err)"
"$PATHFDO" convert -b late late.data -o late.pfdo >account 2>&1 || fail "record ended before what was just started: $(cat account)"

# Interrupted, the recording is kept and the daemon goes on.
"$PATHFDO" record -F 1000 --follow-daemons -o cut.data ./daemon 2>err &
recorder=$!
ends up
kill -INT $recorder
wait $recorder || fail "status $? after an interrupt: $(cat err)"
[ -s cut.data ] || fail "no recording after an interrupt"
grep -Eq '1 process still runs \([0-9]+\), no longer recorded$' err || fail "no word of the daemon: $(cat err)"
: >go
ends done

# One program of the tree, by name and by path.
nm --defined-only other daemon | awk '$2 == "T" || $2 == "t" { print $3 }' >ours
grep -qx spin ours || fail "the daemon has no such function: $(cat ours)"
for only in other "$T/other"; do
	"$PATHFDO" record -F 1000 --follow-daemons --only="$only" -o only.data ./both 2>err || fail "$(cat err)"
	"$PATHFDO" convert only.data -o only.pfdo >account 2>&1 || fail "$(cat account)"
	# A burst may be in the loader's or the C library's code, which is known where their debug information is installed.
	"$PATHFDO" show --text only.pfdo | sed -n 's/^function \([^ ]*\) .*/\1/p' | { grep -xF -f ours || true; } >functions
	check_eq "functions with --only=$only" "$(xargs <functions)" "main"
done
# Its file is removed, or another takes its place, as soon as it runs.
cat >gone.c <<'SOURCE'
#include <stdio.h>
#include <string.h>
int main(int count, char **names)
{
	if (remove(names[0]) || (count > 1 && rename(names[1], names[0])))
		return 1;
	for (volatile unsigned i = 0; i < 300000000; i++)
		continue;
	return 0;
}
SOURCE
for only in gone "$T/gone"; do
	$CC -O1 -g -o gone gone.c
	"$PATHFDO" record -F 1000 --only="$only" -o only.data sh -c '"$0"' "$T/gone" 2>err || fail "removed: $(cat err)"
	$CC -O1 -g -o gone gone.c
	cp other another
	"$PATHFDO" record -F 1000 --only="$only" -o only.data sh -c '"$0" another' "$T/gone" 2>err || fail "replaced: $(cat err)"
done
refused 1 'nothing was recorded of daemon2, but [0-9]+ bursts of other programs' record -F 1000 --only=daemon2 -o none.pfdo ./other
refused 2 '--follow-daemons, --only and --values go with --source=soft' record --source=clock --only=other -o none.pfdo ./other

# Debug information: missing, there, and in a file beside.
cp other stripped
strip -g stripped
cp other apart
objcopy --only-keep-debug apart apart.debug
strip -g apart
objcopy --add-gnu-debuglink=apart.debug apart
for program in stripped other apart; do
	"$PATHFDO" record -F 1000 -o g.data ./$program 2>err || fail "$(cat err)"
	check_eq "warnings of $program" "$(grep -c 'has no debug information' err || true)" "$([ $program != stripped ] && echo 0 || echo 1)"
done
