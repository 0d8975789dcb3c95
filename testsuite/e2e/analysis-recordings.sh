#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `pathfdo compare --recordings`: so many recordings, profiles and builds of each variant that is made from one, their mean
# as the variant's number, each by itself beside it; and of what is there, nothing is done again.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/compare-lib.sh"
command -v valgrind >/dev/null || skip "no valgrind"
run() {
	compare 0 --variants=base,flags,O3,instr,soft,O3+soft,afdo --build="$BUILD" --train='"$PROGRAM" 10000' --ref='"$PROGRAM" 3000' \
		--small='"$PROGRAM" 300' --instructions "$@"
}

run --recordings=2
# base, flags, O3, the instrumented program and instr; soft, O3+soft and afdo twice.
check_eq builds "$(wc -l <"$T/builds")" 11
check_eq recordings "$(ls "$T/work/data" | grep -c '^soft.*\.data$')" 2
! cmp -s "$T/work/data/soft.data" "$T/work/data/soft.2.data" || fail "there is but one recording"
for v in soft O3+soft afdo; do
	check_eq "recordings of $v" "$(variant $v recordings length)" 2
	for r in 0 1; do
		check_eq "rounds of $v from recording $r" "$(variant $v recordings $r references 0 seconds length)" 2
		one=$(variant $v recordings 0 references 0 seconds $r)
		two=$(variant $v recordings 1 references 0 seconds $r)
		check_within "mean of $v in round $r" "$(variant $v references 0 seconds $r)" \
			"$(awk "BEGIN { print ($one + $two) / 2 - 1e-6 }")" "$(awk "BEGIN { print ($one + $two) / 2 + 1e-6 }")"
	done
	one=$(variant $v recordings 0 references 0 instructions)
	two=$(variant $v recordings 1 references 0 instructions)
	check_eq "mean instructions of $v" "$(variant $v references 0 instructions)" $(((one + two + 1) / 2))
done
for v in base flags O3 instr; do
	check_eq "recordings of $v" "$(variant $v recordings)" ""
done
grep -q 'How much the gain depends on the recording' "$T/table" || fail "the table does not tell the spread"
# What has a profile is built as a user builds it, with no flag beside the profile's own: a flag that was asked for is not
# taken back of what the profile says nothing of.
flags_of() {
	readelf --debug-dump=info "$T/work/variants/$1/prog" | sed -n 's/.*DW_AT_producer.*: GNU C[0-9]*//p' | tr ' ' '\n' |
		grep -vE '^-(fplugin|fprofile|fauto-profile|Wmissing|Wno|O[23]$)' | sort | tr '\n' ' '
}
for v in instr soft soft.2 O3+soft O3+soft.2 afdo; do
	check_eq "flags of $v" "$(flags_of $v)" "$(flags_of base)"
done
# The flags without a profile are those that -fprofile-use implies, by the compiler's own word.
optimizers() {
	"$CC" -O2 "$@" -Q --help=optimizers | grep -vE '^ *-f(branch-probabilities|profile-[a-z-]+|vpt|auto-profile|devirtualize-speculatively)[ =]'
}
# shellcheck disable=SC2046 # options are words
check_eq "flags of a profile" "$(optimizers $(flags_of flags))" "$(optimizers $(flags_of base) -fprofile-use)"
check_eq "flags of O3" "$(flags_of O3)" "$(flags_of base)"
for v in O3 O3+soft; do
	readelf --debug-dump=info "$T/work/variants/$v/prog" | grep -q 'DW_AT_producer.* -O3' || fail "$v is not built with -O3"
done
# More recordings: what is there stays, and the new ones are made.
: >"$T/builds"
run --recordings=3
check_eq "builds for a third recording" "$(wc -l <"$T/builds")" 3
check_eq "recordings of soft" "$(variant soft recordings length)" 3
: >"$T/builds"
run --recordings=3
check_eq "builds for nothing" "$(wc -l <"$T/builds")" 0
! grep -v 'the load is' "$T/progress" || fail "was done again: $(cat "$T/progress")"
refused 2 '--recordings=10: must be a number from 1 to 9' compare --recordings=10

# A program with many libraries of its own: the profile has all of them.
mkdir "$T/many"
cat >"$T/many/part.c" <<'EOF'
int NAME(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += sum & 4 ? i : 3;
	return sum;
}
EOF
{
	echo '#include <stdlib.h>'
	printf 'int part%d(int);\n' {1..70}
	echo 'int main(int argc, char **argv) { int sum = 0; for (int i = 0; i < atoi(argv[argc - 1]); i++) sum += 0'
	printf ' + part%d(6)' {1..70}
	echo '; return sum == 77; }'
} >"$T/many/main.c"
cat >"$T/many/build.sh" <<'EOF'
set -e
for i in $(seq 70); do
	$CC $CFLAGS -DNAME=part$i -fPIC -shared part.c -o part$i.so
done
$CC $CFLAGS $LDFLAGS main.c $PWD/part*.so -o prog
EOF
"$PATHFDO" compare --source="$T/many" --work="$T/work2" --json="$T/out.json" --program=prog --pairs=1 \
	--variants=base,soft --build='sh build.sh' --train='"$PROGRAM" 200000' --ref='"$PROGRAM" 300' \
	>/dev/null 2>"$T/progress" || fail "many libraries: $(tail -n 3 "$T/progress")"
"$PATHFDO" show --functions -n 200 "$T/work2/data/soft.pfdo" >"$T/functions"
check_eq "libraries in the profile" "$(grep -c ' part[0-9]' "$T/functions")" 70
