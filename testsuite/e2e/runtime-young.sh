#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Of many processes of some 60 ms, each with much code, some have all of their bursts, and the others none: a first burst is
# dear, and the later ones are not.  (Where each has to pay for its own first one, no process has two.)
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/agent-lib.sh"
cd "$T"
{
	echo '#include <time.h>'
	echo 'static volatile unsigned sum;'
	seq 600 | awk '{ printf "__attribute__((noinline)) static void f%d(unsigned i)\n{\n\tif (i %% 3 == %d)\n\t\tsum += i;\n\telse\n\t\tsum ^= %d;\n}\n", $1, $1 % 3, $1 }'
	echo 'static void (*const all[])(unsigned) = {'
	seq 600 | sed 's/.*/f&,/'
	echo '};'
	echo 'int main(void) { do { for (int r = 0; r < 20; r++) for (unsigned i = 0; i < 600; i++) all[i](i + r); } while (clock() < CLOCKS_PER_SEC / 1000 * 60); return 0; }'
} >work.c
$CC -O1 -g -fno-ipa-icf -o work work.c
"$PATHFDO" record --source=soft -F 250 -o app.data -- sh -c 'i=0; while [ $i -lt 60 ]; do ./work; i=$((i + 1)); done' 2>said ||
	fail "the recording fails: $(tail -n 1 said)"
"$B/tools/bursts" app.data >bursts
# Its columns: pid, tid, ppid, bursts, branches.
read -r processes bursts < <(awk '$7 == "work" && $4 > 0 { n++; sum += $4 } END { print n + 0, sum + 0 }' bursts)
echo "$bursts bursts in $processes of 60 processes: $(tail -n 1 said)"
check_within "processes with bursts" "$processes" 1 60
check_within "hundredths of a burst in each of these" $((100 * bursts / processes)) 110 2000
"$PATHFDO" convert -q -b work app.data -o app.pfdo
check_within "functions that were seen" "$("$PATHFDO" show --top=1000 app.pfdo | grep -cE ' f[0-9]+( |$)')" 300 600
