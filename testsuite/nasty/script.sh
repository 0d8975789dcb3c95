#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A shell script as they are: pipes, subshells, traps, background jobs and waits, here-documents, exit statuses, killed
# children, a program's environment passed on, a loop of small commands.  Hard because nearly all of its processes are too
# short to be recorded, and every one of them starts with the recorder.
trap 'echo "usr1 in $depth"' USR1
depth=main
kill -USR1 $$
(trap 'echo inner; exit 9' TERM; kill -TERM "$(sh -c 'echo $PPID')"; echo not here)
echo "subshell $?"
for i in 1 2 3 4 5 6 7 8 9 10; do
	printf '%s\n' "$i $(expr $i \* $i)" | sed 's/ / squared is /' | tr a-z A-Z
done
seq 1 20000 | awk '{ s += $1 * $1 % 7 } END { print s }'
seq 1 30000 | sort -r | head -n 3
seq 1 30000 | sort -n | md5sum
sh -c 'kill -SEGV $$' 2>/dev/null
echo "segv $?"
sh -c 'kill -61 $$' 2>/dev/null
echo "61 $?"
sh -c 'exit 77'
echo "exit $?"
sleep 100 &
background=$!
kill $background
wait $background 2>/dev/null
echo "sleep $?"
(sleep 0.05; echo late) &
wait
NASTY=value env -i NASTY=other sh -c 'echo "$NASTY"; env | grep -c .' | head -n 1
cat <<END | wc -l
one
two
END
timeout 0.2 sleep 10
echo "timeout $?"
read -r line
echo "input: $line"
yes | head -n 100000 | wc -c
false | true && echo "pipe $?"
awk 'BEGIN { for (i = 0; i < 1500000; i++) s = (s * 31 + i) % 1000003; print s }'
