#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Profiles as older minor versions of the format have them, made of a present one by what doc/pfdo-format.md says: with
# the chunks that came later left out, and before 1.3 without CRCs of chunks of frames.  What remains is read the same.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
cat >older.py <<'END'
import struct, sys, zlib

source, minor = open(sys.argv[1], "rb").read(), int(sys.argv[2])
since = {b"alon": 7, b"sens": 6, b"valu": 5, b"rank": 4, b"agre": 2, b"comp": 1}
count, = struct.unpack_from("<I", source, 12)
entries = [struct.unpack_from("<4sIQQII", source, 32 + 32 * i) for i in range(count)]
ends = [entry[2] for entry in entries[1:]] + [len(source)]
kept = [(entry, source[entry[2]:end]) for entry, end in zip(entries, ends) if since.get(entry[0], 0) <= minor]
assert set(since) <= {entry[0] for entry in entries}
at, table, chunks = 32 + 32 * len(kept), b"", b""
for (tag, check, offset, size, crc, reserved), chunk in kept:
    chunk += bytes(-len(chunk) % 8)
    crc = 0 if minor < 3 and check == 2 else crc
    table += struct.pack("<4sIQQII", tag, check, at + len(chunks), size, crc, reserved)
    chunks += chunk
head = source[:10] + struct.pack("<HIQ", minor, len(kept), at + len(chunks))
sys.stdout.buffer.write(head + struct.pack("<II", zlib.crc32(head + table), 0) + table + chunks)
END
cat >p.txt <<'END'
pathfdo-profile 1
unit executions
agreement looks 400 square 0 alone 800

function main a.c:3 head 4 total 12
  1 count 4
  2 count 8
    taken 1 8 equal
    value divisor 7 4
function other a.c:30 head 1 total 2
  1 count 2

compiled a.c
compiled b.c
END
"$PATHFDO" show --from-text p.txt -o p.pfdo
"$PATHFDO" show --text p.pfdo >p.txt
printf 'int main(void)\n{\n\treturn 0;\n}\n' >a.c
for minor in 7 6 5 4 3 2 1 0; do
	python3 older.py p.pfdo $minor >older.pfdo
	check_eq "minor version" "$(od -An -tu2 -j10 -N2 older.pfdo | tr -d ' ')" $minor
	"$PATHFDO" show --text older.pfdo >older.txt || fail "1.$minor is not read"
	left=$(awk -v minor=$minor 'minor < 7 { sub(/ alone 800$/, "") } minor < 6 { sub(/ equal$/, "") } (minor < 5 && $1 == "value") || (minor < 2 && $1 == "agreement") || (minor < 1 && $1 == "compiled") { next }
		NF' p.txt)
	check_eq "what 1.$minor has" "$(grep . older.txt)" "$left"
	"$PATHFDO" merge older.pfdo p.pfdo -o sum.pfdo 2>said || fail "1.$minor is not merged: $(cat said)"
	flags=$("$PATHFDO" cflags --cc="$CC" --plugin="$PLUGIN" older.pfdo) || fail "no flags for 1.$minor"
	# shellcheck disable=SC2086 # flags are words
	$CC -O2 -Werror $flags -c a.c 2>said || fail "a build with 1.$minor: $(cat said)"
done
