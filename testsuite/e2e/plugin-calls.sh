#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What GCC's passes rely on between counts of functions: a virtual thunk that counted code calls has a count, or the cloner
# ends in an internal error; and a function runs at least as often as its callers call it, though a sampled profile
# may say otherwise.  What a function throws that is called by a pointer ends the program where the caller is declared
# noexcept, with the usual target inlined there, too.  All expected counts are by hand, as ratios: the unit in which the plugin writes is its own affair.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
# dumped NAME: the lines of symbol NAME in the call graph that the annotation leaves.
dumped() { awk -v name="$1/" '/^[^ ]/ { on = index($0, name) == 1 } on' ./*i.pathfdo; }
# count_of NAME: its count, nothing for one that is only guessed.
count_of() { dumped "$1" | sed -n 's/.*Function flags:.*count:\([0-9]*\) (adjusted).*/\1/p'; }
# use NAME FLAG...: compiles NAME with the profile NAME.txt, its intermediate code checked after each pass.
use() {
	local name=$1 compiler=$CC
	shift
	[ "${name%.cc}" = "$name" ] || compiler=$CXX
	rm -f ./*i.*
	"$PATHFDO" show --from-text "$name.txt" -o p.pfdo
	$compiler -O2 -g -fchecking=1 "$@" -fdump-ipa-all -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/p.pfdo" -c "$name" \
		2>messages || fail "$name with $*: $(grep -m 1 error messages)"
	check_eq "what is said of $name" "$(cat messages)" ""
}

cat >thunk.cc <<'END'
struct root {
	virtual ~root() {}
};
struct left : virtual root {};
struct right : virtual root {
	virtual void step() = 0;
	void run() { step(); }
};
struct both : left, virtual right {
	void step() override {}
};
int main()
{
	for (int i = 0; i < 1000; i++) {
		both b;
		b.run();
	}
	return 0;
}
END
# The loop turns 1000 times for one call of main, so does the thunk that it calls directly once the class is known.
cat >thunk.cc.txt <<'END'
pathfdo-profile 1
unit executions
function main thunk.cc:12 head 1 total 3002
  0 count 1
  2 count 1000
  3 count 1000
  4 count 1000
  6 count 1
END
for flags in -O2 -O3; do
	use thunk.cc $flags
	main=$(count_of main)
	check_eq "calls of the thunk with $flags" "$(count_of _ZTv0_n40_N4both4stepEv)" $((main * 1000))
	check_within "calls of another thunk, through tables alone, with $flags" "$(count_of _ZTv0_n24_N4bothD1Ev)" 1 1
done

cat >sum.c <<'END'
int out[16];
__attribute__((noinline))
static int work(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += out[i & 15] * n;
	return s;
}
int one(int n)
{
	return work(n) + 1;
}
int two(int n)
{
	return work(n + 1) + 2;
}
END
# profile HEAD ENDS TESTS TURNS: one and two call work 600 and 500 times; what its own samples say of it, of where it begins
# and ends, of its loop's test and of the turns.
profile() {
	cat <<END
pathfdo-profile 1
unit executions
function work sum.c:3 head $1 total $(($2 * 2 + $3 + $4))
  2 count $2
  3:18 count $3
  4 count $4
  5 count $2
function one sum.c:10 head 600 total 600
  2 count 600
function two sum.c:14 head 500 total 500
  2 count 500
END
}
# called WHAT: compiles sum.c; work runs as often as one and two call it.  Sets what ONE and the LOOP in work count.
called() {
	use sum.c
	one=$(count_of one)
	check_eq "calls of two, $1" "$(count_of two)" $((one / 6 * 5))
	check_within "calls of work for each of one, $1" "$(awk "BEGIN { print $(count_of work) / $one }")" 1.833 1.834
	loop=$(sed -n '/^int work/,/^}/s/.*<bb [0-9]*> \[count: \([0-9]*\)\].*/\1/p' ./*i.profile_estimate |
		sort -rn | head -n 1)
}
# Its loop turns ten times for a call, however often it is called.
profile 500 500 5500 5000 >sum.c.txt
called "each call seen"
check_within "turns of its loop for a call" "$(awk "BEGIN { print $loop / $(count_of work) }")" 10 11.1

# A function that turns long, of which no look has shown the beginning or the end: the calls say how often it begins, and
# its loop turns as often as it did.
profile 0 0 500000 500000 >sum.c.txt
called "seen in its loop alone"
check_within "turns of its loop for 600 calls of one" "$(awk "BEGIN { print $loop / $one * 600 }")" 500000 501100

# A function that begins once and turns for long, whose call no look has shown: where it is inlined, as it may be because
# nobody else calls it, its loop is as hot as it was, and lies in no cold section.
cat >turn.c <<'END'
extern int work(int);
int turn(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += work(i);
	return s;
}
END
cat >body <<'END'
int pack(int level, int n)
{
	if (level < 4)
		return turn(n);
	int s = 1;
	for (int i = 0; i < n; i++)
		s ^= work(i + 3);
	return s;
}
END
sed 's/^int turn/static &/' turn.c | cat - body >once.c
cat >once.c.txt <<'END'
pathfdo-profile 1
unit executions
function turn once.c:2 head 0 total 1000000
  2 count 0
  3:20 count 500000
  4 count 500000
  5 count 0
function pack once.c:9 head 0 total 1000000
  2 count 0
  3 count 0
  5:20 count 500000
  6 count 500000
  7 count 0
END
# calls_of CALLEE CALLER: how often CALLER calls it.
calls_of() { dumped "$2" | sed -n "s,.* $1/[0-9]* (\\([0-9]*\\) .*,\\1,p"; }
use once.c
check_eq "calls of turn" "$(calls_of turn pack)" "$(count_of turn)"
check_eq "turn, inlined" "$(nm once.o | grep -c ' turn$')" 0
check_eq "calls of work where code is cold" "$(objdump -r -j .text.unlikely once.o 2>/dev/null | grep -c work)" 0
# Which of two calls it was is not known.
cat >strange.c <<'END'
static int turn(int n);
extern void stop(void) __attribute__((noreturn, cold));
int strange(int n)
{
	if (n < 0) {
		turn(n);
		stop();
	}
	return n;
}
END
cat once.c strange.c >twice.c
sed 's/once.c/twice.c/' once.c.txt >twice.c.txt
cat >>twice.c.txt <<'END'
function strange twice.c:20 head 7000 total 14000
  2:5 count 7000
  3 count 0
  4 count 0
  6 count 7000
END
use twice.c
check_eq "calls of turn by pack" "$(calls_of turn pack)" "$(count_of turn)"
check_eq "calls of turn by strange" "$(calls_of turn strange)" "$(count_of turn)"

# A call in a function that no look saw is none of them, and leaves it at the others.
cat >aside.c <<'END'
static int turn(int n);
int aside(int n)
{
	return turn(n + 1) + turn(n + 2);
}
END
cat once.c aside.c >seen.c
sed 's/once.c/seen.c/' once.c.txt >seen.c.txt
use seen.c
check_eq "calls of turn by the function that ran" "$(calls_of turn pack)" "$(count_of turn)"
check_eq "calls of work where code is cold, with an unseen caller" \
	"$(objdump -r -j .text.unlikely seen.o 2>/dev/null | grep -c work)" 0

# The same of a template, of which each unit has its own, and which is inlined into its only caller.
sed 's/^static int turn/template <class number> int turn/; s/turn(int n)/turn(number n)/' once.c >once.cc
sed 's/turn once.c:2/_Z4turnIiEiT_ once.cc:2/; s/pack once.c:9/_Z4packii once.cc:9/' once.c.txt >once.cc.txt
use once.cc
check_eq "calls of the template" "$(calls_of _Z4turnIiEiT_ _Z4packii)" "$(count_of _Z4turnIiEiT_)"

# The same in another unit, which is inlined when linking.
echo 'extern int work(int), turn(int);' | cat - body >pack.c
cat >other.c <<'END'
int pack(int, int);
volatile int add;
__attribute__((noipa)) int work(int n) { return n + add; }
int main(int argc, char **argv) { return pack(argc, 100) & 1; }
END
sed 's/once.c:2/turn.c:2/; s/once.c:9/pack.c:2/' once.c.txt >linked.txt
"$PATHFDO" show --from-text linked.txt -o linked.pfdo
lto="-O2 -g -flto -fplugin=$PLUGIN -fplugin-arg-pathfdo-profile=$T/linked.pfdo"
for file in turn pack other; do
	$CC $lto -c $file.c 2>messages || fail "$file.c with -flto: $(cat messages)"
done
$CC $lto turn.o pack.o other.o -o linked -save-temps -fdump-tree-optimized-blocks-details 2>messages ||
	fail "not linked: $(cat messages)"
check_eq "loops that are hot where both are linked into one" \
	"$(cat ./*ltrans*optimized | grep -c 'basic block .*loop depth 1, .*count [1-9].*maybe hot')" 2

# A caller that lies: the function's counts cannot be made that high, and are guesses then.
profile 500 200000000 200000000 200000000 |
	sed 's/^function one .*/function one sum.c:10 head 1000000000 total 1/;s/^  2 count 600/  2 count 1000000000/' >sum.c.txt
use sum.c
check_eq "count of work, which cannot be" "$(count_of work)" ""
# Without guesses there is nothing that an unsampled function keeps, and no edge without a probability is left.
use thunk.cc -fno-guess-branch-probability

cat >wall.cc <<'END'
#include <cstdio>
#include <cstdlib>
#include <exception>
void end()
{
	std::puts("terminated");
	std::exit(0);
}
int steps;
__attribute__((noipa)) void raise() { throw 1; }
void breaks() { steps++; raise(); steps--; }
void (*first)() = breaks;
void wall() noexcept { first(); }
static inline void opened() { first(); steps++; }
void outer_wall() noexcept { opened(); }
void (*second)() = wall, (*outer)() = outer_wall;
void passes() { first(); }
void (*third)() = passes;
int main(int argc, char **)
{
	std::set_terminate(end);
	try {
		third();
	} catch (int) {
		std::puts("caught");
	}
	try {
		(argc > 1 ? outer : second)();
	} catch (int) {
		std::puts("through the wall");
	}
	return 0;
}
END
cat >wall.cc.txt <<'END'
pathfdo-profile 1
unit executions
function _Z6breaksv wall.cc:11 head 3000000 total 9000000 entries 3000000
  0:22 count 3000000
  0:30 count 3000000
    call _Z5raisev 3000000
function _Z4wallv wall.cc:13 head 3000000 total 9000000 entries 3000000
  0:29 count 3000000
    call _Z6breaksv 2500000
    call _Z6passesv 500000
function _ZL6openedv wall.cc:14 head 3000000 total 9000000 entries 3000000
  0:36 count 3000000
    call _Z6breaksv 2500000
    call _Z6passesv 500000
function _Z10outer_wallv wall.cc:15 head 3000000 total 3000000 entries 3000000
  0:36 count 3000000
    call _ZL6openedv 3000000
function _Z6passesv wall.cc:17 head 3000000 total 9000000 entries 3000000
  0:22 count 3000000
    call _Z6breaksv 3000000
END
for flag in -fearly-inlining -fno-early-inlining; do
	use wall.cc -std=c++17 $flag
	$CXX wall.o -o wall
	check_eq "where an exception goes with $flag" "$(./wall | paste -sd' ') $(./wall outer | paste -sd' ')" \
		"caught terminated caught terminated"
	objdump -dr wall.o | awk '/^[0-9a-f]+ </ { on = /<_Z6passesv>/ } on' | grep -q _Z6breaksv ||
		fail "the usual target of a call is not looked for"
done
