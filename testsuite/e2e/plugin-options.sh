#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The options of other people's builds, each with a profile, over programs that have something of all that the languages
# have: the compiler lives and says nothing that it does not say without the plugin, and the sum that the program prints
# is what it is without options.  The profile is exact, of a build with -O2, or the same with random counts, in turns.
# Counts by lot may be those of another source to the plugin, which it may say then.  The hard case is an option that this compiler or system lacks: it fails without the plugin, too, and is no witness.
set -eu
. "$(dirname "$0")/lib.sh"
command -v valgrind >/dev/null || skip "valgrind is not installed"
cd "$T"
cp "$TOP"/testsuite/programs/plugin-options.c{,c} .

# compiler SOURCE
compiler() {
	case $1 in
	*.c) echo "$CC" ;;
	*) echo "$CXX -std=c++20" ;;
	esac
}

# build PROGRAM SOURCE OPTION...: the text behind -Wl, is for the link alone, and the compile's messages are in PROGRAM.said.
build() {
	local program=$1 source=$2
	shift 2
	# shellcheck disable=SC2046 # words
	$(compiler "$source") -g -Wall -Wextra "$@" -c "$source" -o "$program.o" 2>"$program.said" &&
		$(compiler "$source") -g "$@" "$program.o" -o "$program" 2>"$program.linked"
}

for source in plugin-options.c plugin-options.cc; do
	language=${source##*.}
	build "$language" $source -O2 || skip "this compiler cannot compile $source: $(grep -m 1 error "$language.said")"
	"./$language" >"$language.out"
	valgrind -q --tool=callgrind --dump-instr=yes --collect-jumps=yes --skip-plt=no --compress-strings=no --compress-pos=no \
		--callgrind-out-file=calls "./$language" >printed
	"$B/tools/callgrind-vectors" calls data
	"$PATHFDO" convert -q -b "$language" data -o "$language.true.pfdo"
	"$PATHFDO" show --text "$language.true.pfdo" >text
	awk -v seed="$language" -v how=random -f "$TOP/testsuite/torture/disturb.awk" text >random
	"$PATHFDO" show --from-text random -o "$language.random.pfdo"
done

# said PROGRAM: its warnings, without their places, which counts may move.
said() {
	sed -n 's/.*: \(warning: .*\)/\1/p; s/.*: \(error: .*\)/\1/p' "$1.said" | sort -u
}

# try SOURCE KIND OPTION...
try() {
	local source=$1 kind=$2 language=${1##*.} fault= quiet=
	shift 2
	[ "$kind" = true ] || quiet=-fplugin-arg-pathfdo-no-warn=stale
	# shellcheck disable=SC2086 # no word if it is empty
	rm -f with report
	build with "$source" -fchecking=1 "$@" -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$language.$kind.pfdo" \
		-fplugin-arg-pathfdo-report=report $quiet || fault="does not compile: $(cat with.said with.linked)"
	[ "$fault" ] || ./with >with.out || fault="ends with $?"
	[ "$fault" ] || cmp -s with.out "$language.out" || fault="prints $(cat with.out)"
	if build without "$source" "$@" && ./without >without.out && cmp -s without.out "$language.out"; then
		[ -z "$fault" ] || fail "$source with $* and the $kind profile $fault"
		said without >without.words
		said with | comm -13 without.words - >new.words
		check_eq "what is said of $source with $* for the $kind profile alone" "$(cat new.words)" ""
		grep -q '"function":"main".*"found":"matched"' report || fail "$source with $*: main is not found"
		witnesses=$((witnesses + 1))
	fi
}

witnesses=0 kind=random
while read -r languages options; do
	[ "$kind" = true ] && kind=random || kind=true
	for language in ${languages//,/ }; do
		# shellcheck disable=SC2086 # words
		try plugin-options."$language" $kind $options
	done
done <<'END2'
c,cc -O1
c -Os
c -Og
c -Ofast
c,cc -O2 -Wsuggest-attribute=cold -Wsuggest-attribute=noreturn
c,cc -O2 -flto
c -O3 -flto -flto-partition=max -ffat-lto-objects
c,cc -O2 -fsanitize=address
c -O2 -fsanitize=undefined
cc -O2 -fsanitize=thread
c -O2 -pg -mfentry
c -O2 -fpatchable-function-entry=5,2 -fcf-protection=full
c -O2 -fstack-protector-strong -fstack-clash-protection -D_FORTIFY_SOURCE=2
c -O2 -fsplit-stack
c -O2 -ffunction-sections -fdata-sections -Wl,--gc-sections
c -O2 -fno-reorder-functions -fno-reorder-blocks
c -O2 -fno-reorder-blocks-and-partition -fno-guess-branch-probability
cc -O2 -fno-inline
c -O2 -fno-early-inlining -fno-partial-inlining
c -O2 -fno-ipa-cp -fno-ipa-sra -fno-ipa-icf -fno-ipa-profile
c -O2 -fno-toplevel-reorder
c -O2 -fwhole-program
c -O2 -fPIC -fno-plt
c,cc -O2 -fnon-call-exceptions -fdelete-dead-exceptions
c -O2 -fopenmp -ftree-parallelize-loops=2
c -O2 -fno-jump-tables -fno-bit-tests -fno-tree-switch-conversion
c -O2 -mindirect-branch=thunk -mfunction-return=thunk
c -O2 -fharden-compares -fharden-conditional-branches
c -O2 -fselective-scheduling2 -fno-schedule-insns2
c -O2 -fmodulo-sched -fgraphite-identity
c -O2 -flive-patching
c -O2 -gsplit-dwarf -gz -gno-column-info
END2
[ $witnesses -ge 20 ] || fail "only $witnesses builds are witnesses"

# Who wants no counts has none: the inliner dies of them then.
for source in plugin-options.c plugin-options.cc; do
	language=${source##*.}
	build with $source -O2 -fno-branch-probabilities -fplugin="$PLUGIN" \
		-fplugin-arg-pathfdo-profile="$language.true.pfdo" || fail "$source without branch probabilities: $(cat with.said)"
	check_eq "what is said of $source without branch probabilities" "$(grep -c "pathfdo: the profile is not used, because" with.said)" 1
	check_eq "output of $source without branch probabilities" "$(./with)" "$(cat "$language.out")"
done

# What counts is for 64-bit programs, as its library is, and another compile is told so.
printf 'int more(int x)\n{\n\treturn x > 3 ? x : 3;\n}\n' >more.c
for bits in -m32 -mx32; do
	$CC -O2 $bits -S more.c -o without.s 2>without.said || continue
	for what in paths context paths,cycles; do
		! $CC -O2 $bits -fplugin="$PLUGIN" -fplugin-arg-pathfdo-instrument=$what -S more.c -o with.s 2>with.said ||
			fail "$what: a program of $bits is said to count"
		check_eq "what is said of $what with $bits" "$(grep -c error: with.said)" 1
		grep -q "error: .*-fplugin-arg-pathfdo-instrument=$what.*: only 64-bit programs are counted" with.said ||
			fail "$what: $(cat with.said)"
	done
done
