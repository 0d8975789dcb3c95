#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# At a link with -flto the plugin does with counts what it does in a compile: the tests of that pass with a compiler that
# has its code made by a link, too.  What is hot there is what is hot in a compile, whatever the link knows; and a link
# without the plugin says so.
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
# compile takes for hot, and that in cool a tenth of that.
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
__attribute__((noipa)) int cool(int *a, int *b)
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
function cool heat.c:15 head 3 total 27
  2 count 3
  3 count 12
  4 count 9
  5 count 3
END
"$PATHFDO" show --from-text heat.txt -o p.pfdo
plugin=-fplugin=$PLUGIN profile=-fplugin-arg-pathfdo-profile=$T/p.pfdo
$CC -O2 -g -flto "$plugin" "$profile" -c heat.c -o heat.o
# unrolled FLAG...: the lines of loops of three turns that a link with these flags unrolls, by its messages.
unrolled() {
	$CC -O2 -g -flto=1 -r -flinker-output=nolto-rel -fopt-info-loop-optimized "$@" heat.o -o linked.o 2>messages ||
		fail "no link with $*: $(tail -n 1 messages)"
	sed -n 's/^heat.c:\(1[0-9]\):.*completely unrolled.*/\1/p' messages | sort -nu | paste -sd' '
}
check_eq "loops that are unrolled at a link that knows the profile" "$(unrolled "$plugin" "$profile")" 11
check_eq "loops that are unrolled at a link that does not" "$(unrolled "$plugin")" 11
check_eq "loops that are unrolled at a link without the plugin" "$(unrolled)" 11
check_eq "loops that are unrolled at a link that divides the program" "$(unrolled -flto=2 "$plugin")" 11
$CC -O2 -g -flto -ffat-lto-objects "$plugin" "$profile" -c heat.c -o heat.o
check_eq "loops that are unrolled of an object with code" "$(unrolled "$plugin")" 11

# A link without the plugin says so once, whatever it is of; one with it, and the assembler of an object that holds code,
# too, say nothing.  cold.c has no function of the profile.
echo 'int cold(void) { return 1; }' >cold.c
printf 'int cold(void);\nint main(void)\n{\n\treturn cold() - 1;\n}\n' >main.c
printf 'pathfdo-profile 1\nunit executions\nfunction main main.c:2 head 9 total 9\n  2 count 9\n' | cat heat.txt - |
	grep -v '^unit\|^pathfdo' | sed '1i pathfdo-profile 1\nunit executions' >whole.txt
"$PATHFDO" show --from-text whole.txt -o whole.pfdo
profile=-fplugin-arg-pathfdo-profile=$T/whole.pfdo
# objects FLAG...: compiles all; links FLAG...: how often the link of them says that it is without the plugin.
objects() {
	local name
	for name in heat main cold; do
		$CC -O2 -g -flto "$plugin" "$profile" "$@" -c $name.c -o $name.o 2>said || fail "$*: $(cat said)"
		[ ! -s said ] || fail "a compile with $* says $(cat said)"
	done
}
links() {
	$CC -O2 "$@" heat.o main.o cold.o -o app 2>messages || fail "no link with $*: $(tail -n 1 messages)"
	./app || fail "linked with $* it ends with status $?"
	grep -c 'this link with -flto is without the plugin.*no-warn=unlinked' messages || true
}
objects
check_eq "warnings of a link without the plugin" "$(links -flto=1)" 1
check_eq "of one that divides the program" "$(links -flto=2)" 1
check_eq "of one that does not" "$(links -flto=1 -flto-partition=none)" 1
check_eq "of one with the plugin" "$(links -flto=1 "$plugin" "$profile"; cat messages)" 0
check_eq "of one with the plugin that is not to optimise" "$(links -O0 -flto=1 "$plugin" "$profile"; cat messages)" 0
check_eq "of one with the plugin, undivided" "$(links -flto=1 -flto-partition=none "$plugin" "$profile"; cat messages)" 0
check_eq "of one with the plugin and no profile" "$(links -flto=1 "$plugin"; cat messages)" 0
$CC -O2 -flto=1 -r -flinker-output=rel heat.o main.o -o joined.o 2>messages || fail "no link of objects: $(cat messages)"
check_eq "of objects that are joined as they are" "$(cat messages)" ""
cp joined.o heat.o && $CC -O2 -flto -c none.c -o main.o
check_eq "of the link of these" "$(links -flto=1)" 1
objects -fplugin-arg-pathfdo-no-warn=unlinked
check_eq "where it is silenced" "$(links -flto=1; cat messages)" 0
objects -ffat-lto-objects
check_eq "of objects with code, without -flto" "$(links -fno-lto; cat messages)" 0
check_eq "of objects with code, with it" "$(links -flto=1)" 1
