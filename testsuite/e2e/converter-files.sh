#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Where programs and their debug information are: shared libraries, separate debug files by build-id and by debug link
# (with its CRC), another prefix, segments whose address is not their offset.
set -eu
. "$(dirname "$0")/lib.sh"
. "$TOP/testsuite/tools/converter-lib.sh"
P=$TOP/testsuite/programs

"$CC" -O2 -g -shared -fPIC "$P/convert-library.c" -o "$T/libwork.so"
"$CC" -O2 -g "$P/convert-user.c" -o "$T/user" -L"$T" -lwork -Wl,-rpath,"$T"
exact "$T/user"
convert "$T/user" -b "$T/libwork.so"
check_lines "$T/user.txt" "$P/convert-user.c" "$P/convert-library.c"
grep -qE '^    call library_work 20$' "$T/user.txt" || fail "the call through the PLT is not seen as one of library_work"
grep -qE '^    call call_back 60$' "$T/user.txt" || fail "the call back is not seen"
grep -qE '^function library_work .* head 20 ' "$T/user.txt" || fail "library_work was entered 20 times"
check_eq "provenance" "$(grep -c '^from ' "$T/user.txt")" 2
id=$(readelf -n "$T/user" | sed -nE 's/.*Build ID: ([0-9a-f]+)/\1/p')
grep -q "^from .*build-id $id " "$T/user.txt" || fail "build-id $id is not in the provenance"

# Only the program, then only the library.
"$PATHFDO" convert -q -b "$T/libwork.so" "$T/user.data" -o "$T/lib.pfdo"
check_eq "functions of the library alone" "$("$PATHFDO" show --text "$T/lib.pfdo" | grep -c '^function')" 1

# Separate debug files.
cp "$T/user" "$T/whole"
cp "$T/user.txt" "$T/before.txt"
split() {
	cp "$T/whole" "$T/user"
	objcopy --only-keep-debug "$@" "$T/user" "$T/user.debug"
	strip "$T/user"
}
split
objcopy --add-gnu-debuglink="$T/user.debug" "$T/user"
convert "$T/user" -b "$T/libwork.so"
cmp -s "$T/user.txt" "$T/before.txt" || fail "by debug link the profile is another"
split --compress-debug-sections
objcopy --add-gnu-debuglink="$T/user.debug" "$T/user"
mkdir "$T/.debug" && mv "$T/user.debug" "$T/.debug/"
convert "$T/user" -b "$T/libwork.so"
cmp -s "$T/user.txt" "$T/before.txt" || fail "by debug link in .debug/, compressed, the profile is another"
# The debug file alone has no code, by which branches are placed and judged; it is not the recording that is wrong.
for asked in "$T/.debug/user.debug" "user=$T/.debug/user.debug"; do
	refused 1 "user.debug: is a separate debug file, without the code; name the program" \
		convert -b "$asked" "$T/user.data" -o "$T/none.pfdo"
done
printf x >>"$T/.debug/user.debug"
refused 1 "CRC in .gnu_debuglink" convert -b "$T/user" "$T/user.data" -o "$T/none.pfdo"
rm -r "$T/.debug"
refused 1 "user: no debug information .*-g, .*-dbgsym, others: -debuginfo.*--debug-dir" convert -b "$T/user" "$T/user.data" -o "$T/none.pfdo"
refused 1 "user: no debug information .*-g, .*-dbgsym, others: -debuginfo.*--debug-dir" convert "$T/user.data" -o "$T/none.pfdo"
split
mkdir -p "$T/debug/.build-id/${id:0:2}" && mv "$T/user.debug" "$T/debug/.build-id/${id:0:2}/${id:2}.debug"
convert "$T/user" -b "$T/libwork.so" --debug-dir "$T/debug"
cmp -s "$T/user.txt" "$T/before.txt" || fail "by build-id the profile is another"

# Without section headers (llvm-objcopy --strip-sections), the build-id is where the kernel reads it.
cp "$T/user" "$T/sections"
printf '\0\0\0\0\0\0\0\0' | dd of="$T/user" bs=1 seek=40 conv=notrunc status=none
printf '\0\0\0\0' | dd of="$T/user" bs=1 seek=60 conv=notrunc status=none
check_eq "build-id in the segments" "$(readelf -n "$T/user" | sed -nE 's/.*Build ID: ([0-9a-f]+)/\1/p')" "$id"
"$PATHFDO" convert -q -b "$T/user" -b "$T/libwork.so" --debug-dir "$T/debug" "$T/user.data" -o "$T/bare.pfdo" ||
	fail "a program without section headers is not converted"
"$PATHFDO" show --text "$T/bare.pfdo" >"$T/bare.txt"
cmp -s "$T/bare.txt" "$T/before.txt" || fail "without section headers the profile is another"
mv "$T/sections" "$T/user"

# The recorded path does not exist any more; a prefix helps.
mkdir -p "$T/root$T"
mv "$T/user" "$T/libwork.so" "$T/root$T/"
refused 1 "-b|symfs" convert "$T/user.data" -o "$T/none.pfdo" # whatever else has debug information
"$PATHFDO" convert -q "$T/user.data" --symfs "$T/root" --debug-dir "$T/debug" -o "$T/symfs.pfdo"
"$PATHFDO" show --text "$T/symfs.pfdo" | grep -q '^function call_back .* head 60 ' || fail "--symfs finds no counts"
# Another root has its debug files where the system has its own: by build-id, and by the folder of the program in that root.
mkdir -p "$T/root/usr/lib/debug"
mv "$T/debug/.build-id" "$T/root/usr/lib/debug/"
"$PATHFDO" convert -q "$T/user.data" --symfs "$T/root" -o "$T/symfs.pfdo" || fail "by build-id below another root"
mkdir -p "$T/root/usr/lib/debug$T"
mv "$T/root/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug" "$T/root/usr/lib/debug$T/user.debug"
objcopy --add-gnu-debuglink="$T/root/usr/lib/debug$T/user.debug" "$T/root$T/user"
"$PATHFDO" convert -q "$T/user.data" --symfs "$T/root" -o "$T/linked.pfdo" || fail "by debug link below another root"
"$PATHFDO" show --text "$T/linked.pfdo" >"$T/linked.txt"
"$PATHFDO" show --text "$T/symfs.pfdo" | cmp - "$T/linked.txt" || fail "by debug link below another root the profile is another"

# p_offset is not p_vaddr with other linkers.
for linker in gold lld bfd; do
	command -v "ld.$linker" >/dev/null || continue
	"$CC" -O2 -g -fuse-ld="$linker" -no-pie "$P/convert-counts.c" "$P/convert-other.c" -o "$T/$linker"
	exact "$T/$linker"
	convert "$T/$linker"
	check_lines "$T/$linker.txt" "$P/convert-counts.c" "$P/convert-other.c"
done

# Two programs of one name in a recording, without build-ids: the one that was asked for by its path, and both if it is only a
# name that they share.
"$CC" -std=c11 -D_GNU_SOURCE -I "$TOP" -o "$T/samples" "$P/convert-samples.c" "$B/libpathfdo.a" -lz -lzstd
mkdir -p "$T/one" "$T/two" "$T/third"
for folder in one two; do
	"$CC" -O2 -g -no-pie -Wl,--build-id=none "$P/convert-clock.c" -o "$T/$folder/same"
done
offset=$((0x$(nm "$T/one/same" | awk '$3 == "main" { print $1 }') - 0x400000))
"$T/samples" "$T/same.data" "$T/one/same" $offset 300 "$T/two/same" $offset 200

# The table of build-ids has several of one path, as where containers have different builds of a program: that is said once,
# and which it was is not known.  What a guest has at the path is not the program that ran.
"$CC" -O2 -g -no-pie -Wl,--build-id=sha1 "$P/convert-clock.c" -o "$T/named"
offset=$((0x$(nm "$T/named" | awk '$3 == "main" { print $1 }') - 0x400000))
own="$T/named id $(readelf -n "$T/named" | awk '/Build ID/ { print $3 }')"
other="0123456789012345678901234567890123456789"
for table in "$T/named id $other $own" "$own $T/named id $other" "$T/named guest $other $own"; do
	# shellcheck disable=SC2086 # the table is words
	"$T/samples" "$T/named.data" $table "$T/named" $offset 300
	"$PATHFDO" convert -q "$T/named.data" -o "$T/named.pfdo" 2>"$T/said" || fail "$table: $(cat "$T/said")"
	several=$(grep -c "warning: $T/named: the recording has several builds of it" "$T/said" || true)
	case $table in
	*guest*) check_eq "warnings of a guest's" "$several" 0 ;;
	*) check_eq "warnings" "$several" 1 ;;
	esac
done

# total FOLDER: the samples that are mapped by that program.
total() {
	"$PATHFDO" convert --json -b "$T/$1/same" "$T/same.data" -o "$T/same.pfdo" >"$T/json" || fail "the program in $1: $?"
	jq '[.binaries[].mapped] | add' "$T/json"
}
command -v jq >/dev/null || skip "jq is not installed: two programs of one name were not looked at"
check_eq "samples of the one program" "$(total one)" 300
check_eq "samples of the other program" "$(total two)" 200
cp "$T/one/same" "$T/third/same"
check_eq "samples of a name" "$(total third)" 500
