# SPDX-License-Identifier: GPL-3.0-or-later
# From `pathfdo show --text` to what an AutoFDO file must hold: "FUNCTION LINE COUNT", where FUNCTION is FUNCTION>LINE:CALLEE for
# what is inlined.  With -v dump=1 the same from what dump_gcov prints.
function cut(name)
{
	sub(/\..*/, "", name)
	return name
}
function line_of(position)
{
	sub(/[:.].*/, "", position)
	return (position % 65536 + 65536) % 65536
}
function depth_here()
{
	match($0, /^ */)
	return RLENGTH / 2
}
# The highest count within a function; functions of one name add up.  What did not run in what did, once.
function finish_function(key)
{
	for (key in highest)
		sum[key] += highest[key]
	delete highest
}
dump && / total:/ {
	depth = depth_here()
	if (depth)
		where[depth] = where[depth - 1] ">" $1 $2
	else
		where[0] = $1
	next
}
dump {
	depth = depth_here()
	sub(/:$/, "", $1)
	print where[depth - 1], $1, $2
	next
}
$1 == "function" {
	finish_function()
	where[0] = cut($2)
	next
}
$1 == "inline" {
	depth = depth_here()
	where[depth] = where[depth - 1] ">" line_of($6) ":" cut($3)
	next
}
$2 == "count" && $1 ~ /^-?[0-9]/ {
	key = where[depth_here() - 1] " " line_of($1)
	if (!(key in highest) || highest[key] < $3)
		highest[key] = $3 + 0
	root = where[0]
	ran[root] = ran[root] || $3 > 0
}
END {
	finish_function()
	for (key in sum) {
		root = key
		sub(/[> ].*/, "", root)
		if (ran[root])
			print key, sum[key] ? sum[key] : 1
	}
}
