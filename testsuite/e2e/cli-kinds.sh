#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Each command, given each file of the road but its own, says what that file is; and where no file is, which is missing.
set -eu
. "$(dirname "$0")/lib.sh"

"$CC" -std=c11 -D_GNU_SOURCE -I "$TOP" -o "$T/samples" "$TOP/testsuite/programs/convert-samples.c" "$B/libpathfdo.a" -lz -lzstd
"$CC" -O2 -g -no-pie -o "$T/prog" "$TOP/testsuite/programs/convert-clock.c"
offset=$((0x$(nm "$T/prog" | awk '$3 == "main" { print $1 }') - 0x400000))
cd "$T"
./samples p.data "$T/prog" $offset 200
"$PATHFDO" convert -q p.data -o p.pfdo
printf '#!/bin/sh\n./prog\n' >script.sh
: >empty
gzip -c p.data >p.data.gz

program='is a program or library, not'
recording='is a recording, not'
profile='is a profile of `pathfdo convert`, not'

refused 1 "prog: $program a perf.data file" convert ./prog p.data -o none.pfdo
refused 1 "p.pfdo: $profile a perf.data file" convert p.pfdo -o none.pfdo
refused 1 "p.data.gz: is a file compressed by gzip, not a perf.data file" convert p.data.gz -o none.pfdo
refused 1 "empty: is empty" convert empty -o none.pfdo
refused 1 "p.data: $recording an ELF file" convert -b p.data p.data -o none.pfdo
refused 1 "script.sh: is a script, not an ELF file" convert -b script.sh p.data -o none.pfdo
for command in hotspots 'coverage -b prog' 'paths -b prog'; do
	refused 1 "p.pfdo: $profile a perf.data file" $command p.pfdo
done
for command in 'cflags --cc=gcc' show values 'annotate p.data main' 'diff p.pfdo'; do
	refused 1 "p.data: $recording a pathfdo profile; make one with pathfdo convert" $command p.data
done
refused 1 "p.data: $recording a pathfdo profile" merge -o none.pfdo p.data
refused 1 "prog: $program a pathfdo profile" show prog
refused 1 "p.pfdo: $profile a build's report" report p.pfdo
refused 1 "p.pfdo: $profile what an instrumented program counted of its calls" context p.pfdo

# A binary that is not there is told before the recordings are read, of which there can be gigabytes.
refused 1 'absent: cannot open' convert -b absent p.data -o none.pfdo
if grep -q '^  read' said; then fail "the recordings were read before: $(cat said)"; fi

# Recordings that were put behind each other: all but the first would count for nothing.
cat p.data p.data >two.data
refused 1 "two.data: another recording begins at offset $(stat -c %s p.data), behind the first: keep each" convert two.data -o none.pfdo
for command in hotspots 'coverage -b prog' 'paths -b prog'; do
	refused 1 'two.data: another recording begins' $command two.data
done

# Two forms at once, of which one would have been left out.
for forms in '--text --json' '--text --summary' '--functions --text' '--html=- --text'; do
	# shellcheck disable=SC2086 # two options
	refused 2 '--(text is a form of its own|html is of the whole)' show $forms p.pfdo
done

# A name is one line, whatever it is.
odd=$'odd\nname'
cp p.pfdo "$odd.pfdo"
mkdir "$odd"
cp prog "$odd/prog"
check_eq "lines of a difference's head" "$("$PATHFDO" diff "$odd.pfdo" p.pfdo | grep -c '^[AB]  .*: 1 functions')" 2
check_eq "lines of a coverage's head" "$("$PATHFDO" coverage -b "$odd/prog" p.data | grep -c '^odd?name/prog: ')" 1
