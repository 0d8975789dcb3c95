# SPDX-License-Identifier: GPL-3.0-or-later
# Several files of `pathfdo compare` as one: the first, with the programs of all and the latest date.  Text is copied,
# not understood: what counts is which bracket closes which, and the hard case is a bracket within a string.

# The whole file.
function slurp(file,    line, text) {
	while ((getline line <file) > 0)
		text = text line "\n"
	close(file)
	return text
}

# The place right behind the opening bracket of the list "programs" of the outermost object; 0 if there is none.
function find_programs(text,    i, c, depth, start) {
	for (i = 1; i <= length(text); i++) {
		c = substr(text, i, 1)
		if (c == "\"") {
			start = i
			i = end_of_string(text, i)
			if (depth == 1 && substr(text, start, i - start + 1) == "\"programs\"" && match(substr(text, i + 1), /^[ \t\n]*:[ \t\n]*\[/))
				return i + RLENGTH + 1
		} else if (c ~ /[[{]/) {
			depth++
		} else if (c ~ /[]}]/) {
			depth--
		}
	}
	return 0
}

function end_of_string(text, i) {
	for (i++; substr(text, i, 1) != "\"" && i <= length(text); i++)
		if (substr(text, i, 1) == "\\")
			i++
	return i
}

# The place of the bracket that closes the list which begins at FROM.
function find_end(text, from,    i, c, depth) {
	for (i = from; i <= length(text); i++) {
		c = substr(text, i, 1)
		if (c == "\"")
			i = end_of_string(text, i)
		else if (c ~ /[[{]/)
			depth++
		else if (c ~ /[]}]/ && depth-- == 0)
			return i
	}
	return 0
}

BEGIN {
	for (n = 1; n < ARGC; n++) {
		text = slurp(ARGV[n])
		from = find_programs(text)
		to = from ? find_end(text, from) : 0
		if (!to) {
			printf "%s: no measurements of pathfdo compare\n", ARGV[n] | "cat >&2"
			exit 1
		}
		if (match(text, /"date": *"[^"\\]*"/) && substr(text, RSTART, RLENGTH) > date)
			date = substr(text, RSTART, RLENGTH)
		list = substr(text, from, to - from)
		if (list !~ /[^ \t\n]/)
			continue
		programs = programs (programs == "" ? "" : ",") list
		if (head == "") {
			head = substr(text, 1, from - 1)
			tail = substr(text, to)
		}
	}
	sub(/"date": *"[^"\\]*"/, date, head)
	printf "%s%s%s", head, programs, tail
}
