#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The private folder of a recorder that was killed is removed by a later one; that of one that lives is not, nor a young
# one, nor what only has such a name.
set -eu
. "$(dirname "$0")/lib.sh"
[ -e "$B/libpathfdo-recorder.so" ] || skip "the recorder library is not built"
cd "$T"
mkdir parent elsewhere
export TMPDIR=$T/parent

start() { # leaves the recorder in $recorder and its folder in $folder
	before=$(ls parent)
	"$PATHFDO" record --source=soft -o "$1.data" sleep 60 2>/dev/null &
	recorder=$!
	for _ in $(seq 1200); do
		folder=$(ls parent | grep -vxF "${before:-none}" || true)
		[ -z "$folder" ] || ! pgrep -P $recorder -x sleep >/dev/null || return 0
		sleep 0.05
	done
	fail "the recorder made no folder"
}

start dead
dead=$folder
sleeper=$(pgrep -P $recorder)
kill -KILL $recorder
wait $recorder || true
kill $sleeper
[ -d "parent/$dead" ] || fail "a killed recorder cannot have removed its folder"
start alive
alive=$folder
[ -d "parent/$dead" ] || fail "a folder of less than a minute was removed"

touch elsewhere/kept
ln -s ../elsewhere parent/pathfdo-record.abcdef
mkdir parent/pathfdo-record.long-name
touch -d '1 hour ago' "parent/$dead" "parent/$alive" parent/pathfdo-record.long-name elsewhere
"$PATHFDO" record --source=soft -o short.data true 2>/dev/null || true
[ ! -e "parent/$dead" ] || fail "the killed recorder's folder is still there"
[ -d "parent/$alive" ] || fail "a living recorder's folder was removed"
[ -e elsewhere/kept ] && [ -L parent/pathfdo-record.abcdef ] || fail "a link was followed"
[ -d parent/pathfdo-record.long-name ] || fail "a folder with another name was removed"
kill $recorder
wait $recorder || true
[ ! -e "parent/$alive" ] || fail "the recorder did not remove its own folder"
