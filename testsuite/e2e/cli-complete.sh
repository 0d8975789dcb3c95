#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What people type wrong or half: a misspelt command, a command's page, completion in bash and zsh.
set -eu
. "$(dirname "$0")/lib.sh"

# said ARG...: what the command says on standard error.
said() { "$PATHFDO" "$@" 2>&1 >/dev/null || true; }
check_eq "a misspelt command" "$(said recrod | head -n 1)" "pathfdo: no command 'recrod'; did you mean 'record'?"
check_eq "another" "$(said annotat | head -n 1)" "pathfdo: no command 'annotat'; did you mean 'annotate'?"
check_eq "nothing like a command" "$(said frobnicate | head -n 1)" "pathfdo: no command 'frobnicate'"
check_eq "the page of a misspelt command" "$(said help shwo | head -n 1)" "pathfdo: no command 'shwo'; did you mean 'show'?"
refused 2 "no command" recrod

# The page: a stand-in for man says which; without man, --help.
mkdir "$T/bin" "$T/empty" "$T/tree" "$T/tree/bin"
printf '#!/bin/sh\necho "page $1"\n' >"$T/bin/man"
chmod +x "$T/bin/man"
cp "$PATHFDO" "$T/tree/bin/pathfdo"
mkdir -p "$T/tree/share/man/man1"
: >"$T/tree/share/man/man1/pathfdo-show.1"
check_eq "an installed page" "$(PATH=$T/bin:$PATH "$T/tree/bin/pathfdo" help show)" "page $T/tree/share/man/man1/pathfdo-show.1"
check_eq "no page" "$(PATH=$T/bin:$PATH "$T/tree/bin/pathfdo" help merge)" "$("$PATHFDO" merge --help)"
check_eq "no man" "$(PATH=$T/empty "$T/tree/bin/pathfdo" help show)" "$("$PATHFDO" show --help)"

# Why a compiler will not do.
printf 'pathfdo-profile 1\nunit executions\nfunction f f.c:1 head 9\n  1 count 9\n' | "$PATHFDO" show --from-text - -o "$T/f.pfdo"
refused 1 "there is no 'nosuchcc'" cflags --cc=nosuchcc "$T/f.pfdo"
refused 1 "there is no 'nosuchcache'" cflags --cc="nosuchcache gcc" "$T/f.pfdo"
printf '#!/bin/sh\ncase "$*" in *--version*) echo "Any clang version 99" ;; esac\n' >"$T/bin/mycc"
chmod +x "$T/bin/mycc"
refused 1 "is clang .*99.*, which takes no plugin of GCC" cflags --cc="$T/bin/mycc" "$T/f.pfdo"
printf '#!/bin/sh\ncase "$1" in --version) echo "anycache 4" ;; -*) echo "anycache: invalid option" >&2; exit 1 ;; *) exec "$@" ;; esac\n' >"$T/bin/anycache"
chmod +x "$T/bin/anycache"
refused 1 "'$T/bin/anycache' .anycache 4. does not compile C; .* --cc=\"$T/bin/anycache gcc\"" cflags --cc="$T/bin/anycache" "$T/f.pfdo"
grep -q "invalid option" "$T/said" && fail "the wrapper's own error is shown: $(cat "$T/said")"
"$PATHFDO" cflags --cc="$T/bin/anycache $CC" "$T/f.pfdo" | grep -q "hash=" || fail "a wrapper with its compiler is refused"
refused 1 "there is no ''" cflags --cc="" "$T/f.pfdo"
mkdir "$T/a folder"
cp "$T/f.pfdo" "$T/a folder/"
refused 1 "'$T/a folder/f.pfdo' has blanks" cflags --cc="$CC" "$T/a folder/f.pfdo"
ln -s "$T/a folder/f.pfdo" "$T/link.pfdo"
"$PATHFDO" cflags --cc="$CC" "$T/link.pfdo" | grep -q "profile=$T/link.pfdo " || fail "a link without blanks does not help"

# Forms for build systems, which carry what a line of flags cannot; a release alone names the compiler.
"$PATHFDO" cflags --json --cc="$CC" --report="$T/it's a report" "$T/a folder/f.pfdo" >"$T/json"
check_eq "flags of --json" "$(jq -r '.flags | length, .[1], .[3]' "$T/json" | xargs -d '\n')" \
	"4 -fplugin-arg-pathfdo-profile=$T/a folder/f.pfdo -fplugin-arg-pathfdo-report=$T/it's a report"
check_eq "the hash of --json" "$(jq -r '"-fplugin-arg-pathfdo-hash=\(.hash)" == .flags[2]' "$T/json")" "true"
cp "$T/f.pfdo" "$T/caf"$'\351'.pfdo
refused 1 "a path is not UTF-8" cflags --json --cc="$CC" "$T/caf"$'\351'.pfdo
"$PATHFDO" cflags --meson --cc="$CC" --report="$T/it's a report" "$T/f.pfdo" >"$T/ini"
check_eq "a machine file as Python reads it" "$(python3 - "$T/ini" <<'END'
import ast, configparser, sys
f = configparser.ConfigParser()
f.read(sys.argv[1])
print(*[ast.literal_eval(f["built-in options"][k])[3] for k in ("c_args", "cpp_args")], sep="|")
END
)" "-fplugin-arg-pathfdo-report=$T/it's a report|-fplugin-arg-pathfdo-report=$T/it's a report"
refused 1 "has blanks, quotes .* which the flags of this build system" cflags --cmake --cc="$CC" --report="it's" "$T/f.pfdo"
printf '#!/bin/sh\nexec %s "$@"\n' "$CC" >"$T/bin/gcc-77"
chmod +x "$T/bin/gcc-77"
check_eq "a release alone" "$(PATH=$T/bin:$PATH "$PATHFDO" cflags --json --cc=77 "$T/f.pfdo" | jq -r .compiler)" "gcc-77"

# complete WORD...: what bash offers for the last word.
complete_in_bash() {
	bash -c 'pathfdo=$1; . "$2"; shift 2; COMP_WORDS=("$pathfdo" "$@"); COMP_CWORD=$#; COMPREPLY=(); _pathfdo; printf "%s\n" "${COMPREPLY[@]}"' \
		x "$PATHFDO" "$TOP/build-aux/completion.bash" "$@" | sort | xargs
}
check_eq "commands" "$(complete_in_bash co)" "compare context convert coverage"
check_eq "commands behind help" "$(complete_in_bash help re)" "record report"
check_eq "all commands" "$(complete_in_bash '' | wc -w)" "$(($("$PATHFDO" --help | grep -c '^  [a-z]') + 1))"
check_eq "options" "$(complete_in_bash show --fr)" "--from-text"
check_eq "all options" "$(complete_in_bash cflags --)" "$(grep -o -- '^`--[a-z]*\|, `--[a-z]*' "$TOP/doc/pathfdo-cflags.md" | grep -o -- '--[a-z]*' | sort | xargs)"
check_eq "options of the program that is recorded" "$(complete_in_bash record -- ls --a)" ""
command -v zsh >/dev/null || skip "there is no zsh (bash completes)"
# zsh's own machinery is stood in for by functions that print what they are given.
complete_in_zsh() {
	zsh -fc 'describe() { shift; print -l -- ${(P)1%%:*}; }; functions[_describe]=$functions[describe]; _files() { print files }
		script=$1; shift; words=("$@"); CURRENT=$#; f() { . $script; }; f' x "$TOP/build-aux/completion.zsh" "$PATHFDO" "$@" | sort | xargs
}
check_eq "commands in zsh" "$(complete_in_zsh co)" "$({ "$PATHFDO" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'; echo help; } | sort | xargs)"
for command in cflags record convert; do
	check_eq "options of $command in zsh" "$(complete_in_zsh $command -)" "$(complete_in_bash $command --)"
done
check_eq "files in zsh" "$(complete_in_zsh show '')" "files"
