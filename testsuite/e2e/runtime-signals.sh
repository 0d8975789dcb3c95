#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Signals sent to `pathfdo record` alone reach the program, once, and so do those that it sends to its group; the recording is
# kept and the private folder removed.
set -eu
. "$(dirname "$0")/lib.sh"

fake agent
export PATHFDO_RECORDER=$T/agent.so TMPDIR=$T/tmp
mkdir "$TMPDIR"
cd "$T"
cat >counter.sh <<'SCRIPT'
n=0
trap 'n=$((n + 1)); echo "got $n"' "$1"
echo ready
while [ $n -lt "$2" ]; do i=0; while [ $i -lt 5000 ]; do i=$((i + 1)); done; done
sleep 0.2
exit $((40 + n))
SCRIPT

wait_for() {
	for _ in $(seq 1200); do
		grep -q "$2" "$1" 2>/dev/null && return
		sleep 0.05
	done
	fail "'$2' did not come: $(cat "$1")"
}

for source in soft $(! samples_by_clock || echo clock); do
	for signal in INT TERM HUP QUIT USR1 USR2 ALRM XCPU WINCH 40; do
		rm -f perf.data out
		# In a background job of a script SIGINT and SIGQUIT are ignored, and under nohup SIGHUP; env gives them back.
		env --default-signal=INT,QUIT,HUP "$PATHFDO" record --source=$source -F 1000 sh counter.sh $signal 2 >out 2>err &
		recorder=$!
		wait_for out ready
		kill -$signal $recorder
		wait_for out 'got 1'
		kill -$signal $recorder
		got=0
		wait $recorder || got=$?
		check_eq "exit status after SIG$signal twice ($source: $(cat err))" $got 42
		[ -s perf.data ] || fail "no recording after SIG$signal ($source)"
		check_eq "files left in TMPDIR after SIG$signal" "$(ls "$TMPDIR")" ""
	done
done

# Has the first process taken its section of the recording FILE?
started() {
	[ "$(tail -c +4097 "$1" 2>/dev/null | head -c 8 | tr -d '\0')" = FDOWIRE3 ]
}

# A program that dies by the signal that was passed on.
"$PATHFDO" record --source=soft sleep 30 2>err &
recorder=$!
for _ in $(seq 1200); do
	started "$TMPDIR"/pathfdo-record.*/*/recording && break
	sleep 0.05
done
kill -TERM $recorder
got=0
wait $recorder || got=$?
check_eq "exit status after SIGTERM" $got 143
grep -qF 'sleep was killed by signal 15 (the recording is kept)' err || fail "it does not say so: $(cat err)"
check_eq "files left in TMPDIR" "$(ls "$TMPDIR")" ""

# A caller that ignores SIGCHLD must not make it wait for ever.
timeout 300 env --ignore-signal=CHLD "$PATHFDO" record --source=soft true 2>err || fail "with SIGCHLD ignored: $(cat err)"

# An interrupt typed at the terminal reaches the program from the kernel already; it must not come twice.
command -v python3 >/dev/null || skip "there is no python3 to make a terminal"
python3 - "$PATHFDO" >typed <<'TYPE' || fail "typed at a terminal: $(cat typed)"
import os, pty, signal, sys

pid, terminal = pty.fork()
if pid == 0:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.execv(sys.argv[1], [sys.argv[1], "record", "--source=soft", "-o", "typed.data", "sh", "counter.sh", "INT", "1"])
text = b""
while b"ready" not in text:
    text += os.read(terminal, 4096)
os.write(terminal, b"\x03")
try:
    while True:
        text += os.read(terminal, 4096)
except OSError:
    pass
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print(status, text)
sys.exit(status != 41 or text.count(b"got") != 1)
TYPE
[ -s typed.data ] || fail "no recording after an interrupt from the terminal"

# What the program sends to its process group, itself or by a command, it gets once, and the recorder ends with it.
cat >group.sh <<'SCRIPT'
n=0
trap 'n=$((n + 1))' USR1 TERM
if [ "$2" = itself ]; then kill -"$1" 0; else sh -c "trap '' $1; kill -$1 0; sleep 0.1"; fi
i=0
while [ $i -lt 20000 ]; do i=$((i + 1)); done
echo "got $n"
exit 5
SCRIPT
for signal in USR1 TERM; do
	for sender in itself another; do
		got=0
		setsid -w "$PATHFDO" record --source=soft sh group.sh $signal $sender >out 2>err || got=$?
		check_eq "SIG$signal to the group by $sender: $(cat err)" "$(cat out), $got" "got 1, 5"
	done
done

# Nobody reads what the recorder says.
for options in "" -v; do
	rm -f perf.data ran
	got=0
	# shellcheck disable=SC2086 # no word where it is empty
	"$PATHFDO" record $options --source=soft sh -c 'sleep 0.2; kill -PIPE $$; echo not reached >ran' 2> >(true) || got=$?
	check_eq "status of a program that dies of SIGPIPE, with nobody to tell, '$options'" $got 141
	[ ! -e ran ] || fail "the program ignores SIGPIPE"
	[ -s perf.data ] || fail "no recording where nobody reads what is said, '$options'"
done
