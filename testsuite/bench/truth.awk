# SPDX-License-Identifier: GPL-3.0-or-later
# A plugin report with the truth switch: one line `FUNCTIONS BLOCK-ERROR BRANCH-ERROR` over the whole program.  Weighted
# by gcov's counts, and function by function brought to one sum, as the plugin itself does it for a unit.
function numbers(key, into,   text) {
	if (!match($0, "\"" key "\":\\[[0-9,]*\\]"))
		return 0
	text = substr($0, RSTART + length(key) + 4, RLENGTH - length(key) - 5)
	return split(text, into, ",")
}

function value(key) {
	if (!match($0, "\"" key "\":[0-9.e+-]+"))
		return 0
	return substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3) + 0
}

/^{"truth":/ {
	n = numbers("estimate", estimate)
	numbers("gcov", gcov)
	estimated = counted = 0
	for (i = 1; i <= n; i++) {
		estimated += estimate[i]
		counted += gcov[i]
	}
	scale = estimated > 0 ? counted / estimated : 0
	for (i = 1; i <= n; i++) {
		d = estimate[i] * scale - gcov[i]
		difference += d < 0 ? -d : d
	}
	truth += counted
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
