#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# pathfdo export to LLVM's sample profile, pprof's and folded stacks, each read back by the tool that it is for: clang gives
# branches the weights, and the tools find the sums, that follow by hand from a profile written by hand.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >work.c <<'END'
int twice(int), thrice(int);
static inline __attribute__((always_inline)) int clamp(int v)
{
	if (v > 100)
		return v % 100;
	return v;
}
int work(int n, int (*f)(int))
{
	int sum = 0;
	for (int i = 0; i < n; i++) {
		if (i % 16 == 0)
			sum += 3;
		sum += f(clamp(i));
	}
	return sum;
}
END
# Line 6 of work() has two columns; 4 has discriminators as clang writes them: 6 is the base 3, 208 the base 40, and 1 none.
# That of line 7 says that it is the base 1 of a loop unrolled four times; its copies ran 90 times together, one of them 50.
cat >work.txt <<'END'
pathfdo-profile 1
unit executions
function "go<int, 2>" work.c:1 head 1
  0 count 7
function work work.c:8 head 3
  2 count 3 instructions 2
  3 count 15003 instructions 3
  4 count 15000 instructions 4
  4.1 count 14000
  4.6 count 11
  4.208 count 12
  5 count 938
  6:7 count 14000
  6:9 count 15000 instructions 2
    call twice 14000
    call thrice 1000
  7.1026 count 90 max 50
  8 count 3
  inline @1 clamp work.c:2 at 6:9 entries 15000
    2 count 15000 instructions 2
    3 count 421
    4 count 14579
END
"$PATHFDO" show --from-text work.txt -o work.pfdo
for format in llvm pprof folded; do
	"$PATHFDO" export --format=$format work.pfdo -o work.$format 2>said.$format || fail "$format: $(cat said.$format)"
	"$PATHFDO" export --format=$format work.pfdo -o again.$format 2>/dev/null
	cmp work.$format again.$format || fail "$format differs from one time to the other"
done
# Instructions of work(): 3*2 + 15003*3 + 15000*4 + 14000 + 11 + 12 + 938 + 14000 + 15000*2 + 90 + 3.
cat >want <<'END'
go<int, 2> 7
work 164069
work;clamp 45000
END
diff want work.folded || fail "the folded stacks are others"
grep -q '1 functions without a linkage name are left out' said.llvm || fail "says nothing of the template"
printf 'pathfdo-profile 1\nunit executions\nfunction f f.c:1 head 0\n' >empty.txt
"$PATHFDO" show --from-text empty.txt -o empty.pfdo
for format in llvm pprof folded; do
	refused 1 'empty.pfdo: nothing in it has run' export --format=$format empty.pfdo -o none.pfdo
done
# Statics of one name in three files, of which one never ran: to LLVM they are one.
cat >statics.txt <<'END'
pathfdo-profile 1
unit executions
function step a/part.c:1 head 700
  2 count 700
function step b/part.c:1 head 300
  2 count 300
  3 count 299
  inline @1 clamp work.c:2 at 4 entries 50
    1 count 50
function step c.c:9 head 0
  2 count 0
END
"$PATHFDO" show --from-text statics.txt -o statics.pfdo
"$PATHFDO" export --format=llvm statics.pfdo -o statics.llvm 2>said.statics || fail "$(cat said.statics)"
grep -qF "names that stand for several functions: 1 (the first is 'step', for 3)" said.statics || fail "$(cat said.statics)"
missing=
if command -v llvm-profdata-14 >/dev/null && command -v clang-14 >/dev/null; then
	llvm-profdata-14 show --sample work.llvm >shown || fail "llvm-profdata refuses the profile"
	# The highest count of a position, and all of them: 3 + 15003 + 15000 + 11 + 12 + 938 + 15000 + 200 + 3 + 30000.
	cat >want <<-'END'
	Function: work: 76170, 3, 9 sampled lines
	  2: 3
	  3: 15003
	  4: 15000
	  4.3: 11
	  4.40: 12
	  5: 938
	  6: 15000, calls: twice:14000 thrice:1000
	  7.1: 200
	  8: 3
	  6: inlined callee: clamp: 30000, 0, 3 sampled lines
	      2: 15000
	      3: 421
	      4: 14579
	END
	grep -E '^Function|^ +[0-9.]+: ' shown | diff want - || fail "llvm-profdata reads something else"
	llvm-profdata-14 merge --sample work.llvm work.llvm -o twice.prof || fail "llvm-profdata does not merge"
	llvm-profdata-14 show --sample twice.prof | grep -q '^Function: work: 152340, 6, ' || fail "twice is not double"
	cat >want <<-'END'
	Function: step: 1349, 1000, 2 sampled lines
	  2: 1000
	  3: 299
	  4: inlined callee: clamp: 50, 0, 1 sampled lines
	      1: 50
	END
	llvm-profdata-14 show --sample statics.llvm >shown || fail "llvm-profdata refuses the statics"
	grep -E '^Function|^ +[0-9.]+: ' shown | diff want - || fail "llvm-profdata reads something else of the statics"
	clang-14 -O2 -g -fprofile-sample-use=work.llvm -S -emit-llvm work.c -o work.ll 2>err || fail "clang: $(cat err)"
	check_eq "what clang says" "$(cat err)" ""
	# clang adds one to each: 938 of 15000 take the first, 421 of 15000 the second; 3 calls.
	for weights in 'function_entry_count", i64 4' 'branch_weights", i32 939, i32 14063' 'branch_weights", i32 422, i32 14580'; do
		grep -qF "$weights" work.ll || fail "no $weights in clang's code: $(grep '^!.*\(weights\|entry\)' work.ll)"
	done
else
	missing="$missing llvm-14 clang-14"
fi
if command -v go >/dev/null; then
	HOME=$T go tool pprof -raw work.pprof >raw 2>err || fail "pprof: $(cat err)"
	check_eq "units" "$(sed -n '/^Samples/{n;p}' raw)" "executions/count instructions/count"
	# A line within clamp() has the line of the call below it.
	grep -A 1 ' clamp work.c:5 ' raw | grep -q ' work work.c:14 ' || fail "pprof finds no inlined call: $(cat raw)"
	# Executions of work(): 3 + 15003 + 15000 + 14000 + 11 + 12 + 938 + 14000 + 15000 + 90 + 3, and those of clamp().
	for index in executions:30000:104060 instructions:45000:209069; do
		IFS=: read -r kind inner all <<<"$index"
		HOME=$T go tool pprof -top -unit=count -sample_index="$kind" work.pprof >top 2>err || fail "pprof: $(cat err)"
		check_eq "$kind of clamp" "$(awk '$6 == "clamp" { print $1 }' top)" "$inner"
		check_eq "$kind of work" "$(awk '$6 == "work" { print $4 }' top)" "$all"
	done
else
	missing="$missing golang-go"
fi
[ -z "$missing" ] || skip "what is for tools that are not here is not read back:$missing"
