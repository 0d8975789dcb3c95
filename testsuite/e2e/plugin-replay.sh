#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What is inlined again.  A body that is hot as a whole at its call is; one that is idle there but for its head is left
# to GCC, which splits it and inlines the head alone, and so is one of which the profiled binary had but the head at the
# call, and which ran all the same.  The profile is by hand.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >calls.c <<'END'
extern int values[64];
static int whole(int x)
{
	for (int i = 0; i < 60; i++)
		x = x * 31 + values[(x + i) & 63] % 13;
	return x ^ values[x & 63];
}
static int head(int x)
{
	if (x < 1000)
		return x + 1;
	for (int i = 0; i < 50; i++)
		x = x * 29 + values[(x - i) & 63] % 11;
	values[x & 63] ^= x / 7;
	return x + values[x & 31] / (x | 1);
}
static int body(int x)
{
	if (x < 0)
		return x + 1;
	for (int i = 0; i < 40; i++)
		x = x * 27 + values[(x + i) & 63] % 7;
	values[x & 63] ^= x / 3;
	return x - values[x & 15] / (x | 3);
}
int one(int x)
{
	return whole(x) + head(x) + body(x);
}
int two(int x)
{
	return whole(x) - head(x) - body(x);
}
END
# Hot is from 40 on: the rest of head is so in one, but a rare thing in the call, and never ran in two.  The head of body
# ran in both callers, what it splits off by itself:
# in the record of its own, 40 times for a call.
cat >profile.txt <<'END'
pathfdo-profile 1
unit executions
function one calls.c:26 head 6000
  2 count 6000
  inline @1 whole calls.c:2 at 2:9 entries 6000
    2 count 360000
    3 count 360000
    4 count 6000
  inline @2 head calls.c:8 at 2:20 entries 6000
    2 count 6000
    3 count 5999
    4 count 300
    5 count 300
    6 count 1
    7 count 1
  inline @3 body calls.c:17 at 2:30 entries 6000
    2:5 count 6000
      taken 2:5@3 6000 greater
function two calls.c:30 head 4000
  2 count 4000
  inline @1 whole calls.c:2 at 2:9 entries 4000
    2 count 240000
    3 count 240000
    4 count 4000
  inline @2 head calls.c:8 at 2:20 entries 4000
    2:5 count 4000
      taken 3:12@2 4000 less
    3:12 count 4000
  inline @3 body calls.c:17 at 2:30 entries 4000
    2:5 count 4000
      taken 2:5@3 4000 greater
function body calls.c:17 head 0
  4 count 400000
  5 count 400000
  6 count 10000
  7 count 10000
END
"$PATHFDO" show --from-text profile.txt -o p.pfdo
$CC -O2 -g -Werror -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/p.pfdo" -fplugin-arg-pathfdo-report="$T/report" -c calls.c
# told CALLEE CALLER: what became of the call at the annotation.
told() { sed -n "s/^{\"\([a-z]*\)\":\"$1\",\"into\":\"$2\".*/\1/p" report; }
for caller in one two; do
	check_eq "a body that is hot as a whole, in $caller" "$(told whole $caller)" inlined
	check_eq "a body of which the head is hot, in $caller" "$(told head $caller)" refused
	check_eq "a body that was split, in $caller" "$(told body $caller)" refused
done

# merged NAME: entries, sum of counts and number of instances of its body's record.
merged() {
	sed -n "s/^{\"function\":\"$1\".*\"head\":\([0-9]*\),\"total\":\([0-9]*\),\"merged\":\([0-9]*\),.*/\1 \2 \3/p" report
}
# GCC has the counts of both calls together, and leaves the callers nothing but the head.
check_eq "what the body of head has" "$(merged head)" "10000 20601 2"
check_eq "what the body of body has" "$(merged body)" "10000 830000 2"
check_eq "what GCC split off" "$(nm calls.o | sed -n 's/.* t \(head[.a-z]*\).*/\1/p')" "head.part."

# A hot instance in a function of another file is that file's to inline again, unless nothing is.
cat >shared.h <<'END'
static inline int shared(int x)
{
	for (int i = 0; i < 30; i++)
		x = x * 31 + values[(x + i) & 63] % 13;
	return x ^ values[x & 63];
}
END
cat >near.c <<'END'
extern int values[64];
#include "shared.h"
int near(int x)
{
	return shared(x) + shared(x + 1);
}
END
cat >shared.txt <<'END'
pathfdo-profile 1
unit executions
function near near.c:3 head 10
  2 count 10
function far far.c:2 head 6000
  2 count 6000
  inline @1 shared shared.h:1 at 2:9 entries 6000
    2 count 180000
    3 count 180000
    4 count 6000
END
"$PATHFDO" show --from-text shared.txt -o p.pfdo
# entries FLAG...: those of shared's body with the flags.
entries() {
	rm -f report
	$CC -O2 -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/p.pfdo" -fplugin-arg-pathfdo-report="$T/report" "$@" -c near.c
	sed -n 's/^{"function":"shared".*"found":"\([a-z]*\)".*"head":\([0-9]*\).*/\1 \2/p; s/^{"function":"shared".*"\(unmatched\)".*/\1/p' report
}
check_eq "a body that another file inlines again" "$(entries)" unmatched
for flag in -fplugin-arg-pathfdo-no-replay -fno-inline -fsanitize=undefined; do
	check_eq "the same where nothing is inlined again, by $flag" "$(entries $flag)" "matched 6000"
done

# What is declared inline and nearly hot (hot is from 40 on) is that file's, too, where it ran each time that the code around
# it did, and nobody's otherwise.
far() {
	cat >shared.txt <<END2
pathfdo-profile 1
unit executions
function hottest calls.c:2 head 400000
  2 count 400000
function near near.c:3 head 10
  2 count 10
function far far.c:2 head $1 entries $1
  2 count $1
  inline @1 shared shared.h:1 at 2:9 entries $2
    2 count 360
    3 count 360
    4 count $2
END2
	"$PATHFDO" show --from-text shared.txt -o p.pfdo
}
far 20 20
check_eq "a body that another file inlines as its author asks" "$(entries)" unmatched
far 20 19
check_eq "one that does not run each time" "$(entries)" "matched 19"
far 9 9
check_eq "one that is colder" "$(entries)" "matched 9"

# A call that is not quite hot (from 40 on) is inlined as without a profile, if its author asks for it and it ran each
# time that the code around it did.
cat >warm.c <<'END'
extern int values[64];
#define BODY(name) int name(int x) { return (x ^ values[x & 63]) * 29 + values[x / 7 & 63] % 11 - values[x / 3 & 31]; }
static inline BODY(asked)
static inline BODY(seldom)
static inline BODY(colder)
static BODY(plain)
int warm(int x)
{
	for (int i = 0; i < x; i++)
		x += asked(x) + (x & 1 ? 3 : seldom(x));
	return x + plain(x) + colder(x);
}
int also(int x)
{
	return asked(x + 1) - seldom(x + 2) - plain(x + 3) - colder(x + 4);
}
END
cat >warm.txt <<'END'
pathfdo-profile 1
unit executions
function hottest calls.c:2 head 400000
  2 count 400000
function warm warm.c:7 head 12 entries 12
  2 count 20
  3 count 20
  3:8 count 20
  3:19 count 20
  4 count 12
  inline @1 asked warm.c:3 at 3:8 entries 20
    0 count 20
  inline @2 seldom warm.c:4 at 3:30 entries 11
    0 count 11
  inline @3 plain warm.c:6 at 4:13 entries 12
    0 count 12
  inline @4 colder warm.c:5 at 4:24 entries 9
    0 count 9
END
"$PATHFDO" show --from-text warm.txt -o p.pfdo
rm -f report
$CC -O2 -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/p.pfdo" -fplugin-arg-pathfdo-report="$T/report" -c warm.c
check_eq "a call that is nearly hot, each time" "$(told asked warm)" inlined
check_eq "one that is as hot, but not each time" "$(told seldom warm)" ""
check_eq "one that nobody asked for" "$(told plain warm)" ""
check_eq "one that is colder" "$(told colder warm)" ""

# A body that does nothing by itself, as all of it was inlined in turn, runs as often as it is entered: its own lines have no
# records.  One that calls such a thing on a way that was never taken is idle all the same.
cat >wrap.c <<'END'
extern int values[64];
static int inner(int x)
{
	for (int i = 0; i < 60; i++)
		x = x * 31 + values[(x + i) & 63] % 13;
	return x ^ values[x & 63];
}
static int wrap(int x)
{
	return inner(x) + inner(x * 3) - inner(x / 5);
}
static int seldom(int x)
{
	if (x < 1000)
		return x + 1;
	return inner(x) + inner(x * 3) - inner(x / 5);
}
int caller(int x)
{
	return wrap(x) + seldom(x);
}
int other(int x)
{
	return wrap(x + 1) - seldom(x + 1) - inner(x);
}
END
cat >wrap.txt <<'END'
pathfdo-profile 1
unit executions
function caller wrap.c:18 head 6000
  2 count 6000
  inline @1 wrap wrap.c:8 at 2:9 entries 6000
    inline @2 inner wrap.c:2 at 2:9 entries 6000
      2 count 360000
      3 count 360000
      4 count 6000
    inline @3 inner wrap.c:2 at 2:20 entries 6000
      2 count 360000
      3 count 360000
      4 count 6000
    inline @4 inner wrap.c:2 at 2:35 entries 6000
      2 count 360000
      3 count 360000
      4 count 6000
  inline @5 seldom wrap.c:12 at 2:19 entries 6000
    2:5 count 6000
      taken 3:12@5 6000 less
    3:12 count 6000
END
"$PATHFDO" show --from-text wrap.txt -o p.pfdo
rm -f report
$CC -O2 -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/p.pfdo" -fplugin-arg-pathfdo-report="$T/report" -c wrap.c
check_eq "a body of which all was inlined in turn" "$(told wrap caller)" inlined
check_eq "what was inlined in it" "$(told inner caller)" "$(printf 'inlined\ninlined\ninlined')"
check_eq "a body of which all but the head is idle" "$(told seldom caller)" refused

# Two calls in a row make the same test, so the profiled compiler tested once: of the second it left next to nothing, and the
# record that is left for the function says that it hardly runs.  What is called so much more often than that is guessed.
cat >known.c <<'END'
extern int values[64];
static int small(int x)
{
	return (x ^ values[x & 63]) * 29 + values[x / 7 & 63] % 11 - values[x / 3 & 31];
}
static int get(int x)
{
	if (x & values[3])
		return small(x);
	return values[x / 5 & 63] % 13 + values[x & 31];
}
int user(int x)
{
	int sum = 0;
	for (int i = 0; i < x; i++) {
		sum += get(i);
		sum += get(i ^ sum) / 3;
	}
	return sum;
}
int other(int x)
{
	return get(x + 1) - small(x + 2);
}
END
cat >known.txt <<'END'
pathfdo-profile 1
unit executions
function user known.c:12 head 600
  1 count 600
  2:20 count 60600
    taken 3:7@0 60000 less
    fell 6:9@0 600 greater
  3:7 count 60000
  4:7 count 60000
  4:24 count 60000
  6:9 count 600
  inline @1 get known.c:6 at 3:10 entries 60000
    2:5 count 60000
      taken 3:10@1 60000 different
    3:10 count 60000
    inline @2 small known.c:2 at 3:10 entries 60000
      2 count 60000
  inline @3 get known.c:6 at 4:10 entries 1
    2:5 count 1
      fell 4:9@3 1 equal
    4:9 count 1
    inline @4 small known.c:2 at 3:10 entries 0
      2 count 0
END
"$PATHFDO" show --from-text known.txt -o p.pfdo
rm -f report
$CC -O2 -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/p.pfdo" -fplugin-arg-pathfdo-report="$T/report" -c known.c
check_eq "the call that has the test" "$(told get user)" inlined
check_eq "calls that are left behind the one that had none" "$(objdump -dr known.o | awk '/^[0-9a-f]+ </ { f = $2 } f == "<user>:" && / <(small|get)>/ { n++ } END { print n + 0 }')" 0

# What the source wants to be left out of -fsanitize-coverage is not inlined into what is not, as GCC itself does not: this
# counts the calls of what the sanitizer puts into each block.
cat >coverage.c <<'END2'
#include <stdio.h>
static int calls;
__attribute__((no_sanitize_coverage)) void __sanitizer_cov_trace_pc(void)
{
	calls++;
}
__attribute__((no_sanitize_coverage)) static int quiet(int x)
{
	int s = 1;
	for (int i = 0; i < x; i++)
		s = s * 3 + i;
	return s;
}
__attribute__((noinline)) int loud(int x)
{
	return quiet(x) + 1;
}
int more(int x)
{
	return quiet(x + 1);
}
int main(void)
{
	int s = 0;
	for (int i = 0; i < 10; i++)
		s += loud(i);
	printf("%d\n", calls);
	return s == 0;
}
END2
cat >coverage.txt <<'END2'
pathfdo-profile 1
unit executions
function loud coverage.c:14 head 100000
  2 count 100000
  inline @1 quiet coverage.c:7 at 2:9 entries 100000
    2 count 100000
    3 count 500000
    4 count 400000
    5 count 100000
END2
"$PATHFDO" show --from-text coverage.txt -o p.pfdo
$CC -O2 -fsanitize-coverage=trace-pc coverage.c -o plain || skip "$CC has no -fsanitize-coverage"
$CC -O2 -fsanitize-coverage=trace-pc -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/p.pfdo" coverage.c -o with
check_within "calls of the sanitizer" "$(./with)" 1 "$(./plain)"

# A function that has got a large buffer since it was profiled is not inlined into one that recurses, each of whose frames
# would have the buffer: 2,000 of them are 128 MB, and GCC by itself makes a program that needs 64 kB.
cat >frames.c <<'END2'
#include <stdio.h>
static int leaf(int x)
{
	char text[65536];
	snprintf(text, sizeof text, "%d", x);
	return text[0] + x % 3;
}
__attribute__((noinline)) int walk(int depth, int x)
{
	if (depth == 0)
		return x;
	x = leaf(x + depth);
	return walk(depth - 1, x) ^ x * 3;
}
int other(int x)
{
	return leaf(x);
}
int main(void)
{
	printf("%d\n", walk(2000, 7));
	return 0;
}
END2
cat >frames.txt <<'END2'
pathfdo-profile 1
unit executions
function walk frames.c:8 head 100000
  2 count 100000
  4 count 100000
  5 count 100000
  inline @1 leaf frames.c:2 at 4:6 entries 100000
    3 count 100000
    4 count 100000
END2
"$PATHFDO" show --from-text frames.txt -o p.pfdo
ulimit -s 8192
$CC -O2 frames.c -o plain
$CC -O2 -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/p.pfdo" frames.c -o with
check_eq "what a recursion prints" "$(./with)" "$(./plain)"
