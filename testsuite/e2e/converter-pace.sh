#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A region that waits for memory and one that does not have what they ran, though bursts begin by time: four stages of
# equally many turns, one of which waits for memory, one has next to nothing between two branches, one 30 multiplications,
# one a division.  Each should have one share; at least half of what bursts by time are off must go.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
$CC -O2 -g -fno-ipa-icf -D_GNU_SOURCE "$TOP/testsuite/programs/begin-stages.c" -o stages || fail "the program does not compile"
"$PATHFDO" record --source=soft --begin=timer -o app.data -- ./stages paces 700 20000 2>said ||
	fail "the recording fails: $(tail -n 1 said)"

# shares WEIGHT: those of the four stages; 1 is what each should have.
shares() {
	"$PATHFDO" convert -q --weight="$1" -b stages app.data -o "$1.pfdo" 2>said || fail "convert fails: $(tail -n 1 said)"
	"$PATHFDO" show "$1.pfdo" | awk '$4 ~ /^stage[1-4]$/ { n[$4] = $2; sum += $2 }
		END { for (i = 1; i <= 4; i++) printf "%s%.2f", i == 1 ? "" : " ", 4 * n["stage" i] / sum }'
}

# off SHARE...: by how much they are off, on the mean.
off() {
	echo "$@" | awk '{ for (i = 1; i <= NF; i++) sum += $i > 1 ? $i - 1 : 1 - $i; printf "%.3f", sum / NF }'
}

by_time=$(shares period)
by_rate=$(shares rate)
# shellcheck disable=SC2086 # four words
echo "by time $by_time, by rate $by_rate"
check_within "what is left, by rate ($by_rate), of what is off by time ($by_time)" \
	"$(awk -v rate="$(off $by_rate)" -v time="$(off $by_time)" 'BEGIN { printf "%.3f", rate / time }')" 0 0.5
"$PATHFDO" convert -q -b stages app.data -o usual.pfdo
cmp -s usual.pfdo rate.pfdo || fail "rate is not the default"
