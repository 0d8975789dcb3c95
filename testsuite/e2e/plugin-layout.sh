#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Block order: with exact counts ext-TSP takes fewer branches than GCC's order, for as many instructions and the same
# output; a goto into a loop, a switch by table, setjmp and exceptions stay what they are; a wrong setting is told.  It goes by
# counts that agree with each other.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
[ -x "$B/tools/callgrind-vectors" ] || skip "run make tools"

# build NAME COMPILER SOURCE FLAG...
build() {
	local name=$1 compiler=$2 source=$3
	shift 3
	$compiler -O2 -g -w -fchecking=1 "$@" "$TOP/testsuite/programs/$source" -o "$name" || fail "$name does not build"
}

# orders COMPILER SOURCE ARGUMENT...: with the exact profile of that run, taken branches in GCC and OURS.
orders() {
	local compiler=$1 source=$2 order
	shift 2
	build plain "$compiler" "$source"
	valgrind -q --tool=callgrind --dump-instr=yes --collect-jumps=yes --skip-plt=no --compress-strings=no \
		--compress-pos=no --callgrind-out-file=calls ./plain "$@" >plain.out || fail "the plain $source fails"
	"$B/tools/callgrind-vectors" calls data && "$PATHFDO" convert -b plain data -o p.pfdo >convert.log 2>&1 ||
		fail "no profile of $source"
	for order in gcc exttsp; do
		build $order "$compiler" "$source" -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/p.pfdo" \
			-fplugin-arg-pathfdo-layout=$order
	done
	GCC=$(taken gcc "$@") OURS=$(taken exttsp "$@")
	cmp plain.out gcc.out && cmp plain.out exttsp.out || fail "the order of blocks changes what $source prints"
	echo "$source: $GCC taken branches, by ext-TSP $OURS"
}

orders "$CC" layout-branches.c 3000 5
[ "$OURS" -lt "$GCC" ] || fail "ext-TSP takes $OURS branches, GCC's order $GCC"
check_within "instructions" "$(awk '/^summary:/ { print $2 }' exttsp.jumps)" 1 \
	"$(awk '/^summary:/ { print $2 * 1.01 }' gcc.jumps)"
cp exttsp first
build exttsp "$CC" layout-branches.c -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/p.pfdo" \
	-fplugin-arg-pathfdo-layout=exttsp
cmp exttsp first || fail "two compiles differ"
build exttsp "$CC" layout-branches.c -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/p.pfdo"
for name in exttsp first; do objcopy -O binary --only-section=.text $name $name.text; done
cmp exttsp.text first.text || fail "ext-TSP is not the default"

# Passes that join ways do not always tell the block where they join: at the time of the layout it has what its jumps bring.
$CC -O2 -g -w -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/p.pfdo" -c "$TOP/testsuite/programs/layout-branches.c" \
	-o dumped.o -fdump-rtl-all-blocks-details || fail "layout-branches.c does not compile with dumps"
awk 'function number(text) { return match($0, text "[0-9]+") ? substr($0, RSTART + length(text), RLENGTH - length(text)) : -1 }
	/^;; Function / { name = $3 }
	/^;; basic block/ { block = $4; count = number("count "); brought = back = into = 0 }
	/^;;  pred:/ { into = 1 }
	/^;;  succ:/ && into {
		into = 0
		blocks++
		if (!back && block > 1 && brought > count * 1.02 + 2)
			print name, "block", block, count, "of", brought
	}
	into && /^;;/ { brought += (n = number("count:")) > 0 ? n : 0; back += /DFS_BACK/ }
	END { if (blocks < 20) print "only", blocks + 0, "blocks" }' ./*r.pathfdo_layout >lost
[ ! -s lost ] || fail "counts are lost: $(cat lost)"

orders "$CC" road-jumps.c 3000
orders "$CXX" plugin-shapes.cc 300

if $CC -O2 -c "$TOP/testsuite/programs/layout-branches.c" -o wrong.o -fplugin="$PLUGIN" \
	-fplugin-arg-pathfdo-profile="$T/p.pfdo" -fplugin-arg-pathfdo-layout=best 2>wrong.log; then
	fail "layout=best is accepted"
fi
grep -q 'layout=best.*write one of.*exttsp.*gcc' wrong.log || fail "layout=best: $(cat wrong.log)"
