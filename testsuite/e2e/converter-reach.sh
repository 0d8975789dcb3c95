#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A program of one system call and four equal stages, at which bursts longer than a stage are cut: equal counts are known
# by construction.  Without a correction the stages count as 1 to 3 to 5 to 7.  Recordings of two seconds are samples, and
# beside other work one of a hundred is a quarter off: what is asserted of three together is a third of that difference.
set -eu
. "$(dirname "$0")/lib.sh"

$CC -O2 -g -fno-ipa-icf "$TOP/testsuite/programs/convert-stages.c" -o "$T/stages"
for branches in 1024 65536; do
	for i in 1 2 3; do
		"$PATHFDO" record --source=soft -F 1000 -n $branches --max-overhead=50 -o "$T/$i.data" -- "$T/stages" 2 \
			>/dev/null 2>"$T/record.log" || unrecorded "$T/record.log"
	done
	"$PATHFDO" convert -b "$T/stages" "$T"/[123].data -o "$T/p.pfdo" 2>"$T/convert.log" || fail "$(tail -n 1 "$T/convert.log")"
	shares=$("$PATHFDO" show --text "$T/p.pfdo" | awk '
		$1 == "function" { for (i = 3; i < NF; i++) if ($i == "total") total[$2] = $(i + 1) }
		END {
			for (n = 1; n <= 4; n++) sum += total["stage" n]
			for (n = 1; n <= 4; n++) printf "%.3f ", total["stage" n] / (sum / 4)
		}')
	echo "$branches branches: $shares"
	for share in $shares; do
		check_within "share of a stage at $branches branches ($shares)" "$share" 0.75 1.25
	done
	grep -qE '^  [0-9.]+% of the branches stand for others that ran behind a cut' "$T/convert.log" ||
		fail "convert does not say that it completed bursts: $(cat "$T/convert.log")"
done
