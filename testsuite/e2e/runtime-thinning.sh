#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Many short commands: most are run without the recorder, all are counted, and what is not short is recorded.  How many
# are left out follows from the rules in runtime/agent/thinning.c, whatever the machine's speed.
set -eu
. "$(dirname "$0")/lib.sh"
command -v perf >/dev/null || skip "perf is not installed"
. "$(dirname "$0")/agent-lib.sh"

export PATHFDO_SEED=1
cd "$T"
cat >none.c <<'SOURCE'
int nothing;
SOURCE
$CC -shared -fPIC -o none.so none.c
cat >tool.c <<'SOURCE'
#include <stdio.h>

__attribute__((noinline)) static int long_part(void)
{
	volatile unsigned sum = 0;

	for (unsigned i = 0; i < 600000000; i++)
		sum += i ^ 3;
	return sum == 1;
}

int main(void)
{
	return getchar() == 'l' && long_part();
}
SOURCE
$CC -O1 -g -o tool tool.c

printf s >short
printf l >long

# thinned ARGUMENT... SCRIPT: records the script; LEFT commands of ALL went without the recorder.
thinned() {
	rm -f perf.data
	"$PATHFDO" record --source=soft "${@:1:$#-1}" sh -c "${!#}" >out 2>err || fail "record: $(cat err)"
	LEFT=$(sed -n 's/.*: \([0-9]*\) of \([0-9]*\) commands were run without.*/\1/p' err)
	ALL=$(sed -n 's/.*: \([0-9]*\) of \([0-9]*\) commands were run without.*/\2/p' err)
	LEFT=${LEFT:-0}
}

# behind_long ARGUMENT... SCRIPT: the same behind three long runs of the tool, so that there is something to record.  What
# starts may cost, beyond those that are free, is a share of their time, which is the machine's: so it is hardly any.
behind_long() {
	thinned --max-overhead=0.2 "${@:1:$#-1}" "for i in 1 2 3; do ./tool <long; done; ${!#}"
}

# Of 150 of each, 8 + 8 + 16 are looked at before it is one of eight: 110 are left out, and some less of those to which
# the starts did not yet seem dear.  25 ms between two ticks: none of them is long on any machine.
# shellcheck disable=SC2016
behind_long -F 20 'i=0; while [ $i -lt 150 ]; do
	/bin/true; /bin/echo x; /usr/bin/expr 1 + 1; /usr/bin/basename /a/b; i=$((i + 1)); done >/dev/null'
check_eq "commands" "$ALL" 604
check_within "commands without the recorder" "$LEFT" 300 452

# New arguments each time: 32 lists of them are looked at, and 32 more before it is one of four.
# shellcheck disable=SC2016
behind_long -F 20 'i=0; while [ $i -lt 300 ]; do /usr/bin/expr $i + 1; i=$((i + 1)); done >/dev/null'
check_eq "commands" "$ALL" 304
check_within "commands with other arguments without the recorder" "$LEFT" 100 212

# env becomes another program each time: it always goes with the recorder, or what it becomes would not be counted.
# shellcheck disable=SC2016
behind_long -F 20 'i=0; while [ $i -lt 100 ]; do /usr/bin/env /bin/true; i=$((i + 1)); done'
check_eq "commands, and what they became" "$ALL" 204
check_within "commands that another became without the recorder" "$LEFT" 30 76

# system() starts another program, too, behind the library's own doors.
cat >caller.c <<'SOURCE'
#include <stdlib.h>

int main(void)
{
	return system("/bin/true");
}
SOURCE
$CC -o caller caller.c
# shellcheck disable=SC2016
behind_long -F 20 'i=0; while [ $i -lt 60 ]; do ./caller; i=$((i + 1)); done'
check_within "calls of system" "${ALL:-124}" 124 184

# What the program preloads itself is left to it.
# shellcheck disable=SC2016
LD_PRELOAD=$T/none.so behind_long -F 20 \
	'i=0; while [ $i -lt 100 ]; do /usr/bin/printenv LD_PRELOAD PATHFDO_DIR; i=$((i + 1)); done'
check_eq "lines with the program's own library" "$(grep -c 'none\.so$' out)" 100
check_eq "lines without the recorder's" "$(grep -c "^$T/none\.so\$" out)" "$LEFT"
check_within "commands without the recorder" "$LEFT" 30 76

# A tool that was always short, and is long then with the same arguments: of each eight runs one is looked at, so that
# after 15 at most it is seen, and all from then on.  With 25 ms between two ticks, no machine that is held up for a
# moment makes a short one long; the long ones last for a tenth of a second on the fastest.
cp tool other
# shellcheck disable=SC2016
thinned --raw -F 20 'i=0; while [ $i -lt 100 ]; do ./other <short; i=$((i + 1)); done
	i=0; while [ $i -lt 24 ]; do ./other <long; i=$((i + 1)); done'
check_eq "commands" "$ALL" 125
check_within "commands without the recorder" "$LEFT" 30 91
perf script -i perf.data --comm other -F pid,sym 2>/dev/null | sed -n 's/^ *\([0-9][0-9]*\) *$/\1/p' | sort -u >pids
check_within "long runs that were recorded" "$(wc -l <pids)" 5 24
