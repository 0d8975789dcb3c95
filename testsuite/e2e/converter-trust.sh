#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What convert says of how far a recording can be trusted.  The program runs 40 loops: in turn by the moment, and each
# burst sees them all; or each for its 40th of the run, and no two stretches of time have anything in common.
set -eu
. "$(dirname "$0")/lib.sh"

$CC -O2 -g -fno-ipa-icf "$TOP/testsuite/programs/convert-flat.c" -o "$T/flat"

take() { # NAME BRANCHES TURNS ROUNDS
	"$PATHFDO" record --source=soft -F 1000 -n "$2" --max-overhead=50 -o "$T/$1.data" -- "$T/flat" "$3" "$4" \
		>/dev/null 2>"$T/record.log" || unrecorded "$T/record.log"
	"$PATHFDO" convert -b "$T/flat" "$T/$1.data" -o "$T/$1.pfdo" 2>"$T/$1.log" || fail "convert: $(tail -n 1 "$T/$1.log")"
	agreement=$(sed -nE 's/^  two halves of it agree to ([0-9.]+)% .*/\1/p' "$T/$1.log")
	looks=$(sed -nE 's/^  two halves .*, with ([0-9]+) vectors in all.*/\1/p' "$T/$1.log")
	check_eq "looks" "$looks" "$(sed -nE 's/^  read [0-9]+ vectors, used ([0-9]+)$/\1/p' "$T/$1.log")"
	check_eq "what show says" "$("$PATHFDO" show --summary "$T/$1.pfdo" | grep '^halves')" \
		"halves agree to $agreement% by $looks looks"
	check_eq "what show says as JSON" "$("$PATHFDO" show --summary --json "$T/$1.pfdo" |
		sed -nE 's/^"agreement": .*"permille": ([0-9]+), "looks": ([0-9]+).*/\1 \2/p')" "${agreement/./} $looks"
	unseen=$(sed -nE 's/^  about ([0-9.]+)% of what the program ran was never seen$/\1/p' "$T/$1.log")
	unseen=${unseen:-0.0}
	check_eq "what JSON says was never seen" "$("$PATHFDO" show --summary --json "$T/$1.pfdo" |
		sed -nE 's/^"agreement": .*"unseen": ([0-9]+).*/\1/p')" "$(echo "${unseen/./}" | sed 's/^0*\(.\)/\1/')"
}

take mixed 4096 10 1000000
check_within "agreement of halves that saw the same" "$agreement" 90 100
check_within "percent unseen, where each burst sees all" "$unseen" 0 1
if grep warning "$T/mixed.log"; then
	fail "a warning of a good recording"
fi

take apart 64 25000000 1
# Of fewer bursts than there are loops most see one that no other does, and no half one of the other's.
"$PATHFDO" record --source=soft -F 8 -n 64 -o "$T/sparse.data" -- "$T/flat" 25000000 1 >/dev/null 2>&1
"$PATHFDO" convert -b "$T/flat" "$T/sparse.data" -o "$T/sparse.pfdo" 2>"$T/sparse.log" || fail "$(tail -n 1 "$T/sparse.log")"
counts=$("$PATHFDO" show --text "$T/sparse.pfdo" | sed -nE 's/^agreement looks ([0-9]+) .*/\1/p')
check_within "percent unseen by $counts bursts of forty loops" \
	"$(sed -nE 's/^  about ([0-9.]+)% of what.*/\1/p' "$T/sparse.log")" 40 100
sparse=$(sed -nE 's/^  two halves of it agree to ([0-9.]+)% .*/\1/p' "$T/sparse.log")
check_within "agreement of halves that saw different code" "$sparse" 0 45
grep -q "warning: two halves of the recording agree to only $sparse%: too little was recorded" "$T/sparse.log" ||
	fail "no warning: $(cat "$T/sparse.log")"
check_within "agreement of more looks at the same" "$agreement" "$sparse" 100

# branch FUNCTION: the loop of FUNCTION as an entry of a stack.
branch() {
	local address
	address=$(objdump -d --no-show-raw-insn --disassemble="$1" "$T/flat" | awk '$2 ~ /^j/ && $2 != "jmp" && length($1) == length($3) + 1 && $3 "" < $1 "" {
		print substr($1, 1, length($1) - 1), $3; exit }')
	printf '0x%x/0x%x/P/-/-/0' $((0x555555554000 + 16#${address% *})) $((0x555555554000 + 16#${address#* }))
}

# stacks MOMENT FUNCTION...: text as of perf script, a stack every MOMENT ms in each FUNCTION's loop, one after the other.
stacks() {
	local moment=$1 now=1000 function time
	shift
	echo "flat 7 1.0: PERF_RECORD_MMAP2 7/7: [0x555555554000(0x10000) @ 0 08:01 1 1]: r-xp $T/flat"
	for function; do
		entry=${entries[$function]:=$(branch "$function")}
		printf -v time '%d.%03d' $((now / 1000)) $((now % 1000))
		echo "flat 7 $time: 1000 branches:u: 0 flat $entry $entry $entry"
		now=$((now + moment))
	done
}
declare -A entries

# Work in rounds, half of each in one loop and half in another: no length of a round tells the halves apart.
for half in 1 2 3 5 8 20 50 100; do
	order=()
	for ((i = 0; i < 400; i++)); do
		order+=("function$((10 + i / half % 2))")
	done
	stacks 10 "${order[@]}" >"$T/rounds"
	"$PATHFDO" convert -b "$T/flat" "$T/rounds" -o "$T/rounds.pfdo" 2>"$T/rounds.log" || fail "$(tail -n 1 "$T/rounds.log")"
	check_within "agreement where a round is $((2 * half)) looks" \
		"$(sed -nE 's/^  two halves of it agree to ([0-9.]+)% .*/\1/p' "$T/rounds.log")" 85 100
done

# Halves of next to nothing agree, too, where both have missed the same: here all loops but one.
order=()
for ((i = 0; i < 80; i++)); do
	order+=(function10)
done
stacks 1 "${order[@]}" >"$T/stacks"
said_of() { # STACKS: of so many
	head -n $((1 + $1)) "$T/stacks" >"$T/some"
	"$PATHFDO" convert -b "$T/flat" "$T/some" -o "$T/some.pfdo" 2>&1 | grep -E "missing|missed" || true
}
check_eq "what is said of 75 stacks" "$(said_of 75)" ""
check_eq "what is said of 60 stacks" "$(said_of 60)" "  so few vectors can all have missed code that takes up to 5% of the run"
check_eq "what is said of 15 stacks" "$(said_of 15)" "  so few vectors can all have missed code that takes up to 20% of the run"
check_eq "what is said of 12 stacks" "$(said_of 12 | grep -o 'warning: .* can be missing')" \
	"warning: 12 vectors are few, and code that takes up to 25% of the run can be missing"

# at INSTRUCTION FUNCTION: the address of its first, second, ... instruction.
at() {
	local address
	address=$(objdump -d --no-show-raw-insn --disassemble="$2" "$T/flat" | awk '$1 ~ /^[0-9a-f]+:$/' | sed -n "$1"p)
	printf '%x' $((0x555555554000 + 16#$(echo "${address%%:*}" | tr -d ' ')))
}

# Plain samples: each is a look, and which instruction of a block it hit is chance.  plain ADDRESS...: one each 10 ms.
plain() {
	local now=1000 address time
	echo "flat 7 1.0: PERF_RECORD_MMAP2 7/7: [0x555555554000(0x10000) @ 0 08:01 1 1]: r-xp $T/flat"
	for address; do
		printf -v time '%d.%03d' $((now / 1000)) $((now % 1000))
		echo "flat 7 $time: 10000000 cpu-clock:u: $address"
		now=$((now + 10))
	done
}
said_of_plain() { # ADDRESS...
	plain "$@" >"$T/plain"
	"$PATHFDO" convert -b "$T/flat" "$T/plain" -o "$T/plain.pfdo" 2>&1 | grep -E "agree|seen|missed|few, " || true
}
here=$(at 1 function10) behind=$(at 2 function10) elsewhere=$(at 1 function11)
same=() rounds=()
for ((i = 0; i < 80; i++)); do
	same+=("$here" "$here" "$behind")
	rounds+=("$here" "$elsewhere" "$elsewhere")
done
agree="two halves of it agree to" chance="by chance alone, about"
check_eq "what is said of 240 samples in a block" "$(said_of_plain "${same[@]}")" \
	"  $agree 100.0% of the time, with 240 samples in all: $chance 0% of the profile is wrong"
check_eq "what show says of them" "$("$PATHFDO" show --summary "$T/plain.pfdo" | grep '^halves')" \
	"halves agree to 100.0% by 240 looks"
check_within "agreement of 240 samples in two blocks" \
	"$(said_of_plain "${rounds[@]}" | sed -nE 's/^  two halves of it agree to ([0-9.]+)% .*/\1/p')" 85 100
check_eq "what is said of 60 samples in a block" "$(said_of_plain "${same[@]:0:60}" | tail -n +2)" \
	"  so few samples can all have missed code that takes up to 5% of the run"
check_eq "what is said of two in two functions" "$(said_of_plain "$here" "$elsewhere" | cut -d';' -f1)" \
	"  $agree 0.0% of the time, with 2 samples in all: $chance 50% of the profile is wrong
  about 100.0% of what the program ran was never seen
  so few samples can all have missed code that takes up to 100% of the run
pathfdo convert: warning: two halves of the recording agree to only 0.0%: too little was recorded to be sure of it"
check_eq "what is said of 12 samples in a block" "$(said_of_plain "${same[@]:0:12}" | grep -o 'warning: .* can be missing')" \
	"warning: 12 samples are few, and code that takes up to 25% of the run can be missing"

# The text form keeps it, and one without it is not known to be good.
"$PATHFDO" show --text "$T/mixed.pfdo" | sed '/^agreement/d' | "$PATHFDO" show --from-text - -o "$T/without.pfdo"
check_eq "of what is not known" "$("$PATHFDO" show --summary "$T/without.pfdo" | grep -c '^halves' || true)" 0
"$PATHFDO" show --text "$T/mixed.pfdo" | "$PATHFDO" show --from-text - -o "$T/again.pfdo"
cmp "$T/mixed.pfdo" "$T/again.pfdo" || fail "the text form loses something"
"$PATHFDO" merge "$T/mixed.pfdo" "$T/apart.pfdo" -o "$T/both.pfdo"
"$PATHFDO" show --summary "$T/both.pfdo" | grep -q '^halves agree to' || fail "merge forgets it"
