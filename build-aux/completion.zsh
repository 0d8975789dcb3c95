#compdef pathfdo
# SPDX-License-Identifier: GPL-3.0-or-later
# Completion for zsh.  It asks the command itself for its commands and options, so that it knows those of the very version
# that is there.
local -a found
local pathfdo=${words[1]/#\~/$HOME}

if (( CURRENT == 2 )) || [[ ${words[2]} == help && CURRENT -eq 3 ]]; then
	found=(help:'read the page of a command' ${(f)"$($pathfdo --help 2>/dev/null | sed -n 's/^  \([a-z]*\)  *\(.*\)/\1:\2/p')"})
	_describe command found
elif [[ ${words[CURRENT]} == -* && -z ${words[(r)--]} ]]; then
	found=(${(f)"$($pathfdo ${words[2]} --help 2>/dev/null |
		sed -n 's/^  \(\(-[a-zA-Z], \)\|    \)\(--[a-z-]*\)[^ ]*\( [A-Z.:]*\)\{0,1\}  *\(.*\)/\3:\5/p')"})
	_describe option found
else
	_files
fi
