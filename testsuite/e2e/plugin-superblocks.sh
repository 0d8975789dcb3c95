#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Superblocks from paths: where a branch depends on how it was reached, which no edge count tells, its copies fall
# through, and fewer branches are taken for the same output; where it does not depend on it, nothing is copied.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"

SOURCE=$TOP/testsuite/programs/superblock-states.c

# build NAME FLAG...
build() {
	local name=$1
	shift
	$CC -O2 -g -w -fchecking=1 "$@" "$SOURCE" -o "$name" || fail "$name does not build"
}

# with_profile NAME SETTING FLAG...: built for the profile, with superblocks=SETTING.
with_profile() {
	local name=$1 setting=$2
	shift 2
	build "$name" -fplugin="$PLUGIN" -fplugin-arg-pathfdo-profile="$T/p.pfdo" \
		-fplugin-arg-pathfdo-superblocks="$setting" "$@"
}

# compare TURNS ARGUMENT...: taken branches of a short run WITHOUT and WITH superblocks, profiled on a long one.
compare() {
	local turns=$1
	shift
	"$PATHFDO" record --source=soft -o data -- ./plain "$turns" "$@" >plain.out 2>said || fail "$(cat said)"
	"$PATHFDO" convert -b plain data -o p.pfdo >convert.log 2>&1 || fail "$(cat convert.log)"
	with_profile without no
	with_profile with yes
	WITHOUT=$(taken without 20 "$@") WITH=$(taken with 20 "$@")
	cmp without.out with.out || fail "superblocks change what the program prints"
	./plain 20 "$@" | cmp - with.out || fail "the profile changes what the program prints"
	echo "superblock-states $*: $WITHOUT taken branches, with superblocks $WITH"
}

build plain
# Two branches a message, each half and half; the second is the first's but in one message of 64: of the two taken
# branches that a message costs, one falls away in nearly all.  Half of that is asked for.  GCC 15 and later copy the join
# by themselves, whatever the paths are, and leave nothing to gain but the loop's own jump.
compare 100000
if [ "$WITHOUT" -gt $((20 * 4096 * 5 / 4)) ]; then
	check_within "taken branches with superblocks" "$WITH" 1 "$((WITHOUT - 20 * 4096 / 4))"
else
	check_within "taken branches with superblocks, where they are few" "$WITH" 1 "$((20 * 4096 * 5 / 4))"
fi

# The decisions of the last branch, by the decision of the branch before: what no edge tells is 63 to 1.
"$PATHFDO" show --text p.pfdo | sed -n '/^function read_all/,/^function main/p' >read_all
awk '/^  path / && NF >= 6 && $(NF - 3) ~ /^5:/ && $(NF - 1) ~ /^13:/ {
		sum[$(NF - 2), $NF] += $2
		all[$(NF - 2)] += $2 }
	END { for (way in sum) { split(way, part, SUBSEP)
			share = sum[way] / all[part[1]]
			n += share > 0.5
			good += share > 0.94 }
		print n + 0, good + 0 }' read_all >shares
check_eq "ways to the last branch, and those that say where it goes" "$(cat shares)" "2 2"

# Two compiles are the same, and so they are without -g.
cp with first
with_profile with yes
cmp with first || fail "two compiles differ"
with_profile with yes -fcompare-debug

compare 100000 independent
for name in with without; do
	objcopy -O binary -j .text "$name" "$name.text"
done
cmp with.text without.text || fail "something is copied where branches are independent"

if (with_profile wrong maybe) 2>wrong.log; then
	fail "superblocks=maybe is accepted"
fi
grep -q 'superblocks=maybe.*write one of.*yes.*no' wrong.log || fail "superblocks=maybe: $(cat wrong.log)"
