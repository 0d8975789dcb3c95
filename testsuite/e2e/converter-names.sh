#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# One program by several names, as copies, links and containers give it: by its build-id it is one, in the account, in the
# fdata, for -b; and where it is not by one name, it is looked for by the others.
set -eu
. "$(dirname "$0")/lib.sh"
P=$TOP/testsuite/programs
"$CC" -std=c11 -D_GNU_SOURCE -I "$TOP" -o "$T/samples" "$P/convert-samples.c" "$B/libpathfdo.a" -lz -lzstd
cd "$T"
"$CC" -O2 -g -no-pie -Wl,--build-id=sha1 -o prog "$P/convert-clock.c"
offset=$((0x$(nm prog | awk '$3 == "main" { print $1 }') - 0x400000))
id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
mkdir copies
cp prog copies/prog
ln prog hard
strip -o bare prog
# recorded FILE NAME COUNT...: such a recording, in which all NAMEs have the program's build-id.
recorded() {
	local file=$1 words=()
	shift
	while [ $# -gt 0 ]; do
		words+=("$1" id "$id" "$1" "$offset" "$2")
		shift 2
	done
	./samples "$file" "${words[@]}"
}
recorded all.data "$T/prog" 400 "$T/copies/prog" 300 "$T/hard" 200 "/gone/prog (deleted)" 100
recorded one.data "$T/prog" 1000
counts() { "$PATHFDO" show --text "$1" | grep -v '^from '; }

"$PATHFDO" convert -q one.data -o one.pfdo
for named in "" "-b prog" "-b /gone/prog=copies/prog"; do
	# shellcheck disable=SC2086 # an option and its file
	"$PATHFDO" convert $named all.data -o all.pfdo 2>said || fail "'$named': $(cat said)"
	check_eq "the account, '$named'" "$(grep -A 1 'of all' said | sed "s#$T/##g")" \
		"  hard: 100.0% of all, 100.0% of it mapped to source; 1 function, inlined up to 0 deep
    with prog and 2 others that have the same build-id"
	counts all.pfdo | diff <(counts one.pfdo) - >difference || fail "several names count otherwise: $(cat difference)"
	# shellcheck disable=SC2086
	"$PATHFDO" convert --json $named all.data -o all.pfdo >json
	check_eq "the account as JSON, '$named'" "$(jq -c '[.binaries[] | [.branches, .mapped, .names]]' json)" "[[1000,1000,[\"$T/prog\",\"$T/copies/prog\",\"/gone/prog (deleted)\"]]]"
	for file in all one; do
		"$PATHFDO" convert -q --fdata -b prog $file.data -o $file.fdata 2>said || fail "fdata: $(cat said)"
	done
	cmp one.fdata all.fdata || fail "the fdata of several names is another"
done

# By a name of which nothing is here, or a stripped copy, it is found by the other.
recorded two.data /gone/prog 600 "$T/bare" 300 "$T/copies/prog" 100
"$PATHFDO" convert two.data -o two.pfdo 2>said || fail "$(cat said)"
check_eq "of what is gone or stripped" "$(grep -c ' 100.0% of all, 100.0% of it mapped' said)" 1
counts two.pfdo | diff <(counts one.pfdo) - >difference || fail "what is gone counts otherwise: $(cat difference)"

# Two that have no build-id are two, whatever they are.
./samples bare.data "$T/prog" $offset 400 "$T/hard" $offset 300
"$PATHFDO" convert bare.data -o bare.pfdo 2>said
check_eq "without build-ids" "$(grep -c '% of all, 100.0% of it mapped' said)" 2
if grep 'the same build-id' said; then fail "there is none"; fi
