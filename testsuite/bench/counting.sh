# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# What callgrind counts of a program's variants, for the tables that show where code lies and not only how much of it runs:
# instructions, taken jumps (without calls and returns), misses of a first-level instruction cache (32 KiB, 8 ways, 64-byte
# lines) and of an instruction TLB (64 pages of 4 KiB, any entry for any page: to its cache simulator, a cache with lines of a
# page), and the text; on the workload `small`, which is not what was trained on.  What the programs print must be the same.
# Sourced behind lib.sh, by scripts that take [--keep FOLDER] PROGRAM...: what was counted stays in FOLDER/PROGRAM, $here,
# and is used again.
COLUMNS='instructions | taken jumps | misses of the instruction cache | of the instruction TLB | text |
| --- | --- | ---: | ---: | ---: | ---: | ---: |'

# options ARGUMENT...: sets keep and programs.
options() {
	keep=
	while [ $# -gt 0 ]; do
		case $1 in
		--keep) keep=$2 && shift 2 ;;
		-*) die "usage: ${0##*/} [--keep FOLDER] PROGRAM..." ;;
		*) break ;;
		esac
	done
	programs=("$@")
	[ $# -gt 0 ] || die "no program named; there are: $(known)$(known large)"
	command -v valgrind >/dev/null || die "valgrind is not installed"
	if [ -z "$keep" ]; then
		keep=$(mktemp -d)
		trap 'rm -rf "$keep"' EXIT
	fi
	mkdir -p "$keep"
	keep=$(cd "$keep" && pwd)
}

# begin PROGRAM: its recipe, source, gcov's counts and pathfdo's profile of one recording.
begin() {
	load "$1"
	here=$keep/$NAME
	mkdir -p "$here"
	prepare
	counts
	profile
}

# under OPTION...: the workload of $variant under callgrind, whose counts come to $here/counts.
under() {
	rm -rf "$here/counts" && mkdir "$here/counts"
	RUN="valgrind -q --tool=callgrind --cache-sim=yes $* --callgrind-out-file=$here/counts/%p" \
		play "$variant" small >"$here/$variant.out" 2>"$here/$variant.said" ||
		die "$NAME: $variant fails under callgrind: $(tail -n 1 "$here/$variant.said")"
	cmp -s "$here/base.out" "$here/$variant.out" || die "$NAME: $variant prints something else"
}

# counted VARIANT: "instructions jumps misses pages bytes" in $here/VARIANT.  Jumps are counted by address: by line callgrind
# writes none of code without line numbers, which is what llvm-bolt leaves.  A jump to itself is a repetition of a string
# instruction, which callgrind takes for an instruction; here, as to `pathfdo compare`, it is neither.
counted() {
	local variant=$1
	[ ! -s "$here/$1" ] || return 0
	say "$NAME: counting $1"
	under --collect-jumps=yes --dump-instr=yes
	cat "$here/counts"/* | awk '$1 == "totals:" { n += $2; misses += $5 }
		/^jump=/ { sub(/jump=/, ""); jumps += $1 }
		/^jcnd=/ { sub(/jcnd=/, ""); if ($2 == "*") n -= $1; else jumps += $1 }
		END { printf "%.0f %.0f %.0f ", n, jumps, misses }' >"$here/part"
	under --I1=262144,64,4096
	cat "$here/counts"/* | awk '$1 == "totals:" { misses += $5 } END { printf "%.0f ", misses }' >>"$here/part"
	size -A "$HOME_OF/$1/${EXE##*/}" | awk '/^\.text/ { n += $2 } END { print n }' >>"$here/part"
	mv "$here/part" "$here/$1"
	rm -rf "$here/counts"
}

# built VARIANT OPTIONS: anew if the recipe, the options, the profile or the plugin changed.  The linker keeps the relocations,
# by which llvm-bolt moves functions.
built() {
	local stamp
	[ ! -s "$here/$1" ] || return 0
	stamp=$({ cat "$recipe" "$HOME_OF"/{counts,profile}.stamp "$B"/pathfdo*.so && echo "$2" && "$CC" --version; } | sha256sum)
	[ "$(cat "$HOME_OF/$1.stamp" 2>/dev/null)" != "$stamp" ] || [ ! -x "$HOME_OF/$1/${EXE##*/}" ] || return 0
	say "$NAME: building $1"
	compile_in "$1" "$2 -Wl,--emit-relocs"
	echo "$stamp" >"$HOME_OF/$1.stamp"
}

# row VARIANT: what it counts, against base; called $label, or by its name.
row() {
	counted "$1"
	awk -v name="$NAME" -v variant="${label:-$1}" 'NR == 1 { split($0, base); next }
		function count(n) { return n < 1e6 ? sprintf("%.1f k", n / 1e3) : sprintf("%.2f M", n / 1e6) }
		function part(n) { return sprintf("%s %+.1f%%", count($n), 100 * ($n / base[n] - 1)) }
		{ printf "| %s | %s | %s | %s | %s | %s | %d kB |\n", name, variant, part(1), part(2), part(3), part(4), $5 / 1e3 }' \
		"$here/base" "$here/$1"
}
