#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# timeout: 600
# Programs written to break a recorder behave the same with it, at the default, at 20 times the rate without governor,
# and with a recorder that is in the code cache most of the time.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$TOP"
. testsuite/e2e/agent-lib.sh
build_dense
${CC:-gcc} -O2 -g -fPIC -shared '-DOPERATION=+' testsuite/programs/agent-library.c -o "$T/liba.so"
${CC:-gcc} -O2 -g -fPIC -shared '-DOPERATION=*' testsuite/programs/agent-library.c -o "$T/libb.so"

for name in flow isa signals vectors exceptions threads process rseq dlopen; do
	build_program $name
	arguments=()
	[ $name != dlopen ] || arguments=("$T/liba.so" "$T/libb.so")
	plain $name "$T/$name" "${arguments[@]}"
	recorded $name "$SO" 100 1024 10000 "$T/$name" "${arguments[@]}"
	recorded $name "$SO" 2000 1024 1000000 "$T/$name" "${arguments[@]}"
	check_within "$name: bursts at 2000 Hz" "$(bursts $name)" 20 1000000
	recorded $name "$T/dense.so" 20000 64 1000000 "$T/$name" "${arguments[@]}"
	check_within "$name: dense bursts" "$(bursts $name)" 1000 10000000
	recorded $name "$T/dense.so" 20000 65536 1000000 "$T/$name" "${arguments[@]}"
	echo "$name: same output; $(bursts $name) long bursts"
done
# A CPU clock stands still while the program waits; the dense build's does not, and interrupts it.
build_program waits
plain waits "$T/waits"
recorded waits "$SO" 100 1024 10000 "$T/waits"
recorded waits "$SO" 2000 1024 1000000 "$T/waits"
check_within "waits: bursts at 2000 Hz" "$(bursts waits)" 20 1000000
echo "waits: same output; $(bursts waits) bursts"

grep -q 'same address' "$T/dlopen.referr" || fail "dlopen: the libraries did not share an address, nothing was tested"
