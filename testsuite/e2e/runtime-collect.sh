#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The folder of a recorder can be collected while it lives, which does not disturb it, and after it was killed; one that is
# none is told from it.  With the stand-in for the recorder library: three bursts of every process.
set -eu
. "$(dirname "$0")/lib.sh"
command -v perf >/dev/null || skip "perf is not installed"

fake agent
export PATHFDO_RECORDER=$T/agent.so TMPDIR=$T/tmp
mkdir "$TMPDIR"
cd "$T"

# Two processes: the shell, and what it starts.
start() {
	rm -f own.data
	"$PATHFDO" record --source=soft -o own.data sh -c 'sleep 60; exit 3' 2>own.err &
	recorder=$!
	for _ in $(seq 1200); do
		folder=$(echo "$TMPDIR"/pathfdo-record.*)
		"$B/tools/wiredump" "$folder" 2>/dev/null | grep -q ': starts 2 ' && return
		sleep 0.05
	done
	fail "the program did not start"
}

collect() { # WANT ARGUMENT...: the exit status; standard error is in err
	local want=$1 got=0
	shift
	rm -f some.data
	"$PATHFDO" record "$@" -o some.data 2>err || got=$?
	check_eq "exit status of 'record $*' ($(cat err))" $got "$want"
	[ "$want" = 0 ] || [ ! -e some.data ] || fail "'record $*' left an output"
}

start
for path in "$folder" "$folder"/*; do
	collect 0 --raw --collect="$path"
	grep -qF '[ pathfdo record: 6 bursts, 6144 branches, ' err || fail "not all is collected: $(cat err)"
	perf script -i some.data -F pid 2>/dev/null | sort -u >pids
	check_eq "processes of $path" "$(wc -l <pids)" 2
done

# It is alive, and shows it.
beat() {
	"$B/tools/wiredump" "$folder" 2>/dev/null | sed -n 's/.*heartbeat //p'
}
first=$(beat)
for _ in $(seq 600); do
	[ "$(beat)" = "$first" ] || break
	sleep 0.1
done
[ "$(beat)" -gt "$first" ] || fail "the heart of the recorder does not beat"
pkill -P "$(pgrep -P $recorder -x sh)" -x sleep
got=0
wait $recorder || got=$?
check_eq "exit status of the recorder that was collected" $got 3
grep -qF '[ pathfdo record: 6 bursts, 6144 branches, ' own.err || fail "it was disturbed: $(cat own.err)"
check_eq "what it leaves" "$(ls "$TMPDIR")" ""

start
children=$(pgrep -P "$(pgrep -P $recorder -x sh)")
kill -KILL $recorder "$(pgrep -P $recorder -x sh)"
wait $recorder || true
kill "$children"
collect 0 --collect="$folder"
grep -qF '[ pathfdo record: 6 bursts, 6144 branches, ' err || fail "not all of a killed recorder's is collected: $(cat err)"
[ ! -e own.data ] || fail "a killed recorder has an output"

# What is no recording, in its place.
file=$(echo "$folder"/*/recording)
mv "$file" kept
collect 1 --collect="$folder"
grep -qF "$folder: no recording of the software recorder is there" err || fail "an empty folder: $(cat err)"
echo 'thirteen bytes' | head -c 13 >"$file"
collect 1 --collect="$folder"
grep -qF "$file: not a recording of the software recorder (13 bytes" err || fail "13 bytes: $(cat err)"
rm "$file"
ln -s "$T/kept" "$file"
collect 1 --collect="$folder"
grep -qF "$file: cannot read" err || fail "a link: $(cat err)"
rm "$file"
mkfifo "$file"
collect 1 --collect="$folder"
grep -qF "$file: cannot read: it is not a plain file" err || fail "a pipe: $(cat err)"
collect 1 --collect="$T/none"
grep -qF "$T/none: no recording" err || fail "no folder: $(cat err)"
