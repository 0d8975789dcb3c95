#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A file that nothing of ran, and one of another program: the profile knows what its program was compiled from, so that
# only the second is said to who asks for it, however the first is spelled; nobody else hears of either.
set -eu
. "$(dirname "$0")/lib.sh"
mkdir -p "$T/app-1.0/src" "$T/app-1.0/build" "$T/app-1.1/source"
mkdir "$T/other"
cp "$TOP/testsuite/programs/plugin-loop.c" "$T/app-1.0/src/loop.c"
# What costs space where it may be fast, in each release of GCC: copies of a callee.  (Loops do not do: GCC 14 aligns the
# tight ones of cold code, too.)
cat >"$T/app-1.0/src/idle.c" <<'END'
static inline unsigned stir(unsigned a, unsigned b)
{
	a ^= b << 3;
	a += b * 9;
	a ^= a >> 5;
	b -= a << 2;
	a *= b ^ 77;
	b += a >> 7;
	return a * 7 ^ b;
}
int idle(int n) { return stir(n, 3) + stir(2, n); }
int idler(int n) { return stir(n, n - 1) ^ stir(n + 2, n); }
END
echo 'int lazy(int n) { return n < 2 ? n : n * 3 + 1; }' >"$T/app-1.0/src/lazy.c"
echo 'int foreign(int n) { return n < 2 ? n : n * 5 + 1; }' >"$T/app-1.0/src/foreign.c"
echo 'int main(int argc, char **argv) { return argc < 2 ? 1 : argv[1][0] == 0; }' >"$T/app-1.0/src/tool.c"
cp -r "$T/app-1.0/src" "$T/app-1.1/"
cp "$T/app-1.0/src/idle.c" "$T/app-1.1/source/idle.c"

# build OUT SOURCES FLAG...: loop.c and idle.c are the program, lazy.c is a library of it that is loaded and never
# called; SOURCES is how their folder is spelled.
build() {
	local out=$1 src=$2
	shift 2
	(cd "$T/app-1.0/build" && $CC -O2 -g "$@" -shared -fPIC "$src/lazy.c" -o "$out-lazy.so" &&
		$CC -O2 -g "$@" "$src/loop.c" "$src/idle.c" -Wl,--no-as-needed "$PWD/$out-lazy.so" -o "$out")
}

# profile OUT: records and converts it.
profile() {
	"$PATHFDO" record --source=soft -F 400 --max-overhead=20 -o "$T/$1.data" -- "$T/app-1.0/build/$1" 20000000 >/dev/null \
		2>"$T/record.log" || fail "record: $(tail -n 2 "$T/record.log")"
	"$PATHFDO" convert -q "$T/$1.data" -o "$T/$1.pfdo" 2>"$T/convert.log" || fail "convert: $(cat "$T/convert.log")"
}
build app ../src
profile app
"$PATHFDO" show --text "$T/app.pfdo" >"$T/app.txt"
for name in loop idle lazy; do
	check_eq "lines for $name.c" "$(grep -c "^compiled $T/app-1.0/src/$name.c\$" "$T/app.txt")" 1
done
grep -q '^function work' "$T/app.txt" || fail "the recording has nothing of work"
check_eq "what ran of idle.c" "$(grep -cE '^function (idle|lazy)' "$T/app.txt" || true)" 0

# said PROFILE FOLDER FILE FLAG...: the warnings of a compile in FOLDER of $T.
said() {
	local with=$1 folder=$2
	shift 2
	(cd "$T/$folder" && $CC -O2 -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-warn=unmatched \
		-fplugin-arg-pathfdo-profile="$T/$with.pfdo" -c -o "$T/new.o" "$@" \
		2>"$T/messages") || fail "the compile of $1 in $folder fails: $(cat "$T/messages")"
	cat "$T/messages"
}
quiet() { check_eq "what is said of $3 in $2 with $1" "$(said "$@")" ""; }
# told TEXT ...: one warning, which has TEXT.
told() {
	local text=$1
	shift
	said "$@" >"$T/told"
	check_eq "warnings of $3 in $2 with $1 ($(cat "$T/told"))" "$(grep -c 'warning: pathfdo: ' "$T/told")" 1
	grep -q "$text" "$T/told" || fail "$3 in $2 with $1: $(cat "$T/told"), want $text"
}

quiet app app-1.0/build ../src/loop.c
for file in idle lazy; do
	quiet app app-1.0/build ../src/$file.c
	quiet app app-1.0/src $file.c
	quiet app app-1.0 src/$file.c
	quiet app app-1.0 ./src/../src/$file.c
	quiet app app-1.0 "$T/app-1.0/src/$file.c"
	quiet app app-1.1/src "$file.c"
	quiet app . "$T/app-1.1/src/$file.c"
done
not_from="not compiled from it: it is another program.s profile, or the file is new"
told "$not_from" app app-1.0/build ../src/foreign.c
told "$not_from" app app-1.1/source idle.c
quiet app app-1.0/build ../src/foreign.c -fplugin-arg-pathfdo-no-warn=unmatched
# The main of another program is not this one's, changed.
told "$not_from" app app-1.0/build ../src/tool.c
quiet app app-1.0/build ../src/tool.c -fplugin-arg-pathfdo-no-warn=unmatched
(cd "$T/app-1.0/src" && $CC -O2 -g -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/app.pfdo" -c -o "$T/new.o" foreign.c 2>"$T/messages")
check_eq "what is said unasked of another program's file" "$(cat "$T/messages")" ""

# Preprocessed elsewhere, as ccache and distcc do: the line markers still name the file.
(cd "$T/app-1.0/build" && $CC -E ../src/idle.c -g -o "$T/other/x.i")
quiet app other x.i

# Prefixes that were mapped, by the same option as now, and names that are bare for it.
map="-ffile-prefix-map=$T/app-1.0/src=/usr/lib/thing"
build mapped "$T/app-1.0/src" "$map"
profile mapped
"$PATHFDO" show --text "$T/mapped.pfdo" | grep -q '^compiled /usr/lib/thing/idle.c$' || fail "the mapped name is not in the profile"
told "$not_from" mapped app-1.0/src idle.c
quiet mapped app-1.0/build "$T/app-1.0/src/idle.c" "$map"
(cd "$T/app-1.0/src" && $CC -O2 -g "-ffile-prefix-map=$PWD=." loop.c idle.c -o ../build/bare)
profile bare
"$PATHFDO" show --text "$T/bare.pfdo" | grep -q '^compiled idle.c$' || fail "the bare name is not in the profile"
quiet bare app-1.0/build ../src/idle.c

# Link-time units have no file; those of the compiles before are listed all the same.
build lto ../src -flto
profile lto
check_eq "what an -flto binary was compiled from" "$("$PATHFDO" show --text "$T/lto.pfdo" | grep "^compiled $T/" | sed 's/.*\///' | tr '\n' ' ')" \
	"idle.c lazy.c loop.c "
quiet lto app-1.0/build ../src/idle.c

# A profile that does not say, by an older converter or by hand; and a sum of both.
sed '/^compiled/d' "$T/app.txt" | "$PATHFDO" show --from-text - -o "$T/old.pfdo"
told "or this file did not run" old app-1.0/build ../src/idle.c
"$PATHFDO" merge "$T/old.pfdo" "$T/app.pfdo" -o "$T/sum.pfdo" 2>/dev/null
check_eq "what the sum was compiled from" "$("$PATHFDO" show --text "$T/sum.pfdo" | grep -c ^compiled)" "$(grep -c ^compiled "$T/app.txt")"
quiet sum app-1.0/build ../src/idle.c
told "$not_from" sum app-1.0/build ../src/foreign.c

# A damaged list is damage.  It has one block: where the C library has debug information, its files are left out.
awk -v mine="$T/" '!/^compiled/ || index($2, mine) == 1' "$T/app.txt" | "$PATHFDO" show --from-text - -o "$T/damaged.pfdo"
quiet damaged app-1.0/build ../src/idle.c
at=$(grep -abo "comp" "$T/damaged.pfdo" | head -n 1 | cut -d: -f1)
list=$(od -An -t u4 -j $((at + 8)) -N 4 "$T/damaged.pfdo" | tr -d ' ')
printf '\377\377' | dd of="$T/damaged.pfdo" bs=1 seek="$list" conv=notrunc status=none
told "checksum does not match" damaged app-1.0/build ../src/idle.c
quiet damaged app-1.0/build ../src/idle.c -fplugin-arg-pathfdo-no-warn=missing

# Of what many looks never saw, nothing needs to be fast: less code than by a profile of few looks, which leaves it alone, as
# it does what is another program's.
for looks in 10 1000; do
	sed "/^agreement/d;\$a agreement looks $looks square 0" "$T/app.txt" | "$PATHFDO" show --from-text - -o "$T/looks$looks.pfdo"
done
# text OPTION...: the size of what a compile of app-1.0/src makes.
text() {
	(cd "$T/app-1.0/src" && $CC -O2 -g "$@" -c -o "$T/new.o")
	size -A "$T/new.o" | awk '$1 ~ /^\.text/ { sum += $2 } END { print sum }'
}
with() { text -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/$1.pfdo" "$2"; }
check_eq "idle code after ten looks" "$(with looks10 idle.c)" "$(text idle.c)"
check_within "idle code after a thousand looks" "$(with looks1000 idle.c)" 1 $(($(text idle.c) - 1))
check_eq "another program's code after a thousand looks" "$(with looks1000 foreign.c)" "$(text foreign.c)"
