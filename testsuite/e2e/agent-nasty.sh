#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# timeout: 1200
# Programs that were written to break a recorder behave the same with it, once each: at the default, at 20 times the rate
# without a governor; those of them that say most about translated code also with a recorder that is in the code cache
# most of the time, so where there is no FSGSBASE, in long bursts, and in a whole run. `make check-nasty` is all of them in all ways.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$TOP"
[ -e "$B/libpathfdo-recorder.so" ] || skip "$B/libpathfdo-recorder.so is not built"

chmod 755 "$T" # some of the programs run as another user
set -o pipefail

# behave MODES NAME...: one round of each.  What fails is run three rounds more, for it may have met a machine that stood
# still beyond a program's patience; it must then pass in all.  (`make check-nasty ROUNDS=20` forgives nothing.)
behave() {
	local modes=$1 again
	shift
	# shellcheck disable=SC2086 # modes are words
	testsuite/nasty/run -k "$T/nasty" $modes "$@" | tee "$T/log" && return
	mapfile -t again < <(sed -n 's/^FAIL  \([^:]*\):.*/\1/p' "$T/log")
	[ ${#again[@]} -gt 0 ] && [ ${#again[@]} -le 2 ] || return 1
	# shellcheck disable=SC2086
	testsuite/nasty/run -k "$T/nasty" -r 3 $modes "${again[@]}"
}

failed=0
behave "-m default -m 2000" || failed=1
behave "-m dense" flow instructions exceptions signals threads state-vectors state-float processes dlopen-same fault-info \
	longjmp-handler stack-overflow segment-fs selfmod-mem text-unread altstack-look || failed=1
! grep -qw fsgsbase /proc/cpuinfo ||
	behave "-m asked" flow threads segment-fs segment-gs filter filter-quiet filter-strict || failed=1
behave "-m long" flow instructions exceptions signals threads state-vectors || failed=1
behave "-m whole" instructions dlopen-many signal-held context-masks pager || failed=1
[ $failed = 0 ] || fail "the recorder changed what programs do"
