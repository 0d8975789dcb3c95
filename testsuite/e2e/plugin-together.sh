#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# C++ in several files with -flto: one exact profile of the whole program.  A virtual call's usual target, which another
# file defines, is promoted at link time, though a direct call of the same position takes its result; exceptions cross
# the files; and the program runs fewer instructions than with -flto alone.  The file with the call comes first: in GCC 12
# the link forgets the targets of later ones.
set -eu
. "$(dirname "$0")/lib.sh"
command -v valgrind >/dev/null || skip "valgrind is not installed"
cd "$T"
cat >shape.h <<'EOF'
#include <cstddef>
struct shape {
	virtual ~shape() {}
	virtual long area(long n) const = 0;
};
shape *make(int i);
inline long clamp(long v)
{
	if (v < 0)
		throw v;
	if (__builtin_expect(v > 1000, 1))
		return v % 1000;
	return v;
}
template <typename T> long count(const T *from, size_t n, T wanted)
{
	long found = 0;
	for (size_t i = 0; i < n; i++)
		found += from[i] == wanted;
	return found;
}
EOF
cat >shape.cc <<'EOF'
#include "shape.h"
struct square : shape {
	long side;
	explicit square(long s) : side(s) {}
	long area(long n) const override { return side * side + n; }
};
struct bar : shape {
	long area(long n) const override { return n < 0 ? clamp(n) : n; }
};
shape *make(int i)
{
	static const char kinds[] = "abba";
	if (i % 16 == 15 && count(kinds, 4, 'b') == 2)
		return new bar;
	return new square(clamp(i));
}
EOF
cat >main.cc <<'EOF'
#include <cstdio>
#include "shape.h"
__attribute__((noinline)) static long sum(shape *const *shapes, long rounds)
{
	long total = 0;
	for (long round = 0; round < rounds; round++)
		for (int i = 0; i < 64; i++)
			total += clamp(shapes[i]->area(round));
	return total;
}
int main()
{
	shape *shapes[64];
	for (int i = 0; i < 64; i++)
		shapes[i] = make(i);
	long all = 0;
	for (int i = 0; i < 200; i++)
		all += sum(shapes, 10);
	try {
		all += sum(shapes + 15, -1) + shapes[15]->area(-all);
	} catch (long v) {
		all -= v;
	}
	std::printf("%ld\n", all);
	return 0;
}
EOF
# build NAME FLAG...: both files, and the link.
build() {
	local name=$1
	shift
	$CXX -O2 -g -flto "$@" -c shape.cc main.cc && $CXX -O2 -g -flto=1 "$@" -fdump-ipa-profile_estimate-details="$T/$name.calls" \
		main.o shape.o -o "$name" || fail "$name does not compile"
}
build plain
valgrind -q --tool=callgrind --dump-instr=yes --collect-jumps=yes --skip-plt=no --compress-strings=no --compress-pos=no \
	--callgrind-out-file=exact ./plain >plain.out
"$B/tools/callgrind-vectors" exact plain.data
"$PATHFDO" convert -q -b plain plain.data -o plain.pfdo 2>said || fail "convert: $(cat said)"
build fast -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/plain.pfdo" -fplugin-arg-pathfdo-report="$T/report" 2>said
check_eq "what is said" "$(cat said)" ""
check_eq "output" "$(./fast)" "$(cat plain.out)"
for f in main _ZL3sumPKP5shapel _Z4makei; do
	grep "\"function\":\"$f\"" report | grep -q '"found":"matched"' || fail "$f: $(grep "$f" report)"
done
grep '"function":"_ZL3sum' report | grep -q '"promoted":1' || fail "no targets for the call in sum: $(grep _ZL3sum report)"
grep -q 'Indirect call -> speculative call .*sum.* => .*area' fast.calls ||
	fail "the call of square::area is not promoted at link time"
# The tests of its loops are in front of them and at their ends, as one place from GCC 13 on; main calls it 201 times.
runs() { awk -v head="^$1/" '$0 ~ head { on = 1 } on && sub(/.*Function flags:.*count:/, "") { print $1 + 0; exit }' fast.calls; }
check_eq "runs of sum for one of main" "$(($(runs '_ZL3sum[^/]*') / $(runs main)))" 201
plain=$(callgrind out ./plain) fast=$(callgrind out ./fast)
echo "instructions: $plain, with the profile $fast"
[ "$fast" -lt "$plain" ] || fail "$fast instructions with the profile, $plain without"

# What the compiler keeps no scope of, such as the code that catches, looks like the function's own: a function is not stale
# for it, if its line is one of what was inlined; and is, if nothing explains it.
M=$(grep -n '^int main' main.cc | cut -d: -f1) S=$(grep -n 'static long sum' main.cc | cut -d: -f1)
cat >stray.txt <<EOF
pathfdo-profile 1
unit executions
function main $T/main.cc:$M head 1
  4 count 64
  $((S + 4 - M)):6 count 7200
  inline sum $T/main.cc:$S at 7 entries 200
    4:6 count 7200
EOF
grep -v '^    4:6' stray.txt >strange.txt
for p in "stray matched" "strange stale"; do
	"$PATHFDO" show --from-text "${p% *}.txt" -o stray.pfdo
	rm -f report
	$CXX -O2 -g -w -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/stray.pfdo" \
		-fplugin-arg-pathfdo-report="$T/report" -c main.cc
	grep '"function":"main"' report | grep -q "\"found\":\"${p#* }\"" || fail "$p: $(cat report)"
done
