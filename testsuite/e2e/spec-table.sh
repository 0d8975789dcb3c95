#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The table that spec-configs/table makes of the suites' .csv reports, against gains computed by hand.
set -eu
. "$(dirname "$0")/lib.sh"
command -v perl >/dev/null || skip "perl is not installed"
table=$TOP/spec-configs/table

# report FILE TIME-OF-MCF-1,2,3 TIME-OF-OMNETPP STATUS-OF-LBM: laid out as CPU 2017 does for peak runs.
report() {
	local file=$1 omnetpp=$3 status=$4 time
	{
		echo '"SPEC CPU(R)2017 Integer Rate Result"'
		echo
		echo '"Full Results Table"'
		echo
		echo 'Benchmark,"Base # Copies","Est. Base Run Time","Est. Base Rate","Base Selected","Base Status","Peak # Copies","Est. Peak Run Time","Est. Peak Rate","Peak Selected","Peak Status",Description'
		for time in ${2//,/ }; do
			echo "505.mcf_r,,,,,NR,1,$time,5.0,0,S,\"Full iteration, base and \"\"peak\"\"\""
		done
		echo "520.omnetpp_r,,,,,NR,1,$omnetpp,4.0,0,S,x"
		echo "519.lbm_r,,,,,NR,1,77,4.0,0,$status,x"
		echo
		echo '"Selected Results Table"'
		echo
		echo 'Benchmark,"Peak Run Time","Peak Status"'
		echo '505.mcf_r,1,S'
	} >"$file"
}

# Medians: base 110, instr 100 (+10%), soft 104.76 (+5%).  omnetpp: 200, 160 (+25%), 166.667 (+20%).  lbm failed in instr.
report "$T/base.csv" 100,110,140 200 S
report "$T/instr.csv" 100,99,101 160 RE
report "$T/soft.csv" 104.761904,104,106 166.666667 S
report "$T/cost.csv" 111.1,111.1,111.1 202 S
"$table" --json "$T/table.json" base="$T/base.csv" instr="$T/instr.csv" soft="$T/soft.csv" record_soft="$T/cost.csv" >"$T/out"

# row NAME: the columns of its first line, one blank between.
row() {
	grep -F -m1 -e "$1" "$T/out" | tr -s ' '
}
check_eq "the head" "$(row 'gain over base')" 'gain over base language instr soft'
check_eq "mcf" "$(row 505.mcf_r)" '505.mcf_r C +10.0% +5.0%'
check_eq "omnetpp" "$(row 520.omnetpp_r)" '520.omnetpp_r C++ +25.0% +20.0%'
check_eq "lbm, whose instr failed" "$(row 519.lbm_r)" '519.lbm_r C - +0.0%'
# sqrt(1.10 * 1.25) and sqrt(1.05 * 1.20); shares of the arithmetic means, 12.5 of 17.5.
check_eq "the means" "$(row 'all (')" 'all (2) +17.3% +12.2%'
check_eq "the share" "$(row "of instr's gain")" " of instr's gain 100% 71%"
check_eq "C++ alone" "$(row 'C++ (')" 'C++ (1) +25.0% +20.0%'
check_eq "the failure" "$(tail -n 1 "$T/out")" "519.lbm_r: instr: status RE in $T/instr.csv, not counted"
# 111.1 of 110 and 202 of 200, each 1%, and lbm with nothing.
check_eq "the cost of collecting" "$(sed -n '/cost of/,$p' "$T/out" | grep -m1 '^mean' | tr -s ' ')" 'mean +0.7%'

# bad PATTERN ARGUMENT...
bad() {
	local pattern=$1
	shift
	if "$table" "$@" >"$T/out" 2>"$T/said"; then
		fail "accepted: $*"
	fi
	grep -qE -e "$pattern" "$T/said" || fail "'$*' says '$(cat "$T/said")', want /$pattern/"
	[ ! -s "$T/out" ] || fail "'$*' prints a table"
}
echo 'a log, no report' >"$T/a.log"
bad 'no .Full Results Table.' base="$T/a.log"
bad "no variant 'sofd'" sofd="$T/soft.csv"
bad 'none.csv: No such file' base="$T/none.csv"
bad 'usage' --json
sed 's/Peak/Best/g' "$T/base.csv" >"$T/only-base.csv"
bad 'peak builds' base="$T/only-base.csv"

command -v python3 >/dev/null || skip "there is no python3 to read JSON; the table itself is right"
python3 - "$T/table.json" <<'END' || fail "the comparison is wrong"
import json, sys
comparison = json.load(open(sys.argv[1]))
assert comparison["format"] == "pathfdo-comparison" and comparison["version"] == 1
programs = {p["name"]: {v["name"]: v for v in p["variants"]} for p in comparison["programs"]}
mcf = programs["505.mcf_r"]
assert mcf["instr"]["references"][0]["seconds"] == [100, 99, 101]
assert mcf["instr"]["references"][0]["base_seconds"] == [100, 110, 140]
assert mcf["soft"]["collection"]["plain_seconds"] == [100, 110, 140]
lbm = programs["519.lbm_r"]["instr"]
assert lbm["references"] == [] and lbm["error"].startswith("The run failed")
assert programs["519.lbm_r"]["soft"]["error"] is None
END
