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

table_overlap() {
	echo "Overlap of the recorded profile with exact counts (callgrind), percent"
	rows overlap "$1" "$2" | awk '
		BEGIN {
			printf "%-9s %15s %10s %9s %9s %13s %9s %12s %16s\n", "program", "training passes", "branches", "edges",
				"blocks", "instructions", "functions", "branch error", "wrong directions"
		}
		{ printf "%-9s %15d %10d %9.1f %9.1f %13.1f %9.1f %12.2f %16.2f\n", $1, $2, $3, $4, $5, $6, $7, $8, $9 }'
}

table_truth() {
	echo "Annotation against gcov's counts at the same point"
	rows truth "$1" "$2" | awk '
		BEGIN { printf "%-9s %9s %12s %13s\n", "program", "functions", "block error", "branch error" }
		{ printf "%-9s %9d %12.3f %13.3f\n", $1, $2, $3, $4 }'
}

# What a later generation keeps is of the first's saving, of the means; where the first saves less than 1% a part of it says nothing.
table_generations() {
	echo "Instructions saved by profiles of base, of the program built with that, and of the program built with the second; percent"
	rows generations "$1" "$2" | awk '
		function line(name)
		{
			printf "%-9s %10d", name, lines
			for (g = 1; g <= 3; g++)
				printf " %9.2f (%5.2f to %5.2f)", sum[g] / lines, low[g], high[g]
			for (g = 2; g <= 3; g++)
				printf " %8s", sum[1] / lines >= 1 ? sprintf("%.0f%%", 100 * sum[g] / sum[1]) : "-"
			print ""
		}
		BEGIN {
			printf "%-9s %10s %26s %26s %26s %8s %8s\n", "program", "recordings", "first", "second", "third", "kept", "kept"
		}
		$1 != name { if (name) line(name); name = $1; lines = 0 }
		{
			for (g = 1; g <= 3; g++) {
				gain = $(g + 2)
				sum[g] = (lines ? sum[g] : 0) + gain
				low[g] = lines && low[g] < gain ? low[g] : gain
				high[g] = lines && high[g] > gain ? high[g] : gain
			}
			lines++
		}
		END { if (name) line(name) }'
}

# json TABLE FOLDER PROGRAMS
json() {
	local names
	case $1 in
	overlap) names="program passes branches edges blocks instructions functions branch_error wrong_directions" ;;
	truth) names="program functions block_error branch_error" ;;
	generations) names="program recording first second third" ;;
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
