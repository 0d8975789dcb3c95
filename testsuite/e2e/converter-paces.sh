#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A program of three functions, of which one waits for memory at each branch, and the others do more or less between two;
# it says itself how often their loops have turned.  Bursts begin in each as often as it takes time.  A recording of
# three seconds on a busy machine is noisy, and of its few times so few may hold that convert leaves the weights as they
# are; so more is recorded, up to five times as much, until they do some good (how much good, on exact times,
# unit/converter-pace says).
set -eu
. "$(dirname "$0")/lib.sh"

$CC -O2 -g "$TOP/testsuite/programs/convert-paces.c" -o "$T/paces"
# ratios HOW: of what is counted of waits, dense and sparse to what ran; and the largest over the smallest
ratios() {
	"$PATHFDO" convert -q --weight=$1 -b "$T/paces" "$T"/p.*.data -o "$T/p.pfdo" || fail "convert --weight=$1 fails"
	"$PATHFDO" show --text "$T/p.pfdo" | awk -v exact="$(cat "$T"/exact.* | xargs)" '
		$1 == "function" { name = $2 }
		$1 == "taken" && $3 > most[name] { most[name] = $3 }
		END {
			split("waits dense sparse", names)
			split(exact, ran)
			for (i = 1; i in ran; i++) turns[(i - 1) % 3 + 1] += ran[i]
			for (i = 1; i <= 3; i++) sum += ratio[i] = most[names[i]] / turns[i]
			least = largest = ratio[1]
			for (i = 1; i <= 3; i++) {
				printf "%.2f ", 3 * ratio[i] / sum
				least = ratio[i] < least ? ratio[i] : least
				largest = ratio[i] > largest ? ratio[i] : largest
			}
			print largest / (least + 1e-9)
		}'
}

for part in 1 2 3 4 5; do
	"$PATHFDO" record --source=soft -F 1000 --max-overhead=50 -o "$T/p.$part.data" -- "$T/paces" 3 >"$T/exact.$part" \
		2>"$T/record.log" || unrecorded "$T/record.log"
	time=$(ratios period)
	rate=$(ratios rate)
	echo "waits, dense, sparse, spread by time: $time; by rate: $rate"
	check_within "spread by time" "${time##* }" 6 1000
	most=$(awk '{ print $4 * .95 }' <<<"$time")
	awk -v is="${rate##* }" -v most="$most" 'BEGIN { exit !(is <= most) }' && exit
done
fail "five recordings' spread by rate, which by time is ${time##* }: got '${rate##* }', want at most $most"
