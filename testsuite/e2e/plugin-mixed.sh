#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Modules of several parts that do not count alike: those of another layout of what is shared are refused by the linker or the loader, by
# a name that says so, and two modules of two layouts count apart; what counts cycles and what counts events is not added up.
set -eu
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "jq is not installed"
printf '__attribute__((noipa)) int leaf(int x)\n{\n\treturn x > 3 ? x * 2 : x + 1;\n}\nint libf(int x)\n{\n\treturn leaf(x) + leaf(2 * x);\n}\n' >"$T/lib.c"
printf 'int libf(int);\nint main(void)\n{\n\tint all = 0;\n\n\tfor (int i = 0; i < 10; i++)\n\t\tall += libf(i);\n\treturn all == 0;\n}\n' >"$T/main.c"

flags() {
	"$PATHFDO" cflags --cc "$CC" --plugin "$PLUGIN" --instrument="$1"
}

# age OBJECT: as if it had been compiled for the layout 1.
age() {
	nm "$1" | sed -nE 's/.* (__pathfdo_layout)([0-9]+)(_.*)/\1\2\3 \11\3/p' | sort -u >"$T/renames"
	[ -s "$T/renames" ] || fail "$1 shares no names with its library"
	objcopy --redefine-syms="$T/renames" "$1"
}

# run: its files are in $T/out.
run() {
	rm -rf "$T/out"
	mkdir "$T/out"
	(cd "$T/out" && exec "$T/program" >"$T/said" 2>&1)
}

# named: whether what is said is that the name of another layout is not there.
named() {
	grep -qE "undefined (reference to|symbol:) .?__pathfdo_layout1_" "$T/said" || fail "$1: the layout is not named: $(cat "$T/said")"
}

for what in paths context paths,context,cycles; do
	# shellcheck disable=SC2046 # lists of options
	$CC -O2 -g -fPIC $(flags $what) -c "$T/lib.c" -o "$T/lib.o"
	age "$T/lib.o"
	# shellcheck disable=SC2046 # lists of options
	! $CC -O2 -g $(flags $what) "$T/main.c" "$T/lib.o" -o "$T/program" 2>"$T/said" || fail "$what: layouts are mixed"
	named "$what, in one program"
	# A library needs not be whole for its link, if what it lacks may be elsewhere.
	# shellcheck disable=SC2046 # lists of options
	if $CC -shared $(flags $what) "$T/lib.o" -o "$T/lib.so" 2>"$T/said"; then
		$CC -O2 -g $(flags $what) "$T/main.c" "$T/lib.so" -Wl,-rpath,"$T" -Wl,--allow-shlib-undefined -o "$T/program"
		! run || fail "$what: layouts are mixed when it is loaded"
		check_eq "$what: files" "$(ls -A "$T/out")" ""
	fi
	named "$what, in a library"
	# The old part with its old library: each module has its own counts.
	library=$B/libpathfdo-paths.a
	[ "$what" = paths ] || library=$B/libpathfdo-context.a
	cp "$library" "$T/old.a"
	age "$T/old.a"
	# shellcheck disable=SC2046 # lists of options
	{
		$CC -shared "$T/lib.o" "$T/old.a" -o "$T/lib.so"
		$CC -O2 -g $(flags $what) "$T/main.c" "$T/lib.so" -Wl,-rpath,"$T" -o "$T/program"
	}
	run || fail "$what: two layouts in two modules do not run: $(cat "$T/said")"
	check_eq "$what: files of two modules" "$(cd "$T/out" && ls | sed 's/\.[0-9]*\..*//' | sort | paste -sd' ')" "lib.so program"
	case $what in
	context) check_eq "calls" "$("$PATHFDO" context --folded "$T"/out/lib.so.*)" "libf 10
libf;leaf 20" ;;
	*) check_eq "$what: paths of leaf" "$("$PATHFDO" paths --exact --json "$T"/out/lib.so.* |
		jq -c '[.top[] | select(.function == "leaf").count] | sort')" "[6,14]" ;;
	esac
done

# Cycles here and an event there.
for what in paths paths,context; do
	# shellcheck disable=SC2046 # lists of options
	{
		$CC -O2 -g $(flags $what,counter) -c "$T/lib.c" -o "$T/lib.o"
		$CC -O2 -g $(flags $what,cycles) "$T/main.c" "$T/lib.o" -o "$T/program"
	}
	run || fail "$what: it fails"
	check_eq "$what: what is said of two metrics" "$(grep -c 'pathfdo: some of the code .* count cycles and some .* an event: only executions are saved' "$T/said")" 1
	"$PATHFDO" paths --exact --json "$T"/out/* >"$T/json"
	check_eq "$what: metric and executions" "$(jq -c '[.classes.by, ([.top[] | select(.function == "leaf").count] | sort)]' "$T/json")" \
		'["executions",[6,14]]'
	check_eq "$what: cycles" "$(jq '[.top[].cycles] | add' "$T/json")" 0
done
