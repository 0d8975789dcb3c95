#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The folder that perf record --threads writes, compressed or not: the profile is that of the text that perf script
# prints of it, and all samples that perf counts are read.
set -eu
. "$(dirname "$0")/lib.sh"
P=$TOP/testsuite/programs
command -v perf >/dev/null || skip "perf is not installed"

"$CXX" -O2 -g "$P/road-shapes.cc" -o "$T/prog"
perf record -q --threads -e cpu-clock:u -F 1000 -o "$T/folder" -- "$T/prog" 3000 >"$T/out" 2>"$T/said" ||
	skip "perf record --threads does not work here: $(head -n 1 "$T/said")"
[ -e "$T/folder/data.0" ] || skip "this perf makes no folders"

for options in "" "-z"; do
	rm -rf "$T/folder"
	perf record -q $options --threads -e cpu-clock:u -F 1000 -o "$T/folder" -- "$T/prog" 3000 >"$T/out" 2>"$T/said" ||
		continue # perf was built without zstd
	"$PATHFDO" convert "$T/folder" -o "$T/folder.pfdo" 2>"$T/said" || fail "convert$options: $(cat "$T/said")"
	"$PATHFDO" show --text "$T/folder.pfdo" | grep -v "^from" >"$T/shown"
	samples=$(perf report -D -i "$T/folder" 2>/dev/null | grep -c "PERF_RECORD_SAMPLE(")
	grep -q "read $samples plain samples, used $samples$" "$T/said" || fail "of $samples samples: $(cat "$T/said")"
	perf script --ns --show-mmap-events -i "$T/folder" >"$T/text" 2>/dev/null
	"$PATHFDO" convert "$T/text" -o "$T/text.pfdo" 2>"$T/said" || fail "the text: $(cat "$T/said")"
	"$PATHFDO" show --text "$T/text.pfdo" | grep -v "^from" | diff - "$T/shown" >"$T/diff" || fail "$options: $(head -n 5 "$T/diff")"
done
# One recording twice, by whatever name; and a profile in the place of its files.
cp -r "$T/folder" "$T/copy" && ln -s folder "$T/link"
for name in folder link copy; do
	refused 1 "$T/$name: is the same recording as $T/folder" convert "$T/folder" "$T/$name" -o "$T/none.pfdo"
done
find "$T/folder" -type f -exec md5sum {} + | sort >"$T/before"
for name in data data.0; do
	refused 1 "$T/folder/$name: is the input $T/folder, which would be lost" convert "$T/folder" -o "$T/folder/$name"
done
find "$T/folder" -type f -exec md5sum {} + | sort | cmp - "$T/before" || fail "the recording is not as it was"
mkdir "$T/empty"
refused 1 "empty: is a directory, and none that perf record --threads makes" convert "$T/empty" -o "$T/none.pfdo"
