# SPDX-License-Identifier: GPL-3.0-or-later
# Turns the manual pages of doc/ into man's language: the part of Markdown that they use (% title, # sections, terms with
# `: ` definitions, `-` lists, indented and fenced code, `code`, *variable*, **strong**).  The hard case is roff's own
# syntax: a backslash, and a dot or quote at the start of a line, must not be taken for it.
function inline(text,   out, mark, at) {
	gsub(/\\/, "\\e", text)
	gsub(/-/, "\\-", text)
	out = ""
	while (match(text, /`[^`]+`|\*\*[^*]+\*\*|\*[^*]+\*|\[[^]]+\]\([^)]+\)/)) {
		out = out substr(text, 1, RSTART - 1)
		mark = substr(text, RSTART, RLENGTH)
		text = substr(text, RSTART + RLENGTH)
		if (mark ~ /^`/)
			out = out "\\fB" substr(mark, 2, length(mark) - 2) "\\fR"
		else if (mark ~ /^\*\*/)
			out = out "\\fB" substr(mark, 3, length(mark) - 4) "\\fR"
		else if (mark ~ /^\*/)
			out = out "\\fI" substr(mark, 2, length(mark) - 2) "\\fR"
		else {
			at = index(mark, "](")
			out = out substr(mark, 2, at - 2)
		}
	}
	out = out text
	return out ~ /^[.']/ ? "\\&" out : out
}

function flush_term() {
	if (term != "")
		print inline(term)
	term = ""
}

function close_code() {
	if (code)
		print ".EE\n.RE"
	code = 0
}

/^% / {
	name = $2
	section = name
	sub(/^.*\(/, "", section)
	sub(/\).*/, "", section)
	sub(/\(.*/, "", name)
	printf ".TH %s %s \"\" \"pathfdo %s\" \"pathfdo manual\"\n", name, section, version
	next
}

/^```/ {
	flush_term()
	if (fenced) {
		fenced = 0
		close_code()
	} else {
		fenced = code = 1
		print ".PP\n.RS 4\n.EX"
	}
	next
}

fenced || /^    [^ ]/ && blank || /^    / && code {
	flush_term()
	if (!code) {
		print ".PP\n.RS 4\n.EX"
		code = 1
	} else if (blank)
		print ""
	text = fenced ? $0 : substr($0, 5)
	gsub(/\\/, "\\e", text)
	print (text ~ /^[.']/ ? "\\&" : "") text
	blank = 0
	next
}

/^#+ / {
	flush_term()
	close_code()
	level = $1
	sub(/^#+ /, "")
	printf "%s %s\n", level == "#" ? ".SH" : ".SS", inline($0)
	blank = 1
	fresh = 1
	next
}

/^[ \t]*$/ {
	flush_term()
	blank = 1
	next
}

/^: / {
	close_code()
	print ".TP\n" inline(term)
	term = ""
	sub(/^: +/, "")
	print inline($0)
	blank = 0
	next
}

/^- / {
	flush_term()
	close_code()
	sub(/^- /, "")
	print ".IP \\(bu 2\n" inline($0)
	blank = 0
	next
}

{
	close_code()
	indented = /^ /
	sub(/^ +/, "")
	flush_term()
	if (blank && !indented && !fresh)
		print ".PP"
	fresh = 0
	blank = 0
	term = $0
}

END {
	flush_term()
	close_code()
}
