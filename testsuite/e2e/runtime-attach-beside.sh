#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What runs already is recorded while a command runs beside it, as by perf: the recording ends when that does, and has its
# exit status; where the recording ends first, the command is asked to end.  The command itself is not recorded.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/attach-lib.sh"
cd "$T"
cat >busy.c <<'END'
int main(void)
{
	volatile unsigned sum = 0;

	for (;;)
		for (unsigned i = 0; i < 1000; i++)
			sum += i & 3 ? i : 1;
}
END
$CC -O1 -g busy.c -o busy
cp busy other
./busy &
pid=$!
trap 'kill $pid 2>/dev/null || true; rm -rf "$T"' EXIT
once 10 grep -q busy "/proc/$pid/maps"

# status COMMAND...: its exit status.
status() {
	local got=0
	"$@" >printed 2>said || got=$?
	echo $got
}
check_eq "status" "$(status "$PATHFDO" record -o data -p $pid -- sh -c 'echo begins; timeout 1 ./other; echo ends')" 0
check_eq "what the command printed" "$(paste -sd' ' printed)" "begins ends"
"$PATHFDO" convert -b busy data -o p.pfdo >converted 2>&1 || fail "$(cat converted)"
! grep -q "$T/other" converted || fail "the command was recorded: $(cat converted)"
check_eq "the command's status" "$(status "$PATHFDO" record -o data -p $pid sh -c 'sleep 0.5; exit 3')" 3
[ -s data ] || fail "there is no recording: $(cat said)"
check_eq "a signal's" "$(status "$PATHFDO" record -o data -p $pid sh -c 'sleep 0.5; kill -HUP $$')" 129
rm data
check_eq "status without the command" "$(status "$PATHFDO" record -o data -p $pid ./nosuch)" 127
grep -q '^pathfdo record: ./nosuch: cannot be run beside the recording: No such file' said || fail "$(cat said)"
: >plain
check_eq "where it cannot be executed" "$(status "$PATHFDO" record -o data -p $pid ./plain)" 126
[ ! -e data ] || fail "there is a recording all the same"
# The recording ends first: the command hears of it, and its status is not the recording's.
cat >waits <<'END'
#!/bin/sh
trap 'echo asked >asked; exit 9' TERM
sleep 60 &
wait
END
chmod +x waits
check_eq "status where the time is over first" "$(status "$PATHFDO" record -o data -p $pid --duration=1 ./waits)" 0
[ -s asked ] || fail "the command was not asked to end"
[ -s data ] || fail "there is no recording: $(cat said)"
check_eq "what was left in the program" "$(left $pid)" ""
rm asked
(sleep 1 && kill $pid) &
check_eq "status where the program ends first" "$(status "$PATHFDO" record -o data -p $pid ./waits)" 0
[ -s asked ] || fail "the command was not asked to end when the program had ended"
