#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# timeout: 1200
# Programs that were written to break a recorder behave the same with it, once each: at the default, at 20 times the rate
# without a governor; those of them that say most about translated code also with a recorder that is in the code cache
# most of the time, and in long bursts. `make check-nasty` is all of them in all ways.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$TOP"
[ -e "$B/libpathfdo-recorder.so" ] || skip "$B/libpathfdo-recorder.so is not built"
grep -qw fsgsbase /proc/cpuinfo || skip "the processor has no FSGSBASE"

chmod 755 "$T" # some of the programs run as another user
failed=0
testsuite/nasty/run -k "$T/nasty" -m default -m 2000 || failed=1
testsuite/nasty/run -k "$T/nasty" -m dense flow instructions exceptions signals threads state-vectors state-float processes \
	dlopen-same fault-info longjmp-handler stack-overflow segment-fs selfmod-mem || failed=1
testsuite/nasty/run -k "$T/nasty" -m long flow instructions exceptions signals threads state-vectors || failed=1
[ $failed = 0 ] || fail "the recorder changed what programs do"
