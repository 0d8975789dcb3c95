# SPDX-License-Identifier: GPL-3.0-or-later
# From `pathfdo show --text` to counts by source line: "FILE:LINE COUNT".  A line's count in one function or inlined instance
# is the highest of its positions; instances add up.
function flush_section(key)
{
	for (key in highest)
		sum[key] += highest[key]
	delete highest
}
$1 == "function" || $1 == "inline" {
	flush_section()
	where = $1 == "function" ? $3 : $4
	file = where
	sub(/:[0-9]+$/, "", file)
	base = where
	sub(/.*:/, "", base)
	sub(/.*\//, "", file)
	next
}
$2 == "count" && $1 ~ /^-?[0-9]+:/ {
	split($1, position, ":")
	key = file ":" base + position[1]
	if (!(key in highest) || highest[key] < $3)
		highest[key] = $3
}
END {
	flush_section()
	for (key in sum)
		print key, sum[key]
}
