# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# From measured columns to tables for people and JSON for programs.

# rows TABLE FOLDER PROGRAMS: the columns, each row with its program in front.
rows() {
	local p
	for p in $3; do
		sed "/^#/d; s/^/$p /" "$2/$1.$p"
	done
}

table_speed() {
	echo "Speed on an input that was not trained on: user seconds, instructions (callgrind), both against -O2 -g"
	rows speed "$1" "$2" | awk '
		BEGIN {
			printf "%-9s %-8s %8s %15s %9s %17s %14s %8s %s\n", "program", "variant", "median", "range", "time", \
				"95%", "instructions", "", "share of instr"
		}
		$2 == "base" { base = $9 }
		$2 == "instr" { instr = $9 }
		{
			share = ""
			if ($2 == "pathfdo" && base > instr)
				share = sprintf("%.0f%%", 100 * (base - $9) / (base - instr))
			printf "%-9s %-8s %8.3f %7.3f-%.3f %+8.1f%% %+7.1f..%+.1f%% %14d %+7.2f%% %s\n", $1, $2, $3, $4, $5, \
				100 * ($6 - 1), 100 * ($7 - 1), 100 * ($8 - 1), $9, 100 * ($9 / base - 1), share
		}'
}

table_overhead() {
	echo "Collection overhead: user and system seconds, against the same binary without (soft) or plain -O2 -g (generate)"
	rows overhead "$1" "$2" | awk '
		BEGIN { printf "%-9s %-8s %8s %15s %9s %17s\n", "program", "how", "median", "range", "overhead", "95%" }
		{
			printf "%-9s %-8s %8.3f %7.3f-%.3f %+8.2f%% %+8.2f..%+.2f%%\n", $1, $2, $3, $4, $5, 100 * ($6 - 1), \
				100 * ($7 - 1), 100 * ($8 - 1)
		}'
	echo "Output identical with and without recording, at the default and at 2000 Hz."
}

table_overlap() {
	echo "Overlap of the recorded profile with exact counts (callgrind), percent"
	rows overlap "$1" "$2" | awk '
		BEGIN { printf "%-9s %15s %10s %9s %9s %13s\n", "program", "training passes", "branches", "edges", "blocks", "instructions" }
		{ printf "%-9s %15d %10d %9.1f %9.1f %13.1f\n", $1, $2, $3, $4, $5, $6 }'
}

table_truth() {
	echo "Annotation against gcov's counts at the same point"
	rows truth "$1" "$2" | awk '
		BEGIN { printf "%-9s %9s %12s %13s\n", "program", "functions", "block error", "branch error" }
		{ printf "%-9s %9d %12.3f %13.3f\n", $1, $2, $3, $4 }'
}

# json TABLE FOLDER PROGRAMS
json() {
	local names
	case $1 in
	speed) names="program variant median least greatest ratio ratio_low ratio_high instructions" ;;
	overhead) names="program how median least greatest ratio ratio_low ratio_high" ;;
	overlap) names="program passes branches edges blocks instructions" ;;
	truth) names="program functions block_error branch_error" ;;
	esac
	rows "$1" "$2" "$3" | awk -v table="$1" -v names="$names" '
		BEGIN { n = split(names, name, " "); printf "{\"table\":\"%s\",\"rows\":[", table }
		{
			printf "%s\n {", (NR > 1 ? "," : "")
			for (i = 1; i <= n; i++)
				printf "%s\"%s\":%s", (i > 1 ? "," : ""), name[i], ($i ~ /^-?[0-9.]+$/ ? $i : "\"" $i "\"")
			printf "}"
		}
		END { print "\n]}" }'
}
