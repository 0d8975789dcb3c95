# SPDX-License-Identifier: GPL-3.0-or-later
# Completion for bash.  It asks the command itself for its commands and options, so that it knows those of the very version
# that is there.
_pathfdo() {
	local word=${COMP_WORDS[COMP_CWORD]} pathfdo=${COMP_WORDS[0]/#\~/$HOME} command=${COMP_WORDS[1]} i

	for ((i = 2; i < COMP_CWORD; i++)); do
		[[ ${COMP_WORDS[i]} != -- ]] || return 0
	done
	if ((COMP_CWORD == 1)) || [[ $command == help && COMP_CWORD -eq 2 ]]; then
		mapfile -t COMPREPLY < <(compgen -W "help $("$pathfdo" --help 2>/dev/null | sed -n 's/^  \([a-z]*\)  .*/\1/p')" -- "$word")
	elif [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$("$pathfdo" "$command" --help 2>/dev/null |
			sed -n 's/^  \(\(-[a-zA-Z], \)\|    \)\(--[a-z-]*\).*/\3/p')" -- "$word")
	fi
}
complete -o default -F _pathfdo pathfdo
