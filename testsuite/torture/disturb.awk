# SPDX-License-Identifier: GPL-3.0-or-later
# awk -v seed=TEXT -v how=random|hostile|stale -f disturb.awk PROFILE.txt: the same profile, wrong.
#   random   every count is another, of any size from 0 to some 2^30, and every sense of a jump another or none
#   hostile  every count is one of those that arithmetic goes wrong with, up to 2^64 - 1
#            and paths are made of the decisions of a function's own branches, in any order
#            Both claim values of every position, common enough to be believed, whatever it divides by or copies.
#   stale    the counts stay, positions move by a few lines and columns
# Functions, inline stacks and targets stay those of the program, so that the plugin uses what it is given.

function hash(text,    i, h)
{
	h = 7
	for (i = 1; i <= length(text); i++)
		h = (h * 31 + index("abcdefghijklmnopqrstuvwxyz0123456789-_", substr(text, i, 1))) % 1000003
	return h
}

function any()
{
	if (how == "hostile")
		return extremes[int(rand() * many) + 1]
	return rand() < 0.2 ? 0 : int(2 ^ (rand() * 30))
}

# LINE:COLUMN.DISCRIMINATOR, moved.
function moved(place,    part, rest)
{
	if (place !~ /^[0-9]/ || rand() < 0.5)
		return place
	split(place, part, ":")
	rest = substr(place, length(part[1]) + 1)
	return (part[1] + int(rand() * 3)) (rand() < 0.7 ? rest : "")
}

# Paths of the function that ends here; decisions[] are "FROM TO".
function paths(    i, k, line)
{
	for (i = 0; decided && i < 3 * decided && i < 300; i++) {
		line = "  path " any()
		for (k = int(rand() * 6); k >= 0; k--)
			line = line " " decisions[int(rand() * decided) + 1]
		print line
	}
	decided = 0
}

# One value of KIND that is nearly always seen.
function claim(indent, kind, value)
{
	print indent "  value " kind " " value " " 1000
	print indent "  value " kind " other " int(rand() * 3)
	print indent "  value " kind " looks " 1000
}

function claim_values(indent)
{
	claim(indent, "divisor", values[int(rand() * many_values) + 1])
	claim(indent, "size", values[int(rand() * many_values) + 1])
	print indent "  value size sum " any()
	claim(indent, "align", values[int(rand() * many_values) + 1])
	claim(indent, "power", int(rand() * 2))
	claim(indent, "quotient", int(rand() * 3))
}

BEGIN {
	srand(hash(seed how))
	many = split("0 1 2 4294967295 4294967296 137438953472 2305843009213693951 2305843009213693952 " \
		"9223372036854775807 9223372036854775808 18446744073709551614 18446744073709551615", extremes, " ")
	split("equal different less greater", senses, " ")
	many_values = split("0 1 -1 2 3 -3 4 7 8 10 16 64 4294967296 9223372036854775807 -9223372036854775808", values, " ")
}

how != "stale" && !/^ / { paths() }

/^(pathfdo-profile|unit|from) / || NF == 0 { print; next }

{
	match($0, /^ */)
	indent = substr($0, 1, RLENGTH)
	sub(/^ */, "")
}

how == "stale" {
	if ($2 == "count")
		$1 = moved($1)
	print indent $0
	next
}

{
	if ($1 == "path")
		next
	if (indent == "  ")
		from = $1
	if (indent == "    " && $1 ~ /^(fell|taken)$/ && from ~ /^[0-9]/ && $2 ~ /^[0-9]/)
		decisions[++decided] = from " " $2
	for (i = 1; i < NF; i++) {
		if ($i ~ /^(count|head|entries|total)$/)
			$(i + 1) = any()
	}
	if ($1 == "call")
		$NF = any()
	if ($1 ~ /^(fell|taken)$/) {
		$3 = any()
		$4 = senses[int(rand() * 5) + 1]
	}
	print indent $0
	if ($2 == "count")
		claim_values(indent)
}

END {
	if (how != "stale")
		paths()
}
