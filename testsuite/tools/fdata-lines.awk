# SPDX-License-Identifier: GPL-3.0-or-later
# The lines of an fdata file, each pair of places once with its sums, fit for a comparison: stubs of the PLT, which perf2bolt calls
# functions, are outside of all, as they are for pathfdo.
{
	sub(/1 [^ ]*@PLT [0-9a-f]+/, "0 [unknown] 0", $0)
	sub(/1 [^ ]*@PLT [0-9a-f]+/, "0 [unknown] 0", $0)
}
$1 == 0 && $4 == 0 { next }
NF == 8 {
	key = $1 " " $2 " " $3 " " $4 " " $5 " " $6
	missed[key] += $7
	count[key] += $8
}
END {
	for (key in count)
		print key, missed[key], count[key]
}
