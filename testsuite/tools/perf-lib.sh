# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# For the end-to-end tests that perf records for, after e2e/lib.sh.
command -v perf >/dev/null || skip "perf is not installed"

# perf_clock FILE COMMAND...: perf's samples of COMMAND by the processor's clock, in FILE.
perf_clock() {
	local file=$1
	shift
	perf record -q -e cpu-clock:u -o "$file" "$@" >"$T/perf.out" 2>"$T/perf.said" ||
		skip "perf records nothing here: $(head -n 1 "$T/perf.said")"
}
