#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# At a link with -flto the plugin does with counts what it does in a compile: the tests of that pass with a compiler that
# has its code made by a link, too.  What is hot there is what is hot in a compile, if the link knows the profile; and a
# profile that cannot be read is said there.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
# linking: the compiler, but for code, which is made of what -flto leaves.
cat >linking <<'END'
#!/bin/bash
set -eu
kind='' source='' out='' rest=()
while [ $# -gt 0 ]; do
	case $1 in
	-c | -S) kind=$1 ;;
	-o) out=$2 && shift ;;
	*.c | *.cc) source=$1 ;;
	*) rest+=("$1") ;;
	esac
	shift
done
[ -n "$kind" ] || exec "$LINKED_CC" "${rest[@]}" $source ${out:+-o "$out"}
name=${source##*/} name=${name%.*}
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
"$LINKED_CC" "${rest[@]}" -flto -c "$source" -o "$here/$name.o"
"$LINKED_CC" "${rest[@]}" -flto=1 -r -flinker-output=nolto-rel -save-temps=obj "$here/$name.o" -o "$here/linked.o"
case $kind in
-c) cp "$here/linked.o" "${out:-$name.o}" ;;
-S) cat "$here"/*.ltrans.s >"${out:-$name.s}" ;;
esac
END
chmod 755 linking
echo 'int f(void) { return 1; }' >none.c
LINKED_CC=$CC ./linking -O2 -c none.c 2>said || skip "this compiler has no -flto: $(head -n 1 said)"
for name in guards jammed latches peels recursion switches tails; do
	LINKED_CC=$CC CC=$T/linking bash "$TOP/testsuite/e2e/plugin-$name.sh" >said 2>&1 || [ $? = 77 ] ||
		fail "at a link: $(tail -n 1 said)"
done

# Nearly all the time is spent in busy; the loop of three turns in hot has 3 of a thousand, some thirty times what a
# compile takes for hot.
cat >heat.c <<'END'
__attribute__((noipa)) int busy(int *a, int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += a[i] * n;
	return s;
}
__attribute__((noipa)) int hot(int *a, int *b)
{
	int s = 0;
	for (int i = 0; i < 3; i++)
		s += a[i * 7] * b[s];
	return s;
}
END
cat >heat.txt <<'END'
pathfdo-profile 1
unit executions
function busy heat.c:1 head 10 total 2000020
  3 count 1000010
  4 count 1000000
  5 count 10
function hot heat.c:8 head 1000 total 9000
  2 count 1000
  3 count 4000
  4 count 3000
  5 count 1000
END
"$PATHFDO" show --from-text heat.txt -o p.pfdo
plugin=-fplugin=$PLUGIN profile=-fplugin-arg-pathfdo-profile=$T/p.pfdo
$CC -O2 -g -flto "$plugin" "$profile" -c heat.c -o heat.o
# unrolled FLAG...: whether the loop of hot is, at a link with these flags, by its messages.
unrolled() {
	$CC -O2 -g -flto=1 -r -flinker-output=nolto-rel -fopt-info-loop-optimized "$@" heat.o -o linked.o 2>messages ||
		fail "no link with $*: $(tail -n 1 messages)"
	grep -c 'heat.c:11:.*completely unrolled' messages || true
}
check_eq "loops that are unrolled at a link that knows the profile" "$(unrolled "$plugin" "$profile")" 1
check_eq "loops that are unrolled at a link that does not" "$(unrolled "$plugin")" 0
check_eq "loops that are unrolled with a profile that is not there" "$(unrolled "$plugin" "$profile.none")" 0
grep -q "p.pfdo.none: .*; linking without a profile" messages || fail "a missing profile is not said: $(cat messages)"
