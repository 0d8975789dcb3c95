# SPDX-License-Identifier: GPL-3.0-or-later
# A plugin report with the truth switch: one line `FUNCTIONS BLOCK-ERROR BRANCH-ERROR` over the whole program: the
# plugin's figures of each function, weighted by gcov's counts.
function sum_of(key,   text, n, i, counts, sum) {
	if (!match($0, "\"" key "\":\\[[0-9,]*\\]"))
		return 0
	text = substr($0, RSTART + length(key) + 4, RLENGTH - length(key) - 5)
	n = split(text, counts, ",")
	for (i = 1; i <= n; i++)
		sum += counts[i]
	return sum + 0
}

function value(key) {
	if (!match($0, "\"" key "\":[0-9.e+-]+"))
		return 0
	return substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3) + 0
}

/^{"truth":/ {
	counted = sum_of("gcov")
	truth += counted
	difference += counted * value("block_error")
	weight += value("branch_weight")
	branches += value("branch_weight") * value("branch_error")
	functions++
}

END {
	if (truth <= 0 || weight <= 0) {
		print "no function was compared with gcov" >"/dev/stderr"
		exit 1
	}
	printf "%d %.4f %.4f\n", functions, difference / truth, branches / weight
}
