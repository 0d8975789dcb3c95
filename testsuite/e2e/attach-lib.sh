# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Shared by the tests of attaching: what a process shows to the outside.

[ -e /proc/self/syscall ] || skip "the kernel does not tell where a thread is"

# A process that is no child may be traced by whom the system lets.
printf '#include <stdlib.h>\n#include <sys/ptrace.h>\nint main(int c, char **v) { return c != 2 || ptrace(PTRACE_SEIZE, atoi(v[1]), 0, 0) != 0; }\n' |
	$CC -w -x c - -o "$T/may-trace"
sleep 60 &
may=$!
# Until then it is this shell, which ends as this shell does: it would remove $T.
until [ "$(cat /proc/$may/comm)" = sleep ]; do sleep 0.01; done
"$T/may-trace" $may || { kill $may && skip "processes may not be traced here"; }
kill $may

# traces PID: its mappings, timers, signals (of all threads) and descriptors.
traces() {
	local thread
	cat "/proc/$1/maps"
	cat "/proc/$1/timers" 2>/dev/null || true
	for thread in /proc/"$1"/task/*; do
		echo "${thread##*/}"
		grep -E '^Sig(Blk|Ign|Cgt|Pnd)|^ShdPnd' "$thread/status"
	done
	find "/proc/$1/fd" -type l -printf '%f %l\n' | sort -n
}

# left PID: lines of its mappings and signals that can only be a recorder's.  A process that has ended, or was killed by what
# was left in it, shows none.
left() {
	grep -q . "/proc/$1/maps" 2>/dev/null || echo "$1 has ended"
	grep -E 'rwx|r-xp 00000000 00:00 0 *$|pathfdo-record' "/proc/$1/maps" 2>/dev/null || true
	cat /proc/"$1"/task/*/status 2>/dev/null | awk '/^Sig(Cgt|Pnd)/ && $2 ~ /^[13579bdf]/'
	cat "/proc/$1/timers" 2>/dev/null || true
}

# once SECONDS COMMAND...: until the command succeeds.
once() {
	local attempts=$((20 * $1))
	while ! "${@:2}"; do
		[ $((attempts -= 1)) -gt 0 ] || return 1
		sleep 0.05
	done
}
