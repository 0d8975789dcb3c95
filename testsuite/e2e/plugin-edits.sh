#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A profile of a source that was edited since: lines put in and taken out, a condition put around a block, a function that was
# inlined moved down.  The counts of what is still there are those that it had; what is new has none of its own.
# Percent of the function's entries are written by hand, as the profile is.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >pick.c <<'EOF'
int before(int), odd(int), rare(int, int), after(int);
static inline int twist(int x, int y)
{
	if (x > y)
		return odd(x ^ y);
	return x + y * 3;
}
int pick(int x)
{
	int r = before(x);
	if (x & 1)
		r += odd(r);
	else if (x > 99)
		r ^= rare(r, x);
	r = twist(r, x);
	after(r);
	return r;
}
EOF
cat >profile.txt <<'EOF'
pathfdo-profile 1
unit executions
function pick pick.c:8 head 100000 total 835000
  2:10 count 100000
    call before 100000
  3:5 count 100000
    fell 5:10 90000
    taken 4:8 10000
  4:8 count 10000
    call odd 10000
  4:5 count 10000
  5:10 count 90000
    fell 7:6 89000
    taken 6:8 1000
  6:8 count 1000
    call rare 1000
  6:5 count 1000
  7:6 count 100000
  8:2 count 100000
    call after 100000
  9:9 count 100000
  inline @1 twist pick.c:2 at 7:6 entries 100000
    2:5 count 100000
      fell 4:13@1 25000
      taken 3:10@1 75000
    3:10 count 75000
      call odd 75000
    4:13 count 25000
    4:9 count 25000
EOF
"$PATHFDO" show --from-text profile.txt -o app.pfdo
# shares FOLDER: the counts of the blocks of pick in percent of its entries, those of the calls by name.
shares() {
	rm -f report ./*fixup_cfg3
	$CC -O2 -g -Werror -fplugin="$PLUGIN" -fplugin-arg-pathfdo-werror -fplugin-arg-pathfdo-profile="$T/app.pfdo" \
		-fplugin-arg-pathfdo-report="$T/report" -fdump-tree-fixup_cfg3-blocks-details -c "$1/pick.c"
	awk '/^;; Function / { inside = $3 == "pick"; first = 0 }
		inside && /^;;   basic block [0-9]*, .*count / { sub(/.*count /, ""); count = $1; first = first ? first : count }
		inside && / (before|odd|rare|after|log_it) \(/ {
			match($0, /(before|odd|rare|after|log_it) \(/)
			printf "%s%s %.0f", (n++ ? ", " : ""), substr($0, RSTART, RLENGTH - 2), 100 * count / first
		}' pick.c.*fixup_cfg3
}
aligned() { sed -n 's/^{"unit":.*"aligned":\([0-9]*\),.*/\1/p' report; }

wanted="before 100, odd 10, rare 1, odd 75, after 100"
check_eq "the source as it was" "$(shares .)" "$wanted"
check_eq "positions aligned in it" "$(aligned)" 0

mkdir in out inlined
sed 's/^int pick.*/static int level;\n\n&/; s/^\tint r = before.*/\tif (!x)\n\t\treturn 0;\n&/' pick.c >in/pick.c
check_eq "lines put in" "$(shares in)" "$wanted"
# All of pick's own positions, none of twist's.
check_eq "positions aligned behind them" "$(aligned)" 10

sed '/else if/d; /rare(r, x)/d' pick.c >out/pick.c
check_eq "lines taken out" "$(shares out)" "before 100, odd 10, odd 75, after 100"

sed 's/^\tif (x > y)/\tint z = y * 7;\n\n\tif (z > 3)\n\t\tx += z;\n&/' pick.c >inlined/pick.c
check_eq "edits of what was inlined" "$(shares inlined | sed 's/, odd [0-9]*, after/, after/')" "before 100, odd 10, rare 1, after 100"

# Laid out anew: all lines and columns are others, and so is where lines end; calls, conditions and their order are not.
mkdir layout
cat >layout/pick.c <<'EOF'
int before( int ), odd( int ), rare( int, int ), after( int );
static inline int twist( int x, int y ) {
    if ( x > y ) return odd( x ^ y );
    return x + y * 3;
}

int pick( int x )
{
    int r = before( x );

    if ( x & 1 ) r += odd( r );
    else if ( x > 99 ) {
        r ^= rare(
            r, x );
    }
    r = twist( r, x ); after( r );
    return r;
}
EOF
check_eq "another layout" "$(shares layout)" "$wanted"

# Two functions of one name of which debug information has no other, as they are in no object file by themselves: which of
# them a record is of tell the lines of those around them.  What is on line 0 is the compiler's, at the end of the file.
mkdir namesakes
cat >namesakes/out.cc <<'EOF'
int low(int), high(int), wide(long), deep(long), begin();
int start = begin();
int first(int x) { return low(x) + 1; }
namespace
{
inline int put(int x)
{
	if (x < 0)
		return low(x);
	return high(x);
}
inline int put(long x)
{
	if (x < 0)
		return wide(x);
	return deep(x);
}
}
int last(int x) { return high(x) - 1; }
int drive(int x, int y)
{
	return put(x) + put(y * 2L);
}
EOF
cat >profile-cc.txt <<'EOF'
pathfdo-profile 1
unit executions
function _GLOBAL__sub_I_start out.cc:0 head 1 total 2
  inline @1 __static_initialization_and_destruction_0 out.cc:0 at 23:1 entries 1
    2:18 count 1
      call _Z5beginv 1
function _Z5firsti out.cc:3 head 7 total 7
  0:31 count 7
function _Z4lasti out.cc:19 head 7 total 7
  0:31 count 7
function _Z5driveii out.cc:20 head 100000 total 400000
  2:12 count 100000
  2:21 count 100000
  inline @1 put out.cc:6 at 2:12 entries 100000
    2:2 count 100000
      fell 4:13@1 10000
      taken 3:13@1 90000
    3:13 count 90000
      call _Z3lowi 90000
    4:13 count 10000
      call _Z4highi 10000
  inline @2 put out.cc:12 at 2:21 entries 100000
    2:2 count 100000
      fell 4:13@2 99000
      taken 3:14@2 1000
    3:14 count 1000
      call _Z4widel 1000
    4:13 count 99000
      call _Z4deepl 99000
EOF
"$PATHFDO" show --from-text profile-cc.txt -o cc.pfdo
# drive FOLDER: the calls of drive and their counts in percent of its entries.
drive() {
	rm -f report ./out.cc.*
	$CXX -O2 -g -Werror -fplugin="$PLUGIN" -fplugin-arg-pathfdo-werror -fplugin-arg-pathfdo-profile="$T/cc.pfdo" \
		-fplugin-arg-pathfdo-report="$T/report" -fdump-tree-optimized-blocks-details -c "$1/out.cc"
	awk '/^;; Function / { inside = $4 ~ /^\(_Z5driveii/; first = 0 }
		inside && /^;;   basic block [0-9]*, .*count / { sub(/.*count /, ""); count = $1; first = first ? first : count }
		inside && / (low|high|wide|deep) \(/ {
			match($0, /(low|high|wide|deep) \(/)
			printf "%s %.0f\n", substr($0, RSTART, RLENGTH - 2), 100 * count / first
		}' out.cc.*optimized | sort | paste -sd' '
}
wanted_cc="deep 99 high 10 low 90 wide 1"
check_eq "two of one name, as they were" "$(drive namesakes)" "$wanted_cc"
mkdir namesakes/in namesakes/laid
awk '/^inline/ || /^namespace/ { print "// what it does" } 1; /^\tif/ { print "\t\t// negative" }' namesakes/out.cc >namesakes/in/out.cc
check_eq "lines put in before them and into them" "$(drive namesakes/in)" "$wanted_cc"
sed ':a; N; $!ba; s/(\(int\|long\) x)\n{/(\1 x) {/g; s/\n\t\treturn/ return/g; s/\t/    /g' namesakes/out.cc >namesakes/laid/out.cc
check_eq "both laid out anew" "$(drive namesakes/laid)" "$wanted_cc"

# Moved to a file that is new: it is known by its positions; another function of its name is not.  The program is known to
# have had no such file.
sed 's/^unit executions/&\ncompiled pick.c/' profile.txt >listed.txt
"$PATHFDO" show --from-text listed.txt -o app.pfdo
mkdir moved other
moved() {
	rm -f report
	(cd "$1" && $CC -O2 -g -w -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/app.pfdo" \
		-fplugin-arg-pathfdo-report="$T/report" -c chosen.c)
	sed -n 's/^{"function":"pick".*"found":"\([a-z]*\)".*/\1/p' report
}
sed 's/^int pick.*/static int level;\n\n&/; s/^\tint r = before.*/\tlevel++;\n\tlevel ^= x;\n&/' pick.c >moved/chosen.c
check_eq "a function that was moved and edited" "$(moved moved)" moved
check_eq "its positions" "$(aligned)" 10
cat >other/chosen.c <<'EOF'
int lookup(int, int);
int pick(int x)
{
	int best = 0;

	for (int i = 0; i < x; i++) {
		if (best < lookup(i, best))
			best = i ^ best;
	}
	return best + x * 2;
}
EOF
check_eq "another function of its name" "$(moved other)" unmatched

# A function of another name: it is called where the profile calls the one that is not there any more, and is like it.
mkdir named
cat >named/run.c <<'EOF'
int table[64];
static __attribute__((noinline)) int labour(int x)
{
	int s = 0;
	for (int i = 0; i < x; i++)
		if (table[i & 63] > s)
			s += table[i & 63] ^ x;
		else
			s ^= i * 3;
	return s + x;
}
int run(int x)
{
	return labour(x) + 1;
}
EOF
cat >profile.txt <<'EOF'
pathfdo-profile 1
unit executions
compiled run.c
function run run.c:12 head 90000 total 180000
  2:9 count 90000
    call work 90000
  2:19 count 90000
function work run.c:2 head 90000 total 9000000
  2:6 count 90000
  3:20 count 1000000
  3:28 count 900000
  4:12 count 900000
  4:20 count 900000
  4:6 count 900000
    fell 5:14 600000
    taken 7:6 300000
  5:14 count 600000
  5:6 count 600000
  7:6 count 300000
  7:11 count 300000
  8:11 count 90000
EOF
"$PATHFDO" show --from-text profile.txt -o app.pfdo
named() {
	rm -f report
	(cd named && $CC -O2 -g -w -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/app.pfdo" \
		-fplugin-arg-pathfdo-report="$T/report" -c run.c)
	sed -n '/^{"function":"labour"/ { s/.*"found":"moved","head":\([0-9]*\),.*/moved \1/; s/.*"found":"\([a-z]*\)".*/\1/; p }' report
}
check_eq "entries of a function of another name" "$(named)" "moved 90000"
sed -i 's/^\t\tif (table.*/\t\ts += x/; s/^\t\t\ts += .*/\t\t\t\t+ 3;/; /^\t\telse/d; s/^\t\t\ts ^= .*/\n/' named/run.c
check_eq "entries of another function" "$(named)" "unmatched"

# A static function of C++, of which debug information has the plain name: what others had inlined of it is found though it
# is declared a line further down, in its own file, and where the file has two of the name: by what stands around it.
cat >shifted.cc <<'EOF'
static __attribute__((noinline)) int helper(int x)
{
	int s = 0;
	for (int i = 0; i < x; i++)
		s += x * i ^ s;
	return s;
}
int host(int x)
{
	return helper(x) + helper(x + 1);
}
EOF
cat >profile.txt <<'EOF'
pathfdo-profile 1
unit executions
function _Z4hosti shifted.cc:8 head 100000
  2 count 100000
  inline @1 helper shifted.cc:1 at 2:15 entries 100000
    2 count 100000
    3 count 500000
    4 count 400000
    5 count 100000
function _Z5otheri other.cc:8 head 900
  2 count 900
  inline @1 helper shifted.cc:1 at 2:15 entries 900
    2 count 900
    3 count 5000
    4 count 4000
    5 count 900
EOF
"$PATHFDO" show --from-text profile.txt -o app.pfdo
# shifted FILE: entries of helper, and the number of instances that they are of.
shifted() {
	rm -f report
	$CXX -O2 -g -w -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/app.pfdo" -fplugin-arg-pathfdo-no-replay \
		-fplugin-arg-pathfdo-report="$T/report" -c "$1" -o shifted.o
	sed -n '/^{"function":"_ZL6helperi"/ { s/.*"head":\([0-9]*\),.*"merged":\([0-9]*\),.*/\1 \2/; s/.*"found":"\([a-z]*\)".*/\1/; p }' report
}
mkdir -p below twice
sed '1i // one more line' shifted.cc >below/shifted.cc
{ cat below/shifted.cc && printf 'struct two { int helper(int x); };\nint two::helper(int x)\n{\n\treturn x;\n}\n'; } >twice/shifted.cc
check_eq "where nothing was edited" "$(shifted shifted.cc)" "100900 2"
check_eq "a line further down" "$(shifted below/shifted.cc)" "100900 2"
check_eq "one of two: the one above host" "$(shifted twice/shifted.cc)" "100900 2"
