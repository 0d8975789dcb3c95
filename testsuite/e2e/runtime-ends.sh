#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What bursts are a sample of, with an answer known by construction: four stages of equally many turns in which bursts
# begin by count, since a page fault comes in each turn with the same probability.  They must count alike when bursts run
# to their end, are cut by a system call, or by a fault that the program handles; and when one stage waits for memory
# and another does not, which the timer sees as often as they take time.  4000 bursts and more: chance is some 4% where
# bursts are cut, and half of that where they are not.
set -eu
. "$(dirname "$0")/lib.sh"

cd "$T"
$CC -O2 -g -fno-ipa-icf -D_GNU_SOURCE "$TOP/testsuite/programs/begin-stages.c" -o stages

# shares BEGIN BRANCHES ARGUMENT...: of the four stages, in their mean
shares() {
	local begin=$1 branches=$2
	shift 2
	"$PATHFDO" record --source=soft --begin="$begin" -F 4000 -n "$branches" --max-overhead=50 -o p.data -- ./stages "$@" \
		2>log || return 1
	"$PATHFDO" convert -q --weight=period -b stages p.data -o p.pfdo || fail "convert"
	"$PATHFDO" show --text p.pfdo | awk '
		$1 == "function" { for (i = 3; i < NF; i++) if ($i == "total") total[$2] = $(i + 1) }
		END {
			for (n = 1; n <= 4; n++) sum += total["stage" n]
			for (n = 1; n <= 4; n++) printf "%.3f ", total["stage" n] / (sum / 4)
		}'
}

# even WHAT BAND SHARE...: each within BAND of 1
even() {
	local what=$1 low high
	low=$(awk -v b="$2" 'BEGIN { print 1 - b }')
	high=$(awk -v b="$2" 'BEGIN { print 1 + b }')
	shift 2
	[ $# = 4 ] || fail "$what: there are no shares: $(tail -n 1 log)"
	echo "$what: $*"
	for share; do
		check_within "share of a stage: $what ($*)" "$share" "$low" "$high"
	done
}

found=$(shares page-faults 1024 none 30000) || {
	grep -qE "cannot begin by" log && skip "the kernel counts nothing here: $(tail -n 1 log)"
	fail "$(cat log)"
}
# shellcheck disable=SC2086 # words
even "whole bursts of 1024" 0.1 $found
# shellcheck disable=SC2046
even "whole bursts of 64" 0.2 $(shares page-faults 64 none 30000)
for kind in call fault; do
	# shellcheck disable=SC2046
	even "cut by a $kind" 0.2 $(shares page-faults 1024 $kind 30000)
done
# shellcheck disable=SC2046
even "of different pace" 0.15 $(shares page-faults 1024 paces 120 50000)

# That the stages differ at all: by the timer.
found=$(shares timer 1024 paces 120 50000)
check_within "by the timer, the stage that waits ($found)" "${found%% *}" 1.5 4
