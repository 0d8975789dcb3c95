#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# One machine function, one record, with each linker and DWARF 2, 4 and 5: a template that four units instantiate, functions
# that never ran in copies that the linker left out, and functions that nobody calls.  The counts stand in the sources.
set -eu
. "$(dirname "$0")/lib.sh"
. "$TOP/testsuite/tools/converter-lib.sh"
P=$TOP/testsuite/programs

tried=0
for linker in bfd gold lld mold; do
	if ! command -v "ld.$linker" >/dev/null; then
		echo "skip: there is no ld.$linker"
		continue
	fi
	tried=$((tried + 1))
	for flags in "-gdwarf-5" "-g -ffunction-sections -Wl,--gc-sections" \
		"-gdwarf-4 -ffunction-sections -Wl,--gc-sections -no-pie" "-gdwarf-2 -gstrict-dwarf"; do
		name=$T/$linker$(echo "$flags" | tr -d ' ,')
		for unit in 1 2 3 4; do
			# shellcheck disable=SC2086 # flags are words
			"$CXX" -O2 -fno-unroll-loops -fPIE $flags -DUNIT=$unit -c "$P/convert-copies.cc" -o "$T/unit$unit.o"
		done
		# shellcheck disable=SC2086
		"$CXX" -O2 $flags -fuse-ld="$linker" "$T"/unit[1-4].o -o "$name"
		exact "$name"
		convert "$name"
		check_lines "$name.txt" "$P/convert-copies.h" "$P/convert-copies.cc"
		check_eq "$name: records of the template" "$(grep -c '^function _Z6foldedIiET_S0_ ' "$name.txt")" 1
		grep -qE '^function _Z6foldedIiET_S0_ .* head 100 ' "$name.txt" || fail "$name: the template was entered 100 times"
		if grep -E '^function .*(never_ran|left_out)' "$name.txt"; then
			fail "$name: these never ran"
		fi
		check_within "$name: percent mapped" "$(sed -nE 's/.* ([0-9.]+)% of it mapped.*/\1/p' "$name.said")" 90 100
	done
done
[ "$tried" -gt 0 ] || skip "there is no linker that -fuse-ld= knows"
