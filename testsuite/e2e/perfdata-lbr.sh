#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Real branch stacks of real hardware, which this machine may not have: every entry must be what perf script prints, as
# read and as written again.  The recordings are other people's; PATHFDO_LBR_DATA names the folder that holds them.
set -eu
. "$(dirname "$0")/lib.sh"
data=${PATHFDO_LBR_DATA:-$TOP/../shared/lbr-data}
command -v perf > /dev/null || skip "perf is not installed (apt-get install linux-perf)"
compgen -G "$data/*.perf.data" > /dev/null || skip "no hardware recordings in $data (set PATHFDO_LBR_DATA)"

tool=$T/perfdata-tool
$CC -std=c11 -D_GNU_SOURCE -I "$TOP" -o "$tool" "$TOP/testsuite/programs/perfdata-tool.c" "$B/libpathfdo.a" -lz -lzstd

# perf orders samples by time; a file need not be.
stacks() {
	sed 's/^ *//; s/  */ /g; s/ *$//' | sort
}

for file in "$data"/*.perf.data; do
	perf script -F ip,brstack -i "$file" 2> /dev/null | stacks > "$T/want"
	"$tool" brstack "$file" | stacks > "$T/got"
	[ "$(grep -c / "$T/want")" -gt 0 ] || fail "$file: perf script shows no branch stack"
	cmp "$T/want" "$T/got" || fail "$file: other branch stacks than perf script's"
	"$tool" copy "$file" "$T/copy.data"
	perf script -F ip,brstack -i "$T/copy.data" 2> /dev/null | stacks > "$T/again"
	cmp "$T/want" "$T/again" || fail "$file: perf script reads other branch stacks from our copy"
	perf script -F comm,tid,time,period --ns -i "$file" 2> /dev/null | stacks > "$T/want"
	perf script -F comm,tid,time,period --ns -i "$T/copy.data" 2> /dev/null | stacks > "$T/again"
	cmp "$T/want" "$T/again" || fail "$file: perf script reads other samples from our copy"
	echo "$(basename "$file"): $(wc -l < "$T/got") samples, $(grep -o '/0x' "$T/got" | wc -l) branches"
done
