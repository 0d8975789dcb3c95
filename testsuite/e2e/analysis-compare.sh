#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `pathfdo compare` on a project with a Makefile: each variant is built with its own flags, and its numbers are there.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/compare-lib.sh"
cat >"$T/src/Makefile" <<'END'
prog: main.o
	$(CC) -o $@ main.o -lm
main.o: main.c
	$(CC) $(CFLAGS) -c main.c
END
command -v valgrind >/dev/null || skip "no valgrind"
clock=$(! samples_by_clock || echo clock)

compare 0 --variants=base,flags,instr,${clock:+$clock,}soft,afdo --train='"$PROGRAM" 40000' --ref='"$PROGRAM" 3000' --ref='"$PROGRAM" 2000' \
	--small='"$PROGRAM" 300 | cat' --instructions --name=work --stands-for=interpreters --source-name='own 1'
check_eq format "$("$B/tools/jsonget" "$T/out.json" format)" pathfdo-comparison
check_eq name "$(found name)" work
check_eq language "$(found language)" C
check_eq error "$(found error)" null
check_eq "pairs of noise" "$(found noise length)" 2
for v in base flags instr $clock soft afdo; do
	check_eq "error of $v" "$(variant $v error)" null
	check_eq "references of $v" "$(variant $v references length)" 2
	for r in 0 1; do
		check_eq "pairs of $v" "$(variant $v references $r seconds length)" 2
		check_eq "pairs of $v" "$(variant $v references $r base_seconds length)" 2
		check_within "seconds of $v" "$(variant $v references $r seconds 1)" 0.01 10
	done
	check_within "build time of $v" "$(variant $v build_seconds)" 0.01 20
	check_within "text of $v" "$(variant $v text_bytes)" 500 20000
	# Sizes, by another tool.
	prog=$T/work/variants/$v/prog
	check_eq "text of $v" "$(variant $v text_bytes)" \
		"$(readelf -SW "$prog" | sed 's/\[ */[/' | awk '/ AX / { sum += strtonum("0x" $6) } END { print sum }')"
	check_eq "hot text of $v" "$(variant $v hot_bytes)" "$(nm -S --defined-only "$prog" |
		awk 'NF == 4 && $3 ~ /[tTwW]/ && $4 !~ /\.cold/ && !seen[$1]++ { sum += strtonum("0x" $2) } END { print sum }')"
done
prog=$T/work/variants/base/prog
# Instructions, counted here once more: the whole process, and the shell's not with it; without the million repetitions
# of the one string instruction that the program has.
instructions=$(($(callgrind "$T/callgrind.out" "$prog" 300) - 1000000))
check_within "instructions of base" "$(variant base references 0 instructions)" $((instructions - 2000)) $((instructions + 2000))
check_eq "instructions of the second reference" "$(variant base references 1 instructions)" null
for v in instr soft; do
	check_within "instructions of $v" "$(variant $v references 0 instructions)" 1000000 $((instructions - 30000))
done
# What was measured at collecting, and what tools cost.
for v in instr $clock soft; do
	check_eq "rounds of collecting by $v" "$(variant $v collection seconds length)" 2
	check_eq "rounds of collecting by $v" "$(variant $v collection plain_seconds length)" 2
done
check_eq "collection of flags" "$(variant flags collection)" null
for v in $clock soft; do
	check_within "profile of $v" "$(variant $v tool profile_bytes)" 100 100000
	check_within "recording of $v" "$(variant $v tool recording_bytes)" 500 10000000
	check_within "peak of converting $v" "$(variant $v tool convert_peak_kb)" 1000 1000000
done
for v in instr afdo; do
	check_eq "tool of $v" "$(variant $v tool)" null
done
# Every variant was built with its own flags, in one folder, with nothing of another's left.
for v in base flags instr soft afdo; do
	readelf --debug-dump=info "$T/work/variants/$v/prog" >"$T/info"
	check_eq "build folder of $v" "$(sed -n 's/.*DW_AT_comp_dir.*): //p' "$T/info" | sort -u)" "$T/work/build"
	flags=$(sed -n 's/.*DW_AT_producer.*: GNU C[0-9]*//p' "$T/info")
	case $v in
	base) says '^ [0-9.]+ -mtune=generic -march=x86-64 -g -O2 -fasynch' "$flags" ;;
	flags) says '-ftracer .*-funroll-loops' "$flags" ;;
	instr) says "-fprofile-use=$T/work/counts" "$flags" ;;
	afdo) says "-fauto-profile=$T/work/data/afdo.afdo" "$flags" ;;
	soft) says '-fplugin-arg-pathfdo-profile=[^ ]*soft.pfdo' "$flags" ;;
	esac
done
[ ! -e "$T/work/build" ] || fail "a variant was left in place"
[ -z "$(git -C "$T/src" status 2>/dev/null)" ] && [ "$(ls "$T/src" | tr '\n' ' ')" = "Makefile main.c " ] ||
	fail "the sources were built in"

# All is known: nothing is built or run again, and the numbers are the same.
variant soft references >"$T/before"
compare 0 --variants=base,flags,instr,${clock:+$clock,}soft,afdo --train='"$PROGRAM" 40000' --ref='"$PROGRAM" 3000' --ref='"$PROGRAM" 2000' \
	--small='"$PROGRAM" 300 | cat' --instructions
! grep -v 'the load is' "$T/progress" || fail "was done again: $(cat "$T/progress")"
check_eq "numbers that were kept" "$(variant soft references)" "$(cat "$T/before")"

# Instructions that are counted later are counted of what was built and measured before.  The program's name may have
# blanks, and what is said of it bytes of any encoding.
other=(--work="$T/other" --program='my prog' --build='$CC $CFLAGS -c main.c && $CC -o "my prog" main.o -lm'
	--variants=base,flags --train='"$PROGRAM" 3000' --ref='"$PROGRAM" 3000' --stands-for=$'caf\xe9')
compare 0 "${other[@]}"
check_eq "what it stands for" "$(found stands_for)" $'caf\xef\xbf\xbd'
compare 0 "${other[@]}" --instructions --small='"$PROGRAM" 300'
! grep -E 'building|round|output' "$T/progress" || fail "was done again: $(cat "$T/progress")"
check_within "instructions of base" "$(variant base references 0 instructions)" $((instructions - 2000)) $((instructions + 2000))
