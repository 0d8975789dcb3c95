#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The program's end is passed on: exit status, signals, crashes; what cannot run or cannot be recorded says so, and leaves
# nothing behind.  With the stand-in for the recorder library, so that it tests the outside alone.
set -eu
. "$(dirname "$0")/lib.sh"
command -v perf >/dev/null || skip "perf is not installed"

fake agent
export PATHFDO_RECORDER=$T/agent.so TMPDIR=$T/tmp
mkdir "$TMPDIR"
cd "$T"

# run WANT ARGUMENT...: records, keeps standard error, checks the exit status.
run() {
	local want=$1 got=0
	shift
	rm -f perf.data perf.data.old
	"$PATHFDO" record "$@" >out 2>err || got=$?
	check_eq "exit status of 'record $*' ($(cat err))" "$got" "$want"
	check_eq "files left in TMPDIR by 'record $*'" "$(ls "$TMPDIR")" ""
	check_eq "files left beside the output by 'record $*'" "$(ls | grep 'data\.' || true)" ""
}

says() {
	grep -qF -- "$1" err || fail "standard error lacks '$1': $(cat err)"
}

recorded() {
	[ -s perf.data ] || fail "no recording: $(cat err)"
	perf script -i perf.data --show-mmap-events >/dev/null 2>perf.err || fail "perf script: $(cat perf.err)"
}

absent() {
	[ ! -e perf.data ] || fail "a recording that should not be there"
}

run 0 --source=soft -- sh -c 'echo words from the program'
recorded
check_eq "the program's output" "$(cat out)" "words from the program"
says '[ pathfdo record: 3 bursts, 3072 branches, '
says '-> perf.data; recorder cost 0.31% of 0.100 s CPU ]'
run 7 --source=soft sh -c 'exit 7'
recorded
for signal in 11 6 8; do
	run $((128 + signal)) --source=soft sh -c "kill -$signal \$\$"
	says "sh was killed by signal $signal (its own crash; the recording is kept)"
	recorded
done
run 137 --source=soft sh -c 'kill -9 $$'
says 'sh was killed by signal 9 (the recording is kept)'
recorded

# What the program inherits is what it would without us: descriptors, closed ones too, and ignored signals; and what it
# writes to a stream that is closed does not get into the recording.
cat >inherits.sh <<'SCRIPT'
readlink /proc/$$/fd/* >seen
grep SigIgn /proc/$$/status >>seen
echo this is not for the recording
echo nor is this >&2
SCRIPT
clock=$(! samples_by_clock || echo clock)
for source in soft $clock; do
	for close in '' '<&-' '>&-' '2>&-' '<&- >&-' '<&- >&- 2>&-'; do
		want=0 got=0
		(trap '' XFSZ && eval "exec sh inherits.sh $close") >/dev/null 2>&1 || want=$?
		mv seen plain
		(trap '' XFSZ && eval "exec '$PATHFDO' record -F 10000 --source=$source sh inherits.sh $close") >/dev/null 2>&1 ||
			got=$?
		[ $source = clock ] || check_eq "status with '$close'" $got $want
		cmp plain seen >&2 || fail "with '$close' the program inherits $(cat seen), alone $(cat plain)"
		[ $source = clock ] || recorded
		! grep -aqE 'this|fair' perf.data || fail "with '$close' the program writes into its recording"
	done
done

# Nothing to run.
run 127 --source=soft no-such-program-here
says 'no-such-program-here'
absent
run 126 --source=soft /etc/passwd
absent
printf '#!/no/such/interpreter\n' >script
chmod +x script
run 127 --source=soft ./script
says 'cannot run'
absent

# A program of another machine is no script.
printf '\177ELF\002\001\001\000\000\000\000\000\000\000\000\000\002\000\267\000echo ran >ran\n' >foreign
chmod +x foreign
for source in soft $clock; do
	run 126 --source=$source ./foreign
	says 'cannot run'
	absent
done
printf 'echo plain\n' >plain.sh
chmod +x plain.sh
run 0 --source=soft ./plain.sh
check_eq "what a script without #! prints" "$(cat out)" plain

# Nothing recorded; the program's own failure goes before ours.
FAKE_AGENT=bursts=0 run 1 --source=soft true
says 'nothing was recorded'
absent
FAKE_AGENT=bursts=0 run 3 --source=soft sh -c 'exit 3'
absent
FAKE_AGENT=unborn run 1 --source=soft true
says 'too short for a burst'
absent
# Above the kernel's tick a higher rate is no advice.
FAKE_AGENT=bursts=0 run 1 --source=soft -F 100000 true
says 'nothing was recorded'
! grep -q "kernel's tick" err || ! grep -q 'higher -F' err || fail "advice that cannot help: $(cat err)"
absent
FAKE_AGENT=bursts=0,refuse=2 run 1 --source=soft true
says 'nothing was recorded; not recorded were 1 thread: they run with a CET shadow stack'
absent
FAKE_AGENT=bursts=0,deny=9 run 1 --source=soft sh -c '(true); exit 0'
says 'not recorded were 1 process: a system-call filter (seccomp) is in force; record it with --source=clock'
absent
FAKE_AGENT=deny=9 run 0 --source=soft sh -c 'sh -c true; exit 0'
says '2 processes not recorded: a system-call filter (seccomp) is in force'
recorded
for source in $clock; do
	run 1 --source=$source -F 1 true
	says 'nothing was recorded'
	absent
done

# Some threads refused, bursts that stand for more than themselves: said, and kept.
FAKE_AGENT=refuse=1,generation=2 run 0 --source=soft true
says '1 thread not recorded: the program uses the GS segment itself'
says 'of 12 bursts a fair sample of 3 fits into --limit'
recorded

# A damaged section: named, the other processes' are kept.
FAKE_AGENT=damage run 0 --source=soft sh -c 'FAKE_AGENT= sh -c true; exit 0'
says '1 section is damaged, the rest of the recording is kept: section 0 (process '
says '[ pathfdo record: 3 bursts,'
recorded
FAKE_AGENT=damage run 1 --source=soft true
says 'a burst has an edge that is not there'
absent
FAKE_AGENT=truncate run 1 --source=soft true
says 'the file ends there'
absent
FAKE_AGENT=foreign run 1 --source=soft true
says 'not a recording of the software recorder'
absent

# Outputs that cannot be written are found before the program runs.
mkdir folder
for output in /nonexistent/x.data folder /dev/full; do
	got=0
	"$PATHFDO" record --source=soft -o "$output" sh -c 'echo ran >ran' 2>err || got=$?
	check_eq "exit status with -o $output ($(cat err))" "$got" 1
	says "$output"
	[ "$output" = /dev/full ] || [ ! -e ran ] || fail "the program ran although $output cannot be written"
	# That cannot be known before, so what was recorded stays in the recorder's folder.
	[ "$output" != /dev/full ] || rm -r "$TMPDIR"/pathfdo-kept.* || fail "what was recorded is lost: $(cat err)"
done
check_eq "files in the output folder" "$(ls folder)" ""

# An earlier recording stays until the new one is whole.
run 0 --source=soft true
cp perf.data before
FAKE_AGENT=foreign "$PATHFDO" record --source=soft true 2>err && fail "a damaged file was accepted"
cmp -s perf.data before || fail "a failed recording has changed the earlier one"

# No room for the vectors.
got=0
TMPDIR=/nonexistent "$PATHFDO" record --source=soft true 2>err || got=$?
check_eq "exit status without a temporary folder" "$got" 1
says '/nonexistent'

# The limit on file sizes holds for the recorder's file as well: less than one process needs is said, more is enough.
got=0
(ulimit -f 20000 && exec "$PATHFDO" record --source=soft true) 2>err || got=$?
check_eq "exit status under a small limit on file sizes" "$got" 1
says "raise 'ulimit -f'"
(ulimit -f 100000 && exec "$PATHFDO" record --source=soft true) 2>err || fail "100 MB are not enough: $(cat err)"
recorded

# A recorder library whose path ld.so would split is reached through a link.
mkdir 'with blank'
cp agent.so 'with blank/agent.so'
PATHFDO_RECORDER="$T/with blank/agent.so" run 0 --source=soft true
recorded
PATHFDO_RECORDER=$T/none.so run 1 --source=soft true
says "$T/none.so"
