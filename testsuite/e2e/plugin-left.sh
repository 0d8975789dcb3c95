#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Calls of which the profiled binary had something else: an inlined body, where what stood at the call's own place did not
# run; the like of another arm, whose place both arms lead to there; and what was split off another function that is the
# same.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >left.c <<'E2'
int seldom(int), other(int);
__attribute__((noinline)) static int often(int key)
{
	return other(key) + 3;
}
int choose(int key)
{
	if (key > 40)
		return seldom(key);
	return often(key);
}
E2
line() { grep -n -m1 "$1" left.c | cut -d: -f1; }
C=$(line '^int choose') F=$(line 'static int often')
# at TEXT WORD: line and column of WORD in the line with TEXT, relative to choose.
at() { awk -v text="$1" -v word="$2" -v from="$C" 'index($0, text) { print NR - from ":" index($0, word); exit }' left.c; }
cat >profile.txt <<E2
pathfdo-profile 1
unit executions
function choose left.c:$C head 64000 total 128064
  $(at 'key > 40' '(') count 64000
  $(at 'return seldom' seldom) count 64
    call seldom 64
  $(at 'return often' often) count 0
  inline @1 often left.c:$F at $(at 'return often' often) entries 63936
    $(($(line 'return other') - F)) count 63936
      call other 63936
E2
"$PATHFDO" show --from-text profile.txt -o app.pfdo
$CC -O2 -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/app.pfdo" -fplugin-arg-pathfdo-report="$T/report" \
	-fdump-tree-fixup_cfg3-blocks-details -c left.c -o left.o
grep -q '^{"refused":"often"' report || fail "often was inlined: $(cat report)"

# shares FUNCTION CALL...: the counts of the blocks with the calls, in parts of the function's entries.
shares() {
	sed -n "/^;; Function $1 /,/^;; Function [^${1:0:1}]/p" left.c.*fixup_cfg3 | awk -v calls="${*:2}" '
		/^;;   basic block / { for (i = 1; i < NF; i++) if ($i == "count") here = $(i + 1); if (!all) all = here }
		match($0, /[a-z]+ \(/) { at[substr($0, RSTART, RLENGTH - 2)] = here }
		END { n = split(calls, name, " "); for (i = 1; i <= n; i++) printf "%.3f%s", at[name[i]] / all, i < n ? " " : "" }'
}
check_eq "share of the call that was inlined, and of the other" "$(shares choose often seldom)" "0.999 0.001"

# Two arms that end alike were one, at the place of the second, whose test never ran.
cat >left.c <<'E2'
int add(int), trace(int);
void note(int);
void pick(int what, int kind)
{
	if (kind == 4) {
		if (add(what))
			note(what);
		return;
	}
	if (kind > 9)
		what = trace(what);
	if (add(what) /* again */)
		note(what) /* again */;
}
E2
C=$(line '^void pick')
cat >profile.txt <<E2
pathfdo-profile 1
unit executions
function pick left.c:$C head 64000 total 224000
  $(at 'kind == 4' '(') count 64000
    taken $(at 'add(what) /*' add) 64000
  $(at 'kind > 9' '(') count 0 instructions 2
  $(at 'trace(what)' trace) count 0
  $(at 'add(what) /*' add) count 64000
    call add 64000
  $(at 'add(what) /*' '(') count 64000
    fell $(at 'note(what) /*' note) 32000
    taken 11:1 32000
  $(at 'note(what) /*' note) count 32000
    call note 32000
  11:1 count 64000
E2
"$PATHFDO" show --from-text profile.txt -o app.pfdo
rm -f left.c.*
$CC -O2 -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/app.pfdo" -fdump-tree-fixup_cfg3-blocks-details -c left.c -o left.o
# The first call of `add` ran, and what is between it and the second did not.
check_eq "share of the call whose test never ran" "$(shares pick trace)" "0.000"
check_eq "counts of the tests" "$(sed -n '/^;; Function pick /,$p' left.c.*fixup_cfg3 | awk '
	/^;;   basic block / { for (i = 1; i < NF; i++) if ($i == "count") here = $(i + 1) }
	/ = add \(/ { print (here > 0 ? "ran" : "not") }' | tr '\n' ' ')" "ran not "

# What was split off `twin`, which `pick` shares with it, is called at the declaration of `twin`: that is no statement of
# `pick`, whose source is what it was.
cat >left.c <<'E2'
int step(int *), check(int *);
int twin(int *at)
{
	step(at);
	while (check(at))
		step(at);
	return 0;
}
int pick(int *at)
{
	step(at);
	while (check(at))
		step(at);
	return 0;
}
E2
C=$(line '^int pick') A=$(line '^int twin')
cat >profile.txt <<E2
pathfdo-profile 1
unit executions
function pick left.c:$C head 7 total 64
  0:5 count 7
  2:2 count 7
    call step 7
  6:1 count 7
  inline @1 twin left.c:$A at $((A - C)):5 entries 12
    3:9 count 12
      call check 12
    4:3 count 5
      call step 5
E2
"$PATHFDO" show --from-text profile.txt -o app.pfdo
rm -f report
$CC -O2 -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/app.pfdo" -fplugin-arg-pathfdo-report="$T/report" -c left.c -o left.o 2>said
[ ! -s said ] || fail "a source that did not change: $(cat said)"
grep -q '"function":"pick".*"found":"matched"' report || fail "pick is not matched: $(cat report)"

# What the compiler computes early in an inlined body has the place of the statement around it that needs it, in a host below
# or above: no line of the callee's, whose source is what it was.  And a line of the callee's that the host has a record of,
# too, as where the scope was lost, stays the callee's.
cat >left.c <<'E2'
struct cache { int used, limit; };
int unlink_one(struct cache *), unref(int), report(int);
int finish(struct cache *c, int size);
void above(struct cache *c, int size)
{
	finish(c, size);
	while (c->used > c->limit) /* above */
		unlink_one(c);
}
int finish(struct cache *c, int size)
{
	for (int i = 0; i < size; i++)
		unref(i);
	while (unref(size))
		c->used -= report(size);
	return size;
}
void below(struct cache *c, int size)
{
	finish(c, size);
	while (c->used > c->limit) /* below */
		unlink_one(c);
}
E2
F=$(line '^int finish.*)$')
# host NAME FINISH: the function NAME, with an instance of finish that has FINISH beside what is the host's.
host() {
	local declared; declared=$(line "^void $1")
	cat <<E2
function $1 left.c:$declared head 70 total 300
  3:11 count 70
  $((F + 4 - declared)):9 count 30
  inline @1 finish left.c:$F at 2:2 entries 0
    $((declared + 3 - F)):2 count 80
    $((declared + 3 - F)):11 count 80
$2
E2
}
{
	printf 'pathfdo-profile 1\nunit executions\n'
	host above ""
	host below "    4:9 count 30"
} >profile.txt
"$PATHFDO" show --from-text profile.txt -o app.pfdo
rm -f report
$CC -O2 -g -fno-inline -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/app.pfdo" -fplugin-arg-pathfdo-report="$T/report" -c left.c -o left.o 2>said
[ ! -s said ] || fail "a host's places in a callee that did not change: $(cat said)"
check_eq "finish, by the one line of its own that ran" "$(grep -o '"function":"finish".*"found":"[a-z]*","head":0,"total":[0-9]*' report |
	sed 's/.*"found"/"found"/')" '"found":"matched","head":0,"total":30'

# What -finstrument-functions calls has no scope, and the place of a function's declaration: of another function's if its
# body comes behind an inlined one.  In the function's own record it is what it seems to be, a line that is not there.
{
	printf 'pathfdo-profile 1\nunit executions\n'
	cat <<E2
function above left.c:$(line "^void above") head 70 total 210
  3:11 count 70
  inline @1 finish left.c:$F at 2:2 entries 0
    4:9 count 60
    $(($(line "^void below") - F)):6 count 80
E2
} >profile.txt
"$PATHFDO" show --from-text profile.txt -o app.pfdo
rm -f report
$CC -O2 -g -fno-inline -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/app.pfdo" -fplugin-arg-pathfdo-report="$T/report" -c left.c -o left.o 2>said
[ ! -s said ] || fail "another function's place in a callee that did not change: $(cat said)"
grep -q '"function":"finish".*"found":"matched"' report || fail "finish is not matched: $(cat report)"
cat >profile.txt <<E2
pathfdo-profile 1
unit executions
function finish left.c:$F head 0 total 140
  4:9 count 60
  $(($(line "^void below") - F)):6 count 80
E2
"$PATHFDO" show --from-text profile.txt -o app.pfdo
$CC -O2 -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/app.pfdo" -c left.c -o left.o 2>said
grep -q ".finish. has changed too much since it was profiled" said || fail "a record of another source: $(cat said)"
