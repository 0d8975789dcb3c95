#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# No command overwrites what it reads, by whatever name; a recording that is there already is kept as FILE.old.
set -eu
. "$(dirname "$0")/lib.sh"

"$CC" -std=c11 -D_GNU_SOURCE -I "$TOP" -o "$T/samples" "$TOP/testsuite/programs/convert-samples.c" "$B/libpathfdo.a" -lz -lzstd
"$CC" -O2 -g -no-pie -o "$T/prog" "$TOP/testsuite/programs/convert-clock.c"
offset=$((0x$(nm "$T/prog" | awk '$3 == "main" { print $1 }') - 0x400000))
"$T/samples" "$T/p.data" "$T/prog" $offset 200 /absent/other 0 1
"$PATHFDO" convert -q "$T/p.data" -o "$T/p.pfdo"
"$PATHFDO" show --text "$T/p.pfdo" >"$T/p.txt"
cp "$T/prog" "$T/bare" && objcopy --only-keep-debug "$T/bare" "$T/bare.debug" && strip "$T/bare"
objcopy --add-gnu-debuglink="$T/bare.debug" "$T/bare"
ln "$T/p.data" "$T/hard" && ln -s p.data "$T/soft"

# spared FILE ARGUMENT...: the command that would write over FILE fails, and FILE is as it was.
spared() {
	local file=$1 before
	shift
	before=$(md5sum <"$file")
	refused 1 "$file.*(is the input|would be lost)" "$@"
	check_eq "content of $file after '$*'" "$(md5sum <"$file")" "$before"
}
for name in p.data hard soft; do
	spared "$T/$name" convert "$T/p.data" -o "$T/$name"
done
spared "$T/prog" convert "$T/p.data" -o "$T/prog" # not named, but read
spared "$T/prog" convert -b "$T/prog" "$T/p.data" -o "$T/prog"
spared "$T/bare" convert -b "prog=$T/bare" "$T/p.data" -o "$T/bare"
spared "$T/bare.debug" convert -b "prog=$T/bare" "$T/p.data" -o "$T/bare.debug"
spared "$T/p.pfdo" export --format=gcov "$T/p.pfdo" -o "$T/p.pfdo"
cp "$T/p.pfdo" "$T/q.pfdo"
spared "$T/q.pfdo" merge "$T/p.pfdo" "$T/q.pfdo" -o "$T/q.pfdo"
ln "$T/p.pfdo" "$T/other-name.pfdo"
spared "$T/p.pfdo" cflags --cc="$CC" --report="$T/other-name.pfdo" "$T/p.pfdo"
spared "$T/p.txt" show --from-text "$T/p.txt" -o "$T/p.txt"
spared "$T/prog" record --source=clock -o "$T/prog" -- "$T/prog"
cp "$TOP/testsuite/golden/comparison.json" "$T/c.json"
spared "$T/c.json" compare --report "$T/c.json" --html="$T/c.json"
spared "$T/c.json" compare --report "$T/c.json" --markdown="$T/c.json"
echo "$T/p.pfdo" >"$T/list"
spared "$T/list" merge --files-from="$T/list" -o "$T/list"
cp "$TOP/analysis/engine/branch_edges" "$T/p.engine"
for option in -o --html; do
	spared "$T/p.engine" engine -p "$T/p.engine" --truth $option "$T/p.engine" "$T/p.data"
	spared "$T/prog" engine -p branch_edges --truth --all $option "$T/prog" "$T/prog"
	spared "$T/prog" hotspots --all $option "$T/prog" "$T/prog"
done
for option in --lcov --gcov; do
	for file in p.data prog c.json; do
		spared "$T/$file" coverage -b "$T/prog" --against="$T/c.json" $option="$T/$file" "$T/p.data"
	done
done
spared "$T/list" show --report="$T/list" --html="$T/list" "$T/p.pfdo"
# What is read without being named: binaries of the recording, their debug files, sources that a page shows.
"$T/samples" "$T/bare.data" "$T/bare" $offset 200
cp "$TOP/testsuite/programs/convert-clock.c" "$T/source.c"
"$CC" -O2 -g -no-pie -o "$T/own" "$T/source.c"
own=$((0x$(nm "$T/own" | awk '$3 == "main" { print $1 }') - 0x400000))
"$T/samples" "$T/own.data" "$T/own" $own 200
"$PATHFDO" convert -q "$T/own.data" -o "$T/own.pfdo"
spared "$T/source.c" show --html="$T/source.c" "$T/own.pfdo"
(cd "$T" && "$PATHFDO" show --html=page.html own.pfdo) || fail "a page beside a source"
(cd "$T" && "$CC" -O2 -g -gsplit-dwarf -no-pie -c source.c -o half.o && "$CC" -no-pie -o halved half.o)
half=$((0x$(nm "$T/halved" | awk '$3 == "main" { print $1 }') - 0x400000))
"$T/samples" "$T/half.data" "$T/halved" $half 200
spared "$T/half.dwo" convert "$T/half.data" -o "$T/half.dwo"
spared "$T/half.dwo" coverage -b "$T/halved" --lcov="$T/half.dwo" "$T/half.data"
for option in --lcov --gcov; do
	spared "$T/bare.debug" coverage -b "$T/bare" $option="$T/bare.debug" "$T/bare.data"
done
if "$PATHFDO" record --source=soft -o "$T/soft.data" -- "$T/own" >/dev/null 2>"$T/said"; then
	for option in -o --html; do
		spared "$T/own" hotspots $option "$T/own" "$T/soft.data"
		spared "$T/own" engine -p branch_edges --truth $option "$T/own" "$T/soft.data"
	done
	spared "$T/source.c" paths -b "$T/own" --html="$T/source.c" "$T/soft.data"
	spared "$T/bare.debug" paths -b "$T/bare" -o "$T/bare.debug" "$T/soft.data"
	# Nor what would be lost by keeping what is there.
	cp "$T/own" "$T/run.old" && echo "there already" >"$T/run"
	spared "$T/run.old" record --source=soft -o "$T/run" -- "$T/run.old"
	cp "$T/soft.data" "$T/part.1.data.old" && echo "there already" >"$T/part.1.data"
	spared "$T/part.1.data.old" hotspots --by-phase="$T/part" "$T/part.1.data.old"
fi
# What is named as the sum of one version, and is of another.
for id in 11 22; do
	printf 'pathfdo-profile 1\nunit executions\nfrom soft event e binary app build-id %s period 1 samples 1 lost 0 first-ns 1 last-ns %s tool t\n' \
		$id$id$id$id$id$id $id
	printf 'function f f.c:1 head 1 total 1\n  0 count 1\n'
done | split -l 5 - "$T/version."
"$PATHFDO" show --from-text "$T/version.aa" -o "$T/of-222222222222.pfdo"
"$PATHFDO" show --from-text "$T/version.ab" -o "$T/of-b.pfdo"
spared "$T/of-222222222222.pfdo" merge "$T/of-222222222222.pfdo" "$T/of-b.pfdo" -o "$T/of-%b.pfdo"

# Another file is no input, and a device is none that could be lost.
"$PATHFDO" convert -q "$T/p.data" -o "$T/q.pfdo" || fail "a former profile is replaced"
"$PATHFDO" convert -q "$T/p.data" -o /dev/null || fail "/dev/null"

# A recording that is there.
cp "$T/p.data" "$T/kept"
"$T/samples" "$T/p2.data" "$T/prog" $offset 300
[ ! -e "$T/p2.data.old" ] || fail "there was nothing to keep"
mv "$T/p.data" "$T/r.data"
"$T/samples" "$T/r.data" "$T/prog" $offset 300
cmp -s "$T/r.data" "$T/p2.data" || fail "the new recording is not there"
cmp -s "$T/r.data.old" "$T/kept" || fail "the recording that was there is lost"
if "$PATHFDO" record --source=clock -o "$T/r.data" -- "$T/prog" >/dev/null 2>"$T/said"; then
	cmp -s "$T/r.data.old" "$T/p2.data" || fail "pathfdo record lost the recording that was there"
fi
"$PATHFDO" record --source=clock -o "$T/r.data" -- /absent/program 2>/dev/null && fail "there is no such program"
[ -e "$T/r.data" ] || fail "a recording that failed took the one that was there"
