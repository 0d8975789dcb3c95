#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Each command has a manual page, with exactly the long options that its --help has; pathfdo(1) has all commands.
set -eu
. "$(dirname "$0")/lib.sh"

commands=$("$PATHFDO" --help | sed -n 's/^  \([a-z]*\)  *.*/\1/p')
[ "$(echo "$commands" | wc -l)" -ge 7 ] || fail "--help lists too few commands: $commands"
check_eq "commands in pathfdo.md" "$(sed -n 's/^`\([a-z]*\)`$/\1/p' "$TOP/doc/pathfdo.md")" "$commands"
for command in $commands; do
	page=$TOP/doc/pathfdo-$command.md
	[ -f "$page" ] || fail "there is no $page"
	check_eq "title of $page" "$(head -n 1 "$page")" "% PATHFDO-${command^^}(1)"
	"$PATHFDO" "$command" --help >"$T/help" || fail "$command --help ends with $?"
	check_eq "options in $page" "$(grep '^`-' "$page" | grep -o -- '--[a-z-]*' | sort -u | tr '\n' ' ')" \
		"$(sed -n 's/^  \(\(-[a-zA-Z], \)\|    \)\(--[a-z-]*\).*/\3/p' "$T/help" | sort -u | tr '\n' ' ')"
done

# `help` opens what is installed, be it packed or not.
mkdir -p "$T/root/bin" "$T/root/share/man/man1" "$T/fakes"
cp "$PATHFDO" "$T/root/bin/pathfdo"
printf '#!/bin/sh\necho "page $1"\n' >"$T/fakes/man"
chmod +x "$T/fakes/man"
for page in pathfdo-merge.1 pathfdo-merge.1.gz; do
	touch "$T/root/share/man/man1/$page"
	check_eq "what help shows" "$(PATH=$T/fakes:$PATH "$T/root/bin/pathfdo" help merge)" "page $(realpath "$T/root/share/man/man1/$page")"
	rm "$T/root/share/man/man1/$page"
done
