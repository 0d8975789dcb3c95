#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Functions that the linker made one of: convert says which, and how much of the profile is in them, whether the linker leads
# their debug information to the code that it kept (gold) or to nowhere (lld).  The hard case is what is no such function and
# has two symbols, too: nothing is said of these, nor where nothing was folded.
set -eu
. "$(dirname "$0")/lib.sh"
. "$TOP/testsuite/tools/converter-lib.sh"

# account: the account's figures for the program $T/p: functions that were folded, and their share in percent.
account() {
	"$PATHFDO" convert -q --json -b "$T/p" -o "$T/p.pfdo" "$T/p.data" >"$T/json" 2>"$T/said" || fail "$(cat "$T/said")"
	jq -r --arg p "$T/p" '.binaries[] | select(.path == $p) | "\(.folds) \((100 * .folded / .mapped) | round)"' "$T/json"
}

# converted LINKER FLAG: these, with the warning, and what `show` gives to add.
converted() {
	$CXX -O2 -g -fno-ipa-icf -ffunction-sections -fuse-ld="$1" ${2:+"-Wl,--icf=$2"} "$TOP/testsuite/programs/convert-folds.cc" -o "$T/p" || return
	"$PATHFDO" record -q -o "$T/p.data" "$T/p" >"$T/out" || fail "no recording"
	account
	"$PATHFDO" show --json "$T/p.pfdo" | jq -r '[.functions[] | select(.name | test("^_Z3add"))] | length' >"$T/adds"
}

folding=
for linker in gold lld; do
	command -v ld.$linker >/dev/null || continue
	folding="$folding $linker"
	check_eq "$linker, nothing folded" "$(converted $linker none)" "0 0"
	check_eq "both functions have counts" "$(cat "$T/adds")" 2
	check_eq "$linker says nothing" "$(grep -c "made one" "$T/said")" 0
	converted $linker all >"$T/got" || fail "$linker does not link"
	read -r functions _ <"$T/got"
	check_eq "one address" "$(nm "$T/p" | awk '/ _Z3add/ { print $1 }' | uniq -d | wc -l)" 1
	check_eq "$linker, functions that were folded" "$functions" 1
	check_eq "one of them has the counts" "$(cat "$T/adds")" 1
	grep -q "(--icf): 1 of those that ran, .* among them _Z3addIiET_S0_S0_ and _Z3addIjET_S0_S0_;" "$T/said" ||
		fail "no word of it: $(cat "$T/said")"
	# Of all branches, as what few bursts of a busy machine see is chance.
	exact "$T/p" 3000
	account >"$T/got"
	read -r _ share <"$T/got"
	# A turn of the loop in main is 20 branches of the folded one's loops, 3 of the constructor's, 10 of turn's, and 10 to
	# 12 calls, returns and jumps between them.
	check_within "their share" "$share" 42 60
	objcopy --only-keep-debug "$T/p" "$T/p.debug"
	strip -R .comment -R .note.gnu.gold-version "$T/p"
	(cd "$T" && objcopy --add-gnu-debuglink=p.debug p) 2>"$T/said" || fail "no link to the debug file"
	"$PATHFDO" convert -q -b "$T/p" -o "$T/p.pfdo" "$T/p.data" 2>"$T/said" || fail "$(cat "$T/said")"
	grep -q "(--icf): 1 of those" "$T/said" || fail "no word of a package: $(cat "$T/said")"
	rm "$T/p.debug"
done
[ -n "$folding" ] || skip "no linker that folds is installed (gold, lld)"
check_eq "GNU ld" "$(converted bfd "")" "0 0"

# The one that is left has the lines of its own source, not of the other's, which gold leads there, too.
if command -v ld.gold >/dev/null; then
	{
		for name in first second; do
			printf '__attribute__((noinline)) int %s(int x)\n{\n\tif (x & 4)\n\t\treturn x * 3;\n\treturn x ^ 5;\n}\n' $name
			printf '\n\n\n\n\n\n\n\n\n'
		done
		printf 'int main(void)\n{\n\tint s = 0;\n\tfor (int i = 0; i < 1000; i++)\n\t\ts += first(i) + second(i);\n'
		printf '\treturn s == 1;\n}\n'
	} >"$T/lines.c"
	$CC -O2 -g -fno-ipa-icf -ffunction-sections -fuse-ld=gold -Wl,--icf=all "$T/lines.c" -o "$T/lines"
	exact "$T/lines"
	convert "$T/lines"
	awk '$1 == "function" { own = $2 == "first" || $2 == "second"; n += own } own && $2 == "count" { print int($1) } END { print n }' \
		"$T/lines.txt" >"$T/got"
	check_eq "functions that are left" "$(tail -n 1 "$T/got")" 1
	check_eq "lines outside of it" "$(head -n -1 "$T/got" | awk '$1 < 0 || $1 > 5' | tr '\n' ' ')" ""
	grep -qE '^  [34](:[0-9]+)? count 2000' "$T/lines.txt" || fail "it ran as often as both: $(cat "$T/lines.txt")"
fi

# What only its file sees has its name in the source alone, and is not called by the symbol of another that is the same code:
# the compiler's own folding, an alias, and a function of C that the linker made one with one of C++.
body='(int x)\n{\n\tif (x & 4)\n\t\treturn x * 3;\n\treturn x ^ 5;\n}\n'
main='int main()\n{\n\tint s = 0;\n\tfor (int i = 0; i < 1000; i++)\n\t\ts += helper(i) + other(i + 1);\n\treturn s == 1;\n}\n'
# named PROGRAM: the functions of PROGRAM that have a loop's counts but for main, and the lines that they begin in.
named() {
	exact "$1"
	convert "$1"
	awk '$1 == "function" && $2 != "main" { sub(/.*\//, "", $3); print $2, $3 }' "$1.txt" | sort | tr '\n' ' '
}
{
	printf 'namespace\n{\n__attribute__((noinline)) int helper%b}\n' "$body"
	printf '__attribute__((noinline)) int other%b%b' "$body" "$main"
} >"$T/same.cc"
$CXX -O2 -g "$T/same.cc" -o "$T/same"
if [ "$(nm "$T/same" | awk '/ _ZN?.*(helper|other)/ { print $1 }' | uniq -d | wc -l)" = 1 ]; then
	check_eq "one of two of a file" "$(named "$T/same")" "_ZN12_GLOBAL__N_16helperEi same.cc:3 "
fi
{
	printf 'static __attribute__((noinline)) int helper%b' "$body"
	printf 'int other(int) __attribute__((alias("_ZL6helperi")));\n%b' "$main"
} >"$T/alias.cc"
$CXX -O2 -g "$T/alias.cc" -o "$T/alias"
check_eq "an alias" "$(named "$T/alias")" "_ZL6helperi alias.cc:1 "
printf '__attribute__((noinline)) int helper%bextern int other(int);\n%b' "$body" "${main/main()/main(void)}" >"$T/mixed.c"
{
	printf '__attribute__((noinline)) int inner%b' "$body"
	printf 'extern "C" int other(int x);\n__attribute__((noinline)) int other(int x)\n{\n\treturn inner(x) + 1;\n}\n'
} >"$T/part.cc"
$CC -O2 -g -ffunction-sections -c "$T/mixed.c" -o "$T/mixed.o"
$CXX -O2 -g -ffunction-sections -c "$T/part.cc" -o "$T/part.o"
for linker in $folding; do
	$CXX -fuse-ld="$linker" -Wl,--icf=all "$T/mixed.o" "$T/part.o" -o "$T/mixed"
	check_eq "$linker: a function of C" "$(named "$T/mixed")" "helper mixed.c:1 other part.cc:8 "
done
