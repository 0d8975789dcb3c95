#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Children that a program forks, and programs that replace it, are in the recording, each with its own mappings.
set -eu
. "$(dirname "$0")/lib.sh"
command -v perf >/dev/null || skip "perf is not installed"

fake agent
cd "$T"
cat >work.c <<'SOURCE'
int main(void)
{
	volatile unsigned long sum = 0;

	for (unsigned long i = 0; i < 60000000; i++)
		sum += i;
	return 0;
}
SOURCE
$CC -O1 -g -o first work.c
$CC -O1 -g -o second work.c
$CC -O1 -g -o third work.c
printf '#!/bin/sh\n./first\n(./second)\nexec ./third\n' >all
chmod +x all

# Two forked children, and the script itself replaced by the third: four images in three processes.
PATHFDO_RECORDER=$T/agent.so "$PATHFDO" record --source=soft --raw ./all 2>err || fail "$(cat err)"
perf script -i perf.data --show-mmap-events --show-task-events >events 2>/dev/null
for program in first second third; do
	grep -q "PERF_RECORD_MMAP2.*/$program\$" events || fail "$program is not in the recording"
done
check_eq "program images" "$(grep -c 'PERF_RECORD_COMM exec' events)" 4
check_eq "processes" "$(grep -c PERF_RECORD_FORK events)" 3
check_eq "ended processes" "$(grep -c PERF_RECORD_EXIT events)" 3
# perf resolves each image's samples in its own mappings: three bursts of nine stacks.
perf script -i perf.data -F ip,dso 2>/dev/null | sed -n 's|.*/\([a-z]*\))$|\1|p' | sort | uniq -c >samples
for program in first second third; do
	check_eq "samples of $program" "$(awk -v p=$program '$2 == p { print $1 }' samples)" 27
done

"$PATHFDO" doctor >doctor || true
grep -q '^clock *works' doctor || exit 0
"$PATHFDO" record --source=clock -o clock.data ./all 2>err || fail "$(cat err)"
# The three do the same work; how long a processor takes for it is its own affair.  Samples under another's name would
# leave one of them without any.
perf script -i clock.data -F comm 2>/dev/null | sort | uniq -c >shares
all=$(awk '$2 ~ /^(first|second|third)$/ { n += $1 } END { print n + 0 }' shares)
check_within "samples of the three by clock" "$all" 15 10000
for program in first second third; do
	check_within "samples of $program by clock, of $all" "$(awk -v p=$program '$2 == p { print $1 }' shares)" \
		$((all / 20)) $((all * 4 / 5))
done
